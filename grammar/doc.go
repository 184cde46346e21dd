// Package grammar constrains what a language model writes. One compiled grammar has three uses: it
// masks the tokens that may come next, it parses the output into captures, and it is printed in
// the dialects of other engines. Generator and parser cannot disagree, because they are the same
// automaton.
//
// # A grammar
//
// The text of a grammar is GBNF, as llama.cpp defines it, extended with JSON Schemas, regular
// expressions, special tokens, text up to a marker, and captures; GBNF.md defines it.
//
//	text := `root ::= "<call>" args:( %json{"type":"object"} ) "</call>"`
//	g, err := grammar.Parse(text, grammar.Options{})
//
// [FromSchema], [FromRegex] and [FromLark] make grammars of the other kinds. A schema that cannot
// be enforced exactly is an error (*schema.UnsupportedError), or, with Lenient, an [Issue] in
// [Grammar.Issues].
//
// # Masks
//
//	v, err := grammar.NewVocab(pieces, kinds, eog) // once per model
//	m := g.Matcher(v)                              // once per sequence
//	for !ended {
//		mask := m.Mask()                       // apply it to the logits, sample a token
//		err := m.Accept(token)
//	}
//
// A mask holds exactly the tokens after which some accepted text can still follow: it is never
// empty before the end, and end tokens are in it exactly where the text may end.
// [Matcher.Rollback] and [Matcher.Clone] cost next to nothing. [Matcher.ForcedTokens] is what need
// not be sampled. [Matcher.MaskWithin] brings the text to a legal end within a budget.
//
// # Captures
//
//	p := g.Parser()
//	err = p.Feed(text) // in any pieces
//	for _, e := range p.Events() { … }
//
// Events tell what is certain: they are the same for every way in which the text is cut, and are
// never taken back.
//
// # How it works
//
// gbnf reads the text into trees; schema compiles JSON Schemas into an intermediate form, and lex
// decides regular languages; machine steps threads over bytes and computes masks over a vocab;
// print writes grammars in other dialects; partition finds equal states and rules. machine/doc.go
// explains the core; TestMasks measures all of it.
//
// # Files
//
//	grammar.go                               grammars of all kinds, from text
//	units.go                                 a grammar's schemas, compiled
//	cache.go, size.go                        compiled grammars are kept, within bounds
//	matcher.go, workspace.go                 following an output; what matchers share
//	mask.go, heal.go                         sets of tokens; forced tokens that are certain
//	parser.go, event.go                      captures
//	print.go                                 other dialects
//	renew.go                                 fresh automata when a limit is met
//
// # Caveats
//
// A Grammar and a Vocab may be used by any number of goroutines, a Matcher and a Parser by one at
// a time. Matchers of one grammar and vocabulary share what they learn, and take turns: one lock
// is held for the time of one call. [Matcher.MaskInSteps] lets go of it between its steps. Per
// grammar and vocabulary, masks are bounded to 64 MiB, and so is what is learned about states:
// what was not used lately goes first. What is learned about texts has the same bound: beyond it a
// matcher reads its text again with nothing learned. A text that takes much by itself brings that
// up to twice what it takes. All that Parse remembers is bounded to half a GiB: what was used
// least recently goes first ([Kept], [Grammar.Size]). The automata of formats are made once per
// process, each where a schema first names it, and take some 25 MB.
//
// The automata of a schema have limits (see lex.Limits). A matcher or parser that meets one reads
// its text again on new automata, and a mask that fills automata by itself is computed in pieces,
// on up to 24 of them. Whether a text can still be completed follows from a pattern and bounds on
// the length without a search. Where several patterns or lookaheads meet, it takes a search: what
// is too hard at the start is an UnsupportedError. What turns out to be too hard later is refused
// where something else can follow, so that no text is led to where it has no end, and allowed
// where nothing else can.
//
// The distance to an end inside of JSON is an upper bound, with three exceptions: elements that
// must differ from others; more than eight missing keys that are not named, where few short ones
// are allowed; and keys that an obligation demands beside named ones. There MaskWithin may exceed
// its budget by some bytes. It still ends.
//
// # Words
//
//	here                     the field (llguidance; XGrammar; regex-automata)
//	Grammar, Matcher         grammar, Matcher; CompiledGrammar, GrammarMatcher; DFA, state
//	workspace                what the parsers of one grammar and tokenizer share; in
//	                         regex-automata the Cache of a lazy DFA
//	renew                    regex-automata clears that cache (minimum_cache_clear_count)
//	forced tokens            fast-forward tokens; jump-forward decoding; none
//	healing                  token healing; none; none
//	shortest completion      the distance of Matcher.Distance and MaskWithin
//	captures, events         captures; captures; Captures, of a whole match
//	print                    none; GrammarPrinter; none
//	lenient, issues          x-guidance lenient, warnings; warnings in the log; none
//	Kept, Size               ParserLimits; max_memory_bytes, GetCacheSizeBytes; cache_capacity
package grammar
