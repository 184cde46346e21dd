package tools

import (
	"crypto/sha256"
	"fmt"

	"tenon/grammar"
	"tenon/tools/memo"
)

// planKey says which turns have the same plan, but for the ids of their calls.
type planKey struct {
	dialect *Dialect
	turn    [sha256.Size]byte
}

// plans are those that were prepared before: an agent sends the same tools with every request, a server has few agents. The plan of a
// hundred tools takes about a MB.
var plans = memo.New[planKey, *Plan](64, 16<<20)

// Plan prepares a turn; equal turns are prepared once. The error is a *ToolError.
func (d *Dialect) Plan(t Turn) (*Plan, error) {
	kept, err := plans.Get(planKey{d, t.sum()}, t.size(), func() (*Plan, error) { return d.prepare(t) })
	if err != nil {
		return nil, err
	}
	p := *kept
	p.turn.NewID = t.NewID
	return &p, nil
}

// sum tells turns apart by everything that a plan depends on, but for NewID.
func (t Turn) sum() [sha256.Size]byte {
	h := sha256.New()
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(h, format, args...) } // a hash takes everything
	say("%d %q %t %+v %q", t.Choice.Mode, t.Choice.Names, t.Parallel, t.Thinking, t.Stops)
	if a := t.Answer; a != nil {
		say(" answer %q %q", a.Syntax, a.Definition)
	}
	for _, tool := range t.Tools {
		say(" tool %q %q %q %t", tool.Name, tool.Namespace, tool.Description, tool.Strict)
		if f := tool.Freeform; f != nil {
			say(" input %q %q", f.Syntax, f.Definition)
		}
		say(" schema %d %s", len(tool.Parameters), tool.Parameters)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// size is about how many bytes a plan is made from.
func (t Turn) size() int {
	n := 0
	for _, tool := range t.Tools {
		n += len(tool.Name) + len(tool.Description) + len(tool.Parameters)
		if f := tool.Freeform; f != nil {
			n += len(f.Definition)
		}
	}
	if t.Answer != nil {
		n += len(t.Answer.Definition)
	}
	return n
}

// compiling are the grammars that are being compiled: turns that come at once with new tools wait for one of them.
var compiling memo.Flights[string, *grammar.Grammar]

// compiled is the plan's grammar, compiled as engines do; package grammar remembers it.
func (p *Plan) compiled() (*grammar.Grammar, error) {
	return compiling.Do(p.grammar, func() (*grammar.Grammar, error) {
		return grammar.Parse(p.grammar, grammar.Options{Lenient: true})
	})
}
