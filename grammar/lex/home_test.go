package lex

import (
	"math/rand/v2"
	"testing"
)

// oneOf is the texts in which exactly one of some patterns is found.
func oneOf(t *testing.T, a *Arena, patterns ...string) Expr {
	t.Helper()
	var found, only []Expr
	for _, p := range patterns {
		e, err := a.Regex(p)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, e)
	}
	for i := range found {
		parts := []Expr{a.AnyText()}
		for j, e := range found {
			if i != j {
				e = a.Complement(e)
			}
			parts = append(parts, e)
		}
		only = append(only, a.Intersect(parts...))
	}
	return a.Union(only...)
}

func TestLasts_ofProductsOfSearches(t *testing.T) {
	for _, c := range []struct {
		patterns []string
		read     string
		lasts    int
	}{
		{[]string{"NEW", "EXECUTED", "REJECTED"}, "", 7},
		{[]string{"NEW", "EXECUTED", "REJECTED"}, "NE", 6}, // E may begin EXECUTED,
		{[]string{"NEW", "EXECUTED", "REJECTED"}, "EXEC", 3},
		{[]string{"NEW", "EXECUTED", "REJECTED"}, "NEW ", 7},
		{[]string{"NEW", "EXECUTED", "REJECTED"}, "EXECUTED", 2},
		{[]string{"ab", "b"}, "", 1}, // what holds ab holds b
		{[]string{"[ -~]x", "long enough"}, "", 10},
	} {
		a := NewArena(Limits{})
		if n := a.Lasts(a.Walk(a.Start(oneOf(t, a, c.patterns...)), c.read)); n != c.lasts {
			t.Errorf("%q behind %q: any %d code points may follow, want %d", c.patterns, c.read, n, c.lasts)
		}
	}
}

// TestLasts_everyTextMayFollow reads all short texts of the letters that patterns hold, and others, behind random ones.
func TestLasts_everyTextMayFollow(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 22))
	pieces := []string{"a", "ab", "ba", "b+a", "[ab]c", "(ab|ca)b", "a.c", "^ab", "bc$", "abcab", "(?=ab)a", "[^a]b", "cab{2,3}", "a|bb", "éa"}
	long := 0
	for range 400 {
		a := NewArena(Limits{})
		var patterns []string
		for range 2 + rng.IntN(3) {
			p := pieces[rng.IntN(len(pieces))]
			if rng.IntN(2) == 0 {
				p += pieces[rng.IntN(len(pieces))]
			}
			patterns = append(patterns, p)
		}
		s := a.Start(oneOf(t, a, patterns...))
		for range rng.IntN(6) {
			if next := a.Walk(s, []string{"a", "b", "c", "x", "é"}[rng.IntN(5)]); next != Dead {
				s = next
			}
		}
		n := a.Lasts(s)
		if n > 0 {
			long++
		}
		if text := refusedWithin(a, s, min(n, 6)); text != "" {
			t.Fatalf("exactly one of %q in state %d: any %d code points are said to follow, %q does not", patterns, s, n, text)
		}
	}
	if long < 40 {
		t.Errorf("of 400 states only %d last: that tests little", long)
	}
}

// refusedWithin returns a text of at most so many code points that may not follow a state, if there is one.
func refusedWithin(a *Arena, s State, runes int) string {
	if runes <= 0 || s == Dead {
		return ""
	}
	for _, r := range []string{"a", "b", "c", "x", "é", "\x00"} {
		next := a.Walk(s, r)
		if next == Dead {
			return r
		}
		if rest := refusedWithin(a, next, runes-1); rest != "" {
			return r + rest
		}
	}
	return ""
}
