package lex

import "unsafe"

// Beside a bound on the length, most languages have many states, each of which is to be told alive
// or dead, and a search for a word of the right length would look at many more. How long words can
// be follows from the expression instead.

// lengthsOf returns the lengths that words of e have, in code points that begin in them: all of
// them if it is exact.
func (a *Arena) lengthsOf(e Expr) *lengthSet {
	if s := a.at(e).lengths; s != nil {
		return s
	}
	n := *a.at(e)
	var s *lengthSet
	switch n.kind {
	case kindWords:
		s = a.words.lengths(wordSet(n.a))
	case kindConcat:
		s = a.lengthsOf(Expr(n.a)).plus(a.lengthsOf(Expr(n.b)))
	case kindRepeat:
		s = a.lengthsOf(Expr(n.a)).times(n.min, n.max)
	case kindUnion:
		s = &lengthSet{exact: true, frugal: true}
		for _, x := range n.args {
			x := a.lengthsOf(x)
			s.list, s.exact, s.frugal = append(s.list, x.list...), s.exact && x.exact, s.frugal && x.frugal
		}
		s.tidy()
	case kindIntersect:
		s = &lengthSet{}
		if p, lo, hi, ok := a.bounded(n.args); ok {
			s = a.lengthsOf(p).within(lo, hi)
		}
	case kindShared:
		b := a.sharedOf(&n).arena
		b.mu.Lock()
		s = b.lengthsOf(b.Expr(State(n.a)))
		b.mu.Unlock()
	default:
		s = &lengthSet{}
		if n.plain {
			s.list = []progression{{n.span.minRunes, n.span.minRunes, 1}}
			s.exact = n.span.minRunes == n.span.maxRunes
		}
	}
	a.nodes[e].lengths = s
	a.lengthBytes += int(unsafe.Sizeof(*s)) + cap(s.list)*int(unsafe.Sizeof(progression{}))
	return s
}

// byLength says whether e has a word, as far as the lengths of its words tell.
func (a *Arena) byLength(e Expr) verdict {
	switch s := a.lengthsOf(e); {
	case len(s.list) > 0:
		return yes
	case s.exact:
		return no
	}
	return unknown
}

// bounded takes apart the intersection of a language of text and a bound on the length.
func (a *Arena) bounded(args []Expr) (of Expr, lo, hi int32, ok bool) {
	if len(args) != 2 {
		return empty, 0, 0, false
	}
	for i, x := range args {
		if base, lo, hi := a.counted(x); base == a.anyRune && a.at(args[1-i]).text {
			return args[1-i], lo, hi, true
		}
	}
	return empty, 0, 0, false
}

// lengths returns the lengths of the words of a set.
func (w *words) lengths(s wordSet) *lengthSet {
	n := &w.nodes[s]
	if n.span.minRunes == n.span.maxRunes && s != noWords {
		return &lengthSet{
			list: []progression{{n.span.minRunes, n.span.minRunes, 1}}, exact: true, frugal: n.span.minJSON == n.span.minRunes,
		}
	}
	all, cheap := map[wordSet]*lengthSet{}, map[wordSet]*lengthSet{}
	x, y := w.lengthsBy(s, all, false), w.lengthsBy(s, cheap, true)
	x.frugal = len(x.list) == len(y.list)
	for i := range y.list {
		x.frugal = x.frugal && x.list[i] == y.list[i]
	}
	return x
}

// lengthsBy is lengths for words of any bytes, or of those that take one byte in JSON.
func (w *words) lengthsBy(s wordSet, known map[wordSet]*lengthSet, cheap bool) *lengthSet {
	if x, ok := known[s]; ok {
		return x
	}
	x := &lengthSet{exact: true}
	n := &w.nodes[s]
	if n.final {
		x.list = append(x.list, progression{0, 0, 1})
	}
	for _, e := range n.edges {
		rest := w.lengthsBy(e.next, known, cheap)
		for runes := int32(0); runes <= 1; runes++ {
			if !e.costs(runes, cheap) {
				continue
			}
			for _, p := range rest.list {
				x.list = append(x.list, p.shift(runes))
			}
			x.exact = x.exact && rest.exact
		}
	}
	x.tidy()
	known[s] = x
	return x
}

// costs says whether a byte of e begins so many code points.
func (e edge) costs(runes int32, cheap bool) bool {
	for b := int(e.lo); b <= int(e.hi); b++ {
		if runeCost(byte(b)) == runes && (!cheap || b < 0x80 && jsonCost(byte(b)) == 1) {
			return true
		}
	}
	return false
}
