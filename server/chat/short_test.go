package chat

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tenon/engine/worker/runner"
	"tenon/tools"
)

// Whatever limit ends a turn, of the request or of the context: what has begun of a call is a
// whole one, and nothing of one that was not begun is text. More than the limit is never
// generated, and it makes no difference whose it is.
func TestBudget_noHalfCallUnderAnyLimit(t *testing.T) {
	budgets := []int{1, 4, 9, 17, 26, 38, 52, 70, 95, 130, 190, 300}
	for i, d := range tools.Families() {
		for k, tokens := range []bool{false, true} {
			bound, _ := bind(d, tokens)
			for n, c := range cells(d.Name(), tokens) {
				for b, budget := range budgets {
					if (7*n+13*i+3*k+31*b)%shortSample > 0 && os.Getenv("TENON_ALL") == "" {
						continue
					}
					t.Run(fmt.Sprintf("%s/%d", c, budget), func(t *testing.T) { checkShort(t, c, bound, budget, uint32(i*1000+n*20+b)) })
				}
			}
		}
	}
}

// shortSample is which part of the turns is tried by default; TENON_ALL=1 tries them all.
const shortSample = 307

func checkShort(t *testing.T, c cell, d *tools.Dialect, budget int, seed uint32) {
	end := d.Think.Close
	opens := matrixThinking[c.thinking].open && end != ""
	var before told
	for _, byContext := range []bool{false, true} {
		model := newNoise(nil)
		if c.tokens {
			model = newNoise(tokenMarkers(d))
		}
		r := c.request(seed)
		if r.MaxTokens = budget; byContext {
			r.MaxTokens = 0
			m, _, _ := noisy{&asker{}, d, opens}.Acquire(t.Context(), "")
			p, err := (&Service{}).plan(m, r)
			if err != nil {
				t.Fatal(err)
			}
			model.cells = len(p.turn.Prompt.String()) + budget
		}
		e := runner.New(model, runner.Options{Slots: 1, HostMemory: -1})
		got := tell(t, noisy{e, d, opens}, r)
		_ = e.Close()
		checkCut(t, c, d, got, budget)
		// behind a longer prompt
		again := got.finish.Mending.Retries + before.finish.Mending.Retries
		if byContext && again == 0 && (got.text != before.text || len(got.calls) != len(before.calls) || got.finish.Reason != before.finish.Reason) {
			t.Errorf("the same limit as the request's: %+v", before)
		}
		before = got
		if t.Failed() {
			t.Fatalf("by context %t: %+v", byContext, got)
		}
	}
}

func checkCut(t *testing.T, c cell, d *tools.Dialect, got told, budget int) {
	t.Helper()
	for _, call := range got.calls {
		checkCall(t, call, matrixChoices[c.choice])
	}
	for _, tool := range matrixTools { // what was written anew in vain is text
		if got.finish.Mending.Refused == 0 && (strings.Contains(got.text, tool.Name) || strings.Contains(got.text, `"arguments"`)) {
			t.Errorf("of a call of %s is in the text: %q", tool.Name, got.text)
		}
	}
	for _, m := range d.Markers() {
		if strings.Contains(got.text, m) {
			t.Errorf("the marker %q is in %q", m, got.text)
		}
	}
	if n := got.finish.Usage.Completion; n > budget {
		t.Errorf("%d tokens under a limit of %d", n, budget)
	}
	if matrixChoices[c.choice].Mode == tools.Required && len(got.calls) == 0 && got.finish.Reason != Length && got.finish.Mending.Refused == 0 {
		t.Errorf("no call, and finish %s", got.finish.Reason)
	}
}
