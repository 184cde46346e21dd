package number

import "math/big"

type phase uint8

const (
	atStart phase = iota
	afterMinus
	inZero     // the integer part is 0
	inInteger  // some digits, the first not 0
	afterPoint // no fraction digit yet
	inFraction
)

// Key is the identity of a State: equal keys of one set have equal futures. It holds of the digits
// D read so far only what later digits can make a difference by.
type Key struct {
	phase    phase
	negative bool
	nonZero  bool
	beyond   bool   // a digit that is not 0 stands behind those that divisors count
	point    int32  // the value is 0.D × 10^point, D without leading zeros; tracked if there are bounds
	lo, hi   int32  // comparison of D with the bounds' digits
	fraction int32  // digits of the fraction, as far as they count
	rest     uint64 // D modulo that of the set, as far as divisors count
}

// Comparisons of digits; a number ≥ 0 is how many of the bound's digits were equal.
const (
	isLess    = -1
	isGreater = -2
)

// State is what has been read of a number.
type State struct {
	Key
	digits *big.Int // of one text that leads here
	places int      // how many of them stand behind the point
}

// Start is the state before the first character.
func (s *Set) Start() State { return State{digits: new(big.Int)} }

// Step reads one character. It returns false where no number goes on so; where it returns true the
// set may still have none that does, see Live.
func (s *Set) Step(t State, b byte) (State, bool) {
	switch {
	case b == '-' && t.phase == atStart:
		t.phase, t.negative = afterMinus, true
		return t, true
	case b == '.' && s.fraction && (t.phase == inZero || t.phase == inInteger):
		t.phase = afterPoint
		return t, true
	case b < '0' || b > '9' || t.phase == inZero:
		return t, false
	}
	return s.digit(t, b-'0')
}

func (s *Set) digit(t State, digit byte) (State, bool) {
	switch {
	case t.phase <= afterMinus && digit == 0:
		t.phase = inZero
	case t.phase <= afterMinus:
		t.phase = inInteger
	case t.phase == afterPoint:
		t.phase = inFraction
	}
	if s.most > 0 && t.phase == inFraction && int(t.fraction) >= s.most {
		return t, false
	}
	v := new(big.Int).Mul(t.digits, big.NewInt(10))
	t.digits = v.Add(v, big.NewInt(int64(digit)))
	s.divide(&t.Key, digit)
	if t.phase == inFraction {
		t.places++
		t.fraction = min(t.fraction+1, int32(max(s.scale, s.most)))
	}
	if m := s.magnitudes(&t.Key); m.lo != nil || m.hi != nil {
		m.compare(&t.Key, digit)
	}
	t.nonZero = t.nonZero || digit != 0
	return t, true
}

func (s *Set) magnitudes(k *Key) *magnitudes {
	if k.negative {
		return &s.signs[1]
	}
	return &s.signs[0]
}

// divide keeps the remainder of the value, counted in units.
func (s *Set) divide(k *Key, digit byte) {
	switch {
	case len(s.divisors) == 0 || k.beyond:
	case k.phase != inFraction || int(k.fraction) < s.scale:
		k.rest = (k.rest*10 + uint64(digit)) % s.modulus
	case digit != 0:
		k.beyond, k.rest = true, 0
	}
}

// compare moves the point and compares the digit with those of the bounds. What later digits
// cannot change any more is the same for all numbers beyond the bounds.
func (m *magnitudes) compare(k *Key, digit byte) {
	switch {
	case k.phase == inInteger:
		k.point++
	case k.phase == inFraction && !k.nonZero && digit == 0:
		k.point--
	}
	if k.nonZero || digit != 0 {
		k.lo, k.hi = m.lo.compare(k.lo, digit), m.hi.compare(k.hi, digit)
	}
	above, below := int32(1), int32(-1)
	for _, b := range []*decimal{m.lo, m.hi} {
		if b != nil {
			above, below = max(above, b.point+1), min(below, b.point-1)
		}
	}
	switch {
	case k.point >= above:
		k.point, k.lo, k.hi = above, isGreater, isGreater
	case !k.nonZero && digit == 0:
		k.point = max(k.point, below)
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

// order compares what has been read with d.
func (d *decimal) order(k *Key, at int32) int {
	switch {
	case k.point > d.point || k.point == d.point && at == isGreater:
		return 1
	case k.point < d.point || at == isLess || int(at) < len(d.digits): // a proper prefix of the bound's digits is less
		return -1
	}
	return 0
}

// accepts reports whether the number may end here.
func (s *Set) accepts(k *Key) bool {
	switch {
	case k.phase <= afterMinus || k.phase == afterPoint:
		return false
	case !k.nonZero:
		return s.hasZero(k)
	}
	m := s.magnitudes(k)
	if m.none || m.lo != nil && outside(m.lo.order(k, k.lo), m.loOpen) || m.hi != nil && outside(-m.hi.order(k, k.hi), m.hiOpen) {
		return false
	}
	return s.divisible(k)
}

// outside reports whether what has this order to a lower bound is beyond it.
func outside(order int, open bool) bool { return order < 0 || order == 0 && open }

// divisible reports whether the divisors admit the value.
func (s *Set) divisible(k *Key) bool {
	rest := k.rest
	if len(s.divisors) > 0 {
		for range s.scale - int(min(k.fraction, int32(s.scale))) {
			rest = rest * 10 % s.modulus
		}
	}
	for _, d := range s.divisors {
		if multiple := !k.beyond && rest%d.modulus == 0; multiple == d.avoid {
			return false
		}
	}
	return true
}

// hasZero says whether what has been read, of which no digit but zeros is, can become 0.
func (s *Set) hasZero(k *Key) bool { return s.zero && (!k.negative || s.minusZero) }
