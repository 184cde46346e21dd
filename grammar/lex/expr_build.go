package lex

import (
	"slices"

	"tenon/grammar/lex/ecma"
)

// Empty is the language without words.
func (a *Arena) Empty() Expr { return empty }

// Epsilon is the language of the empty word alone.
func (a *Arena) Epsilon() Expr { return epsilon }

// AnyRune is any one code point.
func (a *Arena) AnyRune() Expr { return a.anyRune }

// AnyText is every valid UTF-8 text.
func (a *Arena) AnyText() Expr { return a.anyText }

// Literal is the language of s alone; s need not be valid UTF-8.
func (a *Arena) Literal(s string) Expr {
	return a.build(func() Expr { return a.literal(s) })
}

// Literals is the language of the given words.
func (a *Arena) Literals(all ...string) Expr {
	return a.build(func() Expr {
		all = slices.Clone(all)
		slices.Sort(all)
		return a.leaf(a.words.ofSorted(slices.Compact(all)))
	})
}

// Runes is any one code point of the ranges, in UTF-8. Surrogates, and values beyond Unicode, are
// left out.
func (a *Arena) Runes(ranges ...ecma.Range) Expr {
	return a.build(func() Expr { return a.leaf(a.words.ofRunes(ecma.NewSet(slices.Clone(ranges)...))) })
}

// Concat is the language of one word of each part, in order; {ε} if there are no parts.
func (a *Arena) Concat(parts ...Expr) Expr {
	return a.build(func() Expr { return a.concat(parts...) })
}

// Union is the language of the words of any part; empty if there are no parts.
func (a *Arena) Union(parts ...Expr) Expr {
	return a.build(func() Expr { return a.union(parts...) })
}

// Intersect is the language of the words that all parts share; AnyText if there are no parts.
func (a *Arena) Intersect(parts ...Expr) Expr {
	return a.build(func() Expr {
		if len(parts) == 0 {
			return a.anyText
		}
		return a.intersect(parts...)
	})
}

// Complement is the valid UTF-8 texts that are not in e.
func (a *Arena) Complement(e Expr) Expr {
	return a.build(func() Expr { return a.complement(e) })
}

// Repeat is min to max words of e in a row; a negative max is no bound.
func (a *Arena) Repeat(e Expr, min, max int) Expr {
	return a.build(func() Expr {
		if max < 0 {
			max = unbounded
		}
		if min > huge || max > huge {
			a.fail(&LimitError{What: "repetition", Limit: huge})
			return empty
		}
		return a.repeat(e, int32(min), int32(max))
	})
}

func (a *Arena) leaf(w wordSet) Expr {
	for len(a.leaves) < len(a.words.nodes) {
		a.leaves = append(a.leaves, unbuilt)
	}
	if e := a.leaves[w]; e != unbuilt {
		return e
	}
	e := a.intern(node{kind: kindWords, a: int32(w)})
	if e != empty || w == noWords {
		a.leaves[w] = e
	}
	return e
}

// unbuilt marks word sets without an expression yet.
const unbuilt Expr = -1

func (a *Arena) literal(s string) Expr { return a.leaf(a.words.literal(s, emptyWord)) }

// concat normalises to a right-leaning chain without ε and ∅, adjacent literals joined and
// x·x{m,n} counted.
func (a *Arena) concat(parts ...Expr) Expr {
	r := epsilon
	for _, p := range slices.Backward(parts) {
		r = a.concat2(p, r)
	}
	return r
}

func (a *Arena) concat2(l, r Expr) Expr {
	switch {
	case l == empty || r == empty:
		return empty
	case l == epsilon:
		return r
	case r == epsilon:
		return l
	}
	if n := a.at(l); n.kind == kindConcat {
		head, tail := Expr(n.a), Expr(n.b)
		return a.concat2(head, a.concat2(tail, r))
	}
	head, tail := r, epsilon
	if n := a.at(r); n.kind == kindConcat {
		head, tail = Expr(n.a), Expr(n.b)
	}
	if x, ok := a.join(l, head); ok {
		return a.concat2(x, tail)
	}
	return a.intern(node{kind: kindConcat, a: int32(l), b: int32(r)})
}

// join returns l·r as a word set or a repetition, if it has that form.
func (a *Arena) join(l, r Expr) (Expr, bool) {
	nl, nr := a.at(l), a.at(r)
	if nl.kind == kindWords && nr.kind == kindWords {
		if a.words.nodes[nl.a].lone && a.words.nodes[nr.a].lone {
			return a.leaf(a.words.literal(a.words.single(wordSet(nl.a)), wordSet(nr.a))), true
		}
	}
	bl, lmin, lmax := a.counted(l)
	br, rmin, rmax := a.counted(r)
	if bl != br || lmin == lmax && lmin == 1 && nr.kind != kindRepeat {
		return 0, false
	}
	lo, hi := addSize(lmin, rmin), addMax(lmax, rmax)
	if lo >= huge || hi >= huge {
		return 0, false
	}
	return a.repeat(bl, lo, hi), true
}

// counted reads e as base{min,max}.
func (a *Arena) counted(e Expr) (base Expr, lo, hi int32) {
	n := a.at(e)
	switch {
	case n.kind == kindRepeat:
		return Expr(n.a), n.min, n.max
	case n.kind == kindWords && n.nullable && e != epsilon:
		return a.leaf(a.words.combine(opSubtract, wordSet(n.a), emptyWord)), 0, 1
	}
	return e, 1, 1
}

// repeat normalises nullable bodies (lo becomes 0) and nested counts whose sums leave no gaps.
func (a *Arena) repeat(e Expr, lo, hi int32) Expr {
	lo = max(lo, 0)
	n := a.at(e)
	switch {
	case hi != unbounded && lo > hi:
		return empty
	case hi == 0 || e == epsilon || e == empty && lo == 0:
		return epsilon
	case e == empty:
		return empty
	case lo == 1 && hi == 1:
		return e
	case n.nullable:
		lo = 0
	}
	if n.kind == kindRepeat {
		if x, ok := a.repeatNested(Expr(n.a), n.min, n.max, lo, hi); ok {
			return x
		}
	}
	if n.kind == kindWords && lo == 0 && hi == 1 {
		return a.leaf(a.words.combine(opUnion, wordSet(n.a), emptyWord))
	}
	if n.kind == kindWords && n.nullable && len(a.words.nodes[n.a].edges) > 0 && hi == unbounded {
		w := a.words.combine(opSubtract, wordSet(n.a), emptyWord)
		return a.repeat(a.leaf(w), 0, unbounded)
	}
	return a.intern(node{kind: kindRepeat, a: int32(e), min: lo, max: hi})
}

// repeatNested reads (x{p,q}){lo,hi} as x{p·lo,q·hi} when every count between is reached:
// consecutive k·p…k·q must touch.
func (a *Arena) repeatNested(x Expr, p, q, lo, hi int32) (Expr, bool) {
	gapless := q == unbounded || int64(p) <= int64(lo)*int64(q-p)+1
	if lo == 0 {
		gapless = p <= 1
	}
	if !gapless {
		return 0, false
	}
	most := int32(unbounded)
	if q != unbounded && hi != unbounded {
		most = mulSize(q, hi)
	}
	least := mulSize(p, lo)
	if most >= huge || least >= huge {
		return 0, false
	}
	return a.repeat(x, least, most), true
}

// mapParts applies f to the parts of n, which may be of another arena, and combines the results as
// n combines its parts. It returns false for a node without parts.
func (a *Arena) mapParts(n *node, f func(Expr) Expr) (Expr, bool) {
	switch n.kind {
	case kindConcat:
		return a.concat2(f(Expr(n.a)), f(Expr(n.b))), true
	case kindRepeat:
		return a.repeat(f(Expr(n.a)), n.min, n.max), true
	case kindNot:
		return a.not(f(Expr(n.a))), true
	case kindUnion:
		return a.union(mapAll(n.args, f)...), true
	case kindIntersect:
		return a.intersect(mapAll(n.args, f)...), true
	}
	return empty, false
}

func mapAll(list []Expr, f func(Expr) Expr) []Expr {
	out := make([]Expr, len(list))
	for i, e := range list {
		out[i] = f(e)
	}
	return out
}
