// Package print writes grammars in the dialects of other engines. Plain GBNF knows neither JSON
// Schemas, nor regular expressions, nor text up to a marker; [Plain] says all of them by rules.
// What rules cannot say, or only at a length that no engine bears, is said less exactly:
// [Result.Loosened] and [Result.Narrowed] tell.
//
//	r, err := print.Plain(g, units, true) // for llama.cpp, which knows special tokens
//	text := gbnf.Write(r.Grammar)
//
// Files: gbnf.go (Plain, and the nodes of the tree), language.go (automata as rules), json.go
// (values), number.go (numbers), object.go (objects), parts.go (parts of a text), shape.go (what
// engines do not read), share.go (one rule for what reads the same), inline.go (no rule for what
// is used once).
//
// # Words
//
//	here                     XGrammar, llguidance, llama.cpp; regex-automata has none
//	print                    json_schema_to_grammar; XGrammar's JSONSchemaConverter and
//	                         GrammarPrinter
//	loosened                 over-approximated: the text accepts more
//	narrowed                 under-approximated: it accepts less
//	share, inline            merging of equal rules, inlining (XGrammar's RuleInliner)
//	language as rules        a DFA as a right-linear grammar
package print
