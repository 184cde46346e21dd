package wire

import (
	"errors"
	"testing"

	"tenon/server/chat"
)

// What is no grammar is the client's mistake; what is one that cannot be enforced is not.
func TestCheckFreeform_refusesWhatIsNoGrammar(t *testing.T) {
	for _, c := range []struct {
		syntax, definition string
		wrong              bool
	}{
		{"lark", "start: WORD\n%import common.WORD", false},
		{"lark", "start: (", true},
		{"lark", "start: other", true},
		{"lark", "start: /x/i", false},
		{"regex", "[a-z]+", false},
		{"regex", "[a-z", true},
		{"regex", `(a)\1`, false},
		{"", "(", false},
	} {
		err := checkFreeform("tools[0].format.definition", Grammar{c.syntax, c.definition})
		var e *chat.Error
		if errors.As(err, &e) != c.wrong || e != nil && (e.Kind != chat.Invalid || e.Field != "tools[0].format.definition") {
			t.Errorf("%s %q: %v; want an error: %v", c.syntax, c.definition, err, c.wrong)
		}
	}
}
