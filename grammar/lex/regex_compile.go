package lex

import (
	"slices"

	"tenon/grammar/lex/ecma"
)

// A regexCompiler compiles a pattern from its end to its beginning: every node is compiled given
// what may follow it up to the end of the text, so that $, lookahead and the right side of \b
// become intersections with that continuation. What stands left of a position is a context: the
// start of the text, or the class of the last code point, as fine as the \b of the pattern need it.
type regexCompiler struct {
	a        *Arena
	pattern  string
	contexts []ecma.Set // contexts[0] is the start of the text (nil); the others partition all code points
	unrolled int
	err      error
}

// after is a language for each context.
type after []Expr

func newRegexCompiler(a *Arena, pattern string, tree *ecma.Node) *regexCompiler {
	c := &regexCompiler{a: a, pattern: pattern, contexts: []ecma.Set{nil, ecma.All}}
	tree.Visit(func(n *ecma.Node) {
		if n.Op == ecma.WordBoundary {
			c.split(n.Set)
		}
	})
	return c
}

// split refines the contexts so that set is a union of them.
func (c *regexCompiler) split(set ecma.Set) {
	refined := c.contexts[:1:1]
	for _, s := range c.contexts[1:] {
		in := s.Intersect(set)
		out := s.Intersect(set.Complement())
		for _, part := range []ecma.Set{in, out} {
			if len(part) > 0 {
				refined = append(refined, part)
			}
		}
	}
	c.contexts = refined
}

// search returns the texts with a match somewhere: the pattern, then anything, after nothing or
// after anything that ends in each context.
func (c *regexCompiler) search(tree *ecma.Node) Expr {
	k := c.compile(tree, c.uniform(c.a.anyText))
	if k.isUniform() {
		return c.anywhere(c.a.anyText, k[0])
	}
	matched := k[0]
	if k[1:].isUniform() {
		return c.a.union(matched, c.anywhere(c.a.repeat(c.a.anyRune, 1, unbounded), k[1]))
	}
	for i, set := range c.contexts[1:] {
		matched = c.a.union(matched, c.a.concat(c.a.anyText, c.class(set), k[i+1]))
	}
	return matched
}

// anywhere is what may begin behind any text of a language. Once it is known to have a word, all
// that is read before it is known to lead there.
func (c *regexCompiler) anywhere(before, e Expr) Expr {
	saved := c.a.err
	c.a.live(e)
	c.a.err = saved
	return c.a.concat2(before, e)
}

func (c *regexCompiler) uniform(e Expr) after {
	k := make(after, len(c.contexts))
	for i := range k {
		k[i] = e
	}
	return k
}

func (k after) isUniform() bool {
	for _, e := range k {
		if e != k[0] {
			return false
		}
	}
	return true
}

func (c *regexCompiler) unsupported(n *ecma.Node, why string) after {
	if c.err == nil {
		c.err = &ecma.Error{Pattern: c.pattern, Offset: n.Offset, Why: why, Kind: ecma.Unsupported}
	}
	return c.uniform(empty)
}

func (c *regexCompiler) class(set ecma.Set) Expr { return c.a.leaf(c.a.words.ofRunes(set)) }

// compile returns what n, followed by next, spells up to the end of the text, for each context of
// the position before n.
func (c *regexCompiler) compile(n *ecma.Node, next after) after {
	if n.Pure && next.isUniform() {
		return c.uniform(c.a.concat2(c.pure(n), next[0]))
	}
	switch n.Op {
	case ecma.Class:
		return c.uniform(c.classBefore(n.Set, next))
	case ecma.Concat:
		for _, s := range slices.Backward(n.Subs) {
			next = c.compile(s, next)
		}
		return next
	case ecma.Alternate:
		return c.alternate(n, next)
	case ecma.Repeat:
		return c.loop(n, next)
	case ecma.Begin:
		k := c.uniform(empty)
		k[0] = next[0]
		return k
	case ecma.End:
		return c.each(next, func(_ int, e Expr) Expr { return c.a.nullableOnly([]Expr{e}) })
	case ecma.WordBoundary:
		return c.each(next, func(i int, e Expr) Expr { return c.a.intersect(e, c.boundary(i, n)) })
	case ecma.Lookahead:
		return c.lookahead(n, next)
	}
	return c.unsupported(n, "lookbehind")
}

func (c *regexCompiler) each(k after, f func(context int, e Expr) Expr) after {
	out := make(after, len(k))
	for i, e := range k {
		out[i] = f(i, e)
	}
	return out
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

// classBefore is one code point of the set, which becomes the context of what follows.
func (c *regexCompiler) classBefore(set ecma.Set, next after) Expr {
	var parts []Expr
	for i, s := range c.contexts[1:] {
		parts = append(parts, c.a.concat2(c.class(s.Intersect(set)), next[i+1]))
	}
	return c.a.union(parts...)
}

func (c *regexCompiler) alternate(n *ecma.Node, next after) after {
	parts := make([][]Expr, len(next))
	for _, s := range n.Subs {
		for i, e := range c.compile(s, next) {
			parts[i] = append(parts[i], e)
		}
	}
	return c.each(next, func(i int, _ Expr) Expr { return c.a.union(parts[i]...) })
}

// boundary is what may follow the context if n, which is \b or \B, is to hold.
func (c *regexCompiler) boundary(context int, n *ecma.Node) Expr {
	afterWord := context > 0 && c.contexts[context].SubsetOf(n.Set)
	wordFollows := c.a.concat2(c.class(n.Set), c.a.anyText)
	if afterWord == n.Negate {
		return wordFollows
	}
	return c.a.complement(wordFollows)
}

func (c *regexCompiler) lookahead(n *ecma.Node, next after) after {
	seen := c.compile(n.Subs[0], c.uniform(c.a.anyText))
	return c.each(next, func(i int, e Expr) Expr {
		if n.Negate {
			return c.a.intersect(e, c.a.complement(seen[i]))
		}
		return c.a.intersect(e, seen[i])
	})
}
