package lex

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tenon/grammar/lex/number"
)

// excludable are numbers in all spellings; some are members of many of the specifications.
var excludable = strings.Fields("0 -0.0 1 -1 2 5 7e0 10 12 2e1 1.5 0.5 25e-1 -5 -2.5 0.1 0.15 0.2 2.05 21 28 5.0 15 15.5 100 1e300 0.01 1e-21 1e99999999999 -1e-99999999999")

// TestNumber_withoutSome is TestNumber_allShortSpellings with some numbers excluded. If a set
// keeps one of them, other members begin with each of its prefixes.
func TestNumber_withoutSome(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i, spec := range append(slices.Clone(numberSpecs), plainSpecs()...) {
		a := NewArena(Limits{})
		e, err := a.Number(spec)
		if err != nil {
			continue
		}
		for round := range 2 {
			var without []string
			for _, n := range excludable {
				if round == 0 || rng.IntN(2) == 0 {
					without = append(without, n)
				}
			}
			kept := func(text string) bool { return member(spec, text) && !exhaustible(spec, text) }
			member := func(text string) bool { return member(spec, text) && (kept(text) || !isOneOf(text, without)) }
			walk := spellingWalk{t: t, a: a, spec: fmt.Sprint(i, describe(spec), " without ", without), member: member, longest: 4 + round, checked: map[State]bool{}}
			left := a.WithoutNumbers(e, without)
			walk.visit(a.Start(left), "")
			if i > 0 && slices.ContainsFunc(excludable, func(n string) bool { return !strings.Contains(n, "99999") && kept(n) }) {
				sameLife(t, a, a.Start(left), a.Start(a.Intersect(e, a.Complement(spellingsOf(a, without)))), walk.spec, "")
			}
		}
		if a.Err() != nil {
			t.Errorf("%s: %v", describe(spec), a.Err())
		}
	}
}

// exhaustible reports whether an excluded number must not be a member any more.
func exhaustible(spec number.Spec, text string) bool {
	s, err := number.New(spec)
	return err == nil && s.Exhaustible(rat(text))
}

func spellingsOf(a *Arena, numbers []string) Expr {
	var parts []Expr
	for _, n := range numbers {
		if !strings.Contains(n, "99999999999") {
			e, _ := a.Number(number.Spec{Min: rat(n), Max: rat(n)})
			parts = append(parts, e)
		}
	}
	return a.Union(parts...)
}

func sameLife(t *testing.T, a *Arena, s, want State, spec, text string) {
	t.Helper()
	if (s != Dead) != (want != Dead) {
		t.Fatalf("%s: after %q alive: %v", spec, text, s != Dead)
	}
	if s == Dead || len(text) == 3 {
		return
	}
	for _, b := range []byte(spellingLetters) {
		sameLife(t, a, a.Step(s, b), a.Step(want, b), spec, text+string(rune(b)))
	}
}

func isOneOf(text string, numbers []string) bool {
	return slices.ContainsFunc(numbers, func(n string) bool {
		return !strings.Contains(n, "99999999999") && rat(n).Cmp(rat(text)) == 0
	})
}

// TestNumber_withoutMost excludes most numbers of finite sets. A prefix is live if and only if it
// begins a spelling of a number that is left.
func TestNumber_withoutMost(t *testing.T) {
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 3))
		spec := number.Spec{Spelling: number.Spelling(rng.IntN(2))}
		step := rat([]string{"1", "1", "2", "0.5", "0.1", "2.5", "7", "30"}[rng.IntN(8)])
		first, count := rng.IntN(30)-15, 1+rng.IntN(30)
		if spec.Integer = number.Integer(rng.IntN(3)); !step.IsInt() {
			spec.Integer = number.NotOnlyIntegers
		}
		at := func(i int) *big.Rat { return new(big.Rat).Mul(step, big.NewRat(int64(first+i), 1)) }
		spec.Min, spec.Max, spec.MultipleOf = at(0), at(count-1), []*big.Rat{step}
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
				without = append(without, spelled(at(i), rng))
			}
		}
		a := NewArena(Limits{})
		e, err := a.Number(spec)
		if err != nil {
			t.Fatal(err)
		}
		w := prefixWalk{a: a, spec: spec, left: left}
		if text, ok := w.agrees(a.Start(a.WithoutNumbers(e, without)), "", 6); !ok {
			t.Fatalf("seed %d: %s without %v, %v are left: wrong about %q", seed, describe(spec), without, left, text)
		}
	}
}

// spelled writes a number in one of its ways.
func spelled(v *big.Rat, rng *rand.Rand) string {
	shift := rng.IntN(5) - 2
	text := new(big.Rat).Mul(v, powerOfTen(shift)).FloatString(6)
	return text + "e" + strconv.Itoa(-shift)
}

// prefixWalk compares states with the numbers that are left of a set.
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

// begins reports whether text is a prefix of some spelling of a number.
func (w *prefixWalk) begins(text string, v *big.Rat) bool {
	if text == "" || text == "-" && v.Sign() < 0 {
		return true
	}
	minusZero := text[0] == '-' && v.Sign() == 0 && w.spec.Spelling == number.SpellAny
	rest, negative := strings.CutPrefix(text, "-")
	if negative != (v.Sign() < 0 || minusZero) {
		return false
	}
	digits, point := digitsOf(v)
	whole := "0"
	if point > 0 {
		whole, digits = (digits + strings.Repeat("0", 50))[:point], digits[min(point, len(digits)):]
	} else {
		digits = strings.Repeat("0", -point) + digits
	}
	if w.spec.Integer != number.IntegerSyntax {
		whole += "." + digits + strings.Repeat("0", 50)
	}
	return strings.HasPrefix(whole, rest)
}

// digitsOf returns a number's magnitude as 0.digits × 10^point.
func digitsOf(v *big.Rat) (digits string, point int) {
	whole, fraction, _ := strings.Cut(new(big.Rat).Abs(v).FloatString(6), ".")
	all := strings.TrimLeft(whole+fraction, "0")
	return strings.TrimRight(all, "0"), len(all) - len(fraction)
}

// TestNumber_excludingOneMoreMakesFewStates: the part of a set between two excluded numbers keeps
// its states as long as no number between them is excluded.
func TestNumber_excludingOneMoreMakesFewStates(t *testing.T) {
	a := NewArena(Limits{})
	e, err := a.Number(number.Spec{Min: rat("0"), Max: rat("99999"), Integer: number.IntegerValues})
	if err != nil {
		t.Fatal(err)
	}
	const numbers = 400
	var without []string
	for i := range numbers {
		without = append(without, strconv.Itoa(i*7919%65521))
		s := a.Start(a.WithoutNumbers(e, without))
		for n := range 1000 {
			a.Walk(s, strconv.Itoa(n))
		}
	}
	if n := a.States() / numbers; n > 100 {
		t.Errorf("%d states for each", n)
	}
}

// TestNumber_excludingOneMoreCostsLittle counts allocations: the part between two numbers that
// were excluded before is not made again.
func TestNumber_excludingOneMoreCostsLittle(t *testing.T) {
	a := NewArena(Limits{})
	e, err := a.Number(number.Spec{Min: rat("0"), Integer: number.IntegerValues})
	if err != nil {
		t.Fatal(err)
	}
	var without []string
	for i := range 400 {
		without = append(without, strconv.Itoa(i*7919%65521))
	}
	a.WithoutNumbers(e, without)
	n := testing.AllocsPerRun(20, func() {
		without = append(without, strconv.Itoa(100_000+len(without)))
		a.WithoutNumbers(e, without)
	})
	if each := n / float64(len(without)); each > 40 {
		t.Errorf("%.0f allocations for each number", each)
	}
}

func powerOfTen(n int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil))
	if n < 0 {
		p.Inv(p)
	}
	return p
}
