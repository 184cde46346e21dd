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

// after is what may follow a position: at the beginning of the text, where ^ holds, behind a
// character of a word, and behind another.
type after struct{ begin, word, other Expr }

func everywhere(e Expr) after { return after{e, e, e} }

// with returns what f makes of k at each position, given what other is there.
func (k after) with(other after, f func(e, other Expr) Expr) after {
	return after{f(k.begin, other.begin), f(k.word, other.word), f(k.other, other.other)}
}

// search returns the texts with a match somewhere: the pattern, then anything, at the beginning or
// behind anything.
func (c *regexCompiler) search(tree *ecma.Node) Expr {
	k := c.compile(tree, everywhere(c.a.anyText))
	if k == everywhere(k.begin) {
		return c.anywhere(c.a.anyText, k.begin)
	}
	if k.word == k.other {
		return c.a.union(k.begin, c.anywhere(c.a.repeat(c.a.anyRune, 1, unbounded), k.word))
	}
	return c.a.union(k.begin, c.anywhere(c.endIn(ecma.Word), k.word), c.anywhere(c.endIn(ecma.Word.Complement()), k.other))
}

// endIn is the texts that end in a character of a set.
func (c *regexCompiler) endIn(set ecma.Set) Expr { return c.a.concat2(c.a.anyText, c.class(set)) }

// behind is k at each position after a text that is not empty and belongs to e.
func (c *regexCompiler) behind(e Expr, k after) after {
	if k.word == k.other {
		return everywhere(c.a.concat2(e, k.word))
	}
	word, other := c.a.intersect(e, c.endIn(ecma.Word)), c.a.intersect(e, c.endIn(ecma.Word.Complement()))
	return everywhere(c.a.union(c.a.concat2(word, k.word), c.a.concat2(other, k.other)))
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
	return everywhere(empty)
}

func (c *regexCompiler) class(set ecma.Set) Expr { return c.a.leaf(c.a.words.ofRunes(set)) }

// compile returns what n, followed by next, spells up to the end of the text, for each position
// before n.
func (c *regexCompiler) compile(n *ecma.Node, next after) after {
	if n.Pure && next == everywhere(next.begin) {
		return everywhere(c.a.concat2(c.pure(n), next.begin))
	}
	switch n.Op {
	case ecma.Class:
		return c.behind(c.class(n.Set), next)
	case ecma.Concat:
		for _, s := range slices.Backward(n.Subs) {
			next = c.compile(s, next)
		}
		return next
	case ecma.Alternate:
		k := everywhere(empty)
		for _, s := range n.Subs {
			k = c.or(k, c.compile(s, next))
		}
		return k
	case ecma.Repeat:
		return c.loop(n, next)
	case ecma.Begin:
		return after{next.begin, empty, empty}
	case ecma.End:
		return next.with(next, func(e, _ Expr) Expr { return c.a.nullableOnly([]Expr{e}) })
	case ecma.WordBoundary:
		begins := c.a.concat2(c.class(ecma.Word), c.a.anyText) // a word
		goesOn, ends := begins, c.a.complement(begins)
		if !n.Negate {
			goesOn, ends = ends, goesOn
		}
		return after{c.a.intersect(next.begin, ends), c.a.intersect(next.word, goesOn), c.a.intersect(next.other, ends)}
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
	seen := c.compile(n.Subs[0], everywhere(c.a.anyText))
	return next.with(seen, func(e, seen Expr) Expr {
		if n.Negate {
			seen = c.a.complement(seen)
		}
		return c.a.intersect(e, seen)
	})
}
