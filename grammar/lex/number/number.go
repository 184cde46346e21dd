// Package number decides which texts spell a number of a set: numbers between bounds, multiples
// of some divisors and of none of others. It is pure arithmetic over what has been read of a
// number, and knows nothing of automata: package lex makes a state of each [State].
//
//	set, err := number.New(number.Spec{Min: big.NewRat(1, 1), Integer: number.IntegerValues})
//	s, ok := set.Step(set.Start(), '7')
//	set.AtLeast(s) == 0 // "7" is a member
//
// Numbers are read as JSON writes them, without exponent. There are finitely many states: digits
// that cannot make a difference are forgotten.
//
// Files: number.go (what a set is), decimal.go (bounds and divisors as decimals), state.go (one
// digit more), live.go (whether some digits more make a member, and how many at least).
package number

import (
	"fmt"
	"math/big"
	"slices"
)

// Spec is a set of numbers, and how they may be spelled. The zero value is all numbers.
type Spec struct {
	Min, Max                   *big.Rat // bounds, included unless said otherwise; nil for none
	ExclusiveMin, ExclusiveMax bool
	MultipleOf                 []*big.Rat // positive; the value is a multiple of each
	NotMultipleOf              []*big.Rat // positive; and of none of these
	Integer                    Integer
	Spelling                   Spelling
	MaxIntegerDigits           int // before the point; 0 for no bound; Plain only
	MaxFractionDigits          int // after the point; 0 for no bound; Plain only
}

// Integer is what makes a number an integer.
type Integer uint8

const (
	// NotOnlyIntegers admits all numbers.
	NotOnlyIntegers Integer = iota
	// IntegerValues admits 1 and 1.0: integers as JSON Schema sees them since draft 6.
	IntegerValues
	// IntegerSyntax admits 1, but not 1.0: integers as in drafts 3 and 4.
	IntegerSyntax
)

// Spelling is which spellings of a number are admitted.
type Spelling uint8

const (
	// Any admits every spelling that JSON has (RFC 8259 §6) of numbers that nothing restricts.
	// Those of a restricted set, integers among them, are written without exponent.
	Any Spelling = iota
	// Plain admits digits with an optional fraction, without exponent, and no -0.
	Plain
)

// LimitError says that a bound or a divisor is too large to be calculated with.
type LimitError struct {
	What  string
	Limit int
}

func (e *LimitError) Error() string { return fmt.Sprintf("more than %d %s", e.Limit, e.What) }

// Set is a Spec prepared for comparing the beginnings of spellings with it.
type Set struct {
	zero      bool          // 0 is a member
	signs     [2]magnitudes // the positive and the negative members
	multiple  *big.Rat      // what all members are multiples of; nil if nothing is
	avoided   []*big.Rat    // what none is a multiple of
	hopeless  bool          // every multiple is one of those
	divisors  []divisor
	modulus   uint64 // least common multiple of the divisors
	scale     int    // they count in units of 10^-scale
	fraction  bool   // members may be spelled with a fraction
	minusZero bool   // -0 is a spelling of 0
	most      int    // digits of a fraction; 0 for no bound
}

// divisor says that a value, counted in units, is a multiple of something, or is none.
type divisor struct {
	modulus uint64
	avoid   bool
}

// magnitudes are the non-zero values between lo and hi, nil for no bound.
type magnitudes struct {
	none           bool
	one            bool // lo and hi are one number
	lo, hi         *decimal
	loOpen, hiOpen bool
}

// New prepares a set. The error is a *LimitError for bounds of more than 1,100 digits and for
// divisors whose least common multiple is beyond 10^18; other errors are about divisors that are
// not positive and rationals that are not decimals.
func New(spec Spec) (*Set, error) {
	s := &Set{fraction: spec.Integer != IntegerSyntax, minusZero: spec.Spelling == Any}
	multiples := slices.Clone(spec.MultipleOf)
	if spec.Integer != NotOnlyIntegers {
		multiples = append(multiples, one)
	}
	lower, upper := bound{spec.Min, spec.ExclusiveMin}, bound{spec.Max, spec.ExclusiveMax}
	if n := spec.MaxIntegerDigits; spec.Spelling == Plain && n > 0 {
		most := powerOfTen(n)
		lower, upper = lower.tighten(bound{new(big.Rat).Neg(most), true}, 1), upper.tighten(bound{most, true}, -1)
	}
	avoided := spec.NotMultipleOf
	if lower.only(upper) && isMember(lower.at, multiples, avoided) {
		multiples, avoided = nil, nil // of one number they are decided
	}
	if err := s.setDivisors(multiples, avoided); err != nil {
		return nil, err
	}
	if spec.Spelling == Plain && spec.MaxFractionDigits > 0 {
		s.most = spec.MaxFractionDigits
		s.multiple = commonMultiple(s.multiple, powerOfTen(-s.most))
	}
	return s, s.setBounds(lower, upper)
}

// Syntax tells whether nothing restricts the numbers, or the integers: the syntax says it all.
func (s *Set) Syntax() (of Integer, all bool) {
	open := func(m magnitudes) bool { return !m.none && m.lo == nil && m.hi == nil }
	switch {
	case !s.fraction:
		of = IntegerSyntax
	case s.multiple != nil:
		of = IntegerValues
	}
	whole := s.multiple == nil || s.multiple.Cmp(one) == 0
	return of, s.zero && open(s.signs[0]) && open(s.signs[1]) && whole && len(s.avoided) == 0 && s.minusZero && s.most == 0
}

var one = big.NewRat(1, 1)

// isMember says whether v is a multiple of all of some numbers and of none of others, which are
// positive.
func isMember(v *big.Rat, multiples, avoided []*big.Rat) bool {
	return !slices.ContainsFunc(multiples, func(d *big.Rat) bool { return d.Sign() <= 0 || !divides(d, v) }) &&
		!slices.ContainsFunc(avoided, func(d *big.Rat) bool { return d.Sign() <= 0 || divides(d, v) })
}

func divides(d, v *big.Rat) bool { return new(big.Rat).Quo(v, d).IsInt() }

func (s *Set) setBounds(lower, upper bound) (err error) {
	s.zero = lower.admitsZero(1) && upper.admitsZero(-1) && len(s.avoided) == 0
	if s.signs[0], err = newMagnitudes(lower, upper); err != nil {
		return err
	}
	s.signs[1], err = newMagnitudes(upper.negated(), lower.negated())
	return err
}

// newMagnitudes restricts the interval to what is above zero.
func newMagnitudes(lower, upper bound) (m magnitudes, err error) {
	if upper.at != nil && upper.at.Sign() <= 0 {
		return magnitudes{none: true}, nil
	}
	if lower.at != nil && lower.at.Sign() > 0 {
		m.loOpen = lower.open
		if m.lo, err = newDecimal(lower.at); err != nil {
			return m, err
		}
	}
	if upper.at != nil {
		m.hiOpen = upper.open
		if m.hi, err = newDecimal(upper.at); err != nil {
			return m, err
		}
	}
	if m.lo != nil && m.hi != nil {
		c := m.lo.value.Cmp(m.hi.value)
		m.none = c > 0 || c == 0 && (m.loOpen || m.hiOpen)
		m.one = c == 0 && !m.none
	}
	return m, nil
}

// setDivisors reads all multiples as one of them: what all members are multiples of.
func (s *Set) setDivisors(multiples, avoided []*big.Rat) error {
	for _, d := range slices.Concat(multiples, avoided) {
		if d.Sign() <= 0 {
			return fmt.Errorf("divisor %s is not positive", d)
		}
	}
	for _, d := range multiples {
		s.multiple = commonMultiple(s.multiple, d)
	}
	s.avoided = make([]*big.Rat, len(avoided))
	for i, d := range avoided { // of the multiples of one number, multiples of another are those of both
		s.avoided[i] = commonMultiple(s.multiple, d)
	}
	s.hopeless = s.multiple != nil && slices.ContainsFunc(s.avoided, func(d *big.Rat) bool { return divides(d, s.multiple) })
	all := s.avoided
	if s.multiple != nil {
		all = append([]*big.Rat{s.multiple}, s.avoided...)
	}
	for _, d := range all {
		_, scale, err := scaled(d)
		if err != nil {
			return err
		}
		s.scale = max(s.scale, scale)
	}
	common := one
	for i, d := range all {
		units := new(big.Rat).Mul(d, powerOfTen(s.scale))
		common = commonMultiple(common, units)
		if !common.Num().IsUint64() || common.Num().Uint64() > maxModulus {
			return &LimitError{What: "as a common multiple of divisors", Limit: maxModulus}
		}
		s.divisors = append(s.divisors, divisor{units.Num().Uint64(), i >= len(all)-len(avoided)})
	}
	s.modulus = common.Num().Uint64()
	return nil
}
