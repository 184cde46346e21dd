package lex

// Beyond what the arena of a format has walked, an arena copies what it needs of it, and derives
// it by itself.

// adoption is what an arena has copied.
type adoption struct {
	exprs map[Expr]Expr
	words map[wordSet]wordSet
}

// adopted returns the language behind a state of the arena of a format as an expression of this
// arena alone.
func (a *Arena) adopted(n *node) Expr {
	f := a.sharedOf(n)
	e := f.arena.Expr(State(n.a))
	f.arena.mu.Lock()
	defer f.arena.mu.Unlock()
	return a.adopt(f, e)
}

// adopt copies an expression of the arena of a format, whose lock is held.
func (a *Arena) adopt(f *sharedFormat, e Expr) Expr {
	if f.copied.exprs == nil {
		f.copied = adoption{exprs: map[Expr]Expr{}, words: map[wordSet]wordSet{noWords: noWords, emptyWord: emptyWord}}
	}
	if c, ok := f.copied.exprs[e]; ok {
		return c
	}
	c := a.adoptParts(f, e)
	if a.err == nil {
		f.copied.exprs[e] = c
	}
	return c
}

func (a *Arena) adoptParts(f *sharedFormat, e Expr) Expr {
	n := *f.arena.at(e)
	if c, ok := a.mapParts(&n, func(e Expr) Expr { return a.adopt(f, e) }); ok {
		return c
	}
	return a.leaf(a.adoptWords(f, wordSet(n.a))) // no format has numbers, or shares others
}

func (a *Arena) adoptWords(f *sharedFormat, s wordSet) wordSet {
	if c, ok := f.copied.words[s]; ok {
		return c
	}
	n := f.arena.words.nodes[s]
	edges := make([]edge, len(n.edges))
	for i, e := range n.edges {
		edges[i] = edge{e.lo, e.hi, a.adoptWords(f, e.next)}
	}
	c := a.words.intern(n.final, edges)
	f.copied.words[s] = c
	return c
}
