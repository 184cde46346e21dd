package schema

import (
	"math"
	"math/big"
	"slices"
	"unicode/utf8"

	"tenon/grammar/schema/source"
)

// listing lists the values of nodes that hold fewer than limit. It does not list objects, and
// arrays only if all their elements share one schema: a node that holds others counts as one of
// many values.
type listing struct {
	s     *Schema
	limit int
}

// list is what is known of a node's values: all of them, or that there are at least limit.
type list struct {
	values []*source.Value
	few    bool
	limit  int
}

// node lists the distinct values of n, and reports whether they are fewer than limit. Its memo
// serves callers that ask for the same node with slowly growing limits. A node that is part of
// itself counts as one of many values.
func (l listing) node(n *Node) (values []*source.Value, few bool) {
	if n.op == opEnum && n.scalarEnum() {
		return l.distinct(n.enum)
	}
	known, ok := l.s.lists[n]
	if !ok || !known.few && known.limit < l.limit {
		known = list{limit: max(l.limit, 2*known.limit)}
		l.s.lists[n] = list{limit: math.MaxInt}
		known.values, known.few = listing{l.s, known.limit}.alts(n)
		delete(l.s.lists, n)
		if !l.s.cyclic && l.s.err == nil {
			l.s.lists[n] = known
		}
	}
	if !known.few || len(known.values) >= l.limit {
		return nil, false
	}
	return known.values, true
}

func (l listing) alts(n *Node) ([]*source.Value, bool) {
	var all []*source.Value
	for k := range kinds {
		for _, a := range l.s.expand(n, k, false) {
			values, few := l.alt(a)
			if !few {
				return nil, false
			}
			all = append(all, values...)
		}
	}
	return l.distinct(all)
}

// distinct drops repeated values, and reports whether fewer than limit remain.
func (l listing) distinct(list []*source.Value) (values []*source.Value, few bool) {
	known := make(map[string]bool)
	for _, v := range list {
		if key := v.Canonical(); !known[key] {
			if known[key] = true; len(known) >= l.limit {
				return nil, false
			}
			values = append(values, v)
		}
	}
	return values, true
}

func (l listing) alt(a *Alt) (values []*source.Value, few bool) {
	switch a.Kind {
	case Null:
		return []*source.Value{{Kind: Null}}, true
	case Bool:
		return slices.DeleteFunc([]*source.Value{{Kind: Bool}, {Kind: Bool, Truth: true}}, func(v *source.Value) bool { return v.Truth && !a.True || !v.Truth && !a.False }), true
	case Number:
		return l.numbers(a)
	case String:
		return l.strings(&a.String)
	}
	if few = !l.s.inhabited(a); few || a.Kind == Object {
		return nil, few
	}
	return l.arrays(a.Array)
}

func (l listing) arrays(a *ArrayAlt) (values []*source.Value, few bool) {
	if len(a.Prefix)+len(a.Contains) > 0 || a.Max == Unbounded && !a.Unique {
		return nil, false
	}
	items, few := l.node(a.Rest)
	longest := [][]*source.Value{nil}
	for n := 0; few && len(longest) > 0; n++ {
		var longer [][]*source.Value
		for _, list := range longest {
			if n >= a.Min {
				values = append(values, &source.Value{Kind: Array, Items: list})
			}
			for _, x := range items {
				if n != a.Max && !(a.Unique && slices.ContainsFunc(list, x.Equal)) {
					longer = append(longer, append(slices.Clip(list), x))
				}
			}
			few = few && len(values)+len(longer) < l.limit
		}
		longest = longer
	}
	return values, few
}

func (l listing) strings(a *StringAlt) (values []*source.Value, few bool) {
	words := []string{""}
	if a.MaxLen != 0 {
		if words, few = l.s.words(a.Text, l.limit); !few {
			return nil, false
		}
	}
	for _, w := range words {
		if n := utf8.RuneCountInString(w); n >= a.MinLen && (a.MaxLen == Unbounded || n <= a.MaxLen) {
			values = append(values, &source.Value{Kind: String, Text: w})
		}
	}
	return values, true
}

// numbers lists multiples between bounds, and single points.
func (l listing) numbers(a *Alt) (values []*source.Value, few bool) {
	if countCells(a.cells, l.limit) >= l.limit {
		return nil, false
	}
	for _, c := range a.cells {
		first, step := c.min, one
		if c.min.Cmp(c.max) != 0 { // from the last multiple that is not above min
			step = c.step()
			q := new(big.Rat).Quo(c.min, step)
			first = new(big.Rat).SetInt(new(big.Int).Div(q.Num(), q.Denom()))
			first.Mul(first, step)
		}
		for x := first; x.Cmp(c.max) <= 0; x = new(big.Rat).Add(x, step) {
			if c.has(x) {
				values = append(values, &source.Value{Kind: Number, Text: x.FloatString(x.Denom().BitLen())})
			}
		}
	}
	return values, true
}

// has reports whether a number belongs to c, however it is spelled.
func (c cell) has(r *big.Rat) bool {
	low, high := compareBound(c.min, r, -1), compareBound(c.max, r, 1)
	if low > 0 || low == 0 && c.openMin || high < 0 || high == 0 && c.openMax || c.spelled && !r.IsInt() {
		return false
	}
	multiple := func(m *big.Rat) bool { return new(big.Rat).Quo(r, m).IsInt() }
	return !slices.ContainsFunc(c.multiples, func(m *big.Rat) bool { return !multiple(m) }) && !slices.ContainsFunc(c.notMultiples, multiple)
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
