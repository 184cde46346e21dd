package lex

// Beyond the states that the arena of a format has precomputed, an arena imports the expressions
// that it needs and derives them itself.

// importMemo holds what an arena has imported from that of a format.
type importMemo struct {
	exprs map[Expr]Expr
	words map[wordSet]wordSet
}

// imported returns the language of a shared node as an expression of this arena alone.
func (a *Arena) imported(n *node) Expr {
	f := a.sharedOf(n)
	e := f.arena.Expr(State(n.a))
	f.arena.mu.Lock()
	defer f.arena.mu.Unlock()
	return a.importExpr(f, e)
}

// importExpr imports an expression from the arena of a format, whose lock is held.
func (a *Arena) importExpr(f *sharedFormat, e Expr) Expr {
	if f.imports.exprs == nil {
		f.imports = importMemo{exprs: map[Expr]Expr{}, words: map[wordSet]wordSet{noWords: noWords, emptyWord: emptyWord}}
	}
	if c, ok := f.imports.exprs[e]; ok {
		return c
	}
	c := a.importParts(f, e)
	if a.err == nil {
		f.imports.exprs[e] = c
	}
	return c
}

func (a *Arena) importParts(f *sharedFormat, e Expr) Expr {
	n := *f.arena.at(e)
	if c, ok := a.mapParts(&n, func(e Expr) Expr { return a.importExpr(f, e) }); ok {
		return c
	}
	return a.leaf(a.importWords(f, wordSet(n.a))) // formats hold no numbers or shared nodes
}

func (a *Arena) importWords(f *sharedFormat, s wordSet) wordSet {
	if c, ok := f.imports.words[s]; ok {
		return c
	}
	n := f.arena.words.nodes[s]
	edges := make([]edge, len(n.edges))
	for i, e := range n.edges {
		edges[i] = edge{e.lo, e.hi, a.importWords(f, e.next)}
	}
	c := a.words.intern(n.final, edges)
	f.imports.words[s] = c
	return c
}
