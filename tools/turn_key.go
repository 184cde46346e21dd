package tools

import (
	"crypto/sha256"
	"fmt"
)

// sum tells turns apart by everything that a plan depends on, but for NewID.
func sum(t Turn) [sha256.Size]byte {
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
func size(t Turn) int {
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
