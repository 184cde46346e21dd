package lex

// A counter that is far from its end matters to no short text. Walkers that look no further than a few code points ahead take the state of a
// language without such counters instead: most counts then share one state.

// NearRunes is how many code points ahead states and what [Arena.Near] makes of them agree.
const NearRunes = 25

// Near returns a state, outside of escapes as s must be, that for every text of up to NearRunes code points says the same as s: whether
// something accepted begins with it, and whether it is itself accepted.
func (a *Arena) Near(s StringState) StringState {
	k := a.stringKey(s)
	if k.inner == Dead || k.mode != inText {
		return s
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.Expr(k.inner)
	near := a.near(e)
	if near == e {
		return s
	}
	a.work = a.limits.Work
	if inner := a.stateOf(near); inner != Dead {
		return a.stringState(stringKey{inner: inner, escapes: k.escapes})
	}
	return s
}

// near is Near for an expression.
func (a *Arena) near(e Expr) Expr {
	if d, ok := a.nears[e]; ok {
		return d
	}
	n := *a.at(e)
	d := e
	switch n.kind {
	case kindConcat:
		d = a.concat2(a.near(Expr(n.a)), a.near(Expr(n.b)))
	case kindUnion:
		parts := make([]Expr, len(n.args))
		for i, x := range n.args {
			parts[i] = a.near(x)
		}
		d = a.union(parts...)
	case kindRepeat:
		if x := a.at(Expr(n.a)); x.plain && x.text {
			lo, hi := n.min, n.max
			enough := NearRunes/max(1, x.span.minRunes) + 1 // so many are not read
			if hi >= enough {
				hi = unbounded
			}
			d = a.repeat(a.near(Expr(n.a)), min(lo, enough), hi)
		}
	case kindShared:
		d = a.mapShared(&n, (*Arena).near)
	case kindIntersect:
		if p, _, hi, ok := a.bounded(n.args); ok && (hi == unbounded || int64(hi) >= int64(a.at(p).most)+NearRunes) {
			d = a.near(p)
		}
	}
	if a.nears == nil {
		a.nears = map[Expr]Expr{}
	}
	a.nears[e] = d
	return d
}

// bounded takes apart an intersection of a plain language and a bound on the length of which the lower end is met by every word.
func (a *Arena) bounded(args []Expr) (plain Expr, lo, hi int32, ok bool) {
	if len(args) != 2 {
		return empty, 0, 0, false
	}
	for i, x := range args {
		base, lo, hi := a.counted(x)
		p := a.at(args[1-i])
		if base == a.anyRune && p.plain && p.text && lo <= min(1, p.span.minRunes) {
			return args[1-i], lo, hi, true
		}
	}
	return empty, 0, 0, false
}
