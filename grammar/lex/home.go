package lex

import "slices"

// What is searched for anywhere begins anew behind a byte that it does not hold. So whatever has been written, as long as it is too short to
// hold what must not be there, can go on by such a byte to all that was possible at first. This tells of products of searches, which take
// many states to explore, that all short texts may come next.

// home is what is sure of the words that follow in a language behind every text of at most so many code points and an ASCII byte more that is
// not in holds: all words of base do, or no others.
type home struct {
	base  Expr
	runes int32
	holds ByteSet
}

// homeOf asks for what at least follows, or at most.
type homeOf struct {
	expr Expr
	most bool
}

// maxHomes is how many expressions one question may look at that no other has looked at.
const maxHomes = 256

// maxHeld is how many word sets are looked at for the bytes of one expression.
const maxHeld = 128

// returns finds a number of code points of which every text begins a word of e, because all that is possible at first is so behind them and
// one byte more; -1 if that is not known.
func (a *Arena) returns(e Expr) int32 {
	saved := a.err
	a.err = nil
	a.homesLeft = maxHomes
	parts := []Expr{e}
	if n := a.at(e); n.kind == kindUnion {
		parts = n.args
	}
	longest := int32(-1)
	for _, x := range parts {
		if !a.recurs(x) {
			continue
		}
		if h := a.homeOf(homeOf{x, false}); h.runes > longest && a.at(h.base).live == yes && separates(h.holds) {
			longest = h.runes
		}
	}
	if a.err != nil { // what was cut off inside of a complement would hold more than it should
		clear(a.homes)
		longest = -1
	}
	if saved != nil {
		a.err = saved
	}
	return longest
}

// recurs tells at a look where nothing can be possible again: of most languages.
func (a *Arena) recurs(e Expr) bool {
	n := a.at(e)
	switch n.kind {
	case kindConcat:
		return Expr(n.a) == a.anyText
	case kindNot:
		return true
	case kindUnion:
		return slices.ContainsFunc(n.args, a.recurs)
	case kindIntersect:
		return !slices.ContainsFunc(n.args, func(x Expr) bool { return !a.recurs(x) })
	}
	return e == a.anyText
}

// homeOf returns what is sure of an expression, which may be nothing.
func (a *Arena) homeOf(q homeOf) home {
	if h, ok := a.homes[q]; ok {
		return h
	}
	if a.homesLeft--; a.homesLeft < 0 {
		return a.nowhere(q)
	}
	h := a.findHome(q)
	if a.homes == nil {
		a.homes = map[homeOf]home{}
	}
	a.homes[q] = h
	return h
}

// nowhere is what is sure of any expression.
func (a *Arena) nowhere(q homeOf) home {
	if q.most {
		return home{base: a.anyBytes, runes: huge}
	}
	return home{runes: huge}
}

func (a *Arena) findHome(q homeOf) home {
	n := *a.at(q.expr)
	switch {
	case q.expr == a.anyText:
		return home{base: a.anyText, runes: huge}
	case n.kind == kindConcat && Expr(n.a) == a.anyText:
		h := home{base: q.expr, runes: huge}
		if q.most { // what has begun, too
			rest := a.homeOf(homeOf{Expr(n.b), true})
			h = home{a.union(q.expr, rest.base), rest.runes, rest.holds}
		}
		return h
	case n.kind == kindNot:
		h := a.homeOf(homeOf{Expr(n.a), !q.most})
		h.base = a.not(h.base)
		return h
	case n.kind == kindUnion:
		return a.homeOfAll(q, n.args, (*Arena).union)
	case n.kind == kindIntersect:
		return a.homeOfAll(q, n.args, (*Arena).intersect)
	case !q.most || !n.plain:
		return a.nowhere(q)
	case n.kind == kindConcat && !a.at(Expr(n.a)).nullable: // the byte cannot be read before the first part is
		first := a.at(Expr(n.a))
		return home{runes: first.span.minRunes - 1, holds: a.held(Expr(n.a))}
	}
	return home{runes: huge, holds: a.held(q.expr)}
}

func (a *Arena) homeOfAll(q homeOf, args []Expr, combine func(*Arena, ...Expr) Expr) home {
	all := home{runes: huge}
	bases := make([]Expr, len(args))
	for i, x := range args {
		h := a.homeOf(homeOf{x, q.most})
		bases[i], all.runes, all.holds = h.base, min(all.runes, h.runes), all.holds.Union(h.holds)
	}
	all.base = combine(a, bases...)
	return all
}

// separates says whether there is a printable byte that a set lacks.
func separates(holds ByteSet) bool {
	for b := byte(' '); b <= '~'; b++ {
		if !holds.Has(b) {
			return true
		}
	}
	return false
}

// held is the bytes of the words of a plain expression; all if there is much to look at.
func (a *Arena) held(e Expr) ByteSet {
	h := holding{arena: a, left: maxHeld}
	if !h.add(e) {
		return ByteSet{}.Complement()
	}
	return h.set
}

// holding collects the bytes of words.
type holding struct {
	arena *Arena
	set   ByteSet
	left  int
}

func (h *holding) add(e Expr) bool {
	n := h.arena.at(e)
	switch n.kind {
	case kindWords:
		return h.addWords(wordSet(n.a))
	case kindConcat:
		return h.add(Expr(n.a)) && h.add(Expr(n.b))
	case kindRepeat:
		return h.add(Expr(n.a))
	case kindUnion:
		for _, x := range n.args {
			if !h.add(x) {
				return false
			}
		}
		return true
	}
	return false
}

func (h *holding) addWords(s wordSet) bool {
	if h.left--; h.left < 0 {
		return false
	}
	for _, e := range h.arena.words.nodes[s].edges {
		for b := int(e.lo); b <= int(e.hi); b++ {
			h.set.Add(byte(b))
		}
		if !h.addWords(e.next) {
			return false
		}
	}
	return true
}
