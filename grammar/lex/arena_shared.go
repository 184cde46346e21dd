package lex

// A format has the same automaton in every arena. It therefore lives in an arena of its own, which
// all others read: the successor of a state within an email address is a look at its row. Such an
// arena is made once and does not change (arena_shared_precompute.go). An arena that walks beyond
// its states goes on by itself (arena_shared_import.go).

// sharedFormat is a format in an arena that uses it.
type sharedFormat struct {
	arena   *Arena // of the format
	exprs   []Expr // memo of sharedState, by state in arena
	imports importMemo
}

// useFormat returns a format as an expression of this arena. The lock is held; locks of the arenas
// of formats are only taken while it is.
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

// sharedState returns the expression for a state in the arena of a format.
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

// sharedOf returns the format of a shared node.
func (a *Arena) sharedOf(n *node) *sharedFormat { return &a.shared[n.b] }

// describeShared is describe for shared nodes: the arena of the format knows their attributes.
func (a *Arena) describeShared(n *node) {
	n.live = yes
	b := a.sharedOf(n).arena
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.at(b.Expr(State(n.a)))
	n.nullable, n.text, n.plain, n.depth, n.span, n.bounds, n.open = x.nullable, x.text, x.plain, x.depth, x.span, x.bounds, x.open
}

// expandShared fills in the successors of a shared node, given its row in the arena of the format.
func (a *Arena) expandShared(row, known *Row, n *node) {
	var last, state State
	for b, next := range known {
		if next != last {
			last, state = next, a.stateOf(a.sharedState(int(n.b), next))
		}
		row[b] = state
	}
}

// sharedRow returns the row of a shared node in the arena of its format; nil if it is not
// precomputed.
func (a *Arena) sharedRow(n *node) *Row {
	b, s := a.sharedOf(n).arena, State(n.a)
	if row := b.page(s).rows[s%pageSize].Load(); row != nil || b.frozen {
		return row
	}
	return b.Row(s)
}

// mapShared applies f to a shared node in the arena of its format. f must build expressions only,
// and walk no states.
func (a *Arena) mapShared(n *node, f func(b *Arena, e Expr) Expr) Expr {
	b := a.sharedOf(n).arena
	return a.sharedState(int(n.b), b.Start(b.build(func() Expr { return f(b, b.Expr(State(n.a))) })))
}
