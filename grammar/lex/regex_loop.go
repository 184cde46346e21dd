package lex

import "tenon/grammar/lex/ecma"

// loop compiles a repetition whose body holds assertions, or that ^ or \b may follow.
func (c *regexCompiler) loop(n *ecma.Node, next continuation) continuation {
	body := n.Subs[0]
	if body.Pure {
		return c.pureLoop(n, next)
	}
	k, rounds := next, n.Max-n.Min
	if n.Max == unbounded {
		k, rounds = c.star(n, next), 0
	}
	if c.unrolled += rounds + n.Min; c.unrolled > maxUnrolled {
		return c.unsupported(n, "long repetition of an assertion")
	}
	for range rounds {
		grown := c.or(next, c.compile(body, k))
		if grown == k {
			break
		}
		k = grown
	}
	for range n.Min {
		k = c.compile(body, k)
	}
	return k
}

// pureLoop compiles the non-empty words of a loop apart from the empty one, behind which the text
// may still be at its beginning.
func (c *regexCompiler) pureLoop(n *ecma.Node, next continuation) continuation {
	all := c.pure(n)
	some := c.a.intersect(all, c.a.repeat(c.a.anyRune, 1, unbounded))
	if body := c.pure(n.Subs[0]); !c.a.at(body).nullable {
		some = c.a.repeat(body, int32(max(n.Min, 1)), int32(n.Max))
	}
	k := c.behind(some, next)
	if !c.a.at(all).nullable {
		return k
	}
	return c.or(next, k)
}

// star compiles an unbounded loop over a body with assertions. Two cases are supported: the body
// is lookaheads before one code point, up to the end of the text, as in ((?!end).)*$; or its only
// assertions are ^ and $.
func (c *regexCompiler) star(n *ecma.Node, next continuation) continuation {
	body := n.Subs[0]
	if k, ok := c.temperedClass(body, next); ok {
		return k
	}
	anchors := true
	body.Visit(func(m *ecma.Node) { anchors = anchors && m.Op != ecma.Lookahead && m.Op != ecma.WordBoundary })
	if !anchors || next.word != next.other {
		return c.unsupported(n, "assertion in an unbounded repetition")
	}
	return c.anchoredStar(body, next)
}

// temperedClass compiles (lookaheads class)* at the end of the text: the words of class* that have
// no non-empty suffix at which a lookahead fails.
func (c *regexCompiler) temperedClass(body *ecma.Node, next continuation) (continuation, bool) {
	if next != everywhere(epsilon) || body.Op != ecma.Concat || len(body.Subs) == 0 {
		return next, false
	}
	k := len(body.Subs) - 1
	class := body.Subs[k]
	for class.Op == ecma.Concat && len(class.Subs) == 1 {
		class = class.Subs[0]
	}
	if !class.Pure {
		return next, false
	}
	step := c.pure(class)
	if !c.a.isClass(step) {
		return next, false
	}
	holds := everywhere(c.a.anyText)
	for i := k - 1; i >= 0; i-- {
		if body.Subs[i].Op != ecma.Lookahead {
			return next, false
		}
		holds = c.compile(body.Subs[i], holds)
	}
	if holds != everywhere(holds.begin) {
		return next, false
	}
	fails := c.a.intersect(c.a.complement(holds.begin), c.a.repeat(c.a.anyRune, 1, unbounded))
	bad := c.a.concat2(c.a.anyText, fails)
	return everywhere(c.a.intersect(c.a.repeat(step, 0, unbounded), c.a.complement(bad))), true
}

// anchoredStar compiles a loop whose body has anchors. Only its first non-empty round can match ^,
// and only the last can match $.
func (c *regexCompiler) anchoredStar(body *ecma.Node, next continuation) continuation {
	last := next.word
	if c.a.at(last).nullable {
		last = c.a.union(last, c.compile(body, everywhere(epsilon)).word)
	}
	k := everywhere(c.a.concat2(c.a.repeat(c.pure(body), 0, unbounded), last))
	k.begin = next.begin
	k.begin = c.a.union(next.begin, c.compile(body, k).begin)
	return k
}
