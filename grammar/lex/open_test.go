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

func TestMostRunes_boundsWhatIsMissingAnywhere(t *testing.T) {
	for pattern, want := range map[string]int{`^(\S+\s+){0,29}\S+$`: 2, "^abc$": 3, "abc": 3, "^(ab){3}$": 6, "^(x|yyyy)+z": 5} {
		a := NewArena(Limits{})
		e, err := a.Regex(pattern)
		if err != nil {
			t.Fatal(err)
		}
		most := a.MostRunes(a.Start(e))
		if most < want || most > want+2 {
			t.Errorf("%s: %d, want about %d", pattern, most, want)
		}
	}
}

// TestMostRunes_holdsBehindAnyBeginning walks random texts of at least so many code points.
func TestMostRunes_holdsBehindAnyBeginning(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 7))
	for _, c := range []struct {
		pattern   string
		low, most int
	}{{"[ab]+", 3, 3}, {`^a\S+b\S+$`, 2, 4}, {"^(aaab|b)[ab]+$", 3, 5}, {"^a+$", 7, 7}, {"^(ab)*$", 3, -1}, {"^[ab]*(aa)?$", 3, -1}} {
		a := NewArena(Limits{})
		e, err := a.Regex(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		start := a.Start(a.Intersect(e, a.Repeat(a.AnyRune(), c.low, 40)))
		most := a.MostRunes(start)
		if (most < 0) != (c.most < 0) || most > c.most {
			t.Errorf("%s from %d: %d, want at most %d", c.pattern, c.low, most, c.most)
		}
		for range 200 {
			s := start
			for range rng.IntN(40) {
				if next := a.Step(s, "ab"[rng.IntN(2)]); next != Dead {
					s = next
				}
			}
			if n := a.MinRunes(s); most >= 0 && n > most {
				t.Fatalf("%s from %d: %d are missing, more than %d", c.pattern, c.low, n, most)
			}
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

// TestNear_agreesOnShortTexts walks random texts in a state and in what Near makes of it, which says no less of long ones.
func TestNear_agreesOnShortTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for _, pattern := range []string{
		`^(\S+\s+){0,29}\S+$`, "^[ab]{0,63}$", "^[ab]{30,63}b$", "^(ab{0,40}){2,30}$", "^a{26}b{0,3}$", "(ab){13,}$", "^((ab?){20,40}c){0,2}$",
	} {
		a := NewArena(Limits{})
		e, err := a.Regex(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, bound := range []Expr{a.AnyText(), a.Repeat(a.AnyRune(), 1, 60), a.Repeat(a.AnyRune(), 0, 253)} {
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
	near := a.Near(s, runes)
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
