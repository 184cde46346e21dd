package lex

import (
	"math/rand/v2"
	"testing"
)

// TestFormat_outgrowsItsArena: two arenas with the same format agree on the bytes that may come
// next, though little of it is precomputed for one of them.
func TestFormat_outgrowsItsArena(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 5))
	for number, name := range formatNames {
		small, large := NewArena(Limits{}), NewArena(Limits{})
		known := newFormatArena(name, 5)
		small.shared = make([]sharedFormat, len(formatNames))
		small.shared[number].arena = known
		rows := known.rowCount
		x, _ := small.Format(name)
		y, _ := large.Format(name)
		bounded := small.Intersect(x, small.Repeat(small.AnyRune(), 0, 200))
		for range 60 {
			walkAlike(t, name, pair{small, large, small.Start(x), large.Start(y)}, rng)
			walkAlike(t, name+" of a bounded length", pair{small, large, small.Start(bounded), large.Start(large.Intersect(y, large.Repeat(large.AnyRune(), 0, 200)))}, rng)
		}
		if n := known.rowCount; n > rows {
			t.Errorf("%s: the arena of the format has grown by %d states", name, n-rows)
		}
		if err := small.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// pair is a state in either arena; both should accept the same.
type pair struct {
	a, b *Arena
	s, t State
}

func walkAlike(t *testing.T, name string, p pair, rng *rand.Rand) {
	t.Helper()
	var text []byte
	for range 30 {
		allowed := allowedIn(p.b, p.t)
		if allowedIn(p.a, p.s) != allowed || p.a.Accepting(p.s) != p.b.Accepting(p.t) {
			t.Fatalf("%s: differ behind %q", name, text)
		}
		var bytes []byte
		for b := allowed.from(0); b < 256; b = allowed.from(b + 1) {
			if b < 0x80 || rng.IntN(8) == 0 {
				bytes = append(bytes, byte(b))
			}
		}
		if len(bytes) == 0 {
			return
		}
		b := bytes[rng.IntN(len(bytes))]
		p.s, p.t, text = p.a.Step(p.s, b), p.b.Step(p.t, b), append(text, b)
	}
}

// allowedIn are the bytes that do not lead to Dead.
func allowedIn(a *Arena, s State) (set ByteSet) {
	for b, t := range a.Row(s) {
		if t != Dead {
			set.Add(byte(b))
		}
	}
	return set
}
