// Package gbnf reads and writes extended GBNF, the text of all grammars: llama.cpp's GBNF, plus
// JSON Schemas, regular expressions, special tokens, text up to a marker and captures. The
// reference page is ../GBNF.md.
//
//	g, err := gbnf.Read(`root ::= "<call>" args:( %json{"type":"object"} ) "</call>"`)
//	text := gbnf.Write(g)
//
// [Read] gives a [Grammar]: rules, each a tree of [Node]s. [Write] gives the text back. [ReadLark]
// reads Lark into the same trees, and [InString] gives the grammar of a text inside a JSON string.
//
// Files: read.go (rules and groups), lexis.go (names, literals, classes), terminal.go and parts.go
// (what begins with %; %plain and %each are in parts.go), rewrite.go (left recursion, what may be
// empty), write.go, instring.go, lark*.go (the same for Lark, whose patterns are Python's:
// lark_regex.go), tree.go (the nodes).
//
// # Words
//
//	here                     llama.cpp, llguidance, XGrammar; regex-automata has none
//	rule, alternative        production, alternate
//	symbol                   special token: <|call|>, <[id]>
//	until                    text up to a stop string; llguidance's suffix and stop
//	capture                  llguidance's and XGrammar's capture, a named group
//	check                    what a validator looks at once the text is whole
//	each                     parts in any order: an unordered group
package gbnf
