package schema

import (
	"math/big"

	"tenon/grammar/schema/source"
)

// Listed returns the values of n in canonical form, if they can be listed and are fewer than
// limit.
func (n *Node) Listed(limit int) (texts []string, few bool) {
	values, few := n.schema.few(n, limit)
	for _, v := range values {
		texts = append(texts, v.Canonical())
	}
	return texts, few
}

// count returns how many values n holds, at most limit. A set that cannot be listed counts as
// limit.
func (s *Schema) count(n *Node, limit int) int {
	if values, few := s.few(n, limit); few {
		return min(len(values), limit)
	}
	return limit
}

// few lists the values of n if they can be listed and are fewer than limit, or maxDistinct if that
// is more. It may be asked while nodes are being expanded: like plausible, it gives up where it
// comes back to one.
func (s *Schema) few(n *Node, limit int) ([]*source.Value, bool) {
	s.speculating++
	values, few := listing{s, max(limit, maxDistinct)}.node(n)
	s.speculating--
	if s.cyclic {
		s.cyclic = s.speculating > 0
		return nil, false
	}
	return values, few
}

// countCells counts the numbers of cells that are single points, or multiples between bounds. Only
// points may overlap.
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

// step returns a number that every member of c is a multiple of, nil if none is known.
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
	l := lister{s: s, limit: limit, onPath: make(map[lexState]bool)}
	start := s.arena.Start(e)
	ok := !s.arena.Live(start) || l.visit(start, nil)
	return l.words, ok
}

// countedPrefix is the length of the prefixes that many counts. A language of many words soon has
// many of them.
const countedPrefix = 4

// many reports whether a state plainly accepts more than limit words. It counts the short words
// and the prefixes of longer ones: each prefix begins at least one word, and no two begin the
// same.
func (s *Schema) many(start lexState, limit int) bool {
	words, level := 0, map[lexState]int{start: 1}
	for range countedPrefix {
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

// lister lists the words of an automaton depth first. Every state that it visits is live, so that
// a cycle means infinitely many words.
type lister struct {
	s      *Schema
	limit  int
	onPath map[lexState]bool
	words  []string
}

func (l *lister) visit(state lexState, text []byte) bool {
	a := l.s.arena
	if l.onPath[state] {
		return false
	}
	if a.Accepting(state) {
		if len(l.words) == l.limit {
			return false
		}
		l.words = append(l.words, string(text))
	}
	l.onPath[state] = true
	defer delete(l.onPath, state)
	for b, next := range a.Row(state) {
		if a.Live(next) && !l.visit(next, append(text, byte(b))) {
			return false
		}
	}
	return true
}
