package number

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Excluded holds lists of numbers of one sign that are left out, each as the one before with one
// more. A state has the list of those whose digits begin as what has been read, so that leaving
// out one more number changes the states on the way to it, and no others. The list 0 is empty.
type Excluded struct {
	nodes []excludedNode
	ids   map[excludedNode]int32
}

// excludedNode is the number 0.D… × 10^point, where digits are what is missing behind the digits D
// that have been read.
type excludedNode struct {
	before int32
	digits string
	point  int32
}

// Len is how many lists there are.
func (x *Excluded) Len() int { return len(x.nodes) }

// add returns a list with one more number, if it does not have it.
func (x *Excluded) add(id int32, digits string, point int32) int32 {
	for at := id; at != 0; at = x.nodes[at].before {
		if n := x.nodes[at]; n.digits == digits && n.point == point {
			return id
		}
	}
	return x.with(excludedNode{id, digits, point})
}

func (x *Excluded) with(n excludedNode) int32 {
	if x.ids == nil {
		x.ids, x.nodes = map[excludedNode]int32{}, make([]excludedNode, 1)
	}
	id, ok := x.ids[n]
	if !ok {
		id = int32(len(x.nodes))
		x.nodes = append(x.nodes, n)
		x.ids[n] = id
	}
	return id
}

// list returns the numbers of a list, the last first.
func (x *Excluded) list(id int32) (all []excludedNode) {
	for ; id != 0; id = x.nodes[id].before {
		all = append(all, x.nodes[id])
	}
	return all
}

// step returns the list behind one more digit. Nothing ends behind a zero but what ended before
// it.
func (x *Excluded) step(id int32, digit byte) (next int32) {
	for _, n := range slices.Backward(x.list(id)) {
		if n.digits != "" && n.digits[0] == '0'+digit {
			next = x.with(excludedNode{next, n.digits[1:], n.point})
		} else if n.digits == "" && digit == 0 {
			next = x.with(excludedNode{next, "", n.point})
		}
	}
	return next
}

// count returns how many numbers of a list have a point from lo to hi.
func (x *Excluded) count(id int32, lo, hi int) (n int) {
	for ; id != 0; id = x.nodes[id].before {
		if at := int(x.nodes[id].point); lo <= at && at <= hi {
			n++
		}
	}
	return n
}

// ends returns the points of the numbers that have no more digits.
func (x *Excluded) ends(id int32) (points []int32) {
	for ; id != 0; id = x.nodes[id].before {
		if n := x.nodes[id]; n.digits == "" {
			points = append(points, n.point)
		}
	}
	return points
}

// exclusion is what is left out of a set.
type exclusion struct {
	zero    bool
	lists   [2]int32 // by sign
	numbers []string // from which these were made
}

// Without returns the start of the set without some numbers, given as JSON numbers, in all their
// spellings. It may keep them if every prefix of them begins other members, too: then none is ever
// forced. Mostly there are some numbers more than when it was asked before.
func (s *Set) Without(k State, numbers []string) State {
	x := &s.out
	if n := len(x.numbers); n > len(numbers) || !slices.Equal(x.numbers, numbers[:n]) {
		*x = exclusion{}
	}
	for _, number := range numbers[len(x.numbers):] {
		negative, digits, point, ok := readDecimal(number)
		switch sign := boolInt(negative); {
		case !ok:
		case digits == "":
			x.zero = true
		case s.exhaustible(&s.signs[sign]) && s.holds(&s.signs[sign], digits, point):
			x.lists[sign] = s.excluded.add(x.lists[sign], digits, int32(point))
		}
	}
	x.numbers = slices.Clone(numbers)
	k.noZero, k.used, k.usedNegative = s.zero && x.zero, x.lists[0], x.lists[1]
	return k
}

// exhaustible says whether something may be read, such as the sign of an exponent, behind which
// there are finitely many members.
func (s *Set) exhaustible(m *magnitudes) bool {
	if m.none || s.hopeless {
		return false
	}
	if s.exponents {
		return m.lo != nil || m.hi != nil || s.multiple != nil || len(s.avoided) > 0
	}
	return s.fraction || m.hi != nil
}

// stepUsed goes on to the numbers behind a digit that has been read.
func (s *Set) stepUsed(k *State, m *magnitudes, digit byte) {
	if k.usedNegative = 0; k.nonZero {
		k.noZero, k.used = false, s.excluded.step(k.used, digit)
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
func (s *Set) countUsed(k *State) int {
	point := int(k.point)
	switch {
	case !k.nonZero:
		return s.excluded.count(k.used, Lowest, point)
	case k.phase == inInteger:
		return s.excluded.count(k.used, point, Highest)
	}
	return s.excluded.count(k.used, point, point)
}

// readDecimal reads a JSON number as ±0.digits × 10^point; zero has no digits. Numbers of which no
// set has few are not ok.
func readDecimal(text string) (negative bool, digits string, point int, ok bool) {
	text, negative = strings.TrimPrefix(text, "-"), strings.HasPrefix(text, "-")
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		e, err := strconv.Atoi(text[i+1:])
		if err != nil || max(e, -e) > 4*maxBoundDigits {
			return false, "", 0, strings.Trim(text[:i], "0.") == ""
		}
		mantissa, exponent = text[:i], e
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := strings.TrimLeft(whole+fraction, "0")
	point = len(all) - len(fraction) + exponent
	return negative, strings.TrimRight(all, "0"), point, true
}

// holds says whether 0.digits × 10^point is among the members of one sign.
func (s *Set) holds(m *magnitudes, digits string, point int) bool {
	if m.one {
		return m.lo.is(digits, point)
	}
	whole, _ := new(big.Int).SetString(digits, 10)
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

// is says whether d is 0.digits × 10^point.
func (d *decimal) is(digits string, point int) bool {
	if d.point != point || len(d.digits) != len(digits) {
		return false
	}
	for i, digit := range d.digits {
		if digits[i] != '0'+digit {
			return false
		}
	}
	return true
}
