package schema

import (
	"math"
	"math/big"
	"slices"
	"unicode/utf8"
)

// counted is how many values a set holds: n, or where that is not exact at least n. From limit on
// they count as many.
type counted struct {
	n     int
	exact bool
	limit int
}

// many says that a set holds as many values as anyone may ask for.
func many(limit int) counted { return counted{limit, true, limit} }

// maxDistinct is the number of values from which a set counts as boundless.
const maxDistinct = 200

// Count returns how many values n holds at least, counted no further than limit. It is too few
// only where arrays or objects of several forms, or with rules between their parts, are few.
func (n *Node) Count(limit int) int { return n.schema.count(n, limit).n }

// Completions counts the arrays of a that begin with so many elements, as Count counts.
func (a *ArrayAlt) Completions(begin, limit int) int {
	return a.Rest.schema.counting(limit, func(limit int) counted { return a.tally(begin, limit) }).n
}

// Completions counts the ways in which an object that has some keys can go on to its end, as Count
// counts: in which order does not matter. Of the named keys has tells those it has, and may those
// that can come; extras is how many others it has, and no more of these come.
func (o *ObjectAlt) Completions(has, may func(name string) bool, extras, limit int) int {
	return o.schema.counting(limit, func(limit int) counted { return o.tally(has, may, extras, limit) }).n
}

// count is Count, which may be asked while nodes are being expanded.
func (s *Schema) count(n *Node, limit int) counted {
	return s.counting(limit, func(limit int) counted { return s.tally(n, limit) })
}

// counting gives up as plausible does where it comes back to a node that is being expanded. Parts
// may have more values than what is made of them, hence are not given up as early.
func (s *Schema) counting(limit int, tally func(limit int) counted) counted {
	s.ahead++
	c := tally(max(limit, maxDistinct))
	s.ahead--
	if s.lost {
		s.lost = s.ahead > 0
		return many(limit)
	}
	c.n = min(c.n, limit)
	return c
}

// tally counts the values of n. The same sets are asked for again and again, with limits that grow
// slowly. A set that is part of itself counts as one of many values.
func (s *Schema) tally(n *Node, limit int) counted {
	known, ok := s.counts[n]
	if !ok || known.n >= known.limit && known.limit < limit {
		limit = max(limit, 2*known.limit)
		s.counts[n] = many(math.MaxInt)
		known = s.tallyKinds(n, limit)
		delete(s.counts, n)
		if !s.lost && s.err == nil {
			s.counts[n] = known
		}
	}
	known.n = min(known.n, limit)
	return known
}

func (s *Schema) tallyKinds(n *Node, limit int) counted {
	texts := make(map[string]bool)
	if n.op == opEnum {
		for _, v := range n.enum {
			texts[v.canonical()] = true
		}
		return counted{min(len(texts), limit), true, limit}
	}
	all := counted{0, true, limit}
	for k := range kinds {
		var of counted
		var met []*Alt
		for _, a := range s.expand(n, k, false) {
			if !s.inhabited(a) {
				continue
			}
			for _, a := range s.normalize(a) {
				switch c := s.tallyAlt(a, texts, limit); {
				case c.n >= limit:
					return many(limit)
				case len(met) == 0:
					of = c
				case k >= Array && s.anyOverlap(met, []*Alt{a}): // the same values may be in both
					of = counted{max(of.n, c.n), false, limit}
				default:
					of = counted{of.n + c.n, of.exact && c.exact, limit}
				}
				met = append(met, a)
			}
		}
		if k >= Array && of.n > 0 {
			all.n, all.exact = all.n+of.n, all.exact && of.exact
		}
	}
	if all.n += len(texts); all.n >= limit {
		return many(limit)
	}
	return all
}

// tallyAlt counts arrays and objects. Of scalars it adds the values to texts: those of several
// alternatives may be the same.
func (s *Schema) tallyAlt(a *Alt, texts map[string]bool, limit int) counted {
	few := true
	switch a.Kind {
	case Array:
		return a.Array.tally(0, limit)
	case Object:
		if s.mayHaveExtra(a.Object) {
			return many(limit)
		}
		none, all := func(string) bool { return false }, func(string) bool { return true }
		return a.Object.tally(none, all, 0, limit)
	case Null:
		texts["null"] = true
	case Bool:
		for value, holds := range map[string]bool{"true": a.True, "false": a.False} {
			if holds {
				texts[value] = true
			}
		}
	case Number:
		few = listNumbers(a.cells, texts, limit)
	case String:
		few = s.listStrings(&a.String, texts, limit)
	}
	if !few || len(texts) >= limit {
		return many(limit)
	}
	return counted{len(texts), true, limit}
}

func (s *Schema) listStrings(a *StringAlt, texts map[string]bool, limit int) (few bool) {
	words := []string{""}
	if a.MaxLen != 0 {
		if words, few = s.words(a.Text, limit); !few {
			return false
		}
	}
	for _, w := range words {
		if n := utf8.RuneCountInString(w); n >= a.MinLen && (a.MaxLen == Unbounded || n <= a.MaxLen) {
			texts[quoted(w)] = true
		}
	}
	return true
}

// listNumbers lists the multiples between bounds, and single points.
func listNumbers(cells []cell, texts map[string]bool, limit int) (few bool) {
	for _, c := range cells {
		if c.min == nil || c.max == nil {
			return false
		}
		first, step := c.min, one
		if c.min.Cmp(c.max) != 0 { // from the multiple at or below the least on
			switch {
			case len(c.multiples) > 0:
				step = c.multiples[len(c.multiples)-1]
			case !c.spelled:
				return false
			}
			q := new(big.Rat).Quo(c.min, step)
			first = new(big.Rat).SetInt(new(big.Int).Div(q.Num(), q.Denom()))
			first.Mul(first, step)
		}
		for n, x := 0, first; x.Cmp(c.max) <= 0; n, x = n+1, new(big.Rat).Add(x, step) {
			if n > 2*limit {
				return false
			}
			if c.has(x) {
				texts[x.RatString()] = true
			}
		}
	}
	return true
}

// tally counts the arrays that begin with so many elements. Where these have to do with each other
// it knows of one.
func (a *ArrayAlt) tally(begin, limit int) counted {
	if a.Max == Unbounded {
		return many(limit)
	}
	total, ways, exact := 0, 1, !a.Unique && len(a.Contains) == 0
	for i := begin; ; i++ {
		if i >= a.Min {
			total += ways
		}
		if i >= a.Max || total >= limit {
			break
		}
		c := a.Rest.schema.tally(a.Item(i), limit)
		ways, exact = min(ways*c.n, limit), exact && c.exact
	}
	switch {
	case total >= limit && len(a.Contains) == 0:
		return many(limit)
	case total > 1 && (a.Unique || len(a.Contains) > 0):
		return counted{1, false, limit}
	}
	return counted{total, exact, limit}
}

// tally counts the objects that have some keys and may have others, by how many of these come.
// Where keys bring others along it knows of one.
func (o *ObjectAlt) tally(has, may func(name string) bool, extras, limit int) counted {
	ways, there, exact := []int{1}, extras, true
	for i := range o.Props {
		p := &o.Props[i]
		if has(p.Name) {
			there++
			continue
		}
		if !may(p.Name) {
			continue
		}
		c := o.schema.tally(p.Value, limit)
		exact = exact && c.exact
		ways = append(ways, 0)
		for k := len(ways) - 1; k >= 0; k-- {
			if p.Required { // k goes down: what it takes from k-1 is not changed yet
				ways[k] = 0
			}
			if k > 0 {
				ways[k] = min(ways[k]+ways[k-1]*c.n, limit)
			}
		}
	}
	total := 0
	for k, n := range ways {
		if there+k >= o.MinProps && (o.MaxProps == Unbounded || there+k <= o.MaxProps) {
			total += n
		}
	}
	switch {
	case total >= limit:
		return many(limit)
	case total > 1 && len(o.Implications)+len(o.Exists) > 0:
		return counted{1, false, limit}
	}
	return counted{total, exact, limit}
}

// mayHaveExtra reports whether a key without a name may be there beside those that must.
func (s *Schema) mayHaveExtra(o *ObjectAlt) bool {
	required := 0
	for i := range o.Props {
		if o.Props[i].Required {
			required++
		}
	}
	return (o.MaxProps == Unbounded || required < o.MaxProps) && slices.ContainsFunc(o.UnnamedKeys(), func(c KeyClass) bool { return c.Value != s.never })
}

// words lists the words of e if it has at most limit of them.
func (s *Schema) words(e Expr, limit int) ([]string, bool) {
	if e == s.arena.AnyText() || s.manyWords(s.arena.Start(e), limit) {
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

// manyWords says whether more than limit words can follow a state, if the beginnings of words
// tell: each is of another word.
func (s *Schema) manyWords(start lexState, limit int) bool {
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
