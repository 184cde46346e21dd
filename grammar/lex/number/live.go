package number

import (
	"math/big"
	"slices"
	"strconv"
)

// Live reports whether some text that goes on from t spells a member: whether there is one from D
// to D+1, the latter excluded, times a power of ten; for a fraction that of its last digit, for an
// integer any from 0 up.
func (s *Set) Live(t State) bool {
	m := s.magnitudes(&t.Key)
	switch {
	case t.phase == atStart:
		return s.hasZero(&t.Key) || s.anyMember(&s.signs[0]) || s.anyMember(&s.signs[1])
	case t.phase == afterMinus:
		return s.hasZero(&t.Key) || s.anyMember(m)
	case !t.nonZero && s.hasZero(&t.Key):
		return true
	case t.phase == inZero && !s.fraction:
		return false
	case t.phase == inInteger:
		return s.anyScaled(m, t.digits)
	}
	return s.anyBetween(m, t.digits, -t.places)
}

func (s *Set) anyMember(m *magnitudes) bool {
	if m.none || s.hopeless {
		return false
	}
	if m.hi == nil || m.lo == nil && s.multiple == nil {
		return true
	}
	lo := bound{new(big.Rat), true}
	if m.lo != nil {
		lo = bound{m.lo.value, m.loOpen}
	}
	return s.anyIn(lo, bound{m.hi.value, m.hiOpen})
}

// anyScaled looks for a member that begins with the digits of value, at any power of ten.
func (s *Set) anyScaled(m *magnitudes, value *big.Int) bool {
	if m.none || s.hopeless {
		return false
	}
	if m.hi == nil {
		return true // there are multiples among all sufficiently long continuations
	}
	digits, lowest := int32(len(value.String())), int32(0)
	if m.lo != nil {
		lowest = max(lowest, m.lo.point-digits-1)
	}
	for power := m.hi.point - digits; power >= lowest; power-- {
		if s.anyBetween(m, value, int(power)) {
			return true
		}
	}
	return false
}

// anyBetween looks for a member from value·10^power to (value+1)·10^power, the latter excluded.
func (s *Set) anyBetween(m *magnitudes, value *big.Int, power int) bool {
	if m.none || s.hopeless {
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

// maxAvoided bounds how many multiples in a row are looked at that others forbid: not all are, so
// that a member is found soon, unless the divisors are hostile.
const maxAvoided = 10_000

// anyIn looks for a member of the divisors' kind between two bounds.
func (s *Set) anyIn(lo, hi bound) bool {
	c := lo.at.Cmp(hi.at)
	switch {
	case c > 0 || c == 0 && (lo.open || hi.open):
		return false
	case s.multiple == nil:
		return c < 0 || !s.isAvoided(lo.at) // avoided multiples never fill an interval
	}
	factor := s.firstMultiple(lo)
	for range maxAvoided {
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

// firstMultiple returns how many times the divisor the first multiple above a bound is.
func (s *Set) firstMultiple(b bound) *big.Int {
	count := new(big.Rat).Quo(b.at, s.multiple)
	factor := new(big.Int).Div(count.Num(), count.Denom()) // floor
	if !count.IsInt() || b.open {
		factor.Add(factor, big.NewInt(1))
	}
	return factor
}

func (s *Set) isAvoided(v *big.Rat) bool {
	return slices.ContainsFunc(s.avoided, func(d *big.Rat) bool { return divides(d, v) })
}

// AtLeast returns a lower bound on the characters that must follow; 0 if and only if none must. It
// guides the search for the shortest spelling, which large divisors would make long: n digits more
// can complete D to a multiple of m only if -D·10^n modulo m has at most n digits.
func (s *Set) AtLeast(t State) int32 {
	k, m := &t.Key, s.magnitudes(&t.Key)
	switch {
	case s.accepts(k):
		return 0
	case !k.nonZero && s.hasZero(k):
		return 1
	case m.one && k.phase != atStart:
		return m.lo.missing(k)
	}
	least := int32(1)
	if m.lo != nil && k.phase <= inInteger && (k.phase != atStart || s.signs[1].none) {
		least = max(least, m.lo.point-k.point)
	}
	if s.multiple == nil || !s.multiple.IsInt() || !s.multiple.Num().IsUint64() || s.multiple.Num().Uint64() > maxModulus || k.phase > inInteger {
		return least
	}
	multiple := s.multiple.Num().Uint64()
	if !k.nonZero {
		return max(least, int32(len(strconv.FormatUint(multiple, 10))))
	}
	digits, power := int32(0), uint64(1)
	for rest := new(big.Int).Mod(t.digits, s.multiple.Num()).Uint64(); rest != 0 && multiple-rest >= power; digits++ {
		rest = rest * 10 % multiple
		power *= 10
	}
	return max(digits, least)
}

// missing is a lower bound on the characters of d that have not been read: digits, and a point if
// some of them are of the fraction.
func (d *decimal) missing(k *Key) int32 {
	n := int32(len(d.digits)) - max(k.lo, 0)
	switch {
	case k.phase > inInteger:
	case k.point+n > d.point:
		n++
	default:
		n = d.point - k.point
	}
	return max(n, 1)
}
