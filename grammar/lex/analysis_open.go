package lex

// Prefix-openness: most patterns may match anywhere in a text, so that any text can still go on to
// a match. A walker that knows this need not look at the text.

// openness is what is known about the prefixes of a language, among valid UTF-8.
type openness struct {
	every      bool // every text is a prefix of a word
	extensible bool // from some length on, every extension of a word is a word
	// endless: every prefix of a word is one of infinitely many words; cofinite: the
	// complement is finite
	endless, cofinite bool
	// every text of at most so many code points, all of them shaped, is a prefix of a word;
	// negative if that is not known, huge if there is no bound
	runes int32
}

// describeOpen fills in the openness of n from that of its parts.
func (a *Arena) describeOpen(n *node) {
	a.describeOpenParts(n)
	if n.open.runes = a.openRunes(n); n.open.every {
		n.open.runes = huge
	}
}

func (a *Arena) describeOpenParts(n *node) {
	switch n.kind {
	case kindRepeat:
		x := a.at(Expr(n.a))
		all := a.anyRune != empty && Expr(n.a) == a.anyRune && n.max == unbounded
		n.open = openness{every: all, extensible: all, endless: x.plain && x.span.maxRunes != 0 && n.max == unbounded}
	case kindConcat:
		l, r := a.at(Expr(n.a)), a.at(Expr(n.b))
		n.open = openness{every: l.open.every && r.live == yes || l.nullable && r.open.every, extensible: r.open.extensible, endless: r.open.endless}
	case kindNot: // every text longer than the words of a finite language is in the complement
		finite := a.at(Expr(n.a)).span.maxRunes != unbounded
		n.open = openness{every: finite, extensible: finite, endless: finite, cofinite: finite}
	case kindUnion:
		n.open = openness{extensible: true, endless: true}
		for _, x := range n.args {
			p := a.at(x).open
			n.open.every, n.open.extensible = n.open.every || p.every, n.open.extensible && p.extensible
			n.open.endless = n.open.endless && p.endless
		}
	case kindIntersect:
		n.open = a.openIntersection(n.args)
	}
}

// openIntersection describes an intersection. A text is extended to a word of one extensible part
// after the other, which stays one, and at last to a word of at most one other part.
func (a *Arena) openIntersection(args []Expr) openness {
	all := openness{every: true, extensible: true, endless: true, cofinite: true}
	notExtensible, notCofinite := 0, 0
	for _, x := range args {
		p := a.at(x).open
		all.every, all.endless = all.every && p.every, all.endless && p.endless
		if !p.extensible {
			all.extensible = false
			notExtensible++
		}
		if !p.cofinite {
			all.cofinite = false
			notCofinite++
		}
	}
	all.every = all.every && notExtensible <= 1
	all.endless = all.endless && notCofinite <= 1 || all.every && all.extensible
	return all
}

// Open reports whether every text is a prefix of an accepted continuation of s, a state between
// code points. It may be false where that is hard to see.
func (a *Arena) Open(s State) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return s != Dead && a.at(a.Expr(s)).open.every
}

// Endless reports whether every prefix of a word of e is a prefix of infinitely many: taking
// finitely many words out of e then leaves its prefixes as they are. It may be false where that is
// hard to see.
func (a *Arena) Endless(e Expr) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.at(e).open.endless
}

// OpenRunes returns a length in code points: every text up to it is a prefix of an accepted
// continuation of s, a state between code points. It is -1 if not even the empty text is known to
// be, and at least 1<<30 if there is no bound. It is about texts that have a shape in the sense of
// package vocab: without control characters, quotes, backslashes, and white space beyond ASCII.
func (a *Arena) OpenRunes(s State) int {
	if s == Dead {
		return -1
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return int(a.at(a.Expr(s)).open.runes)
}

// openRunes computes openness.runes from the parts.
func (a *Arena) openRunes(n *node) int32 {
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
			least = l.open.runes
		}
		if l.nullable {
			least = max(least, r.open.runes)
		}
		return least
	case kindNot: // every text shorter than its words is in the complement
		return a.at(Expr(n.a)).span.minRunes - 1
	case kindUnion:
		most := int32(-1)
		for _, x := range n.args {
			most = max(most, a.at(x).open.runes)
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
