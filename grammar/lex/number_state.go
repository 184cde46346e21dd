package lex

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// Numbers are read by a machine of their own: an expression of kind number is one state of it. The
// machine knows of the digits D read so far only what later digits and an exponent can make a
// difference by: where D's first non-zero digit stands, how its digits compare with those of the
// bounds, and remainders. Whether a state can still be completed is decided by arithmetic
// (number_live.go).

type numberPhase uint8

const (
	atStart numberPhase = iota
	afterMinus
	inZero     // the integer part is 0
	inInteger  // some digits, the first not 0
	afterPoint // no fraction digit yet
	inFraction
)

// numberKey is the identity of a state: equal keys have equal futures. For a mantissa D with f
// fraction digits, of which z end it as zeros (D = D0·10^z), the value with exponent e is
// D0·10^(e-weight), weight = f-z.
type numberKey struct {
	set      int32
	phase    numberPhase
	negative bool
	nonZero  bool
	point    int32 // the value is 0.D × 10^point, D without leading zeros; tracked if there are bounds
	lo, hi   int32 // comparison of D with the bounds' digits
	fraction int32 // f; tracked if there are divisors or a maximum
	weight   int32 // tracked if there are divisors
	odd      uint64
	tens     uint64 // D0 modulo set.tens

	free               bool  // any number of digits may follow
	noZero             bool  // 0 is excluded; tracked while D is 0
	used, usedNegative int32 // trees of the numbers that are excluded, the second while there may still be a sign
}

// Comparisons of digits; a number ≥ 0 is how many of the bound's digits were equal.
const (
	isLess    = -1
	isGreater = -2
)

// numberDigits is one mantissa that leads to a state. States with one key share the first one met.
type numberDigits struct {
	value    *big.Int
	count    int // digits, leading zeros of the fraction included
	fraction int
}

type numberState struct {
	key    numberKey
	digits numberDigits
	expr   Expr
}

type numberTable struct {
	sets      []*numberSet
	setIDs    map[string]int32 // by specification
	states    []numberState
	ids       map[numberKey]int32
	exponents map[[2]int]Expr
	plain     map[Expr]int32 // expressions that are no states of the machine, and the sets that they are
	trees     digitTrees
	excluded  map[int32]exclusion // memo of excluding
}

// intern returns the index of the set that spec describes; equal ones share their states.
func (t *numberTable) intern(spec NumberSpec, set *numberSet) int32 {
	if t.ids == nil {
		t.setIDs, t.ids, t.exponents, t.plain = map[string]int32{}, map[numberKey]int32{}, map[[2]int]Expr{}, map[Expr]int32{}
	}
	key := fmt.Sprintf("%+v", spec)
	if id, ok := t.setIDs[key]; ok {
		return id
	}
	id := int32(len(t.sets))
	set.trees = &t.trees
	t.sets = append(t.sets, set)
	t.setIDs[key] = id
	return id
}

// numberExpr returns the expression of a state, ∅ if it cannot be completed.
func (a *Arena) numberExpr(k numberKey, d numberDigits) Expr {
	t := &a.numbers
	if id, ok := t.ids[k]; ok {
		return t.states[id].expr
	}
	id := int32(len(t.states))
	t.ids[k] = id
	t.states = append(t.states, numberState{key: k, digits: d})
	if t.sets[k.set].live(k, d) {
		e := a.intern(node{kind: kindNumber, a: id})
		t.states[id].expr = e
	}
	return t.states[id].expr
}

var numberBounds = BytesOf("\x00-./0123456789:EFef")

func (a *Arena) describeNumber(n *node) {
	state := &a.numbers.states[n.a]
	least := a.numbers.sets[state.key.set].fewest(state.key, state.digits)
	n.text, n.nullable, n.bounds, n.span = true, least == 0, numberBounds, span{least, least, least, unbounded}
	n.bounds.Add('-' + 1)
}

// deriveNumber is the machine's transition.
func (a *Arena) deriveNumber(e Expr, b byte) Expr {
	state := a.numbers.states[a.at(e).a]
	k, s := state.key, a.numbers.sets[state.key.set]
	switch {
	case b == '-' && k.phase == atStart:
		k.phase, k.negative, k.used, k.usedNegative = afterMinus, true, k.usedNegative, 0
		return a.numberExpr(k, state.digits)
	case b == '.' && s.fraction && (k.phase == inZero || k.phase == inInteger):
		k.phase = afterPoint
		return a.numberExpr(k, state.digits)
	case (b == 'e' || b == 'E') && s.exponents && (k.phase == inZero || k.phase == inInteger || k.phase == inFraction):
		lo, hi := s.exponentRange(k)
		return a.exponentBut(lo, hi, s.usedExponents(k))
	case '0' <= b && b <= '9':
		next, ok := s.digit(k, state.digits, uint64(b-'0'))
		if !ok {
			return empty
		}
		digits := state.digits.append(b-'0', next.phase == inFraction)
		if digits.count > maxSpelledDigits && !k.free && !a.nearer(k, state.digits, next, digits) {
			return empty
		}
		return a.numberExpr(next, digits)
	}
	return empty
}

// nearer says whether the digit that leads from k to next brings an end nearer. Behind as many
// digits as there may be, others do not follow.
func (a *Arena) nearer(k numberKey, d numberDigits, next numberKey, digits numberDigits) bool {
	k.free, next.free = true, true
	there := a.numberExpr(next, digits)
	if there == empty {
		return false
	}
	least, ok := a.nearest(there, inBytes)
	from, known := a.nearest(a.numberExpr(k, d), inBytes)
	return least < from || !ok || !known
}

func (d numberDigits) append(digit byte, fraction bool) numberDigits {
	v := new(big.Int).Mul(d.value, big.NewInt(10))
	d.value = v.Add(v, big.NewInt(int64(digit)))
	d.count++
	if fraction {
		d.fraction++
	}
	return d
}

// digit advances the key by one digit, if the syntax and the limits on digits admit one.
func (s *numberSet) digit(k numberKey, d numberDigits, digit uint64) (numberKey, bool) {
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
	m := &s.signs[0]
	if k.negative {
		m = &s.signs[1]
	}
	if m.lo != nil || m.hi != nil || k.used != 0 {
		m.compare(&k, byte(digit))
	}
	if s.tracksFraction() && k.phase == inFraction {
		k.fraction++
	}
	if len(s.multiples)+len(s.avoided) > 0 {
		s.divide(&k, digit)
	}
	k.nonZero = k.nonZero || digit != 0
	s.stepUsed(&k, m, byte(digit))
	if !s.exponents {
		s.forget(&k, m)
	}
	return k, true
}

func (s *numberSet) tracksFraction() bool {
	return len(s.multiples)+len(s.avoided) > 0 || s.maxFraction > 0
}

// compare moves the point and compares the digit with those of the bounds.
func (m *magnitudes) compare(k *numberKey, digit byte) {
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

// divide keeps the remainders.
func (s *numberSet) divide(k *numberKey, digit uint64) {
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

// forget merges states that only an exponent could tell apart: digits beyond the bounds on either
// side, and beyond the divisors'.
func (s *numberSet) forget(k *numberKey, m *magnitudes) {
	if k.used == 0 {
		s.forgetPoint(k, m)
	}
	k.weight = max(k.weight, int32(-max(0, s.highestTen)-max(s.twos, s.fives)))
	k.fraction = min(k.fraction, int32(max(s.maxFraction, 1-s.lowestTen)))
}

func (s *numberSet) forgetPoint(k *numberKey, m *magnitudes) {
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

const (
	anyLow  = math.MinInt32
	anyHigh = math.MaxInt32
)

// exponentRange returns the exponents with which the mantissa is a member; lo > hi for none.
func (s *numberSet) exponentRange(k numberKey) (lo, hi int) {
	lo, hi = anyLow, anyHigh
	if !k.nonZero {
		if !s.hasZero(k) {
			return 1, 0
		}
		return lo, hi
	}
	m := s.signs[boolInt(k.negative)]
	if m.none {
		return 1, 0
	}
	if b := m.lo; b != nil {
		lo = b.point - int(k.point)
		if c := b.result(k.lo); c < 0 || c == 0 && m.loOpen {
			lo++
		}
	}
	if b := m.hi; b != nil {
		hi = b.point - int(k.point)
		if c := b.result(k.hi); c > 0 || c == 0 && m.hiOpen {
			hi--
		}
	}
	for _, d := range s.multiples {
		if k.odd%d.odd != 0 {
			return 1, 0
		}
		lo = max(lo, s.least(k, d))
	}
	for _, d := range s.avoided {
		if k.odd%d.odd == 0 {
			hi = min(hi, s.least(k, d)-1)
		}
	}
	return lo, hi
}

// hasZero says whether the mantissa, of which no digit but zeros has been read, can become 0.
func (s *numberSet) hasZero(k numberKey) bool {
	return s.zero && !k.noZero && (!k.negative || s.minusZero)
}

// result closes a comparison: a proper prefix of the bound's digits is less.
func (d *decimal) result(at int32) int {
	switch {
	case at == isGreater:
		return 1
	case at == isLess || int(at) < len(d.digits):
		return -1
	}
	return 0
}

// least returns the least exponent with which the mantissa, whose rest is divisible by d's, is a
// multiple of d. D0 is no multiple of ten, so that twos or fives are lacking altogether and the
// powers of ten must supply them.
func (s *numberSet) least(k numberKey, d divisor) int {
	lacking := max(d.twos-valuation(k.tens, 2, d.twos), d.fives-valuation(k.tens, 5, d.fives))
	return int(k.weight) + d.ten + lacking
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

// accepts reports whether the number may end here, without an exponent.
func (s *numberSet) accepts(k numberKey) bool {
	if k.phase != inZero && k.phase != inInteger && k.phase != inFraction || slices.Contains(s.trees.ends(k.used), k.point) {
		return false
	}
	lo, hi := s.exponentRange(k)
	return lo <= 0 && 0 <= hi
}
