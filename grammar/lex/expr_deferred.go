package lex

// deferred is an expression that is built when it is first derived, for alternatives of which few
// will be walked.
type deferred struct {
	build func() Expr // nil once built
	expr  Expr
	cuts  ByteSet // where the ranges begin on which its derivatives agree
	span  span    // of its words, exactly
	wide  Expr    // a simpler language that holds it; empty if none is known
}

// later returns an expression for what build returns: a plain, non-empty language of texts without
// ε, with these cuts and this span.
func (a *Arena) later(cuts ByteSet, s span, build func() Expr) Expr {
	a.deferred = append(a.deferred, deferred{build: build, cuts: cuts, span: s})
	return a.intern(node{kind: kindDeferred, a: int32(len(a.deferred) - 1)})
}

// laterWithin is later for a language that lies within wide. Where even that has nothing in common
// with something else, emptiness is found without a look at the alternatives.
func (a *Arena) laterWithin(wide Expr, cuts ByteSet, s span, build func() Expr) Expr {
	e := a.later(cuts, s, build)
	a.deferred[len(a.deferred)-1].wide = wide
	return e
}

// OverApproximate returns a language that holds e and has fewer states, where one is known:
// formats of times take leap seconds of all minutes. Otherwise it is e.
func (a *Arena) OverApproximate(e Expr) Expr { return a.build(func() Expr { return a.widen(e) }) }

// widen returns a language that holds e, in which deferred alternatives are given up; e itself if
// there are none.
func (a *Arena) widen(e Expr) Expr {
	if len(a.deferred) == 0 && a.shared == nil {
		return e
	}
	if w, ok := a.widened[e]; ok {
		return w
	}
	w := a.widenParts(e)
	if a.err != nil {
		return e
	}
	if a.widened == nil {
		a.widened = map[Expr]Expr{}
	}
	a.widened[e] = w
	return w
}

func (a *Arena) widenParts(e Expr) Expr {
	n := *a.at(e)
	switch n.kind {
	case kindNot:
		if a.widen(Expr(n.a)) != Expr(n.a) {
			return a.anyBytes
		}
		return e
	case kindDeferred:
		if wide := a.deferred[n.a].wide; wide != empty {
			return wide
		}
	case kindShared:
		return a.mapShared(&n, (*Arena).widen)
	}
	if w, ok := a.mapParts(&n, a.widen); ok {
		return w
	}
	return e
}

func (a *Arena) describeDeferred(n *node) {
	d := &a.deferred[n.a]
	n.text, n.plain, n.span, n.bounds = true, true, d.span, d.cuts
	n.bounds.Add(0)
}

// built returns the expression that e, which is deferred, stands for.
func (a *Arena) built(e Expr) Expr {
	i := a.at(e).a
	if build := a.deferred[i].build; build != nil {
		x := build() // may append to a.deferred
		a.deferred[i].expr, a.deferred[i].build = x, nil
	}
	return a.deferred[i].expr
}
