package lex

// Most patterns are searched for anywhere in a text, and then whatever has been written can still go on to a match. Walkers that know it
// need not look at what is written.

// openness is what is known of the prefixes of a language. All of it is about text: valid UTF-8.
type openness struct {
	every bool // every text is the beginning of a word
	stays bool // from some length on, whatever goes on from a word is one
}

// describeOpen fills it in from the parts.
func (a *Arena) describeOpen(n *node) {
	switch n.kind {
	case kindRepeat:
		all := a.anyRune != empty && Expr(n.a) == a.anyRune && n.max == unbounded
		n.open = openness{all, all}
	case kindConcat:
		l, r := a.at(Expr(n.a)), a.at(Expr(n.b))
		n.open = openness{l.open.every && r.plain || l.nullable && r.open.every, r.open.stays}
	case kindNot: // what is longer than the words of a finite language is none of them
		finite := a.at(Expr(n.a)).span.maxRunes != unbounded
		n.open = openness{finite, finite}
	case kindUnion:
		n.open = openness{false, true}
		for _, x := range n.args {
			p := a.at(x).open
			n.open.every, n.open.stays = n.open.every || p.every, n.open.stays && p.stays
		}
	case kindIntersect:
		n.open = a.openAll(n.args)
	}
}

// openAll is for intersections: a text is led into those that words do not leave one after the other, and into one more at last.
func (a *Arena) openAll(args []Expr) openness {
	all, leaving := openness{true, true}, 0
	for _, x := range args {
		p := a.at(x).open
		all.every = all.every && p.every
		if !p.stays {
			all.stays = false
			leaving++
		}
	}
	all.every = all.every && leaving <= 1
	return all
}

// Open reports whether every text may come next in s, a state between code points: whether each is the beginning of an accepted
// continuation. It may be false where that takes more than a look at the expression to see.
func (a *Arena) Open(s State) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return s != Dead && a.at(a.Expr(s)).open.every
}

// MostRunes bounds MinRunes for s and all states that it leads to; -1 if no bound is known.
func (a *Arena) MostRunes(s State) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := a.at(a.Expr(s)); n.plain && n.most < huge {
		return int(n.most)
	}
	return -1
}

// mostRunes bounds the shortest continuation of what has been begun in a plain expression.
func (a *Arena) mostRunes(n *node) int32 {
	switch n.kind {
	case kindConcat:
		l, r := a.at(Expr(n.a)), a.at(Expr(n.b))
		return max(addSize(l.most, r.span.minRunes), r.most)
	case kindRepeat:
		x := a.at(Expr(n.a))
		return addSize(x.most, mulSize(x.span.minRunes, max(n.min-1, 0)))
	case kindUnion:
		most := int32(0)
		for _, x := range n.args {
			most = max(most, a.at(x).most)
		}
		return most
	}
	if n.span.maxRunes == unbounded {
		return huge
	}
	return n.span.maxRunes
}
