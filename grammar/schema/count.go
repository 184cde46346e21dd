package schema

import "math/big"

// Count returns how many values n holds, counted no further than limit. It may be too many, not too few, where there are objects or arrays.
func (n *Node) Count(limit int) int { return n.schema.count(n, limit) }

// count returns how many values n holds, counted no further than limit. Arrays and objects count as many unless they are listed.
func (s *Schema) count(n *Node, limit int) int {
	if n.op == opEnum {
		distinct := make(map[string]bool)
		for _, v := range n.enum {
			distinct[v.canonical()] = true
		}
		return min(limit, len(distinct))
	}
	total := 0
	for k := range kinds {
		for _, a := range s.expand(n, k, false) {
			if total += s.countAlt(a, limit); total >= limit {
				return limit
			}
		}
	}
	return total
}

func (s *Schema) countAlt(a *Alt, limit int) int {
	switch a.Kind {
	case Null:
		return 1
	case Bool:
		if a.False && a.True {
			return 2
		}
		return 1
	case Number:
		return countCells(a.cells, limit)
	case String:
		text := a.String.Text
		if a.String.MaxLen == 0 {
			return 1
		}
		if words, ok := s.words(text, limit); ok && a.String.MaxLen == Unbounded {
			return len(words)
		}
	case Array:
		if a.Array.Max == 0 {
			return 1
		}
	case Object:
		if a.Object.MaxProps == 0 {
			return 1
		}
	}
	return limit
}

// countCells counts integers between bounds and single points; cells may overlap only where they are points.
func countCells(cells []cell, limit int) int {
	points := make(map[string]bool)
	total := 0
	for _, c := range cells {
		switch {
		case c.min == nil || c.max == nil:
			return limit
		case c.min.Cmp(c.max) == 0:
			points[c.min.RatString()] = true
		case len(c.multiples) > 0:
			span := new(big.Rat).Quo(new(big.Rat).Sub(c.max, c.min), c.multiples[len(c.multiples)-1])
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

// words lists the words of e if it has at most limit of them.
func (s *Schema) words(e Expr, limit int) ([]string, bool) {
	if e == s.arena.AnyText() {
		return nil, false
	}
	l := lister{s: s, limit: limit, open: make(map[lexState]bool)}
	ok := l.visit(s.arena.Start(e), nil)
	return l.words, ok
}

// lister walks an automaton depth first. Every state it meets can be accepted from, so that a state met again on the way
// to itself means infinitely many words.
type lister struct {
	s     *Schema
	limit int
	open  map[lexState]bool
	words []string
}

func (l *lister) visit(state lexState, text []byte) bool {
	a := l.s.arena
	if !a.Live(state) {
		return true
	}
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
		if !l.visit(next, append(text, byte(b))) {
			return false
		}
	}
	return true
}
