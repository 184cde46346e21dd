package lex

import (
	"math/rand/v2"
	"testing"
)

func TestOpen_isTrueOnlyWhereEveryTextMayComeNext(t *testing.T) {
	for _, c := range []struct {
		pattern, read string
		open          bool
	}{
		{"abc", "", true},
		{"abc", "xyzab", true},
		{`\d{4}-\d{2}`, "2026-1", true},
		{"^abc", "", false},
		{"^abc", "ab", false},
		{"^abc", "abc", true},
		{"abc$", "abcd", true},
		{"^[^x]*$", "", false},
		{"^.*a", "", false}, // no line break
		{`^a|b`, "c", true},
		{"(?=.*a.*b)", "", true},
		{"^(?=.*a.*b)", "", false},
		{"ä", "\xc3", false},
		{"ä", "aä\xc3", false},
	} {
		a := NewArena(Limits{})
		e, err := a.Regex(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if s := a.Walk(a.Start(e), c.read); a.Open(s) != c.open {
			t.Errorf("%s behind %q: open is %v", c.pattern, c.read, !c.open)
		}
	}
}

func TestOpen_ofIntersections(t *testing.T) {
	a := NewArena(Limits{})
	regex := func(p string) Expr {
		e, err := a.Regex(p)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	ab, cd, end := regex("ab"), regex("cd"), regex("e$")
	words := a.Literals("x", "yz")
	for name, c := range map[string]struct {
		e    Expr
		open bool
	}{
		"both anywhere":            {a.Intersect(ab, cd), true},
		"anywhere and at the end":  {a.Intersect(ab, end), true},
		"two ends":                 {a.Intersect(end, regex("f$")), false},
		"but some words":           {a.Intersect(ab, a.Complement(words)), true},
		"any but some words":       {a.Complement(words), true},
		"not anywhere":             {a.Complement(ab), false},
		"anywhere and not another": {a.Intersect(ab, a.Complement(cd)), false},
		"nothing":                  {a.Empty(), false},
	} {
		if a.Open(a.Start(c.e)) != c.open {
			t.Errorf("%s: open is %v", name, !c.open)
		}
	}
}

func TestEndless_whereNoWordIsTheLastOfItsBeginning(t *testing.T) {
	for pattern, want := range map[string]bool{
		"abc": true, `^\d+$`: true, `^\.[^/]+$`: true, "^(a|b)*$": true, "^a": true, "^x(a*|b+)$": true,
		"^abc$": false, "^(a|b+)$": false, "^a*b$": false, "^a{0,9}$": false,
	} {
		a := NewArena(Limits{})
		e, err := a.Regex(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if a.Endless(e) != want || a.Endless(a.Intersect(e, a.Complement(a.Literals("a", "aa")))) != want {
			t.Errorf("%s: want %v", pattern, want)
		}
	}
}

// TestAbstractCounters_agreesOnShortTexts walks random texts from a state and from its
// abstraction, which accepts no less of long ones.
func TestAbstractCounters_agreesOnShortTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for _, pattern := range []string{
		`^(\S+\s+){0,29}\S+$`, "^[ab]{0,63}$", "^[ab]{30,63}b$", "^(ab{0,40}){2,30}$", "^a{26}b{0,3}$", "(ab){13,}$", "^((ab?){20,40}c){0,2}$",
	} {
		a := NewArena(Limits{})
		e, err := a.Regex(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, bound := range []Expr{a.AnyText(), a.Repeat(a.AnyRune(), 1, 60), a.Repeat(a.AnyRune(), 0, 253), a.Repeat(a.AnyRune(), 40, -1), a.Repeat(a.AnyRune(), 50, 61)} {
			start := a.StartString(a.Intersect(e, bound), EscapesAny)
			for range 300 {
				sameAhead(t, a, start, rng)
			}
		}
	}
}

func sameAhead(t *testing.T, a *Arena, s StringState, rng *rand.Rand) {
	t.Helper()
	step := func(s StringState) (byte, StringState) {
		b := "aabbc \n"[rng.IntN(7)]
		return b, a.StepString(s, b)
	}
	for range rng.IntN(40) {
		if _, next := step(s); next != StringDead {
			s = next
		}
	}
	runes := 1 + rng.IntN(60)
	near := a.AbstractCounters(s, runes)
	text := ""
	for len(text) < 2*runes {
		b := "aabbc "[rng.IntN(6)]
		if a.StepString(s, b) == StringDead && rng.IntN(8) > 0 && s != StringDead {
			continue
		}
		s, near, text = a.StepString(s, b), a.StepString(near, b), text+string(b)
		ends, nearEnds := a.StepString(s, '"'), a.StepString(near, '"')
		if near == StringDead && s != StringDead || nearEnds == StringDead && ends != StringDead {
			t.Fatalf("near %d says less behind %q", runes, text)
		}
		if len(text) <= runes && ((s == StringDead) != (near == StringDead) || ends != nearEnds) {
			t.Fatalf("near %d differs behind %q", runes, text)
		}
	}
}
