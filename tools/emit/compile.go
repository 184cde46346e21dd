package emit

import (
	"tenon/grammar"
	"tenon/tools/memo"
)

// compiling are the grammars that are being compiled: turns that come at once with new tools wait for one of them.
var compiling memo.Flights[string, *grammar.Grammar]

// Compile compiles the grammar of a turn as engines do; package grammar remembers it.
func Compile(text string) (*grammar.Grammar, error) {
	return compiling.Do(text, func() (*grammar.Grammar, error) {
		return grammar.Parse(text, grammar.Options{Lenient: true})
	})
}
