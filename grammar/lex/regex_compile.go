package lex

import (
	"slices"

	"tenon/grammar/lex/ecma"
)

// A regexCompiler compiles a pattern from its end to its beginning: every node is compiled given
// what may follow it up to the end of the text, so that $ and lookahead become intersections with
// that continuation.
type regexCompiler struct {
	a        *Arena
	pattern  string
	unrolled int
	err      error
}

// after is what may follow a position: at the beginning of the text, where ^ holds, and inside.
type after struct{ begin, inside Expr }

func both(e Expr) after { return after{e, e} }

// with returns what f makes of k at the beginning and inside, given what other is there.
func (k after) with(other after, f func(e, other Expr) Expr) after {
	return after{f(k.begin, other.begin), f(k.inside, other.inside)}
}

// search returns the texts with a match somewhere: the pattern, then anything, at the beginning or
// behind anything.
func (c *regexCompiler) search(tree *ecma.Node) Expr {
	k := c.compile(tree, both(c.a.anyText))
	if k.begin == k.inside {
		return c.anywhere(c.a.anyText, k.begin)
	}
	return c.a.union(k.begin, c.anywhere(c.a.repeat(c.a.anyRune, 1, unbounded), k.inside))
}

// anywhere is what may begin behind any text of a language. Once it is known to have a word, all
// that is read before it is known to lead there.
func (c *regexCompiler) anywhere(before, e Expr) Expr {
	saved := c.a.err
	c.a.live(e)
	c.a.err = saved
	return c.a.concat2(before, e)
}

func (c *regexCompiler) unsupported(n *ecma.Node, why string) after {
	if c.err == nil {
		c.err = &ecma.Error{Pattern: c.pattern, Offset: n.Offset, Why: why, Kind: ecma.Unsupported}
	}
	return both(empty)
}

func (c *regexCompiler) class(set ecma.Set) Expr { return c.a.leaf(c.a.words.ofRunes(set)) }

// compile returns what n, followed by next, spells up to the end of the text, for each position
// before n.
func (c *regexCompiler) compile(n *ecma.Node, next after) after {
	if n.Pure && next.begin == next.inside {
		return both(c.a.concat2(c.pure(n), next.begin))
	}
	switch n.Op {
	case ecma.Class:
		return both(c.a.concat2(c.class(n.Set), next.inside))
	case ecma.Concat:
		for _, s := range slices.Backward(n.Subs) {
			next = c.compile(s, next)
		}
		return next
	case ecma.Alternate:
		k := both(empty)
		for _, s := range n.Subs {
			k = c.or(k, c.compile(s, next))
		}
		return k
	case ecma.Repeat:
		return c.loop(n, next)
	case ecma.Begin:
		return after{next.begin, empty}
	case ecma.End:
		return next.with(next, func(e, _ Expr) Expr { return c.a.nullableOnly([]Expr{e}) })
	}
	return c.lookahead(n, next)
}

func (c *regexCompiler) or(k, other after) after {
	return k.with(other, func(x, y Expr) Expr { return c.a.union(x, y) })
}

// pure compiles a node on its own, anchors as never satisfied; the callers see to it that there
// are no other assertions.
func (c *regexCompiler) pure(n *ecma.Node) Expr {
	switch n.Op {
	case ecma.Begin, ecma.End:
		return empty
	case ecma.Class:
		return c.class(n.Set)
	case ecma.Repeat:
		return c.a.repeat(c.pure(n.Subs[0]), int32(n.Min), int32(n.Max))
	}
	parts := make([]Expr, len(n.Subs))
	for i, s := range n.Subs {
		parts[i] = c.pure(s)
	}
	if n.Op == ecma.Concat {
		return c.a.concat(parts...)
	}
	return c.a.union(parts...)
}

func (c *regexCompiler) lookahead(n *ecma.Node, next after) after {
	seen := c.compile(n.Subs[0], both(c.a.anyText))
	return next.with(seen, func(e, seen Expr) Expr {
		if n.Negate {
			seen = c.a.complement(seen)
		}
		return c.a.intersect(e, seen)
	})
}
