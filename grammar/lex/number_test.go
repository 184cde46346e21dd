package lex

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
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
func isMember(spec number.Spec, text string) bool {
	if !jsonNumber.MatchString(text) {
		return false
	}
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	plain := !strings.ContainsAny(text, "eE")
	if spec.Integer == number.IntegerSyntax && (!plain || fraction != "") {
		return false
	}
	if !plain && describeSpec(spec) != describeSpec(number.Spec{}) { // only where nothing restricts the number
		return false
	}
	v := rat(text)
	if spec.Spelling == number.Plain {
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
		s.Spelling = number.Plain
		all = append(all, s)
		s.MaxIntegerDigits, s.MaxFractionDigits = 3, 2
		all = append(all, s)
	}
	return all
}

func describeSpec(spec number.Spec) string {
	return fmt.Sprintf("[%v,%v] open %v %v, multiple of %v, not of %v, integer %d, spelling %d, digits %d.%d", spec.Min, spec.Max, spec.ExclusiveMin, spec.ExclusiveMax,
		spec.MultipleOf, spec.NotMultipleOf, spec.Integer, spec.Spelling, spec.MaxIntegerDigits, spec.MaxFractionDigits)
}

// TestNumber_allShortSpellings compares with rational arithmetic on every string of up to 6
// characters; where the automaton is dead, nothing longer may be a member
// either, and where it is alive, its shortest continuation must be.
func TestNumber_allShortSpellings(t *testing.T) {
	for _, spec := range append(append([]number.Spec(nil), numberSpecs...), plainSpecs()...) {
		a := NewArena(Limits{})
		e, err := a.Number(spec)
		if err != nil {
			t.Errorf("%s: %v", describeSpec(spec), err)
			continue
		}
		walk := spellingWalk{t: t, a: a, spec: describeSpec(spec), member: func(text string) bool { return isMember(spec, text) }, longest: 6, checked: map[State]bool{}}
		if spec.Spelling == number.Plain || testing.Short() {
			walk.longest = 5
		}
		walk.visit(a.Start(e), "")
		if a.Err() != nil {
			t.Errorf("%s: %v", describeSpec(spec), a.Err())
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
		if rest := w.a.Shortest(s); !w.member(text+string(rest)) || len(rest) != w.a.MinBytes(s) {
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
			t.Errorf("%s: %d and %d (%v, %v)", describeSpec(spec), x, y, err1, err2)
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
		{MultipleOf: rats("1e12"), Min: rat("1"), Spelling: number.Plain},
		{MultipleOf: rats("7"), Min: rat("1e300"), Integer: number.IntegerSyntax},
		{MultipleOf: rats("7919"), NotMultipleOf: rats("99999989"), Min: rat("12345")},
	} {
		a := NewArena(Limits{})
		e, err := a.Number(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, begun := range []string{"", "1", "12"} {
			if rest := a.Shortest(a.Walk(a.Start(e), begun)); !isMember(spec, begun+string(rest)) {
				t.Errorf("%s: %q", describeSpec(spec), begun+string(rest))
			}
		}
		if len(a.nodes) > 60_000 {
			t.Errorf("%s: %d expressions", describeSpec(spec), len(a.nodes))
		}
	}
}

// TestWithoutNumbers_leavesWhatIsLeft: of finite sets only some numbers are left, and every
// beginning of a spelling is alive if and only if it is one of a number that is left.
func TestWithoutNumbers_leavesWhatIsLeft(t *testing.T) {
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 3))
		step := rat([]string{"1", "1", "2", "0.5", "0.1", "2.5", "7", "30"}[rng.IntN(8)])
		first, count := rng.IntN(30)-15, 1+rng.IntN(30)
		spec := number.Spec{Spelling: number.Spelling(rng.IntN(2)), MultipleOf: []*big.Rat{step}}
		if step.IsInt() {
			spec.Integer = number.Integer(rng.IntN(3))
		}
		at := func(i int) *big.Rat { return new(big.Rat).Mul(step, big.NewRat(int64(first+i), 1)) }
		spec.Min, spec.Max = at(0), at(count-1)
		if rng.IntN(3) == 0 {
			spec.Min, spec.Max, spec.ExclusiveMin, spec.ExclusiveMax = at(-1), at(count), true, true
		}
		if rng.IntN(3) == 0 {
			spec.NotMultipleOf = []*big.Rat{new(big.Rat).Mul(step, big.NewRat(3, 1))}
		}
		var left []*big.Rat
		var without []string
		for i := range count {
			switch {
			case len(spec.NotMultipleOf) > 0 && (first+i)%3 == 0:
			case rng.IntN(4) == 0:
				left = append(left, at(i))
			default:
				without = append(without, respelled(at(i), rng))
			}
		}
		a := NewArena(Limits{})
		e, err := a.Number(spec)
		if err != nil {
			t.Fatal(err)
		}
		w := prefixWalk{a: a, spec: spec, left: left}
		if text, ok := w.agrees(a.Start(a.WithoutNumbers(e, without)), "", 6); !ok {
			t.Fatalf("seed %d: %s without %v, %v are left: wrong about %q", seed, describeSpec(spec), without, left, text)
		}
	}
}

// respelled writes a number with an exponent.
func respelled(v *big.Rat, rng *rand.Rand) string {
	shift := rng.IntN(5) - 2
	by := new(big.Rat).SetInt64(int64([]int{1, 10, 100}[max(shift, -shift)]))
	if shift < 0 {
		by.Inv(by)
	}
	return by.Mul(by, v).FloatString(6) + "e" + strconv.Itoa(-shift)
}

// prefixWalk compares states with what is left of a set.
type prefixWalk struct {
	a    *Arena
	spec number.Spec
	left []*big.Rat
}

func (w *prefixWalk) agrees(s State, text string, more int) (string, bool) {
	if (s != Dead) != slices.ContainsFunc(w.left, func(v *big.Rat) bool { return w.begins(text, v) }) {
		return text, false
	}
	if s == Dead || more == 0 {
		return "", true
	}
	for _, b := range []byte("0123456789.e-+") {
		if text, ok := w.agrees(w.a.Step(s, b), text+string(rune(b)), more-1); !ok {
			return text, false
		}
	}
	return "", true
}

// begins says whether a number can be spelled so that it begins as text.
func (w *prefixWalk) begins(text string, v *big.Rat) bool {
	sign := ""
	switch minusZero := v.Sign() == 0 && w.spec.Spelling == number.Any; {
	case v.Sign() < 0, minusZero && strings.HasPrefix(text, "-"):
		sign = "-"
	}
	whole, fraction, _ := strings.Cut(new(big.Rat).Abs(v).FloatString(50), ".")
	if w.spec.Integer != number.IntegerSyntax {
		whole += "." + fraction
	}
	return strings.HasPrefix(sign+whole, text)
}

// TestWithoutNumbers_zeroOfAllNumbers: nothing but zeros begins with a zero and an exponent.
func TestWithoutNumbers_zeroOfAllNumbers(t *testing.T) {
	a := NewArena(Limits{})
	e, err := a.Number(number.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	s := a.Start(a.WithoutNumbers(e, []string{"0", "7", "1e99999999999"}))
	for text, alive := range map[string]bool{"0": true, "-0": true, "0.0": true, "0e": false, "-0.0E": false, "7": true, "1e9": true} {
		if got := a.Walk(s, text) != Dead; got != alive {
			t.Errorf("%q is alive: %v", text, got)
		}
	}
	if a.Accepting(a.Walk(s, "0.00")) || a.Accepting(a.Walk(s, "7.0")) || !a.Accepting(a.Walk(s, "70")) {
		t.Error("what is left out is accepted, or what is not is refused")
	}
}

// TestWithoutNumbers_oneMoreMakesFewStates: what has been learned of a set holds for all numbers
// but those that begin as the one that is left out.
func TestWithoutNumbers_oneMoreMakesFewStates(t *testing.T) {
	a := NewArena(Limits{})
	e, err := a.Number(number.Spec{Min: rat("0"), Max: rat("99999"), Integer: number.IntegerValues})
	if err != nil {
		t.Fatal(err)
	}
	var without []string
	most := 0
	for i := range 400 {
		without = append(without, strconv.Itoa(i*7919%65521))
		before := a.States()
		s := a.Start(a.WithoutNumbers(e, without))
		for n := range 1000 {
			a.Walk(s, strconv.Itoa(n))
		}
		if i > 0 {
			most = max(most, a.States()-before)
		}
	}
	if most > 100 {
		t.Errorf("%d states more", most)
	}
}
