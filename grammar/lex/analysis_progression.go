package lex

import (
	"cmp"
	"slices"
)

// progression is the numbers first, first+step, … up to last, which is one of them, or huge for
// no end.
type progression struct{ first, last, step int32 }

func (p progression) single() bool { return p.first == p.last }

// count is how many numbers there are, at most huge.
func (p progression) count() int32 {
	if p.last >= huge {
		return huge
	}
	return (p.last-p.first)/p.step + 1
}

// nth is the number behind n others.
func (p progression) nth(n int32) int32 { return addSize(p.first, mulSize(p.step, n)) }

// shift adds n to all numbers.
func (p progression) shift(n int32) progression {
	return progression{addSize(p.first, n), addSize(p.last, n), p.step}
}

// lengthSet is a set of numbers, the possible lengths of words.
type lengthSet struct {
	list   []progression // sorted by their first number
	exact  bool          // else there may be more numbers than those
	frugal bool          // for every number some word takes no more bytes than that, even in JSON
}

// maxProgressions bounds a list: sums of many take the product of their numbers to find.
const maxProgressions = 48

// next returns the least number that is not below lo, huge if there is none.
func (s *lengthSet) next(lo int32) int32 {
	least := int32(huge)
	for _, p := range s.list {
		n := p.first
		if n < lo {
			if n = p.nth((lo - p.first + p.step - 1) / p.step); n > p.last {
				continue
			}
		}
		least = min(least, n)
	}
	return least
}

// within returns the numbers from lo to hi.
func (s *lengthSet) within(lo, hi int32) *lengthSet {
	out := &lengthSet{exact: s.exact, frugal: s.frugal}
	for _, p := range s.list {
		if p.first < lo {
			p.first = p.nth((lo - p.first + p.step - 1) / p.step)
		}
		if hi != unbounded && p.last > hi && p.first <= hi {
			p.last = p.first + (hi-p.first)/p.step*p.step
		}
		if p.first <= p.last && p.first < huge && (hi == unbounded || p.first <= hi) {
			out.list = append(out.list, p)
		}
	}
	out.tidy()
	return out
}

// tidy joins what goes on where another ends, and keeps the list short.
func (s *lengthSet) tidy() {
	slices.SortFunc(s.list, func(p, q progression) int {
		return cmp.Or(cmp.Compare(p.first, q.first), cmp.Compare(q.last, p.last))
	})
	out := s.list[:0]
	for _, p := range s.list {
		if len(out) > 2*maxProgressions {
			s.exact = false
			break
		}
		if !slices.ContainsFunc(out, func(q progression) bool { return q.contains(p) }) && !join(out, p) {
			out = append(out, p)
		}
	}
	s.list = out
	if len(out) <= maxProgressions {
		return
	}
	slices.SortStableFunc(s.list, func(p, q progression) int { return cmp.Compare(q.count(), p.count()) })
	s.list, s.exact = slices.Clone(s.list[:maxProgressions]), false
	slices.SortFunc(s.list, func(p, q progression) int { return cmp.Compare(p.first, q.first) })
}

// contains says whether all numbers of q are numbers of p, where that is plain to see.
func (p progression) contains(q progression) bool {
	return q.first >= p.first && q.last <= p.last && (q.first-p.first)%p.step == 0 && (q.single() || q.step%p.step == 0)
}

// join adds the numbers of p to one of a list, none of which begins behind it, that they continue.
func join(list []progression, p progression) bool {
	for i := range list {
		q := &list[i]
		switch {
		case p.single() && q.single() && p.first-q.first > 1:
		case q.single() && p.first == addSize(q.first, p.step):
			q.step, q.last = p.step, p.last
			return true
		case p.single() && p.first == addSize(q.last, q.step):
			q.last = p.first
			return true
		case p.step == q.step && (p.first-q.first)%q.step == 0 && p.first <= addSize(q.last, q.step):
			q.last = max(q.last, p.last)
			return true
		}
	}
	return false
}

func (s *lengthSet) union(t *lengthSet) *lengthSet {
	out := &lengthSet{list: slices.Concat(s.list, t.list), exact: s.exact && t.exact, frugal: s.frugal && t.frugal}
	out.tidy()
	return out
}

// plus returns the sums of a number of s and one of t.
func (s *lengthSet) plus(t *lengthSet) *lengthSet {
	out := &lengthSet{exact: s.exact && t.exact, frugal: s.frugal && t.frugal}
	for _, p := range s.list {
		for _, q := range t.list {
			if len(out.list) < maxSums {
				out.addSums(p, q)
			} else {
				out.exact = false
			}
		}
	}
	out.tidy()
	return out
}

// maxSums bounds what is found before most of it is dropped again: one for each two of full lists.
const maxSums = maxProgressions * maxProgressions

// addSums adds the sums of two progressions. Where the smaller step fills the larger they are one
// progression, and else one for each of some of the numbers of one of them.
func (s *lengthSet) addSums(p, q progression) {
	if p.single() || !q.single() && p.step > q.step {
		p, q = q, p
	}
	if q.single() {
		s.list = append(s.list, p.shift(q.first))
		return
	}
	if p.single() {
		s.list = append(s.list, q.shift(p.first))
		return
	}
	if q.step%p.step == 0 && addSize(p.last, p.step) >= addSize(p.first, q.step) {
		s.list = append(s.list, progression{addSize(p.first, q.first), addSize(p.last, q.last), p.step})
		return
	}
	n := p.count()
	if q.count() < n && q.last < huge {
		p, q, n = q, p, q.count()
	}
	if q.last >= huge { // numbers of p that differ by a multiple of q's step lead to the same
		n = min(n, q.step/gcd(p.step, q.step))
	}
	if n > maxProgressions {
		n, s.exact = maxProgressions, false
	}
	for i := range n {
		s.list = append(s.list, q.shift(p.nth(i)))
	}
}

func gcd(x, y int32) int32 {
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

// times returns the sums of lo to hi numbers of s.
func (s *lengthSet) times(lo, hi int32) *lengthSet {
	zero := &lengthSet{list: []progression{{0, 0, 1}}, exact: true, frugal: true}
	if len(s.list) == 0 {
		if zero.exact, zero.frugal = s.exact, s.frugal; lo > 0 {
			zero.list = nil
		}
		return zero
	}
	if len(s.list) == 1 && s.list[0].single() {
		return &lengthSet{list: multiples(s.list[0].first, lo, hi), exact: s.exact, frugal: s.frugal}
	}
	some := s.power(lo, zero)
	if hi == unbounded {
		return some.plus(s.closure())
	}
	return some.plus(s.union(zero).power(hi-lo, zero))
}

// multiples returns lo·n to hi·n.
func multiples(n, lo, hi int32) []progression {
	if n == 0 {
		return []progression{{0, 0, 1}}
	}
	p := progression{mulSize(n, lo), huge, n}
	if hi != unbounded {
		p.last = mulSize(n, hi)
	}
	if p.single() {
		p.step = 1
	}
	return []progression{p}
}

// power returns the sums of n numbers of s.
func (s *lengthSet) power(n int32, zero *lengthSet) *lengthSet {
	out := zero
	for bit := s; n > 0; n >>= 1 {
		if n&1 != 0 {
			out = out.plus(bit)
		}
		if n > 1 {
			bit = bit.plus(bit)
		}
	}
	return out
}

// maxClosure bounds the numbers of which closure looks at all remainders.
const maxClosure = 1 << 9

// closure returns the sums of any number of numbers of s. With m the least of them, a number is a
// sum if and only if it is one of those with the same remainder modulo m that are at least as
// large as the least such: these are found as shortest ways from remainder to remainder.
func (s *lengthSet) closure() *lengthSet {
	m := s.next(1)
	if m >= huge {
		return &lengthSet{list: []progression{{0, 0, 1}}, exact: s.exact, frugal: s.frugal}
	}
	if m > maxClosure {
		return &lengthSet{list: multiples(m, 0, unbounded), frugal: s.frugal}
	}
	steps, least := make([]int32, m), make([]int32, m) // by remainder: the least number of s, and the least sum
	for i := range least {
		steps[i], least[i] = huge, huge
	}
	for _, p := range s.list {
		for i := range min(p.count(), m/gcd(p.step, m)) {
			n := p.nth(i)
			steps[n%m] = min(steps[n%m], n)
		}
	}
	least[0] = 0
	for queue := []int32{0}; len(queue) > 0; queue = queue[1:] {
		at := least[queue[0]]
		for _, n := range steps {
			sum := addSize(at, n)
			if r := sum % m; sum < least[r] {
				least[r] = sum
				queue = append(queue, r)
			}
		}
	}
	return s.fromLeast(least)
}

// fromLeast returns the numbers that are at least as large as that of their remainder.
func (s *lengthSet) fromLeast(least []int32) *lengthSet {
	m := int32(len(least))
	out := &lengthSet{exact: s.exact, frugal: s.frugal}
	reached := slices.DeleteFunc(slices.Clone(least), func(n int32) bool { return n >= huge })
	step := m / int32(len(reached)) // the remainders that are reached are its multiples
	first := slices.Max(reached) - m + step
	for _, n := range reached {
		switch {
		case n+m < first:
			out.list = append(out.list, progression{n, n + (first-1-n)/m*m, m})
		case n < first:
			out.list = append(out.list, progression{n, n, 1})
		}
	}
	out.list = append(out.list, progression{first, huge, step})
	out.tidy()
	return out
}
