package lex

// maxDerived bounds the memo of derive, whose entries can all be computed again.
const maxDerived = 400_000

// derive returns the Brzozowski derivative of e by b: the words of e that begin with b, without
// that byte. All derivatives by a range of bytes agree, so that the memo's key has the first byte
// of the range.
func (a *Arena) derive(e Expr, b byte) Expr {
	n := a.at(e)
	switch n.kind {
	case kindWords:
		return a.leaf(a.words.after(wordSet(n.a), b))
	case kindShared:
		if row := a.sharedRow(n); row != nil {
			return a.sharedState(int(n.b), row[b])
		}
	}
	key := uint64(e)<<8 | uint64(n.bounds.floor(b))
	if d, ok := a.derived.get(key); ok {
		return d
	}
	if a.work--; a.work < 0 {
		a.fail(&LimitError{What: "derivatives for one question", Limit: a.limits.Work, Spent: true})
		return empty
	}
	a.derivatives++
	d := a.deriveParts(e, b)
	if a.err == nil {
		a.derived.put(key, d)
	}
	return d
}

// Derived returns how many derivatives have been taken, memoised ones not counted: the cost of
// states.
func (a *Arena) Derived() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.derivatives
}

// deriveParts is derive without the memo. It copies the node first: building expressions moves
// nodes.
func (a *Arena) deriveParts(e Expr, b byte) Expr {
	n := *a.at(e)
	switch n.kind {
	case kindConcat:
		l, r := Expr(n.a), Expr(n.b)
		d := a.concat2(a.derive(l, b), r)
		if a.at(l).nullable {
			return a.union2(d, a.derive(r, b))
		}
		return d
	case kindUnion:
		return a.deriveSet(&n, b, (*Arena).union)
	case kindIntersect:
		// searches derive intersections, and many parts cost more
		a.work -= len(n.args) / 8
		return a.deriveSet(&n, b, (*Arena).intersect)
	case kindNot:
		return a.not(a.derive(Expr(n.a), b))
	case kindNumber:
		return a.deriveNumber(e, b)
	case kindShared:
		return a.derive(a.imported(&n), b)
	}
	x, rest := Expr(n.a), n.max
	if rest != unbounded {
		rest--
	}
	return a.concat2(a.derive(x, b), a.repeat(x, n.min-1, rest))
}

// deriveSet combines the derivatives of the parts of a union or an intersection. It skips neutral
// ones at once: most parts of a large intersection, such as one of forbidden words, are neutral.
func (a *Arena) deriveSet(n *node, b byte, combine func(*Arena, ...Expr) Expr) Expr {
	nothing, all := empty, a.anyBytes
	if n.kind == kindIntersect {
		nothing, all = all, nothing
	}
	base := len(a.stack)
	for _, x := range n.args {
		switch d := a.derive(x, b); d {
		case nothing:
		case all:
			a.pop(len(a.stack) - base)
			return all
		default:
			a.stack = append(a.stack, d)
		}
	}
	parts := a.stack[base:]
	if len(parts) == 0 {
		return nothing
	}
	d, ok := a.findSet(n.kind, parts)
	if !ok {
		d = combine(a, parts...)
	}
	a.pop(len(parts))
	return d
}

func (a *Arena) pop(n int) { a.stack = a.stack[:len(a.stack)-n] }

// deriveMemo maps (expression, byte) keys, which are never 0, to derivatives. It is an arena's
// largest table, and forgets what was not used lately: a full young half becomes the old half, and
// an entry found in the old half is put into the young one.
type deriveMemo struct{ young, old derivedTable }

func (m *deriveMemo) get(key uint64) (Expr, bool) {
	d, ok := m.young.get(key)
	if !ok {
		if d, ok = m.old.get(key); ok {
			m.put(key, d)
		}
	}
	return d, ok
}

func (m *deriveMemo) put(key uint64, to Expr) {
	if m.young.count >= maxDerived/2 {
		clear(m.old.slots)
		m.young, m.old = derivedTable{slots: m.old.slots}, m.young
	}
	m.young.put(key, to)
}

// derivedTable is a half of the memo, a hash table with open addressing. It may grow while a mask
// is computed, so that a slot is one word.
type derivedTable struct {
	slots []derivedSlot
	count int
}

// derivedSlot is a key above its derivative. 0 is free.
type derivedSlot uint64

// exprBits is enough for any expression: arenas have room for fewer.
const exprBits = 28

func (t *derivedTable) slot(key uint64) *derivedSlot {
	mask := uint64(len(t.slots) - 1)
	for i := mix(0, key) & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; *s == 0 || uint64(*s>>exprBits) == key {
			return s
		}
	}
}

func (t *derivedTable) get(key uint64) (Expr, bool) {
	if len(t.slots) == 0 {
		return empty, false
	}
	s := *t.slot(key)
	return Expr(s & (1<<exprBits - 1)), s != 0
}

// quickGrowth is the size below which a table grows fourfold: many masks fill an empty one.
const quickGrowth = 1 << 15

func (t *derivedTable) put(key uint64, to Expr) {
	if 2*t.count >= len(t.slots) {
		old := t.slots
		size := 2 * len(old)
		if size < quickGrowth {
			size = max(512, 2*size)
		}
		t.slots = make([]derivedSlot, size)
		for _, s := range old {
			if s != 0 {
				*t.slot(uint64(s >> exprBits)) = s
			}
		}
	}
	*t.slot(key) = derivedSlot(key<<exprBits | uint64(to))
	t.count++
}
