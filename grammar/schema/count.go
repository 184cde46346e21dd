package schema

import "math/big"

// Count returns how many values n holds, counted no further than limit. It may be too many, not too few, where there are objects or arrays.
func (n *Node) Count(limit int) int { return n.schema.count(n, limit) }

// count is Count, which may be asked while nodes are being expanded: where it comes back to one of those, it gives up as plausible does.
func (s *Schema) count(n *Node, limit int) int {
	s.ahead++
	l := listing{s, limit}
	values, few := l.node(n, 0)
	s.ahead--
	if s.lost {
		s.lost = s.ahead > 0
		return limit
	}
	if !few {
		return limit
	}
	return len(values)
}

// KeyWays says in how many ways an object can have each number of keys.
type KeyWays []int

// NoKeys is the one way to have none.
var NoKeys = KeyWays{1}

// With lets a key come that has so many values. It counts up to a limit.
func (w KeyWays) With(values int, required bool, limit int) KeyWays {
	next := make(KeyWays, len(w)+1)
	for have, n := range w {
		if next[have+1] = min(limit, next[have+1]+n*values); !required {
			next[have] = min(limit, next[have]+n)
		}
	}
	return next
}

// Between counts the ways to have so many keys, up to a limit.
func (w KeyWays) Between(least, most, limit int) int {
	total := 0
	for have, n := range w {
		if have >= least && (most == Unbounded || have <= most) {
			total = min(limit, total+n)
		}
	}
	return total
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
