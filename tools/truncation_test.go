package tools

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/tools/format"
)

// What is cut off keeps the calls that were whole: for every place at which a turn of several
// calls is cut, the calls are the first of the whole turn's, none comes twice as text, and more
// text never means fewer calls.
func TestTruncation_wholeCallsStay(t *testing.T) {
	for _, tr := range transcripts(t) {
		all := os.Getenv("TENON_ALL") != ""
		if !strings.HasSuffix(tr.path, "two-calls.txtar") && !(all && strings.HasSuffix(tr.path, "three-calls.txtar")) {
			continue
		}
		t.Run(tr.path, func(t *testing.T) {
			p := tr.plan(t)
			raw := asWritten(tr, p)
			whole := play(p.TextParser(), raw, 0, false).Calls
			last := 0
			for n := range len(raw) {
				got := play(p.TextParser(), raw[:n], 0, true)
				if len(got.Calls) < last || len(got.Calls) > len(whole) || !cmp.Equal(whole[:len(got.Calls)], got.Calls) {
					t.Fatalf("%q gives %+v; before it were %d", raw[:n], got.Calls, last)
				}
				last = len(got.Calls)
				checkToldOnce(t, raw[:n], got)
				if all || n%7 == 0 {
					checkToldOnce(t, raw[:n], play(p.Parser(), raw[:n], 1, true))
				}
			}
			if last < len(whole)-1 {
				t.Errorf("%d calls of %d without the last byte", last, len(whole))
			}
		})
	}
}

// checkToldOnce holds a message to saying of a call's arguments nothing in its text too.
func checkToldOnce(t *testing.T, raw string, m message) {
	t.Helper()
	for _, c := range m.Calls {
		args, ok := c.Arguments.(map[string]any)
		if city, _ := args["city"].(string); ok && city != "" && strings.Contains(deref(m.Content), city[:1]+"ü") {
			t.Fatalf("%q: the call of %s is in the text %q too", raw, c.Name, *m.Content)
		}
	}
}

// A call whose arguments stand between tags, cut off anywhere, never leaves with a part of them:
// where the next tag has only begun, another argument may come.
func TestTruncation_noArgumentIsLost(t *testing.T) {
	for _, d := range Families() {
		_, nested := d.Syntaxes[0].(format.Nested)
		if _, ok := d.Syntaxes[0].(format.Tagged); !ok && !nested {
			continue
		}
		p, err := d.Plan(Turn{Tools: []Tool{hostileTool(t, "bash", true)}, Choice: Choice{Mode: Required}, Thinking: Thinking{Off: true}})
		if err != nil {
			t.Fatal(err)
		}
		// the mask leaves it open
		text := strings.Replace(shortest(t, compiled(t, p)), "<timeout>]", "<timeout>5]", 1)
		p = hostilePlan(t, d)
		want := play(p.TextParser(), text, 0, false).Calls
		for n := range len(text) {
			if got := play(p.TextParser(), text[:n], 0, true).Calls; len(want) != 1 || len(got) > 0 && !cmp.Equal(got, want) {
				t.Errorf("%s: %q gives %+v", d.Key, text[:n], got)
			}
		}
	}
}
