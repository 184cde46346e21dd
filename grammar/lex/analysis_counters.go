package lex

// Counter abstraction: a counter that is far from its bound makes no difference to short texts. A
// walker that looks only a few code points ahead uses the state of a language without such
// counters instead, so that most counts share one state.

// AbstractCounters returns a state that agrees with s on every text of up to so many code points:
// on whether it is accepted, and on whether it begins an accepted text. On longer texts it may
// accept more, never less. Both states are outside of escapes.
func (a *Arena) AbstractCounters(s StringState, runes int) StringState {
	k := a.stringKey(s)
	if k.inner == Dead || k.mode != inText {
		return s
	}
	inner := a.abstractState(k.inner, int32(runes))
	if inner == k.inner || inner == Dead {
		return s
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stringState(stringKey{inner: inner, escapes: k.escapes})
}

// abstractState is AbstractCounters for the decoded text of a string; Dead where a limit is met.
func (a *Arena) abstractState(s State, runes int32) State {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.Expr(s)
	d := a.abstract(abstractExpr{e, runes})
	if d == e {
		return s
	}
	a.work = a.budget()
	return a.stateOf(d)
}

// abstractExpr is the argument of abstract and reachOf: an expression, and the length of texts in
// code points.
type abstractExpr struct {
	expr  Expr
	runes int32
}

func (q abstractExpr) of(e Expr) abstractExpr { return abstractExpr{e, q.runes} }

// abstract is AbstractCounters for an expression.
func (a *Arena) abstract(q abstractExpr) Expr {
	if d, ok := a.abstracted[q]; ok {
		return d
	}
	e := q.expr
	n := *a.at(e)
	d := e
	switch n.kind {
	case kindConcat:
		d = a.concat2(a.abstract(q.of(Expr(n.a))), a.abstract(q.of(Expr(n.b))))
	case kindUnion:
		parts := make([]Expr, len(n.args))
		for i, x := range n.args {
			parts[i] = a.abstract(q.of(x))
		}
		d = a.union(parts...)
	case kindRepeat:
		if x := a.at(Expr(n.a)); x.plain && x.text {
			lo, hi := n.min, n.max
			enough := q.runes/max(1, x.span.minRunes) + 1 // more than a text ends
			if hi >= enough {
				hi = unbounded
			}
			d = a.repeat(a.abstract(q.of(Expr(n.a))), min(lo, enough), hi)
		}
	case kindShared:
		d = a.mapShared(&n, func(b *Arena, e Expr) Expr { return b.abstract(q.of(e)) })
	case kindIntersect:
		if p, lo, hi, ok := a.bounded(n.args); ok && (hi == unbounded || hi >= q.runes) && a.reachOf(q.of(p)).intersects(lo, hi, q.runes) {
			d = a.intersect(a.abstract(q.of(p)), a.repeat(a.anyRune, min(lo, q.runes+1), unbounded))
		}
	}
	if a.abstracted == nil {
		a.abstracted = map[abstractExpr]Expr{}
	}
	a.abstracted[q] = d
	return d
}

// Reach returns a length n such that every text of up to runes code points that begins an accepted
// continuation of s begins one of at most n code points; -1 if no such length is known.
func (a *Arena) Reach(s State, runes int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if l := a.reachOf(abstractExpr{a.Expr(s), int32(runes)}); l.low < huge {
		return runes + int(l.low)
	}
	return -1
}
