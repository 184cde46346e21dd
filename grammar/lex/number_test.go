package lex

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"tenon/grammar/lex/number"
)

func rat(s string) *big.Rat {
	if s == "" {
		return nil
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

func rats(s string) []*big.Rat {
	var all []*big.Rat
	for _, f := range strings.Fields(s) {
		all = append(all, rat(f))
	}
	return all
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// member decides by rational arithmetic.
func member(spec number.Spec, text string) bool {
	if !jsonNumber.MatchString(text) {
		return false
	}
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	plain := !strings.ContainsAny(text, "eE")
	if spec.Integer == number.IntegerSyntax && fraction != "" || !plain && !reflect.DeepEqual(spec, number.Spec{}) {
		return false // exponents belong to the set of all numbers alone
	}
	v := rat(text)
	if spec.Spelling == number.SpellPlain {
		if text[0] == '-' && v.Sign() == 0 || spec.MaxFractionDigits > 0 && len(fraction) > spec.MaxFractionDigits || spec.MaxIntegerDigits > 0 && len(whole) > spec.MaxIntegerDigits {
			return false
		}
	}
	if c := spec.Min; c != nil && (v.Cmp(c) < 0 || v.Cmp(c) == 0 && spec.ExclusiveMin) {
		return false
	}
	if c := spec.Max; c != nil && (v.Cmp(c) > 0 || v.Cmp(c) == 0 && spec.ExclusiveMax) {
		return false
	}
	for _, d := range spec.MultipleOf {
		if !new(big.Rat).Quo(v, d).IsInt() {
			return false
		}
	}
	for _, d := range spec.NotMultipleOf {
		if new(big.Rat).Quo(v, d).IsInt() {
			return false
		}
	}
	return spec.Integer == number.NotOnlyIntegers || v.IsInt()
}

var numberSpecs = []number.Spec{
	{},
	{Integer: number.IntegerValues},
	{Integer: number.IntegerSyntax},
	{Min: rat("0")},
	{Min: rat("0"), ExclusiveMin: true},
	{Max: rat("0"), Integer: number.IntegerValues},
	{Max: rat("0"), ExclusiveMax: true, Integer: number.IntegerSyntax},
	{Min: rat("1"), Max: rat("100"), Integer: number.IntegerValues},
	{Min: rat("1"), Max: rat("100"), Integer: number.IntegerSyntax},
	{Min: rat("-5"), Max: rat("12"), Integer: number.IntegerValues},
	{Min: rat("-1.25"), Max: rat("2.05"), ExclusiveMax: true},
	{Min: rat("0.1"), Max: rat("0.2")},
	{Min: rat("0.1"), Max: rat("0.1")},
	{Min: rat("5"), Max: rat("10"), ExclusiveMin: true, ExclusiveMax: true},
	{Min: rat("15"), Max: rat("15.5")},
	{Max: rat("-100")},
	{MultipleOf: rats("0.01")},
	{MultipleOf: rats("0.5 0.2")},
	{MultipleOf: rats("3")},
	{MultipleOf: rats("12")},
	{MultipleOf: rats("2.5"), Min: rat("0"), Max: rat("11")},
	{MultipleOf: rats("25"), Integer: number.IntegerValues},
	{MultipleOf: rats("100")},
	{MultipleOf: rats("0.25"), Min: rat("0.1")},
	{MultipleOf: rats("7"), Min: rat("20"), Max: rat("30"), Integer: number.IntegerValues},
	{NotMultipleOf: rats("1")},
	{NotMultipleOf: rats("2 5"), Integer: number.IntegerValues},
	{NotMultipleOf: rats("0.5"), Min: rat("0"), Max: rat("1")},
	{NotMultipleOf: rats("10"), MultipleOf: rats("5"), Max: rat("25"), Min: rat("-25")},
	{NotMultipleOf: rats("1"), Integer: number.IntegerValues},
	{NotMultipleOf: rats("5"), Min: rat("5"), Max: rat("5")},
	{Min: rat("3"), Max: rat("2")},
	{Min: rat("2.1"), Max: rat("2.9"), Integer: number.IntegerValues},
	{Min: rat("1e308")},
	{Max: rat("1e-20"), Min: rat("1e-21")},
}

// plain returns the specs once more without exponents and with bounded digits.
func plainSpecs() []number.Spec {
	var all []number.Spec
	for _, s := range numberSpecs {
		s.Spelling = number.SpellPlain
		all = append(all, s)
		s.MaxIntegerDigits, s.MaxFractionDigits = 3, 2
		all = append(all, s)
	}
	return all
}

func describe(spec number.Spec) string {
	return fmt.Sprintf("[%v,%v] open %v %v, multiple of %v, not of %v, integer %d, spelling %d, digits %d.%d", spec.Min, spec.Max, spec.ExclusiveMin, spec.ExclusiveMax,
		spec.MultipleOf, spec.NotMultipleOf, spec.Integer, spec.Spelling, spec.MaxIntegerDigits, spec.MaxFractionDigits)
}

// TestNumber_allShortSpellings compares with rational arithmetic on every string of up to 6
// characters (5 without exponents); where the automaton is dead, nothing longer may be a member
// either, and where it is alive, its shortest continuation must be.
func TestNumber_allShortSpellings(t *testing.T) {
	for _, spec := range append(append([]number.Spec(nil), numberSpecs...), plainSpecs()...) {
		a := NewArena(Limits{})
		e, err := a.Number(spec)
		if err != nil {
			t.Errorf("%s: %v", describe(spec), err)
			continue
		}
		walk := spellingWalk{t: t, a: a, spec: describe(spec), member: func(text string) bool { return member(spec, text) }, longest: 6, checked: map[State]bool{}}
		if spec.Spelling == number.SpellPlain || testing.Short() {
			walk.longest = 5
		}
		walk.visit(a.Start(e), "")
		if a.Err() != nil {
			t.Errorf("%s: %v", describe(spec), a.Err())
		}
	}
}

type spellingWalk struct {
	t       *testing.T
	a       *Arena
	spec    string
	member  func(text string) bool
	longest int
	checked map[State]bool
	failed  bool
}

const spellingLetters = "0125.e-+"

func (w *spellingWalk) visit(s State, text string) {
	if w.failed {
		return
	}
	if got, want := w.a.Accepting(s), w.member(text); got != want {
		w.failed = true
		w.t.Errorf("%s: %q is %v, want %v", w.spec, text, got, want)
		return
	}
	if s != Dead && !w.checked[s] {
		w.checked[s] = true
		if rest := w.a.shortest(s); !w.member(text+string(rest)) || len(rest) != w.a.MinBytes(s) {
			w.failed = true
			w.t.Errorf("%s: after %q alive, but %q is no member", w.spec, text, text+string(rest))
		}
	}
	if len(text) == w.longest || s == Dead && !jsonPrefix.MatchString(text) {
		return
	}
	for i := range len(spellingLetters) {
		w.visit(w.a.Step(s, spellingLetters[i]), text+spellingLetters[i:i+1])
	}
}

var jsonPrefix = regexp.MustCompile(`^-?((0|[1-9][0-9]*)((\.[0-9]*)?|(\.[0-9]+)?[eE][+-]?[0-9]*))?$`)

func TestNumber_equalSpecsAreOneExpression(t *testing.T) {
	a := NewArena(Limits{})
	for _, spec := range numberSpecs {
		x, err1 := a.Number(spec)
		same := spec
		if spec.Min != nil {
			same.Min = new(big.Rat).Set(spec.Min)
		}
		y, err2 := a.Number(same)
		if err1 != nil || err2 != nil || x != y {
			t.Errorf("%s: %d and %d (%v, %v)", describe(spec), x, y, err1, err2)
		}
	}
}

func TestNumber_refusesBadSpecs(t *testing.T) {
	a := NewArena(Limits{})
	var limit *LimitError
	if _, err := a.Number(number.Spec{Min: rat("1e5000")}); !errors.As(err, &limit) {
		t.Errorf("huge bound: %v", err)
	}
	if _, err := a.Number(number.Spec{MultipleOf: rats("99999999999999999999")}); !errors.As(err, &limit) {
		t.Errorf("huge divisor: %v", err)
	}
	for _, bad := range []string{"0", "-1", "1/3"} {
		if _, err := a.Number(number.Spec{MultipleOf: []*big.Rat{rat(bad)}}); err == nil || errors.As(err, &limit) {
			t.Errorf("divisor %s: %v", bad, err)
		}
	}
}

// TestNumber_shortestWithLargeDivisors: the search for an end must not try all remainders.
func TestNumber_shortestWithLargeDivisors(t *testing.T) {
	for _, spec := range []number.Spec{
		{MultipleOf: rats("0.123456789"), Integer: number.IntegerValues},
		{MultipleOf: rats("99999989"), Integer: number.IntegerSyntax, Min: rat("1")},
		{MultipleOf: rats("1099511627776"), Min: rat("1")},
		{MultipleOf: rats("1e12"), Min: rat("1"), Spelling: number.SpellPlain},
		{MultipleOf: rats("7"), Min: rat("1e300"), Integer: number.IntegerSyntax},
		{MultipleOf: rats("7919"), NotMultipleOf: rats("99999989"), Min: rat("12345")},
	} {
		a := NewArena(Limits{})
		e, err := a.Number(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, begun := range []string{"", "1", "12"} {
			if rest := a.shortest(a.Walk(a.Start(e), begun)); !member(spec, begun+string(rest)) {
				t.Errorf("%s: %q", describe(spec), begun+string(rest))
			}
		}
		if len(a.nodes) > 60_000 {
			t.Errorf("%s: %d expressions", describe(spec), len(a.nodes))
		}
	}
}

// TestNumber_canBeEndedBehindTooManyDigits: behind the limit only those digits follow that bring
// the end nearer.
func TestNumber_canBeEndedBehindTooManyDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, spec := range append(append([]number.Spec(nil), numberSpecs...), plainSpecs()...) {
		a := NewArena(Limits{})
		e, err := a.Number(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, begun := range []string{"0.", []string{"1", "-1", "1.", "7", "12."}[rng.IntN(5)]} {
			text, filler := begun, []string{"0", "0", "0123456789"}[rng.IntN(3)]
			s := a.Walk(a.Start(e), begun)
			for more := 0; s != Dead && more < maxSpelledDigits+30; more++ {
				b := filler[rng.IntN(len(filler))]
				if a.Step(s, b) == Dead {
					for b = '0'; b < '9' && a.Step(s, b) == Dead; b++ {
					}
				}
				if a.Step(s, b) == Dead {
					break
				}
				s, text = a.Step(s, b), text+string(rune(b))
			}
			if s == Dead {
				continue
			}
			if rest := a.shortest(s); rest == nil || !member(spec, text+string(rest)) {
				t.Errorf("%s: behind %s… of %d digits, %q", describe(spec), text[:3], len(text), rest)
			}
		}
	}
}
