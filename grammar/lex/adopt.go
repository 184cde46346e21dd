package lex

// When the arena of formats is full, an arena copies what it still needs of it, and derives it by itself.

// adoption is what an arena has copied.
type adoption struct {
	exprs map[Expr]Expr
	words map[wordSet]wordSet
}

// adopted returns the language behind a state of the arena of formats as an expression of this arena alone.
func (a *Arena) adopted(n *node) Expr {
	b := a.formatArena
	e := b.Expr(State(n.a))
	b.mu.Lock()
	defer b.mu.Unlock()
	return a.adopt(e)
}

// adopt copies an expression of the arena of formats, whose lock is held.
func (a *Arena) adopt(e Expr) Expr {
	if a.copied.exprs == nil {
		a.copied = adoption{exprs: map[Expr]Expr{}, words: map[wordSet]wordSet{noWords: noWords, emptyWord: emptyWord}}
	}
	if c, ok := a.copied.exprs[e]; ok {
		return c
	}
	c := a.adoptParts(e)
	if a.err == nil {
		a.copied.exprs[e] = c
	}
	return c
}

func (a *Arena) adoptParts(e Expr) Expr {
	n := *a.formatArena.at(e)
	if c, ok := a.mapParts(&n, a.adopt); ok {
		return c
	}
	if n.kind == kindDeferred {
		return a.adoptDeferred(e, n.a)
	}
	return a.leaf(a.adoptWords(wordSet(n.a))) // no format has numbers, or shares others
}

// adoptDeferred copies an expression when it is first derived.
func (a *Arena) adoptDeferred(e Expr, i int32) Expr {
	b := a.formatArena
	d := b.deferred[i]
	build := func() Expr {
		b.mu.Lock()
		defer b.mu.Unlock()
		return a.adopt(b.built(e))
	}
	if d.wide == empty {
		return a.later(d.cuts, d.span, build)
	}
	return a.laterWithin(a.adopt(d.wide), d.cuts, d.span, build)
}

func (a *Arena) adoptWords(s wordSet) wordSet {
	if c, ok := a.copied.words[s]; ok {
		return c
	}
	n := a.formatArena.words.nodes[s]
	edges := make([]edge, len(n.edges))
	for i, e := range n.edges {
		edges[i] = edge{e.lo, e.hi, a.adoptWords(e.next)}
	}
	c := a.words.intern(n.final, edges)
	a.copied.words[s] = c
	return c
}
