package number

import (
	"fmt"
	"math/big"
	"slices"
)

// Set is a Spec prepared for reading spellings digit by digit. It keeps the magnitudes of either
// sign apart, and splits divisors into powers of two and five, which powers of ten can supply, and
// the rest.
type Set struct {
	zero     bool          // 0 is a member
	signs    [2]magnitudes // of positive and negative members
	multiple *big.Rat      // least common multiple of MultipleOf; nil for none
	multiples,
	avoided []divisor
	avoidedValues []*big.Rat
	noneAllowed   bool   // every multiple is avoided
	odd           uint64 // least common multiple of all divisors' rests
	multiplesOdd  uint64 // the same of multiples alone
	tens          uint64 // least common multiple of all divisors' powers of two and five
	twos, fives   int    // tens = 2^twos · 5^fives
	lowestTen     int    // of the divisors
	highestTen    int
	fraction      bool // may be spelled with a fraction
	minusZero     bool // -0 is a spelling of 0
	maxFraction   int  // 0 for no bound
}

// magnitudes are the non-zero values between lo and hi, nil for no bound.
type magnitudes struct {
	none           bool
	one            bool // lo and hi are one number
	lo, hi         *decimal
	loOpen, hiOpen bool
}

// decimal is 0.digits × 10^point > 0, the first and the last digit not 0.
type decimal struct {
	digits []byte // values 0 to 9
	point  int
	value  *big.Rat
}

// divisor is 2^twos · 5^fives · odd · 10^ten.
type divisor struct {
	twos, fives int
	odd         uint64
	ten         int
}

// New prepares a set. The error is a *LimitError for bounds of more than 1,100 digits and for
// divisors whose least common multiple is beyond 10^17; other errors are about divisors that are
// not positive and rationals that are not decimals.
func New(spec Spec) (*Set, error) {
	s := &Set{
		fraction: spec.Integer != IntegerSyntax, minusZero: spec.Spelling == SpellAny, odd: 1, tens: 1,
	}
	multiples := append([]*big.Rat(nil), spec.MultipleOf...)
	if spec.Integer != NotOnlyIntegers {
		multiples = append(multiples, big.NewRat(1, 1))
	}
	limit := bound{spec.Max, spec.ExclusiveMax}
	lower := bound{spec.Min, spec.ExclusiveMin}
	if spec.Spelling == SpellPlain {
		if f := spec.MaxFractionDigits; f > 0 {
			s.maxFraction = f
			multiples = append(multiples, powerOfTen(-f))
		}
		if n := spec.MaxIntegerDigits; n > 0 {
			most := powerOfTen(n)
			limit, lower = limit.tighten(bound{most, true}, -1), lower.tighten(bound{new(big.Rat).Neg(most), true}, 1)
		}
	}
	avoided := spec.NotMultipleOf
	if lower.only(limit) && isMember(lower.at, multiples, avoided) {
		multiples, avoided = nil, nil // the only number satisfies them
	}
	if err := s.setDivisors(multiples, avoided); err != nil {
		return nil, err
	}
	return s, s.setBounds(lower, limit)
}

// Exhaustible reports whether some prefix of v, such as its digits and a point, may begin only
// finitely many other members.
func (s *Set) Exhaustible(v *big.Rat) bool {
	m := &s.signs[boolInt(v.Sign() < 0)]
	switch {
	case v.Sign() == 0:
		return s.zero
	case m.none || s.noneAllowed || s.Unconstrained():
		return false
	}
	return s.fraction || m.hi != nil
}

// only reports whether a lower and an upper bound leave one number.
func (b bound) only(upper bound) bool {
	return b.at != nil && upper.at != nil && !b.open && !upper.open && b.at.Cmp(upper.at) == 0
}

// isMember reports whether v is a multiple of all of multiples and of none of avoided.
func isMember(v *big.Rat, multiples, avoided []*big.Rat) bool {
	divides := func(d *big.Rat) bool { return d.Sign() > 0 && new(big.Rat).Quo(v, d).IsInt() }
	return !slices.ContainsFunc(multiples, func(d *big.Rat) bool { return !divides(d) }) &&
		!slices.ContainsFunc(avoided, func(d *big.Rat) bool { return d.Sign() <= 0 || divides(d) })
}

func powerOfTen(n int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil))
	if n < 0 {
		p.Inv(p)
	}
	return p
}

type bound struct {
	at   *big.Rat // nil for none
	open bool
}

// tighten returns the stricter of two bounds; side is 1 for lower ones and -1 for upper ones.
func (b bound) tighten(c bound, side int) bound {
	if b.at == nil || c.at.Cmp(b.at) == side || c.at.Cmp(b.at) == 0 && c.open {
		return c
	}
	return b
}

func (s *Set) setBounds(lower, upper bound) error {
	above := func(b bound) bool { return b.at != nil && (b.at.Sign() > 0 || b.at.Sign() == 0 && b.open) }
	below := func(b bound) bool { return b.at != nil && (b.at.Sign() < 0 || b.at.Sign() == 0 && b.open) }
	s.zero = !above(lower) && !below(upper) && len(s.avoided) == 0
	var err error
	if s.signs[0], err = newMagnitudes(lower, upper); err != nil {
		return err
	}
	negate := func(b bound) bound {
		if b.at != nil {
			b.at = new(big.Rat).Neg(b.at)
		}
		return b
	}
	s.signs[1], err = newMagnitudes(negate(upper), negate(lower))
	return err
}

// newMagnitudes returns the part of an interval that is above zero.
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

// newDecimal converts r > 0.
func newDecimal(r *big.Rat) (*decimal, error) {
	whole, scale, err := scaled(r)
	if err != nil {
		return nil, err
	}
	text := whole.String()
	d := &decimal{point: len(text) - scale, value: r}
	last := 0
	for i := range text {
		d.digits = append(d.digits, text[i]-'0')
		if text[i] != '0' {
			last = i
		}
	}
	d.digits = d.digits[:last+1]
	return d, nil
}

// scaled returns r as whole / 10^scale.
func scaled(r *big.Rat) (whole *big.Int, scale int, err error) {
	if r.Num().BitLen() > maxBoundDigits*10/3 || r.Denom().BitLen() > maxBoundDigits*10/3 {
		return nil, 0, &LimitError{What: "digits of a number", Limit: maxBoundDigits}
	}
	rest, twos := removeFactor(r.Denom(), 2)
	rest, fives := removeFactor(rest, 5)
	if rest.Cmp(big.NewInt(1)) != 0 {
		return nil, 0, fmt.Errorf("%s: %w", r, errNotDecimal)
	}
	scale = max(twos, fives)
	product := new(big.Rat).Mul(r, powerOfTen(scale))
	return product.Num(), scale, nil
}

// removeFactor returns n without its factors p, and their number.
func removeFactor(n *big.Int, p int64) (*big.Int, int) {
	n = new(big.Int).Set(n)
	divisor, rest := big.NewInt(p), new(big.Int)
	for k := 0; ; k++ {
		quotient, _ := new(big.Int).QuoRem(n, divisor, rest)
		if rest.Sign() != 0 || n.Sign() == 0 {
			return n, k
		}
		n = quotient
	}
}

func (s *Set) setDivisors(multiples, avoided []*big.Rat) error {
	for _, r := range multiples {
		d, err := s.addDivisor(r)
		if err != nil {
			return err
		}
		s.multiples = append(s.multiples, d)
		s.multiple = commonMultiple(s.multiple, r)
	}
	s.multiplesOdd = s.odd
	for _, r := range avoided {
		d, err := s.addDivisor(r)
		if err != nil {
			return err
		}
		s.avoided = append(s.avoided, d)
		s.avoidedValues = append(s.avoidedValues, r)
		s.noneAllowed = s.noneAllowed || s.multiple != nil && new(big.Rat).Quo(s.multiple, r).IsInt()
	}
	return nil
}

const maxModulus = 100_000_000_000_000_000

func (s *Set) addDivisor(r *big.Rat) (divisor, error) {
	if r.Sign() <= 0 {
		return divisor{}, fmt.Errorf("divisor %s is not positive", r)
	}
	whole, scale, err := scaled(r)
	if err != nil {
		return divisor{}, err
	}
	rest, twos := removeFactor(whole, 2)
	rest, fives := removeFactor(rest, 5)
	tens := min(twos, fives)
	d := divisor{twos: twos - tens, fives: fives - tens, ten: tens - scale}
	if !rest.IsUint64() || rest.Uint64() > maxModulus {
		return d, &LimitError{What: "as a divisor", Limit: maxModulus}
	}
	d.odd = rest.Uint64()
	s.twos, s.fives = max(s.twos, d.twos), max(s.fives, d.fives)
	s.lowestTen, s.highestTen = min(s.lowestTen, d.ten), max(s.highestTen, d.ten)
	all := commonMultiple(new(big.Rat).SetInt(new(big.Int).SetUint64(s.odd)), new(big.Rat).SetInt(rest)).Num()
	tensOnly := new(big.Int).Mul(new(big.Int).Exp(big.NewInt(2), big.NewInt(int64(s.twos)), nil), new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(s.fives)), nil))
	if !all.IsUint64() || all.Uint64() > maxModulus || !tensOnly.IsUint64() || tensOnly.Uint64() > maxModulus {
		return d, &LimitError{What: "as a common multiple of divisors", Limit: maxModulus}
	}
	s.odd, s.tens = all.Uint64(), tensOnly.Uint64()
	return d, nil
}

// commonMultiple returns the least common multiple of two positive rationals; x may be nil.
func commonMultiple(x, y *big.Rat) *big.Rat {
	if x == nil {
		return y
	}
	// over a common denominator, it is that of the numerators
	p, q := new(big.Int).Mul(x.Num(), y.Denom()), new(big.Int).Mul(y.Num(), x.Denom())
	gcd := new(big.Int).GCD(nil, nil, p, q)
	p.Div(p, gcd).Mul(p, q)
	return new(big.Rat).SetFrac(p, new(big.Int).Mul(x.Denom(), y.Denom()))
}

// Unconstrained reports whether the set holds all numbers, or all integers, in any spelling.
func (s *Set) Unconstrained() bool {
	open := func(m magnitudes) bool { return !m.none && m.lo == nil && m.hi == nil }
	free := len(s.multiples) == 0 || !s.fraction && len(s.multiples) == 1 && s.multiple.IsInt() && s.multiple.Num().IsInt64() && s.multiple.Num().Int64() == 1
	return s.zero && open(s.signs[0]) && open(s.signs[1]) && free && len(s.avoided) == 0 && s.minusZero && s.maxFraction == 0
}
