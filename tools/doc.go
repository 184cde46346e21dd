// Package tools knows how models call tools: which are declared ([Tool]), what a turn may do with
// them ([Choice]) and what was called ([Call]).
//
// How a family of models writes its calls is a [Dialect]. [Detect] binds one to a chat template by
// what the template renders (package bind), [Lookup] finds one by name. A turn is planned once and
// its output parsed as it arrives:
//
//	plan, err := dialect.Plan(tools.Turn{Tools: declared, Choice: choice, Parallel: true})
//	p := plan.Parser()
//	for token := range output {
//		events = append(events, p.Token(token.Bytes, token.Symbol)...)
//	}
//	events = append(events, p.Close(truncated)...)
//
// The packages, each of which imports only those above it:
//
//	peek  turn  memo              text that may grow · shared words · caches
//	lenient  ordered              almost JSON · JSON in its order
//	conform  format               arguments against a schema · how calls are written, as data
//	families  declared            the known formats · the client's tools
//	plan                          a prepared turn
//	emit  scan                    for each syntax, what writes calls · what reads them
//	parse                         output to events
//	bind  retry                   template to dialect · the grammar of a second try
//	tools
//
// Files here: tools.go (the packages below put together), reexports.go (their types under this
// name), guessed_call.go (a call that a model announced in prose and did not write, [Plan.Guess]).
//
// # The grammar of a turn
//
// The plan also prints what the whole output must match, thinking and text included, as extended
// GBNF ([Plan.Grammar], package grammar). It follows from the same descriptor by which the parser
// reads, and it masks the model's tokens.
//
// Under the grammar a turn ends with its calls: behind each of them only another call may follow.
// Text comes before them, as in the vendors' templates. Text behind a call would be moved to the
// front when a client sends the turn back, so the prompt would no longer be the cached one; and a
// weak model that goes on there writes the results itself. A model that follows no grammar may
// write text anywhere: the tolerant parser finds text between calls and behind them.
//
// # Reading
//
// Output made under the grammar is parsed by it: its captures (emit/captures.go) become
// events, and arguments leave while they are written. Where the grammar enforces only a part of a
// tool's schema, package tools/conform validates the arguments before any of them leaves.
//
// The tolerant parser reads any other text, and output that left its grammar. Text leaves at once,
// without the family's markers; only a thought behind another family's label waits
// (parse/labels.go). What may be a call is kept until its end, behind an opening marker or without
// one (parse/missing_opener.go, parse/unmarked_start.go). Then the syntax's reader takes it, with
// package tools/lenient for what is almost JSON. Where the end of a string or value is ambiguous,
// all ways to read it are compared (scan/reader.go), or what follows it decides
// (scan/tagged_end.go): a call that may not be the one that was meant never leaves.
//
// No parser ever fails: what is no valid call stays text, and a [Note] says why. There is one
// exception: output that leaves its grammar inside a call of which a part has been sent. That call
// stays open, and [Parser] says that it is broken.
//
// # Where a call may be
//
// One rule holds for all families (parse/behind_region.go). Written with markers, a complete call
// of a declared tool whose arguments fit is a call anywhere: in prose, between quotes, in code,
// and whatever follows it. The markers may be the family's own or another's
// (parse/other_family.go), or an element with the tool's name (parse/tool_name_tag.go). To quote
// a call, a text has to leave its markers out.
//
// What is written without markers is common in text: bare JSON, Python, words such as "Action:".
// It is a call where it begins or ends the visible turn, or where another call follows. The same
// holds for any call in thinking; but if a call begins right behind the thinking, that one is
// meant.
//
// Code, a fence or backticks, that holds nothing but calls is removed with them. Code that holds
// other text stays, without the calls in it (parse/code_fence.go). In a call's arguments all of
// this is data.
//
// # ReAct
//
// The labels of a step are removed, whether it is a call or not. In a step that calls nothing, the
// name is text, and "None" is nothing at all. A line with a label is such a step if the label of
// arguments or the next label follows it, or if two of these hold: it begins the visible turn, it
// comes behind a thought, it ends the turn, arguments follow the name. Any other line is text and
// keeps its label, as "Action: movies are fun." does, even if it names a declared tool
// (scan/react_no_call.go). So is a thought with a number, or in a list, that no step follows. In
// families without labels only the step of a declared tool counts. Of several steps the first is
// meant; a [Note] tells of the others, also behind a result that the model made up.
//
// # Lists and objects
//
// Some formats have a notation of their own for lists and objects (Gemma's dictionaries, MiniMax's
// elements). There such arguments leave when their call is complete. The mask follows the schema a
// few levels deep, so that a model that repeats itself in one can be ended legally; it does not
// enforce all of the schema. [Plan.Issues] names these arguments. They are validated at the call's
// end, and a call that does not fit is written anew.
package tools
