package lex

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tenon/grammar/lex/number"
)

// numberPart is the part of a set between two numbers; "" stands for the set's own bound.
type numberPart struct {
	set      int32
	min, max string
}

// WithoutNumbers returns e without all spellings of some numbers, given in JSON. e may be made of
// sets of numbers and of words. A set keeps a number if every prefix of its spellings begins other
// members, too: a matcher that must avoid the number is then never forced to write it.
func (a *Arena) WithoutNumbers(e Expr, numbers []string) Expr {
	var values []*big.Rat
	for _, text := range numbers {
		if v := shortNumber(text); v != nil {
			values = append(values, v)
		}
	}
	slices.SortFunc(values, (*big.Rat).Cmp)
	return a.build(func() Expr { return a.without(e, values) })
}

// maxExponent bounds the exponents of numbers that WithoutNumbers takes: sets with bounds have
// smaller members.
const maxExponent = 4400

// shortNumber returns the value of a JSON number; nil if its exponent is too large.
func shortNumber(text string) *big.Rat {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if n, err := strconv.Atoi(exponent); exponent != "" && (err != nil || max(n, -n) > maxExponent) {
		text = mantissa
		if strings.Trim(text, "-0.") != "" {
			return nil
		}
	}
	v, _ := new(big.Rat).SetString(text)
	return v
}

func (a *Arena) without(e Expr, numbers []*big.Rat) Expr {
	n := *a.at(e)
	switch {
	case e == a.anyNumber || e == a.anyInteger:
		// only 0 has a spelling of which some prefix begins no other number
		if slices.ContainsFunc(numbers, func(v *big.Rat) bool { return v.Sign() == 0 }) {
			return a.intersect(e, a.complement(a.spelled(a.literal("0"), a.literal("0"))))
		}
		return e
	case n.kind == kindNumber && a.numbers.states[n.a].key.AtStart():
		return a.between(e, a.numbers.states[n.a].key.set, numbers)
	case n.kind != kindUnion && n.kind != kindIntersect:
		return e
	}
	parts := mapAll(n.args, func(x Expr) Expr { return a.without(x, numbers) })
	switch {
	case slices.Equal(parts, n.args):
		return e
	case n.kind == kindUnion:
		return a.union(parts...)
	}
	return a.intersect(parts...)
}

// between returns e, a set, without some numbers, which are sorted: the union of its parts between
// them.
func (a *Arena) between(e Expr, set int32, numbers []*big.Rat) Expr {
	rest, whole := a.numbers.specs[set], numberPart{set: set}
	var parts []Expr
	for _, v := range numbers {
		if rest.Min != nil && v.Cmp(rest.Min) < 0 || rest.Max != nil && v.Cmp(rest.Max) > 0 || !a.numbers.sets[set].Exhaustible(v) {
			continue
		}
		below, k := rest, whole
		below.Max, below.ExclusiveMax, k.max = v, true, v.RatString()
		if part, err := a.numberPart(k, below); err == nil {
			parts = append(parts, part)
			rest.Min, rest.ExclusiveMin, whole.min = v, true, k.max
		}
	}
	last, err := a.numberPart(whole, rest)
	if len(parts) == 0 || err != nil {
		return e
	}
	return a.union(append(parts, last)...)
}

// numberPart returns a part of a set, which spec describes. It has a memo: with one more number,
// most parts are the same.
func (a *Arena) numberPart(k numberPart, spec number.Spec) (Expr, error) {
	e, ok := a.numbers.parts[k]
	if !ok {
		set, err := number.New(spec)
		if err != nil {
			return empty, err
		}
		e = a.numberSet(spec, set)
		a.numbers.parts[k] = e
	}
	return e, nil
}
