package number

import (
	"math/big"
	"slices"
	"strconv"
)

// Live reports whether some continuation of the digits D is a member. The values of continuations
// are those from D up to D+1, times a power of ten: one power in a fraction, any from 0 up in an
// integer part.
func (s *Set) Live(k State, d Digits) bool {
	m := &s.signs[boolInt(k.negative)]
	switch {
	case k.phase == atStart:
		return s.hasZero(k) || s.anyMember(&s.signs[0]) || s.anyMember(&s.signs[1])
	case k.phase == afterMinus:
		return s.hasZero(k) || s.anyMember(m)
	case !k.nonZero && s.hasZero(k):
		return true
	case !k.nonZero && !s.fraction:
		return false
	case m.one && s.multiple == nil && len(s.avoided) == 0:
		return m.lo.begins(k)
	case k.phase == inInteger:
		return s.anyScaled(m, d.value)
	}
	return s.anyBetween(m, d.value, -d.fraction)
}

// begins reports whether the digits read are a prefix of a spelling of d.
func (d *decimal) begins(k State) bool {
	if !k.nonZero {
		return d.point <= int(k.point) // zeros behind the point
	}
	return k.lo >= 0 && (int(k.point) == d.point || k.phase == inInteger && int(k.point) < d.point)
}

// anyMember looks for a member.
func (s *Set) anyMember(m *magnitudes) bool {
	if m.none || s.noneAllowed {
		return false
	}
	if m.hi == nil || m.lo == nil && s.multiple == nil {
		return true
	}
	lo, open := new(big.Rat), true
	if m.lo != nil {
		lo, open = m.lo.value, m.loOpen
	}
	return s.anyIn(bound{lo, open}, bound{m.hi.value, m.hiOpen})
}

// anyScaled looks for a member that begins with the digits of value at any power of ten.
func (s *Set) anyScaled(m *magnitudes, value *big.Int) bool {
	if m.none || s.noneAllowed {
		return false
	}
	if m.hi == nil {
		return true // sufficiently many more digits lead to a multiple
	}
	// Powers of ten from above: value·10^power ≤ hi.
	digits := len(value.String())
	lowest := 0
	switch {
	case m.lo != nil:
		lowest = max(0, m.lo.point-digits-1)
	case s.multiple != nil:
		d, _ := newDecimal(s.multiple)
		lowest = max(0, d.point-digits-1)
	}
	for power := m.hi.point - digits; power >= lowest; power-- {
		if s.anyBetween(m, value, power) {
			return true
		}
	}
	return false
}

// anyBetween looks for a member from value·10^power to (value+1)·10^power, the latter excluded.
func (s *Set) anyBetween(m *magnitudes, value *big.Int, power int) bool {
	if m.none || s.noneAllowed {
		return false
	}
	unit := powerOfTen(power)
	lo := bound{new(big.Rat).SetInt(value), value.Sign() == 0}
	lo.at.Mul(lo.at, unit)
	hi := bound{new(big.Rat).Add(lo.at, unit), true}
	if m.lo != nil {
		lo = lo.tighten(bound{m.lo.value, m.loOpen}, 1)
	}
	if m.hi != nil {
		hi = hi.tighten(bound{m.hi.value, m.hiOpen}, -1)
	}
	return s.anyIn(lo, hi)
}

// anyIn looks for a number between two bounds that the divisors admit.
func (s *Set) anyIn(lo, hi bound) bool {
	c := lo.at.Cmp(hi.at)
	switch {
	case c > 0 || c == 0 && (lo.open || hi.open):
		return false
	case s.multiple == nil:
		return c < 0 || !s.isAvoided(lo.at) // avoided multiples never fill an interval
	}
	factor := s.firstMultiple(lo, 1)
	if len(s.avoided) == 0 {
		return factor.Cmp(s.firstMultiple(hi, -1)) <= 0
	}
	// not all multiples are avoided, so that one of the first is a member; the bound is for
	// hostile divisors
	for range 10_000 {
		v := new(big.Rat).SetInt(factor)
		v.Mul(v, s.multiple)
		if c := v.Cmp(hi.at); c > 0 || c == 0 && hi.open {
			return false
		}
		if !s.isAvoided(v) {
			return true
		}
		factor.Add(factor, big.NewInt(1))
	}
	return false
}

// firstMultiple returns the first multiple from a bound on, upwards (side 1) or downwards (-1), as
// a factor of the divisor.
func (s *Set) firstMultiple(b bound, side int64) *big.Int {
	count := new(big.Rat).Quo(b.at, s.multiple)
	factor := new(big.Int).Div(count.Num(), count.Denom()) // floor
	if !count.IsInt() && side > 0 || count.IsInt() && b.open {
		factor.Add(factor, big.NewInt(side))
	}
	return factor
}

func (s *Set) isAvoided(v *big.Rat) bool {
	return slices.ContainsFunc(s.avoidedValues, func(d *big.Rat) bool { return new(big.Rat).Quo(v, d).IsInt() })
}

// AtLeast returns a lower bound on the characters that must follow the digits D. It guides the
// search for the shortest spelling, which would be long for large divisors: n more digits can
// complete D to a multiple of m only if -D·10^n modulo m has at most n digits.
func (s *Set) AtLeast(k State, d Digits) int32 {
	if s.Accepts(k) {
		return 0
	}
	if !k.nonZero && s.hasZero(k) {
		return 1
	}
	if m := &s.signs[boolInt(k.negative)]; m.one && k.phase != atStart {
		return m.lo.missing(k)
	}
	magnitude := int32(1)
	if lo := s.signs[boolInt(k.negative)].lo; lo != nil && k.phase <= inInteger && (k.phase != atStart || s.signs[1].none) {
		magnitude = max(magnitude, int32(lo.point)-k.point)
	}
	m, rest := s.multiplesOdd, k.odd%s.multiplesOdd
	if s.multiple != nil && s.multiple.IsInt() && s.multiple.Num().IsUint64() && s.multiple.Num().Uint64() <= maxModulus {
		m = s.multiple.Num().Uint64()
		rest = new(big.Int).Mod(d.value, s.multiple.Num()).Uint64()
		if k.phase == afterPoint || k.phase == inFraction {
			return 1
		}
	}
	if !k.nonZero {
		return max(magnitude, int32(len(strconv.FormatUint(m, 10))))
	}
	digits, power := int32(0), uint64(1)
	for ; rest != 0 && m-rest >= power; digits++ {
		rest = rest * 10 % m
		power *= 10
	}
	return max(digits, magnitude)
}

// missing is AtLeast for the one number d: the digits that are missing, and a point if some of
// them are of the fraction.
func (d *decimal) missing(k State) int32 {
	n, point := int32(len(d.digits))-max(k.lo, 0), int32(d.point)
	switch {
	case k.phase == afterPoint || k.phase == inFraction:
	case k.point+n > point:
		n++
	default:
		n = point - k.point
	}
	return max(n, 1)
}
