package lex

import (
	"maps"
	"slices"
	"unsafe"
)

// Beside a bound on the length, most languages have many states, each of which is to be told alive
// or dead, and a search for a word of the right length would look at many more. How long words can
// be follows from the expression instead, where they are few progressions; else it is searched.

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
			s = s.union(a.lengthsOf(x))
		}
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
			s.list, s.exact = []progression{oneNumber(n.span.minRunes)}, n.span.minRunes == n.span.maxRunes
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
	out := &lengthSet{exact: true, frugal: true}
	cheap := w.lengthsBy(s, true)
	for n, is := range w.lengthsBy(s, false) {
		if is {
			out.list = append(out.list, oneNumber(int32(n)))
			out.frugal = out.frugal && n < len(cheap) && cheap[n]
		}
	}
	out.tidy()
	return out
}

// lengthsBy says of each length whether words have it: any, or those that take one byte for each
// code point in JSON.
func (w *words) lengthsBy(s wordSet, cheap bool) (found []bool) {
	for now := (map[wordSet]bool{s: true}); len(now) > 0; {
		is, next := false, map[wordSet]bool{}
		for list := slices.Collect(maps.Keys(now)); len(list) > 0; {
			n := &w.nodes[list[len(list)-1]]
			list = list[:len(list)-1]
			is = is || n.final
			for _, e := range n.edges {
				if e.costs(1, cheap) {
					next[e.next] = true
				}
				if e.costs(0, cheap) && !now[e.next] {
					now[e.next] = true
					list = append(list, e.next)
				}
			}
		}
		found, now = append(found, is), next
	}
	return found
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
