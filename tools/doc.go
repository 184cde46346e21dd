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
//	emit  scan                    the turn's grammar · one scanner for each syntax
//	parse                         output to events
//	bind  retry                   template to dialect · the grammar of a second try
//	tools
//
// Files here: tools.go (the packages below put together), aliases.go (their types under this
// name), guessed_call.go (a call that a model announced in prose and did not write, [Plan.Guess]).
//
// The plan also prints what the turn's whole output must match, thinking and text included, as
// extended GBNF ([Plan.Grammar], package grammar), from the same descriptor by which the parser
// reads: it masks the model's tokens.
//
// Under that grammar a turn ends with its calls: it may end behind each of them, and only another
// call may follow. Text comes before, as in the vendors' templates; behind a call it would be
// moved there when a client sends the turn back, and the cached prompt would be another; and a
// weak model that is let go on writes the results itself. A model that follows no grammar may
// write text anywhere: the tolerant parser tells text between calls and behind them in every
// family.
//
// Output made under that grammar is parsed by it: its captures (emit/output_parts.go) become
// events, and arguments leave while they are written. Where the grammar enforces only a part of a
// tool's schema, arguments are held against it (package tools/conform) before any of them leaves.
// Any other text, and output that left its grammar, is for the tolerant parser: text leaves at
// once, without the family's markers, but behind another family's label of a thought
// (parse/labels.go); what may be a call, behind an opening marker or without one
// (parse/heads.go, parse/cues.go), is kept until its end and read by the codec of the family
// (package tools/lenient reads what is almost JSON). Where a value between tags ends is decided by
// what follows it (scan/tagged_end.go), where strings end whose quotes are not escaped by all ways
// to read them (scan/codec.go): a call that may not be the one that was meant never leaves. No
// parser ever fails: what is no valid call stays text, and a [Note] says why. Output that leaves
// its grammar inside a call of which a part has been sent is the one exception: the call stays
// open, and [Parser] says that it is broken.
//
// Where a call may stand is one rule for all families. A whole call of a declared tool, with
// arguments that fit, is a call wherever it stands if it is written with markers, the family's
// own or another's (parse/other_family.go), or as an element of its name: in prose, between
// quotes, in code, and whatever follows it. To quote one, a text has to leave its markers out.
// What is written without markers (bare JSON, Python, words such as Action:) is common in text:
// it is a call where it begins the visible turn or ends it, or where another call follows. So is
// any call in thinking, but where a call begins right behind the thinking, that one is meant
// (parse/call_position.go). Code, a fence or backticks, that holds nothing but calls is a wrong
// fence and goes with them; code that holds other text stays, without the calls in it
// (parse/code_fence.go). In a call's arguments all of this is data.
//
// A step in ReAct leaves no label behind, be it a call or not. Where it calls nothing, what it
// names is text, and "None" is nothing at all. Such a line is a step's where the label of
// arguments or the next label follows it, or where two of these are so: it begins the visible
// turn, behind a thought, it ends the turn, arguments stand behind the name. Any other is a line
// of a text, as "Action: movies are fun.", and keeps its word (scan/react_step.go), also where it
// names a declared tool and has no arguments. So does a thought with a number, or in a list, that
// no step follows. In families without labels only the step of a declared tool is one. Of several
// steps the first is meant; a [Note] tells of the others, also behind a result that the model made
// up.
//
// Lists and objects wait until their call is whole in the formats with a notation of their own for
// them (Gemma's dictionaries, MiniMax's elements): the mask follows the schema a few levels into
// those, so that a model that goes round in one can be ended legally, and does not enforce all of
// it. [Plan.Issues] names the arguments; they are validated at the call's end, and one that does
// not fit is written anew.
package tools
