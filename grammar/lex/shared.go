package lex

import "sync"

// What a format admits is the same in every arena. The automata of formats therefore live in an arena of their own, which all others read
// from: an email address that one schema has walked costs the next one a look at the table. It is never dropped, hence small: once it is full
// it stays as it is, arenas that have it go on by themselves (adopt.go), and those made later begin with an empty one.

// maxShared is the number of states of an arena of formats. It takes some 10 MB.
const maxShared = 8192

var shared struct {
	mu    sync.Mutex
	arena *Arena
}

// formatArena returns the arena of formats.
func formatArena() *Arena {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.arena == nil || shared.arena.full() {
		shared.arena = NewArena(Limits{States: maxShared})
	}
	return shared.arena
}

// full says whether an arena of formats is to take up no more: a row may still be on its way.
func (a *Arena) full() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return int(a.stateCount)+2*256 > a.limits.States || 2*len(a.nodes) > a.limits.Exprs || 2*len(a.words.nodes) > a.limits.Words
}

// sharedFormat returns a format as an expression of this arena. It is called with the lock held; that of the arena of formats is only ever
// taken inside of it.
func (a *Arena) sharedFormat(name string, build func(*Arena) Expr) Expr {
	if a.formatArena == nil {
		a.formatArena = formatArena()
	}
	b := a.formatArena
	return a.sharedState(b.Start(b.build(func() Expr { return b.format(name, build) })))
}

// sharedState is the language of the words behind a state of the arena of formats.
func (a *Arena) sharedState(s State) Expr {
	if s == Dead {
		return empty
	}
	if int(s) >= len(a.sharedExprs) {
		a.sharedExprs = append(a.sharedExprs, make([]Expr, int(s)+256-len(a.sharedExprs))...)
	}
	if e := a.sharedExprs[s]; e != empty {
		return e
	}
	e := epsilon
	if a.formatArena.Expr(s) != epsilon {
		e = a.intern(node{kind: kindShared, a: int32(s)})
	}
	a.sharedExprs[s] = e
	return e
}

// describeShared takes over what the arena of formats knows.
func (a *Arena) describeShared(n *node) {
	n.live = yes
	b := a.formatArena
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.at(b.Expr(State(n.a)))
	n.nullable, n.text, n.plain, n.depth, n.span, n.bounds, n.open, n.most = x.nullable, x.text, x.plain, x.depth, x.span, x.bounds, x.open, x.most
}

// deriveShared returns the language behind a byte.
func (a *Arena) deriveShared(n *node, byte byte) Expr {
	if !a.sharesRow(n) {
		return a.derive(a.adopted(n), byte)
	}
	next := a.formatArena.Step(State(n.a), byte)
	if next == Dead {
		if err := a.formatArena.Err(); err != nil {
			a.fail(err)
		}
	}
	return a.sharedState(next)
}

// expandShared fills in the successors of a state that is one of a format.
func (a *Arena) expandShared(row *Row, n *node) {
	var last, state State
	for b, next := range a.formatArena.Row(State(n.a)) {
		if next != last {
			last, state = next, a.stateOf(a.sharedState(next))
		}
		row[b] = state
	}
}

// sharesRow says whether the successors of a state can be had from the arena of formats.
func (a *Arena) sharesRow(n *node) bool {
	b, s := a.formatArena, State(n.a)
	return b.page(s).rows[s%pageSize].Load() != nil || !b.full()
}

// mapShared is an operation on languages, done in the arena of formats.
func (a *Arena) mapShared(n *node, f func(b *Arena, e Expr) Expr) Expr {
	b := a.formatArena
	if b.full() {
		return f(a, a.adopted(n))
	}
	return a.sharedState(b.Start(b.build(func() Expr { return f(b, b.Expr(State(n.a))) })))
}
