package runner

import (
	"context"
	"fmt"

	"tenon/grammar"
)

// compile returns nil for no grammar. It runs on the goroutine of whoever needs it; package
// grammar keeps those that were used recently, within a bound on what they take, and nothing here
// holds one for longer than a turn.
func compile(ctx context.Context, source string) (*grammar.Grammar, error) {
	if source == "" {
		return nil, nil
	}
	// Lenient: what a mask does not enforce is the server's to check, which knows it from
	// compiling the same text.
	g, err := grammar.Parse(source, grammar.Options{Lenient: true, Stop: ctx.Err})
	if err != nil {
		return nil, fmt.Errorf("compile the output grammar: %w", err)
	}
	return g, nil
}
