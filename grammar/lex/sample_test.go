package lex

import (
	"errors"
	"math/rand/v2"
	"testing"

	"tenon/grammar/lex/ecma"
)

// sample walks at random for a while, preferring printable ASCII, and then takes the shortest
// completion.
func sample(t *testing.T, a *Arena, r *rand.Rand, s State) string {
	t.Helper()
	text := []byte{}
	for range r.IntN(30) {
		if a.Accepting(s) && r.IntN(12) == 0 {
			break
		}
		var ways, printable []byte
		for b, next := range a.Row(s) {
			if next != Dead {
				ways = append(ways, byte(b))
				if b >= ' ' && b < 0x7F {
					printable = append(printable, byte(b))
				}
			}
		}
		if len(ways) == 0 && !a.Accepting(s) {
			t.Fatalf("dead end after %q", text)
		}
		if len(printable) > 0 && r.IntN(10) > 0 {
			ways = printable
		}
		if len(ways) == 0 {
			break
		}
		b := ways[r.IntN(len(ways))]
		text = append(text, b)
		s = a.Step(s, b)
	}
	rest := a.shortest(s)
	if rest == nil {
		t.Fatalf("no end after %q: %v", text, a.Err())
	}
	return string(text) + string(rest)
}

// shortest returns a shortest accepted continuation, nil for Dead.
func (a *Arena) shortest(s State) []byte {
	if s == Dead {
		return nil
	}
	out := []byte{}
	for !a.Accepting(s) {
		row, want := a.Row(s), a.MinBytes(s)-1
		next := -1
		for b, t := range row {
			if t != Dead && (next < 0 || t != row[next]) && a.MinBytes(t) <= want {
				next = b
				break
			}
		}
		if next < 0 {
			return nil // a limit on work was met
		}
		out = append(out, byte(next))
		s = row[next]
	}
	return out
}

// TestFormat_regexIsSound: the parser accepts every text of the format.
func TestFormat_regexIsSound(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	a := NewArena(Limits{})
	e, _ := a.Format("regex")
	start := a.Start(e)
	for range 4000 {
		text := sample(t, a, r, start)
		_, err := ecma.Parse(text)
		var re *ecma.Error
		if errors.As(err, &re) && re.Kind == ecma.Invalid {
			t.Fatal(err)
		}
	}
}

// TestSamples_areWords: random walks through formats and patterns have no dead ends, and end in
// words.
func TestSamples_areWords(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	check := func(a *Arena, e Expr, name string) {
		start := a.Start(e)
		for range 40 {
			if start == Dead {
				return
			}
			if text := sample(t, a, r, start); !a.Accepting(a.Walk(start, text)) {
				t.Fatalf("%s: %q", name, text)
			}
		}
		if a.Err() != nil {
			t.Errorf("%s: %v", name, a.Err())
		}
	}
	for _, name := range formatNames {
		a := NewArena(Limits{})
		e, _ := a.Format(name)
		check(a, e, name)
	}
	for _, pattern := range patterns {
		a := NewArena(Limits{})
		e, err := a.Regex(pattern)
		if err != nil {
			t.Fatal(err)
		}
		check(a, e, pattern)
		both := a.Intersect(e, a.Complement(a.Literal("ab")), a.Repeat(a.AnyRune(), 0, 20))
		check(a, both, pattern+" and not ab")
	}
}
