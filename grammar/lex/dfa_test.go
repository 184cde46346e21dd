package lex

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// accepts runs the automaton.
func (d *DFA) accepts(text string) bool {
	if len(d.States) == 0 {
		return false
	}
	at := d.Start
	for _, r := range text {
		next := -1
		for _, e := range d.States[at].Edges {
			for _, x := range e.Ranges {
				if x.Lo <= r && r <= x.Hi {
					next = e.To
				}
			}
		}
		if next < 0 {
			return false
		}
		at = next
	}
	return d.States[at].Accept
}

func TestAutomaton_isEquivalent(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, pattern := range patterns {
		a := NewArena(Limits{})
		e, err := a.Regex(pattern)
		if err != nil {
			t.Fatal(err)
		}
		d, err := a.Automaton(e, 2000)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		for range 300 {
			text := randomText(r)
			if got, want := d.accepts(text), a.Accepting(a.Walk(a.Start(e), text)); got != want {
				t.Errorf("%s on %q: %v, want %v", pattern, text, got, want)
			}
		}
	}
}

func TestAutomaton_isMinimal(t *testing.T) {
	for pattern, want := range map[string]int{`^(a|b)*abb$`: 5 - 1, `^[a-f]{3}$`: 4, `^(ab|cb)$`: 3, `^$`: 1, `(?!)`: 0, `^é|è$`: 4, `^.*$`: 1, `^[^"]{0,2}$`: 3} {
		a := NewArena(Limits{})
		e, _ := a.Regex(pattern)
		d, err := a.Automaton(e, 1000)
		if err != nil || len(d.States) != want {
			t.Errorf("%s: %d states, want %d (%v)", pattern, len(d.States), want, err)
		}
	}
	a := NewArena(Limits{})
	var limit *LimitError
	if _, err := a.Automaton(a.Repeat(a.AnyRune(), 500, 500), 100); !errors.As(err, &limit) {
		t.Errorf("limit: %v", err)
	}
}
