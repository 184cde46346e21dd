package schema

import (
	"math/big"

	"tenon/grammar/schema/source"
)

// Listed returns the values of n in canonical form, if a listing can tell them and they are fewer
// than limit.
func (n *Node) Listed(limit int) (texts []string, few bool) {
	values, few := n.schema.few(n, limit)
	for _, v := range values {
		texts = append(texts, v.Canonical())
	}
	return texts, few
}

// count returns how many values n holds, counted no further than limit. What is not listed counts
// as many.
func (s *Schema) count(n *Node, limit int) int {
	if values, few := s.few(n, limit); few {
		return min(len(values), limit)
	}
	return limit
}

// few lists the values of n if a listing can tell them, and fewer than limit or so. It may be
// asked while nodes are being expanded: where it comes back to one, it gives up as plausible does.
func (s *Schema) few(n *Node, limit int) ([]*source.Value, bool) {
	s.ahead++
	values, few := listing{s, max(limit, maxDistinct)}.node(n)
	s.ahead--
	if s.lost {
		s.lost = s.ahead > 0
		return nil, false
	}
	return values, few
}

// countCells counts integers between bounds and single points; cells may overlap only where they
// are points.
func countCells(cells []cell, limit int) int {
	points := make(map[string]bool)
	total := 0
	for _, c := range cells {
		switch step := c.step(); {
		case c.min == nil || c.max == nil:
			return limit
		case c.min.Cmp(c.max) == 0:
			points[c.min.RatString()] = true
		case step != nil:
			span := new(big.Rat).Quo(new(big.Rat).Sub(c.max, c.min), step)
			if !span.Num().IsInt64() || span.Cmp(big.NewRat(int64(limit), 1)) > 0 {
				return limit
			}
			f, _ := span.Float64()
			total += int(f) + 1
		default:
			return limit
		}
	}
	return min(limit, total+len(points))
}

// step is a number that all members of c are multiples of, nil if none is known.
func (c cell) step() *big.Rat {
	switch {
	case len(c.multiples) > 0:
		return c.multiples[len(c.multiples)-1]
	case c.spelled:
		return one
	}
	return nil
}

// words lists the words of e if it has at most limit of them.
func (s *Schema) words(e Expr, limit int) ([]string, bool) {
	if e == s.arena.AnyText() || s.many(s.arena.Start(e), limit) {
		return nil, false
	}
	l := lister{s: s, limit: limit, open: make(map[lexState]bool)}
	start := s.arena.Start(e)
	ok := !s.arena.Live(start) || l.visit(start, nil)
	return l.words, ok
}

// farAhead is the length of beginnings that are counted: those of a language of many words are
// soon many.
const farAhead = 4

// many says whether more than limit words can follow a state, if the beginnings of words tell:
// each is of another word.
func (s *Schema) many(start lexState, limit int) bool {
	words, level := 0, map[lexState]int{start: 1}
	for range farAhead {
		begun, next := 0, map[lexState]int{}
		for state, n := range level {
			if s.arena.Accepting(state) {
				words += n
			}
			for _, to := range s.arena.Row(state) {
				if s.arena.Live(to) {
					begun, next[to] = begun+n, min(next[to]+n, limit+1)
				}
			}
			if words+begun > limit {
				return true
			}
		}
		level = next
	}
	return false
}

// lister walks an automaton depth first. Every state it meets can be accepted from, so that a
// state met again on the way to itself means infinitely many words.
type lister struct {
	s     *Schema
	limit int
	open  map[lexState]bool
	words []string
}

func (l *lister) visit(state lexState, text []byte) bool {
	a := l.s.arena
	if l.open[state] {
		return false
	}
	if a.Accepting(state) {
		if len(l.words) == l.limit {
			return false
		}
		l.words = append(l.words, string(text))
	}
	l.open[state] = true
	defer delete(l.open, state)
	for b, next := range a.Row(state) {
		if a.Live(next) && !l.visit(next, append(text, byte(b))) {
			return false
		}
	}
	return true
}
