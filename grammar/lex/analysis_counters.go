package lex

// A counter that is far from its end matters to no short text. Walkers that look no further than a
// few code points ahead take the state of a language without such counters instead: most counts
// then share one state.

// AbstractCounters returns a state, outside of escapes as s must be, that for every text of up to
// so many code points says the same as s: whether something accepted begins with it, and whether
// it is itself accepted. Of longer texts it never says less.
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

// abstractState is AbstractCounters for the text of a string; Dead where a limit is met.
func (a *Arena) abstractState(s State, runes int32) State {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.Expr(s)
	near := a.abstract(abstractExpr{e, runes})
	if near == e {
		return s
	}
	a.work = a.budget()
	return a.stateOf(near)
}

// abstractExpr asks for what agrees with an expression on texts of so many code points.
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
			enough := q.runes/max(1, x.span.minRunes) + 1 // so many are not read
			if hi >= enough {
				hi = unbounded
			}
			d = a.repeat(a.abstract(q.of(Expr(n.a))), min(lo, enough), hi)
		}
	case kindShared:
		d = a.mapShared(&n, func(b *Arena, e Expr) Expr { return b.abstract(q.of(e)) })
	case kindIntersect:
		if p, lo, hi, ok := a.bounded(n.args); ok && (hi == unbounded || hi >= q.runes) && a.reachOf(q.of(p)).meets(lo, hi, q.runes) {
			d = a.intersect(a.abstract(q.of(p)), a.repeat(a.anyRune, min(lo, q.runes+1), unbounded))
		}
	}
	if a.abstracted == nil {
		a.abstracted = map[abstractExpr]Expr{}
	}
	a.abstracted[q] = d
	return d
}

// Room returns a number of code points in which, in s, an accepted continuation ends that begins
// with a text of up to so many, for every such text that begins one at all; -1 if there is none or
// none is known.
func (a *Arena) Room(s State, runes int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if l := a.reachOf(abstractExpr{a.Expr(s), int32(runes)}); l.low < huge {
		return runes + int(l.low)
	}
	return -1
}
