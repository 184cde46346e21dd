package lex

import (
	"slices"

	"tenon/grammar/lex/ecma"
)

// A regexCompiler compiles a pattern from its end to its beginning. Every node is compiled with
// its continuation, the language of what may follow it up to the end of the text, so that $ and
// lookahead become intersections with that.
type regexCompiler struct {
	a        *Arena
	pattern  string
	unrolled int
	err      error
}

// continuation is what may follow a position: at the beginning of the text, where ^ holds, behind
// a character of a word (\w), and behind any other.
type continuation struct{ begin, word, other Expr }

func everywhere(e Expr) continuation { return continuation{e, e, e} }

// with applies f to k and other at each position.
func (k continuation) with(other continuation, f func(e, other Expr) Expr) continuation {
	return continuation{f(k.begin, other.begin), f(k.word, other.word), f(k.other, other.other)}
}

// search returns the texts with a match somewhere: at the beginning or behind any text, followed
// by any text.
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

// endIn returns the texts that end in a character of set.
func (c *regexCompiler) endIn(set ecma.Set) Expr { return c.a.concat2(c.a.anyText, c.class(set)) }

// behind returns e·k, where e holds no empty text.
func (c *regexCompiler) behind(e Expr, k continuation) continuation {
	if k.word == k.other {
		return everywhere(c.a.concat2(e, k.word))
	}
	word, other := c.a.intersect(e, c.endIn(ecma.Word)), c.a.intersect(e, c.endIn(ecma.Word.Complement()))
	return everywhere(c.a.union(c.a.concat2(word, k.word), c.a.concat2(other, k.other)))
}

// anywhere returns before·e. It first asks whether e has a word: then the search before it is
// known to be live everywhere.
func (c *regexCompiler) anywhere(before, e Expr) Expr {
	saved := c.a.err
	c.a.live(e)
	c.a.err = saved
	return c.a.concat2(before, e)
}

func (c *regexCompiler) unsupported(n *ecma.Node, why string) continuation {
	if c.err == nil {
		c.err = &ecma.Error{Pattern: c.pattern, Offset: n.Offset, Why: why, Kind: ecma.Unsupported}
	}
	return everywhere(empty)
}

func (c *regexCompiler) class(set ecma.Set) Expr { return c.a.leaf(c.a.words.ofRunes(set)) }

// compile returns the continuation of the position before n, given the one behind it.
func (c *regexCompiler) compile(n *ecma.Node, next continuation) continuation {
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
		return continuation{next.begin, empty, empty}
	case ecma.End:
		return next.with(next, func(e, _ Expr) Expr { return c.a.nullableOnly([]Expr{e}) })
	case ecma.WordBoundary:
		word := c.a.concat2(c.class(ecma.Word), c.a.anyText)
		afterWord, afterOther := word, c.a.complement(word)
		if !n.Negate {
			afterWord, afterOther = afterOther, afterWord
		}
		return continuation{c.a.intersect(next.begin, afterOther), c.a.intersect(next.word, afterWord), c.a.intersect(next.other, afterOther)}
	}
	return c.lookahead(n, next)
}

func (c *regexCompiler) or(k, other continuation) continuation {
	return k.with(other, func(x, y Expr) Expr { return c.a.union(x, y) })
}

// pure compiles a node without a continuation. Anchors never match, and there must be no other
// assertions.
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

func (c *regexCompiler) lookahead(n *ecma.Node, next continuation) continuation {
	ahead := c.compile(n.Subs[0], everywhere(c.a.anyText))
	return next.with(ahead, func(e, ahead Expr) Expr {
		if n.Negate {
			ahead = c.a.complement(ahead)
		}
		return c.a.intersect(e, ahead)
	})
}
