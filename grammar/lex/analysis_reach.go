package lex

// Length reach: a bound on the length makes no difference to short texts if each of them can be
// continued to a length within the bound.

// reach describes the lengths of the words that begin with a text: one is at most low longer than
// the text, one is at least high, and between those two, consecutive lengths differ by at most
// gap.
type reach struct{ low, high, gap int32 }

// intersects reports whether one of the lengths is surely from lo to hi, for texts of at most so
// many code points.
func (l reach) intersects(lo, hi, runes int32) bool {
	return lo <= l.high && (hi == unbounded || hi >= addSize(l.low, max(runes, 0)) && int64(hi)-int64(lo)+1 >= int64(l.gap))
}

// plus is the reach of a concatenation.
func (l reach) plus(m reach) reach {
	return reach{addSize(l.low, m.low), addSize(l.high, m.high), max(l.gap, m.gap)}
}

// or is what l and m agree on: the reach of a text that has one of the two.
func (l reach) or(m reach) reach {
	return reach{max(l.low, m.low), min(l.high, m.high), max(l.gap, m.gap)}
}

// between is the reach if the lengths are somewhere from lo to hi, which may be unbounded.
func between(lo, hi int32) reach {
	if hi == unbounded {
		return reach{huge, lo, huge}
	}
	return reach{hi, lo, max(1, hi-lo)}
}

// justStarted stands for the empty text before the first code point of a part.
const justStarted = -1

// reachOf returns the reach that every text of at most so many code points has, if it begins a
// word of the expression.
func (a *Arena) reachOf(q abstractExpr) reach {
	if l, ok := a.reaches[q]; ok {
		return l
	}
	n := *a.at(q.expr)
	l := between(n.span.minRunes, n.span.maxRunes)
	switch n.kind {
	case kindWords:
		if s := a.words.nodes[n.a]; s.final && a.oneLength(wordSet(n.a)) {
			// the empty text begins the others, too
			l = between(n.span.maxRunes, n.span.maxRunes)
		}
	case kindConcat:
		l = a.reachOfConcat(q, &n)
	case kindRepeat:
		l = a.reachOfRepeat(q, &n)
	case kindUnion:
		l = a.reachOfUnion(q, n.args)
	case kindIntersect:
		if p, lo, hi, ok := a.bounded(n.args); ok {
			if within := a.reachOf(q.of(p)); within.intersects(lo, hi, q.runes) {
				l = within.clamp(lo, hi)
			}
		}
	case kindShared:
		b := a.sharedOf(&n).arena
		b.mu.Lock()
		l = b.reachOf(q.of(b.Expr(State(n.a))))
		b.mu.Unlock()
	}
	if a.reaches == nil {
		a.reaches = map[abstractExpr]reach{}
	}
	a.reaches[q] = l
	return l
}

// oneLength reports whether all words of a set, except the empty one, have one length.
func (a *Arena) oneLength(s wordSet) bool {
	rest := a.words.nodes[a.words.combine(opSubtract, s, emptyWord)].span
	return rest.minRunes == rest.maxRunes
}

// clamp narrows a reach to words of lo to hi code points. Some such word is known to exist.
func (l reach) clamp(lo, hi int32) reach {
	if lo > 0 {
		l.low = max(l.low, addSize(lo, l.gap-1))
	}
	if hi != unbounded {
		l.high = min(l.high, max(0, hi-l.gap+1))
	}
	return l
}

// reachOfUnion allows for texts that begin words of one part only. The part of the empty word does
// not count: the empty text begins words of the others, too.
func (a *Arena) reachOfUnion(q abstractExpr, args []Expr) reach {
	l := reach{0, huge, 1}
	for _, x := range args {
		if x != epsilon {
			l = l.or(a.reachOf(q.of(x)))
		}
	}
	return l
}

// reachOfConcat allows for texts that end within the first part, and for those that end behind it.
func (a *Arena) reachOfConcat(q abstractExpr, n *node) reach {
	first, rest := Expr(n.a), Expr(n.b)
	l := a.reachOf(q.of(first)).plus(a.reachOf(abstractExpr{rest, justStarted}))
	s := a.at(first)
	if q.runes == justStarted || s.span.minRunes > q.runes || s.open.every {
		return l
	}
	return l.or(a.reachOf(q.of(rest)).plus(reach{0, s.span.minRunes, 1}))
}

// reachOfRepeat allows for texts that end within each round.
func (a *Arena) reachOfRepeat(q abstractExpr, n *node) reach {
	word, again := a.reachOf(q.of(Expr(n.a))), a.reachOf(abstractExpr{Expr(n.a), justStarted})
	if q.runes == justStarted {
		return again.times(n.min, n.max)
	}
	s := a.at(Expr(n.a)).span
	l := reach{0, huge, 1}
	for i := int32(0); i <= q.runes/max(1, s.minRunes) && (n.max == unbounded || i < n.max); i++ {
		rest := int32(unbounded)
		if n.max != unbounded {
			rest = n.max - i - 1
		}
		l = l.or(word.plus(again.times(max(n.min-i-1, 0), rest)).plus(reach{0, mulSize(s.minRunes, i), 1}))
	}
	return l
}

// maxMore bounds how many more rounds than lo are tried for a smaller gap.
const maxMore = 3

// times is the reach of lo to hi rounds. From the number of rounds on whose lengths overlap with
// those of one more round, the gap is no wider than that of a single round.
func (l reach) times(lo, hi int32) reach {
	if hi == 0 {
		return reach{0, 0, 1}
	}
	all := reach{mulSize(l.low, lo), 0, max(l.gap, l.low)}
	switch {
	case hi != unbounded:
		all.high = mulSize(l.high, hi)
	case l.high > 0:
		all.high = huge
	}
	if l.high > l.low && l.gap < l.low {
		if n := max(lo, (l.low-l.gap+l.high-l.low-1)/(l.high-l.low)); n <= lo+maxMore && (hi == unbounded || n < hi) {
			all.low, all.gap = mulSize(l.low, n), l.gap
		}
	}
	return all
}
