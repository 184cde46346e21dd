package templates

import (
	"context"
	"errors"
	"testing"
)

// leaving is a caller who leaves when it has been asked so often, and counts.
type leaving struct{ after, asked int }

func (l *leaving) stop() error {
	if l.asked++; l.asked > l.after {
		return context.Canceled
	}
	return nil
}

// slow shows four messages at once, and works for ever, or refuses after long work, where there
// are more.
func slow(t *testing.T, last string) *Template {
	t.Helper()
	tm, err := Parse(`{%- if messages|length > 4 -%}{%- for a in range(`+last+`) -%}{%- for b in range(999) -%}{%- endfor -%}{%- endfor -%}{{- raise_exception('no') -}}{%- endif -%}
{%- for m in messages -%}<{{ m.role }}>{{ m.content }}{%- endfor -%}`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tm
}

var fiveTurns = []Message{hi, asks("1"), hi, asks("2"), hi}

// Issue 19: a prompt that nobody waits for any more is not made to its end.
func TestRender_endsWhenItsCallerLeaves(t *testing.T) {
	tm := slow(t, "99999")
	for _, after := range []int{0, 1, 2, 100} {
		caller := leaving{after: after}
		_, err := tm.Render(Conversation{Messages: fiveTurns, Stop: caller.stop})
		if !errors.Is(err, context.Canceled) || caller.asked > after+2 {
			t.Errorf("leaves at %d: asked %d times, %v", after, caller.asked, err)
		}
	}
}

// A template that works long before it refuses does so for every remedy: they share what one
// rendering may take, and a half.
func TestRender_remediesShareTheirWork(t *testing.T) {
	for name, last := range map[string]string{"for ever": "99999", "before it refuses": "9000"} {
		caller := leaving{after: 1 << 30}
		r, err := slow(t, last).Render(Conversation{Messages: fiveTurns, Tools: []Tool{weather}, Stop: caller.stop})
		if err != nil || len(r.Heals) == 0 || r.Heals[0].Rule != ruleBuiltin || caller.asked > mostAsked {
			t.Errorf("%s: asked %d times, %v %v", name, caller.asked, r.Heals, err)
		}
	}
}
