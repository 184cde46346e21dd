package runner

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"tenon/engine"
)

// countedMasking is one of so many steps, which tells of each.
func countedMasking(name string, steps int, told *[]string) masking {
	return inSteps(&turn{}, func(pause func()) {
		for i := range steps {
			*told = append(*told, name)
			if i < steps-1 {
				pause()
			}
		}
	})
}

// TestMasks_takeTurns: while the model is busy all go on, in turns; when it is done, each has a
// few steps to finish.
func TestMasks_takeTurns(t *testing.T) {
	var told []string
	list := []masking{countedMasking("a", 2, &told), countedMasking("b", 100, &told), countedMasking("c", 1, &told)}
	list = computeMasks(list, func() bool { return false })
	if want := strings.Split("a b c a b b b", " "); !slices.Equal(told, want) || len(list) != 1 {
		t.Fatalf("steps %v and %d left, want %v and one", told, len(list), want)
	}
	busy := 0
	list = computeMasks(list, func() bool { busy++; return busy < 20 })
	if n := len(told) - 3; n != 4+maskSteps+19 || len(list) != 1 {
		t.Errorf("%d steps, want %d", n, 4+maskSteps+19)
	}
	if list = computeMasks(list, func() bool { return true }); len(list) != 0 || len(told) != 103 {
		t.Errorf("%d left after %d steps", len(list), len(told))
	}
}

// TestMasks_aSlowOneDelaysNobodyElse: a turn whose mask is not whole for as long as another one
// speaks goes on behind it as if nothing had been.
func TestMasks_aSlowOneDelaysNobodyElse(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, s engine.Session){
		"it goes on": func(t *testing.T, s engine.Session) {
			if rest, err := read(t, s); err != nil || len(rest.text) != 3 || rest.finish.Usage.Generated != 16 {
				t.Errorf("%v: %q %+v", err, rest.text, rest.finish)
			}
		},
		"it is given up": func(t *testing.T, s engine.Session) { _ = s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t, newFake(), Options{Slots: 2})
			turn := ask("a prompt", 100)
			turn.Grammar = checkedGrammar
			s := open(t, r, turn)
			untilCheck(t, s)
			var whole atomic.Bool
			r.post(func(l *loop) {
				w := work{turn: l.running[0]}
				w.turn.masking = true
				l.masking = append(l.masking, inSteps(w.turn, func(pause func()) {
					for !whole.Load() {
						pause()
					}
					w.computeMasks(pause)
				}))
			})
			if err := s.Decide(t.Context(), engine.Verdict{}); err != nil {
				t.Fatal(err)
			}
			other := ask("another", 50)
			other.Grammar = `root ::= [a-z]*`
			if a := say(t, r, other); len(a.tokens) != 50 {
				t.Errorf("the other says %q", a.text)
			}
			whole.Store(true)
			end(t, s)
		})
	}
}

// TestMasks_thoseOfATurnThatLeavesAreFinished: what computes them does not stay behind.
func TestMasks_thoseOfATurnThatLeavesAreFinished(t *testing.T) {
	r := New(newFake(), Options{})
	steps := 0
	ended := false
	r.post(func(l *loop) {
		l.masking = append(l.masking, inSteps(&turn{}, func(pause func()) {
			for ; steps < 1000; steps++ {
				pause()
			}
			ended = true
		}))
	})
	if err := r.Close(); err != nil || !ended {
		t.Errorf("%v: %d steps, ended: %v", err, steps, ended)
	}
}

// TestWanted_fewLogitsWhereTheGrammarAllowsFew: the model is told which logits will be looked at,
// with drafts and without; but not where somebody asked how likely all tokens are. The fake has
// the others chosen, were they looked at.
func TestWanted_fewLogitsWhereTheGrammarAllowsFew(t *testing.T) {
	for name, c := range map[string]struct {
		logprobs     int
		drafts, some bool
	}{
		"without drafts":   {-1, false, true},
		"with drafts":      {-1, true, true},
		"asked how likely": {2, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			f.logits = func(s []fakeCell) []float32 { return fakeLogits(s[max(0, len(s)-2):]) }
			r := newRunner(t, f, Options{NoDrafts: !c.drafts})
			turn := ask("a prompt", 24)
			turn.Grammar, turn.Logprobs = `root ::= [0-9]{24}`, c.logprobs
			out, err := read(t, open(t, r, turn))
			if err != nil || len(out.text) != 24 || strings.Trim(out.text, "0123456789") != "" {
				t.Errorf("the output is %q, %v", out.text, err)
			}
			if n, steps := f.narrow.Load(), r.Stats().Steps; c.some && n < steps-1 || !c.some && n > 0 {
				t.Errorf("few logits were wanted of %d of %d steps", n, steps)
			}
		})
	}
}
