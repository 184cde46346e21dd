package lex

import "tenon/grammar/lex/ecma"

// loop compiles a repetition whose body holds assertions, or that is followed by something that
// depends on its last code point.
func (c *regexCompiler) loop(n *ecma.Node, next after) after {
	body := n.Subs[0]
	if body.Pure {
		return c.pureLoop(n, next)
	}
	k := next
	rounds := n.Max - n.Min
	if n.Max == unbounded {
		k, rounds = c.star(n, next), 0
	}
	if c.unrolled += rounds + n.Min; c.unrolled > maxUnrolled {
		return c.unsupported(n, "long repetition of an assertion")
	}
	for range rounds {
		once := c.compile(body, k)
		grown := c.each(next, func(i int, e Expr) Expr { return c.a.union(e, once[i]) })
		if equalAfter(grown, k) {
			break
		}
		k = grown
	}
	for range n.Min {
		k = c.compile(body, k)
	}
	return k
}

func equalAfter(x, y after) bool {
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

// pureLoop splits the words of the loop by the context they end in. The empty word leaves the
// context as it was.
func (c *regexCompiler) pureLoop(n *ecma.Node, next after) after {
	all := c.pure(n)
	some := c.a.intersect(all, c.a.repeat(c.a.anyRune, 1, unbounded))
	if body := c.pure(n.Subs[0]); !c.a.at(body).nullable {
		some = c.a.repeat(body, int32(max(n.Min, 1)), int32(n.Max))
	}
	last := lastRunes(n.Subs[0])
	var parts []Expr
	for i, set := range c.contexts[1:] {
		switch {
		case last.SubsetOf(set):
			parts = append(parts, c.a.concat2(some, next[i+1]))
		case len(last.Intersect(set)) > 0:
			ending := c.a.intersect(some, c.a.concat2(c.a.anyText, c.class(set)))
			parts = append(parts, c.a.concat2(ending, next[i+1]))
		}
	}
	rest := c.a.union(parts...)
	if !c.a.at(all).nullable {
		return c.uniform(rest)
	}
	return c.each(next, func(_ int, e Expr) Expr { return c.a.union(e, rest) })
}

// lastRunes returns a superset of the code points that words of a pure node end in.
func lastRunes(n *ecma.Node) ecma.Set {
	switch n.Op {
	case ecma.Class:
		return n.Set
	case ecma.Repeat:
		return lastRunes(n.Subs[0])
	}
	var set ecma.Set
	for _, s := range n.Subs {
		set = set.Union(lastRunes(s))
	}
	return set
}

// star compiles an unbounded loop over a body with assertions. The exact cases: the body is
// lookaheads before one code point, up to the end of the text, as in ((?!end).)*$; its only
// assertions are ^ and $; or unrolling reaches a fixed point.
func (c *regexCompiler) star(n *ecma.Node, next after) after {
	if k, ok := c.temperedClass(n, next); ok {
		return k
	}
	if onlyAnchors(n.Subs[0]) && next[1:].isUniform() {
		return c.anchoredStar(n.Subs[0], next)
	}
	k := next
	for range 4 {
		once := c.compile(n.Subs[0], k)
		grown := c.each(next, func(i int, e Expr) Expr { return c.a.union(e, once[i]) })
		if equalAfter(grown, k) {
			return k
		}
		k = grown
	}
	return c.unsupported(n, "assertion in an unbounded repetition")
}

// temperedClass: with nothing to follow, the words of (assertions class)* are those of class* with
// no suffix, other than the empty one, at which an assertion fails.
func (c *regexCompiler) temperedClass(n *ecma.Node, next after) (after, bool) {
	body := n.Subs[0]
	if !next.isUniform() || next[0] != epsilon || body.Op != ecma.Concat || len(body.Subs) == 0 {
		return nil, false
	}
	k := len(body.Subs) - 1
	class := body.Subs[k]
	for class.Op == ecma.Concat && len(class.Subs) == 1 {
		class = class.Subs[0]
	}
	if !class.Pure {
		return nil, false
	}
	step := c.pure(class)
	if !c.a.isClass(step) {
		return nil, false
	}
	holds := c.uniform(c.a.anyText)
	for i := k - 1; i >= 0; i-- {
		if body.Subs[i].Op != ecma.Lookahead {
			return nil, false
		}
		holds = c.compile(body.Subs[i], holds)
	}
	if !holds.isUniform() {
		return nil, false
	}
	fails := c.a.intersect(c.a.complement(holds[0]), c.a.repeat(c.a.anyRune, 1, unbounded))
	bad := c.a.concat2(c.a.anyText, fails)
	return c.uniform(c.a.intersect(c.a.repeat(step, 0, unbounded), c.a.complement(bad))), true
}

func onlyAnchors(n *ecma.Node) bool {
	only := true
	n.Visit(func(m *ecma.Node) {
		only = only && m.Op != ecma.WordBoundary && m.Op != ecma.Lookahead && m.Op != ecma.Lookbehind
	})
	return only
}

// anchoredStar: rounds in the middle of the text satisfy no anchor. A round in which $ holds is
// the last that is not empty, and one in which ^ holds is the first.
func (c *regexCompiler) anchoredStar(body *ecma.Node, next after) after {
	last := next[1]
	if c.a.at(last).nullable {
		last = c.a.union(last, c.compile(body, c.uniform(epsilon))[1])
	}
	k := c.uniform(c.a.concat2(c.a.repeat(c.pure(body), 0, unbounded), last))
	k[0] = next[0]
	k[0] = c.a.union(next[0], c.compile(body, k)[0])
	return k
}
