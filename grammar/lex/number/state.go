package number

import (
	"cmp"
	"math/big"
	"slices"
)

type phase uint8

const (
	atStart phase = iota
	afterMinus
	inZero     // the integer part is 0
	inInteger  // some digits, the first not 0
	afterPoint // no fraction digit yet
	inFraction
)

// State has what matters of the digits read so far: equal states accept the same continuations.
// The last f of the digits D are the fraction. D ends in z zeros: D = D0·10^z. The value is then
// D0·10^-weight, where weight = f-z.
type State struct {
	phase    phase
	negative bool
	nonZero  bool
	// the value is 0.D × 10^point, D without leading zeros; tracked if there are bounds
	point    int32
	lo, hi   int32 // comparison of D with the bounds' digits
	fraction int32 // f; tracked if there are divisors or a maximum
	weight   int32 // tracked if there are divisors
	odd      uint64
	tens     uint64 // D0 modulo set.tens
}

// Comparisons of digits; a number ≥ 0 is how many of the bound's digits were equal.
const (
	isLess    = -1
	isGreater = -2
)

// Digits are a text that leads to a state. Several may; any will do.
type Digits struct {
	value    *big.Int
	count    int // digits, leading zeros of the fraction included
	fraction int
}

// Count returns the number of digits, leading zeros of the fraction included.
func (d Digits) Count() int { return d.count }

func (d Digits) append(digit byte, fraction bool) Digits {
	v := new(big.Int).Mul(d.value, big.NewInt(10))
	d.value = v.Add(v, big.NewInt(int64(digit)))
	d.count++
	if fraction {
		d.fraction++
	}
	return d
}

// Start is the state before a number.
func (s *Set) Start() (State, Digits) { return State{}, Digits{value: new(big.Int)} }

// AtStart reports whether nothing has been read.
func (k State) AtStart() bool { return k.phase == atStart }

// Minus reads a sign, if one may come.
func (s *Set) Minus(k State) (next State, ok bool) {
	if k.phase != atStart {
		return k, false
	}
	k.phase, k.negative = afterMinus, true
	return k, true
}

// Point reads the point before a fraction, if one may come.
func (s *Set) Point(k State) (next State, ok bool) {
	if !s.fraction || k.phase != inZero && k.phase != inInteger {
		return k, false
	}
	k.phase = afterPoint
	return k, true
}

// Digit reads a digit, 0 to 9, if the syntax and the limits on digits admit one.
func (s *Set) Digit(k State, d Digits, digit byte) (State, Digits, bool) {
	next, ok := s.digit(k, uint64(digit))
	if !ok {
		return k, d, false
	}
	return next, d.append(digit, next.phase == inFraction), true
}

func (s *Set) digit(k State, digit uint64) (State, bool) {
	switch k.phase {
	case atStart, afterMinus:
		k.phase = inInteger
		if digit == 0 {
			k.phase = inZero
		}
	case inZero:
		return k, false
	case afterPoint:
		k.phase = inFraction
	}
	if s.maxFraction > 0 && k.phase == inFraction && int(k.fraction) >= s.maxFraction {
		return k, false
	}
	m := &s.signs[boolInt(k.negative)]
	if m.lo != nil || m.hi != nil {
		m.compare(&k, byte(digit))
	}
	if s.tracksFraction() && k.phase == inFraction {
		k.fraction++
	}
	if len(s.multiples)+len(s.avoided) > 0 {
		s.divide(&k, digit)
	}
	k.nonZero = k.nonZero || digit != 0
	s.normalize(&k, m)
	return k, true
}

func (s *Set) tracksFraction() bool {
	return len(s.multiples)+len(s.avoided) > 0 || s.maxFraction > 0
}

// compare moves the point and compares the digit with those of the bounds.
func (m *magnitudes) compare(k *State, digit byte) {
	switch {
	case k.phase == inInteger:
		k.point++
	case k.phase == inFraction && !k.nonZero && digit == 0:
		k.point--
	}
	if k.nonZero || digit != 0 {
		k.lo, k.hi = m.lo.compare(k.lo, digit), m.hi.compare(k.hi, digit)
	}
}

func (d *decimal) compare(at int32, digit byte) int32 {
	switch {
	case d == nil || at < 0:
		return at
	case int(at) == len(d.digits) && digit == 0:
		return at
	case int(at) == len(d.digits) || digit > d.digits[at]:
		return isGreater
	case digit < d.digits[at]:
		return isLess
	}
	return at + 1
}

// divide updates the remainders.
func (s *Set) divide(k *State, digit uint64) {
	k.odd = (k.odd*10 + digit) % s.odd
	if digit == 0 {
		if k.phase == inInteger {
			k.weight-- // a trailing zero; those of the fraction move f and z alike
		}
		return
	}
	for range min(int(k.fraction-k.weight)+boolInt(k.phase != inFraction), 64) {
		k.tens = k.tens * 10 % s.tens
	}
	k.tens = (k.tens + digit) % s.tens
	k.weight = k.fraction
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// normalize merges states that accept the same continuations: their differences are beyond the
// digits of the bounds, or of the divisors.
func (s *Set) normalize(k *State, m *magnitudes) {
	s.normalizePoint(k, m)
	k.weight = max(k.weight, int32(-max(0, s.highestTen)-max(s.twos, s.fives)))
	k.fraction = min(k.fraction, int32(max(s.maxFraction, 1-s.lowestTen)))
}

func (s *Set) normalizePoint(k *State, m *magnitudes) {
	above, below := 1, -1
	for _, b := range []*decimal{m.lo, m.hi} {
		if b != nil {
			above, below = max(above, b.point+1), min(below, b.point-1)
		}
	}
	switch {
	case int(k.point) >= above:
		k.point, k.lo, k.hi = int32(above), isGreater, isGreater
	case !k.nonZero:
		k.point = max(k.point, int32(below))
	}
}

// Accepts reports whether the number may end here.
func (s *Set) Accepts(k State) bool {
	if k.phase != inZero && k.phase != inInteger && k.phase != inFraction {
		return false
	}
	if !k.nonZero {
		return s.hasZero(k)
	}
	m := s.signs[boolInt(k.negative)]
	switch {
	case m.none:
		return false
	case m.lo != nil && m.lo.excludes(k.point, k.lo, -1, m.loOpen), m.hi != nil && m.hi.excludes(k.point, k.hi, 1, m.hiOpen):
		return false
	}
	for _, d := range s.multiples {
		if !s.divides(d, k) {
			return false
		}
	}
	return !slices.ContainsFunc(s.avoided, func(d divisor) bool { return s.divides(d, k) })
}

// excludes reports whether a number is beyond the bound d on the given side, or at d if that is
// open. point is where the number's digits begin; at is the comparison of its digits with those of
// d.
func (d *decimal) excludes(point, at int32, side int, open bool) bool {
	c := cmp.Or(cmp.Compare(int(point), d.point), d.result(at))
	return c == side || c == 0 && open
}

// hasZero reports whether 0 may be spelled with the sign that was read.
func (s *Set) hasZero(k State) bool {
	return s.zero && (!k.negative || s.minusZero)
}

// result is the comparison if no digit follows: a proper prefix of the bound's digits is less.
func (d *decimal) result(at int32) int {
	switch {
	case at == isGreater:
		return 1
	case at == isLess || int(at) < len(d.digits):
		return -1
	}
	return 0
}

// divides reports whether the value of the digits is a multiple of d. D0 has too few twos or
// fives, never both, as it is no multiple of ten: its power of ten must supply those.
func (s *Set) divides(d divisor, k State) bool {
	lacking := max(d.twos-valuation(k.tens, 2, d.twos), d.fives-valuation(k.tens, 5, d.fives))
	return k.odd%d.odd == 0 && int(k.weight)+d.ten+lacking <= 0
}

// valuation returns how often p divides n, at most limit times.
func valuation(n, p uint64, limit int) int {
	k := 0
	for k < limit && n%p == 0 {
		n /= p
		k++
	}
	return k
}
