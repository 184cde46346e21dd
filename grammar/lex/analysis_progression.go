package lex

import (
	"cmp"
	"slices"
)

// progression is the numbers first, first+step, … up to last, which is one of them, or huge for
// no end. A single number has step 1.
type progression struct{ first, last, step int32 }

// oneNumber is the progression of n alone.
func oneNumber(n int32) progression { return progression{n, n, 1} }

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

// from returns the numbers that are not below lo; false if there are none.
func (p progression) from(lo int32) (progression, bool) {
	if p.first < lo {
		p.first = p.nth((lo - p.first + p.step - 1) / p.step)
	}
	return p, p.first <= p.last && p.first < huge
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
		if p, ok := p.from(lo); ok {
			least = min(least, p.first)
		}
	}
	return least
}

// within returns the numbers from lo to hi.
func (s *lengthSet) within(lo, hi int32) *lengthSet {
	out := &lengthSet{exact: s.exact, frugal: s.frugal}
	for _, p := range s.list {
		p, ok := p.from(lo)
		if !ok || hi != unbounded && p.first > hi {
			continue
		}
		if hi != unbounded && p.last > hi {
			p.last = p.first + (hi-p.first)/p.step*p.step
		}
		out.list = append(out.list, p)
	}
	out.tidy()
	return out
}

// union returns the numbers of s or t.
func (s *lengthSet) union(t *lengthSet) *lengthSet {
	out := &lengthSet{list: slices.Concat(s.list, t.list), exact: s.exact && t.exact, frugal: s.frugal && t.frugal}
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
		if p.single() {
			p.step = 1
		}
		if !slices.ContainsFunc(out, func(q progression) bool { return q.holds(p) }) && !join(out, p) {
			out = append(out, p)
		}
	}
	s.list = out
	if len(out) > maxProgressions {
		slices.SortStableFunc(out, func(p, q progression) int { return cmp.Compare(q.count(), p.count()) })
		s.list, s.exact = slices.Clone(out[:maxProgressions]), false
		slices.SortFunc(s.list, func(p, q progression) int { return cmp.Compare(p.first, q.first) })
	}
}

// holds says whether all numbers of q are numbers of p, where that is plain to see.
func (p progression) holds(q progression) bool {
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
		case (p.single() || p.step == q.step) && (p.first-q.first)%q.step == 0 && p.first <= addSize(q.last, q.step):
			q.last = max(q.last, p.last)
			return true
		}
	}
	return false
}

// plus returns the sums of a number of s and one of t.
func (s *lengthSet) plus(t *lengthSet) *lengthSet {
	out := &lengthSet{exact: s.exact && t.exact, frugal: s.frugal && t.frugal}
	for _, p := range s.list {
		for _, q := range t.list {
			out.addSums(p, q)
		}
	}
	out.tidy()
	return out
}

// addSums adds the sums of two progressions. Where the smaller step fills the larger they are one
// progression; else those of few numbers of the shorter one are added.
func (s *lengthSet) addSums(p, q progression) {
	if q.single() || !p.single() && q.step < p.step {
		p, q = q, p
	}
	if !p.single() && q.step%p.step == 0 && addSize(p.last, p.step) >= addSize(p.first, q.step) {
		s.list = append(s.list, progression{addSize(p.first, q.first), addSize(p.last, q.last), p.step})
		return
	}
	if p.count() > q.count() {
		p, q = q, p
	}
	n := min(p.count(), maxSums)
	s.exact = s.exact && n == p.count()
	for i := range n {
		at := p.nth(i)
		s.list = append(s.list, progression{addSize(at, q.first), addSize(at, q.last), q.step})
	}
}

// maxSums is how many numbers of a progression another is added to, one by one.
const maxSums = 8

// times returns the sums of lo to hi numbers of s: of each of its progressions alone, where it has
// several.
func (s *lengthSet) times(lo, hi int32) *lengthSet {
	out := &lengthSet{exact: s.exact && len(s.list) == 1, frugal: s.frugal}
	if hi == unbounded {
		hi = huge
	}
	if len(s.list) == 0 {
		out.exact = s.exact
	}
	if lo == 0 {
		out.list = append(out.list, oneNumber(0))
	}
	for _, p := range s.list {
		if p.last > 0 && hi > 0 {
			out.addMultiples(p, max(lo, 1), hi)
		} else {
			out.list = append(out.list, oneNumber(0))
		}
	}
	out.tidy()
	return out
}

// addMultiples adds the sums of lo to hi numbers of p. Those of n numbers and those of one more
// meet from some n on; smaller sums are left out.
func (s *lengthSet) addMultiples(p progression, lo, hi int32) {
	if p.single() {
		s.list = append(s.list, progression{mulSize(p.first, lo), mulSize(p.first, hi), p.first})
		return
	}
	from := lo
	if width := p.last - p.first; p.first > p.step { // n·last + step ≥ (n+1)·first
		from = max(lo, (p.first-p.step+width-1)/width)
	}
	if p.first%p.step != 0 || from > hi {
		s.exact = s.exact && lo == hi
		from, hi = lo, lo
	}
	s.exact = s.exact && from == lo
	s.list = append(s.list, progression{mulSize(p.first, from), mulSize(p.last, hi), p.step})
}
