package lex

import (
	"cmp"
	"encoding/binary"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Numbers that are excluded from a set are in trees of their digits, one for either sign. A state
// of the machine has the tree of those whose digits begin as what has been read, so that excluding
// one more number changes the states on the way to it, and no others.

// digitTree is a finite set of numbers of one sign behind some digits D, leading zeros left out.
// Equal trees are one.
type digitTree struct {
	ends   []int32      // 0.D × 10^end is in the set; sorted
	next   [10]int32    // the tree behind a further digit; 0 for none
	points []pointCount // of all its numbers, which are 0.D… × 10^point; sorted
}

type pointCount struct {
	point int32
	count int
}

type digitTrees struct {
	nodes []digitTree // the first is empty
	ids   map[string]int32
}

func (t *digitTrees) intern(n digitTree) int32 {
	if len(t.nodes) == 0 {
		t.nodes, t.ids = []digitTree{{}}, map[string]int32{string(make([]byte, 40)): 0}
	}
	key := make([]byte, 0, 64)
	for _, x := range n.next {
		key = binary.LittleEndian.AppendUint32(key, uint32(x))
	}
	for _, x := range n.ends {
		key = binary.LittleEndian.AppendUint32(key, uint32(x))
	}
	if id, ok := t.ids[string(key)]; ok {
		return id
	}
	n.points = nil
	for _, end := range n.ends {
		n.points = append(n.points, pointCount{end, 1})
	}
	for _, next := range n.next {
		n.points = append(n.points, t.nodes[next].points...)
	}
	n.points = sumPoints(n.points)
	id := int32(len(t.nodes))
	t.nodes = append(t.nodes, n)
	t.ids[string(key)] = id
	return id
}

func sumPoints(list []pointCount) []pointCount {
	slices.SortFunc(list, func(p, q pointCount) int { return cmp.Compare(p.point, q.point) })
	out := list[:0]
	for _, p := range list {
		if n := len(out); n > 0 && out[n-1].point == p.point {
			out[n-1].count += p.count
		} else {
			out = append(out, p)
		}
	}
	return slices.Clip(out)
}

// add returns the tree with one more number, whose digits end with no zero.
func (t *digitTrees) add(id int32, digits []byte, point int32) int32 {
	n := digitTree{}
	if id != 0 {
		n = t.nodes[id]
	}
	if len(digits) > 0 {
		n.next[digits[0]] = t.add(n.next[digits[0]], digits[1:], point)
	} else if i, found := slices.BinarySearch(n.ends, point); !found {
		n.ends = slices.Insert(slices.Clone(n.ends), i, point)
	}
	return t.intern(n)
}

// step returns the tree behind one more digit.
func (t *digitTrees) step(id int32, digit byte) int32 {
	if id == 0 {
		return 0
	}
	n := &t.nodes[id]
	if digit != 0 || len(n.ends) == 0 {
		return n.next[digit]
	}
	zero := t.nodes[n.next[0]] // nothing ends behind a zero but what ended before it
	zero.ends = n.ends
	return t.intern(zero)
}

// count returns how many numbers have a point from lo to hi.
func (t *digitTrees) count(id int32, lo, hi int) int {
	sum := 0
	if id != 0 {
		for _, p := range t.nodes[id].points {
			if lo <= int(p.point) && int(p.point) <= hi {
				sum += p.count
			}
		}
	}
	return sum
}

// ends returns the points of the numbers that have no more digits than those before the tree.
func (t *digitTrees) ends(id int32) []int32 {
	if id == 0 {
		return nil
	}
	return t.nodes[id].ends
}

// exclusion is what is excluded from a set.
type exclusion struct {
	zero    bool
	trees   [2]int32 // by sign
	numbers []string // from which these were made
}

// everything stands for the set of all numbers.
const everything = -1

// WithoutNumbers returns e without some numbers, given as JSON numbers, in all their spellings. It
// knows unions of sets of numbers and of words. A set may keep the numbers if every prefix of
// them begins other members, too: then none is ever forced.
func (a *Arena) WithoutNumbers(e Expr, numbers []string) Expr {
	return a.build(func() Expr {
		e := a.without(e, numbers)
		if len(a.numbers.trees.nodes) > a.limits.Exprs {
			a.fill("digits of numbers that are excluded", a.limits.Exprs)
		}
		return e
	})
}

func (a *Arena) without(e Expr, numbers []string) Expr {
	if set, ok := a.numbers.plain[e]; ok {
		if !a.numbers.excluding(everything, numbers).zero {
			return e
		}
		return a.numberExpr(numberKey{set: set, noZero: true}, numberDigits{value: new(big.Int)})
	}
	n := *a.at(e)
	switch n.kind {
	case kindUnion, kindIntersect:
		parts := slices.Clone(n.args)
		for i, x := range parts {
			parts[i] = a.without(x, numbers)
		}
		if slices.Equal(parts, n.args) {
			return e
		}
		if n.kind == kindUnion {
			return a.union(parts...)
		}
		return a.intersect(parts...)
	case kindNumber:
		if state := a.numbers.states[n.a]; state.key.phase == atStart {
			return a.numberExpr(a.numbers.exclude(state.key, numbers), state.digits)
		}
	}
	return e
}

// exclude returns the start of a set from which numbers are excluded.
func (t *numberTable) exclude(k numberKey, numbers []string) numberKey {
	s := t.sets[k.set]
	all := t.excluding(everything, numbers)
	var trees [2]int32
	for sign := range s.signs {
		switch m := &s.signs[sign]; {
		case m.none || all.trees[sign] == 0 || !s.exhaustible(m):
		case m.one:
			end := all.trees[sign]
			for _, digit := range m.lo.digits {
				end = t.trees.step(end, digit)
			}
			if slices.Contains(t.trees.ends(end), int32(m.lo.point)) {
				trees[sign] = t.trees.add(0, m.lo.digits, int32(m.lo.point))
			}
		default:
			trees[sign] = t.excluding(k.set, numbers).trees[sign]
		}
	}
	k.noZero, k.used, k.usedNegative = s.zero && all.zero, trees[0], trees[1]
	return k
}

// exhaustible says whether something may be read, such as the sign of an exponent, behind which
// there are finitely many members.
func (s *numberSet) exhaustible(m *magnitudes) bool {
	if s.exponents {
		return m.lo != nil || m.hi != nil || s.multiple != nil || len(s.avoided) > 0
	}
	return s.fraction || m.hi != nil
}

// stepUsed goes on to the tree behind a digit that has been read.
func (s *numberSet) stepUsed(k *numberKey, m *magnitudes, digit byte) {
	if k.usedNegative = 0; k.nonZero {
		k.noZero, k.used = false, s.trees.step(k.used, digit)
	}
	if !s.exponents && s.countUsed(k) == 0 {
		k.used = 0
	}
	if k.used == 0 && m.lo == nil && m.hi == nil {
		k.point = 0 // it does not matter any more
	}
}

// countUsed returns how many of the numbers that are excluded begin as D does, which no exponent
// follows.
func (s *numberSet) countUsed(k *numberKey) int {
	point := int(k.point)
	switch {
	case !k.nonZero:
		return s.trees.count(k.used, anyLow, point)
	case k.phase == inInteger:
		return s.trees.count(k.used, point, anyHigh)
	}
	return s.trees.count(k.used, point, point)
}

// usedExponents returns those with which the mantissa is a number that is excluded.
func (s *numberSet) usedExponents(k numberKey) []int32 {
	all := slices.Clone(s.trees.ends(k.used))
	for i := range all {
		all[i] -= k.point
	}
	return all
}

// excluding returns what is excluded of a set. Mostly there are some numbers more than when it was
// asked before.
func (t *numberTable) excluding(set int32, numbers []string) exclusion {
	x := t.excluded[set]
	if n := len(x.numbers); n > len(numbers) || !slices.Equal(x.numbers, numbers[:n]) {
		x = exclusion{}
	}
	for _, number := range numbers[len(x.numbers):] {
		negative, digits, point, ok := readDecimal(number)
		switch sign := boolInt(negative); {
		case !ok:
		case len(digits) == 0:
			x.zero = true
		case set == everything || t.sets[set].holds(negative, digits, point):
			x.trees[sign] = t.trees.add(x.trees[sign], digits, int32(point))
		}
	}
	if x.numbers = slices.Clone(numbers); t.excluded == nil {
		t.excluded = map[int32]exclusion{}
	}
	t.excluded[set] = x
	return x
}

// readDecimal reads a JSON number as ±0.digits × 10^point; zero has no digits. Numbers of which no
// set has few are not ok.
func readDecimal(text string) (negative bool, digits []byte, point int, ok bool) {
	text, negative = strings.TrimPrefix(text, "-"), strings.HasPrefix(text, "-")
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		e, err := strconv.Atoi(text[i+1:])
		if err != nil || max(e, -e) > 4*maxBoundDigits {
			return false, nil, 0, strings.Trim(text[:i], "0.") == ""
		}
		mantissa, exponent = text[:i], e
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := strings.TrimLeft(whole+fraction, "0")
	point = len(all) - len(fraction) + exponent
	digits = []byte(strings.TrimRight(all, "0"))
	for i := range digits {
		digits[i] -= '0'
	}
	return negative, digits, point, true
}

// holds says whether ±0.digits × 10^point, which is not 0, is a member.
func (s *numberSet) holds(negative bool, digits []byte, point int) bool {
	m := &s.signs[boolInt(negative)]
	if m.none || s.hopeless {
		return false
	}
	whole := new(big.Int)
	for _, digit := range digits {
		whole.Mul(whole, big.NewInt(10)).Add(whole, big.NewInt(int64(digit)))
	}
	v := new(big.Rat).SetInt(whole)
	v.Mul(v, powerOfTen(point-len(digits)))
	within := func(d *decimal, open bool, side int) bool {
		if d == nil {
			return true
		}
		c := v.Cmp(d.value) * side
		return c > 0 || c == 0 && !open
	}
	return within(m.lo, m.loOpen, 1) && within(m.hi, m.hiOpen, -1) && !s.isAvoided(v) && (s.multiple == nil || new(big.Rat).Quo(v, s.multiple).IsInt())
}
