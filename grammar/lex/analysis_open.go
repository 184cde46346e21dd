package lex

// Most patterns are searched for anywhere in a text, and then whatever has been written can still
// go on to a match. Walkers that know it need not look at what is written.

// openness is what is known of the prefixes of a language. All of it is about text: valid UTF-8.
type openness struct {
	every bool // every text is the beginning of a word
	stays bool // from some length on, whatever goes on from a word is one
	// endless says that what begins a word begins any number of them; most that the complement
	// is finite.
	endless, most bool
	// lasts says that every text of at most so many code points, all of them shaped, is the
	// beginning of a word; negative if that is not known, huge if all are.
	lasts int32
}

// describeOpen fills it in from the parts.
func (a *Arena) describeOpen(n *node) {
	a.describeEvery(n)
	if n.open.lasts = a.lasts(n); n.open.every {
		n.open.lasts = huge
	}
}

func (a *Arena) describeEvery(n *node) {
	switch n.kind {
	case kindRepeat:
		x := a.at(Expr(n.a))
		all := a.anyRune != empty && Expr(n.a) == a.anyRune && n.max == unbounded
		n.open = openness{every: all, stays: all, endless: x.plain && x.span.maxRunes != 0 && n.max == unbounded}
	case kindConcat:
		l, r := a.at(Expr(n.a)), a.at(Expr(n.b))
		n.open = openness{every: l.open.every && r.live == yes || l.nullable && r.open.every, stays: r.open.stays, endless: r.open.endless}
	case kindNot: // what is longer than the words of a finite language is none of them
		finite := a.at(Expr(n.a)).span.maxRunes != unbounded
		n.open = openness{every: finite, stays: finite, endless: finite, most: finite}
	case kindUnion:
		n.open = openness{stays: true, endless: true}
		for _, x := range n.args {
			p := a.at(x).open
			n.open.every, n.open.stays = n.open.every || p.every, n.open.stays && p.stays
			n.open.endless = n.open.endless && p.endless
		}
	case kindIntersect:
		n.open = a.openAll(n.args)
	}
}

// openAll is for intersections: a text is led into those that words do not leave one after the
// other, and into one more at last.
func (a *Arena) openAll(args []Expr) openness {
	all := openness{every: true, stays: true, endless: true, most: true}
	leaving, fewer := 0, 0
	for _, x := range args {
		p := a.at(x).open
		all.every, all.endless = all.every && p.every, all.endless && p.endless
		if !p.stays {
			all.stays = false
			leaving++
		}
		if !p.most {
			all.most = false
			fewer++
		}
	}
	all.every = all.every && leaving <= 1
	all.endless = all.endless && fewer <= 1 || all.every && all.stays
	return all
}

// Open reports whether every text may come next in s, a state between code points: whether each is
// the beginning of an accepted continuation. It may be false where that takes more than a look at
// the expression to see.
func (a *Arena) Open(s State) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return s != Dead && a.at(a.Expr(s)).open.every
}

// Endless reports whether, no matter which finitely many words are taken out of e, what was the
// beginning of a word still is. Like Open, it may be false where that is hard to see.
func (a *Arena) Endless(e Expr) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.at(e).open.endless
}

// Lasts returns a number of code points of which every text may come next in s, a state between
// code points: -1 if not even the empty one is known to, and at least 1<<30 if all texts may. It
// is about texts that have a shape in the sense of package vocab: without control characters,
// quotes, backslashes, and white space beyond ASCII.
func (a *Arena) Lasts(s State) int {
	if s == Dead {
		return -1
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return int(a.at(a.Expr(s)).open.lasts)
}

// lasts is for languages that not every text begins.
func (a *Arena) lasts(n *node) int32 {
	switch n.kind {
	case kindRepeat:
		if a.isClass(Expr(n.a)) && a.words.combine(opSubtract, a.shaped, wordSet(a.at(Expr(n.a)).a)) == noWords {
			if n.max == unbounded {
				return huge
			}
			return n.max
		}
	case kindConcat:
		l, r := a.at(Expr(n.a)), a.at(Expr(n.b))
		least := int32(-1)
		if r.live == yes {
			least = l.open.lasts
		}
		if l.nullable {
			least = max(least, r.open.lasts)
		}
		return least
	case kindNot: // what is shorter than its words is none of them
		return a.at(Expr(n.a)).span.minRunes - 1
	case kindUnion:
		most := int32(-1)
		for _, x := range n.args {
			most = max(most, a.at(x).open.lasts)
		}
		return most
	case kindIntersect:
		least := int32(huge)
		for _, x := range n.args {
			if p := a.at(x); x != a.anyText {
				if p.kind != kindNot {
					return -1
				}
				least = min(least, a.at(Expr(p.a)).span.minRunes-1)
			}
		}
		return least
	}
	return -1
}
