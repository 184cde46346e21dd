package lex

// What a format admits is the same in every arena. The automata of formats therefore live in
// arenas of their own, which all others read from: a state of an email address costs a look at the
// table. They are made once and stay as they are (arena_shared_walk.go): arenas that walk
// beyond what they know go on by themselves (arena_shared_copy.go).

// sharedFormat is what an arena has of the arena of a format.
type sharedFormat struct {
	arena  *Arena
	exprs  []Expr // by its state: what sharedState has made
	copied adoption
}

// useFormat returns a format as an expression of this arena. It is called with the lock held;
// those of the arenas of formats are only ever taken inside of it.
func (a *Arena) useFormat(name string, number int) Expr {
	if a.shared == nil {
		a.shared = make([]sharedFormat, len(formatNames))
	}
	f := &a.shared[number]
	if f.arena == nil {
		f.arena = formatArenas[number]()
	}
	return a.sharedState(number, f.arena.formatStart(name))
}

// sharedState is the language of the words behind a state of the arena of a format.
func (a *Arena) sharedState(number int, s State) Expr {
	if s == Dead {
		return empty
	}
	f := &a.shared[number]
	if int(s) >= len(f.exprs) {
		f.exprs = append(f.exprs, make([]Expr, int(s)+256-len(f.exprs))...)
	}
	if e := f.exprs[s]; e != empty {
		return e
	}
	e := epsilon
	if f.arena.Expr(s) != epsilon {
		e = a.intern(node{kind: kindShared, a: int32(s), b: int32(number)})
	}
	f.exprs[s] = e
	return e
}

// sharedOf is the format that a shared node is of.
func (a *Arena) sharedOf(n *node) *sharedFormat { return &a.shared[n.b] }

// describeShared takes over what the arena of the format knows.
func (a *Arena) describeShared(n *node) {
	n.live = yes
	b := a.sharedOf(n).arena
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.at(b.Expr(State(n.a)))
	n.nullable, n.text, n.plain, n.depth, n.span, n.bounds, n.open = x.nullable, x.text, x.plain, x.depth, x.span, x.bounds, x.open
}

// expandShared fills in the successors of a state that is one of a format, with its row there.
func (a *Arena) expandShared(row, known *Row, n *node) {
	var last, state State
	for b, next := range known {
		if next != last {
			last, state = next, a.stateOf(a.sharedState(int(n.b), next))
		}
		row[b] = state
	}
}

// sharedRow is the successors of a state in the arena of its format; nil if it was not walked
// there.
func (a *Arena) sharedRow(n *node) *Row {
	b, s := a.sharedOf(n).arena, State(n.a)
	if row := b.page(s).rows[s%pageSize].Load(); row != nil || b.frozen {
		return row
	}
	return b.Row(s)
}

// mapShared is an operation on languages, done in the arena of the format. It is for those that
// build expressions and walk no states.
func (a *Arena) mapShared(n *node, f func(b *Arena, e Expr) Expr) Expr {
	b := a.sharedOf(n).arena
	return a.sharedState(int(n.b), b.Start(b.build(func() Expr { return f(b, b.Expr(State(n.a))) })))
}
