package lex

import "slices"

// union normalises to a sorted set of parts. Word sets are merged into one, so are counts of the
// same expression before the same tail, and parts that another part plainly contains are dropped.
func (a *Arena) union(parts ...Expr) Expr {
	args := a.flatten(kindUnion, parts)
	args = a.mergeWords(args, opUnion)
	args = a.mergeCounts(args)
	slices.Sort(args)
	args = slices.Compact(args)
	args = a.absorb(args)
	switch len(args) {
	case 0:
		return empty
	case 1:
		return args[0]
	}
	if a.covers(args, kindIntersect) {
		return a.anyBytes
	}
	return a.intern(node{kind: kindUnion, args: args})
}

// union2 is union for two parts, with a fast path for common cases.
func (a *Arena) union2(x, y Expr) Expr {
	switch {
	case x == empty || x == y:
		return y
	case y == empty:
		return x
	}
	a.stack = append(a.stack, x, y)
	d := a.union(a.stack[len(a.stack)-2:]...)
	a.pop(2)
	return d
}

// findSet returns the union or intersection of parts if the arena has that very node: it is in
// normal form, so that nothing is left to do. Most derivatives of large sets are such nodes, and
// normalising them anew would take most of the time of products of automata.
func (a *Arena) findSet(k kind, parts []Expr) (Expr, bool) {
	args := append(a.sorted[:0], parts...)
	slices.Sort(args)
	args = slices.Compact(args)
	a.sorted = args
	if len(args) < 2 {
		return empty, false
	}
	n := node{kind: k, args: args}
	id := a.index.find(identity(&n), func(id int32) bool { return sameNode(&a.nodes[id], &n) })
	return Expr(id), id >= 0
}

// covers reports whether the sorted parts of an intersection hold x and ¬y with x ⊆ y: x is y, or
// a part of the union y, or y is all text and x is text. With inner kindIntersect it looks for the
// dual in a union: x ⊇ y.
func (a *Arena) covers(args []Expr, inner kind) bool {
	has := func(x Expr) bool {
		_, found := slices.BinarySearch(args, x)
		return found
	}
	for _, z := range args {
		n := a.at(z)
		if n.kind != kindNot {
			continue
		}
		y := a.at(Expr(n.a))
		switch {
		case has(Expr(n.a)) || y.kind == inner && slices.ContainsFunc(y.args, has):
			return true
		case inner == kindIntersect && y.text && has(a.anyText):
			return true
		case inner == kindUnion && Expr(n.a) == a.anyText && slices.ContainsFunc(args, func(x Expr) bool { return a.at(x).text }):
			return true
		}
	}
	return false
}

// flatten opens nested operations of the same kind and drops ∅ from unions. The result is the
// arena's scratch space: unions and intersections are not built while another one is.
func (a *Arena) flatten(k kind, parts []Expr) []Expr {
	out := a.scratch[:0]
	for _, p := range parts {
		switch n := a.at(p); {
		case n.kind == k:
			out = append(out, n.args...)
		case k == kindUnion && p == empty:
		default:
			out = append(out, p)
		}
	}
	a.scratch = out
	return out
}

// mergeWords combines all word sets among args into one.
func (a *Arena) mergeWords(args []Expr, op setOp) []Expr {
	out := args[:0]
	sets := a.sets[:0]
	for _, x := range args {
		if n := a.at(x); n.kind == kindWords {
			sets = append(sets, wordSet(n.a))
		} else {
			out = append(out, x)
		}
	}
	a.sets = sets
	if len(sets) == 0 {
		return out
	}
	if merged := a.words.combineAll(op, sets); merged != noWords || op == opIntersect {
		out = append(out, a.leaf(merged))
	}
	return out
}

// countedTail is an expression of the form base{lo,hi}·tail.
type countedTail struct {
	base, tail Expr
	lo, hi     int32
}

// mergeCounts joins x{1,3}t and x{2,5}t to x{1,5}t. Without it, a search for a{0,5000}b in a run
// of a's would collect a term for each a.
func (a *Arena) mergeCounts(args []Expr) []Expr {
	counts := a.counts[:0]
	out := args[:0]
	for _, x := range args {
		head, tail := x, epsilon
		if n := a.at(x); n.kind == kindConcat {
			head, tail = Expr(n.a), Expr(n.b)
		}
		if n := a.at(head); n.kind == kindRepeat {
			counts = append(counts, countedTail{Expr(n.a), tail, n.min, n.max})
			continue
		}
		out = append(out, x)
	}
	a.counts = counts
	if len(counts) > 1 {
		slices.SortFunc(counts, compareCounts)
		counts = joinCounts(counts)
	}
	for _, c := range counts {
		out = append(out, a.concat2(a.repeat(c.base, c.lo, c.hi), c.tail))
	}
	return out
}

func compareCounts(x, y countedTail) int {
	switch {
	case x.base != y.base:
		return int(x.base - y.base)
	case x.tail != y.tail:
		return int(x.tail - y.tail)
	}
	return int(x.lo - y.lo)
}

func joinCounts(sorted []countedTail) []countedTail {
	out := sorted[:1]
	for _, c := range sorted[1:] {
		last := &out[len(out)-1]
		if c.base != last.base || c.tail != last.tail || last.hi != unbounded && c.lo > last.hi+1 {
			out = append(out, c)
			continue
		}
		if last.hi != unbounded && (c.hi == unbounded || c.hi > last.hi) {
			last.hi = c.hi
		}
	}
	return out
}

// absorb drops the parts of a union that AnyText, or the set of all byte strings, contains.
func (a *Arena) absorb(args []Expr) []Expr {
	if slices.Contains(args, a.anyBytes) {
		return []Expr{a.anyBytes}
	}
	if !slices.Contains(args, a.anyText) {
		return args
	}
	return slices.DeleteFunc(args, func(x Expr) bool { return x != a.anyText && a.at(x).text })
}

// intersect normalises to a sorted set of parts, with word sets and counts of code points
// combined.
func (a *Arena) intersect(parts ...Expr) Expr {
	args := a.flatten(kindIntersect, parts)
	args = a.mergeWords(args, opIntersect)
	args = a.mergeLengths(args)
	slices.Sort(args)
	args = slices.Compact(args)
	if slices.Contains(args, empty) {
		return empty
	}
	if len(args) > 1 {
		args = slices.DeleteFunc(args, func(x Expr) bool { return x == a.anyBytes })
	}
	if slices.ContainsFunc(args, func(x Expr) bool { return x != a.anyText && a.at(x).text }) {
		args = slices.DeleteFunc(args, func(x Expr) bool { return x == a.anyText })
	}
	if len(args) == 1 {
		return args[0]
	}
	if slices.Contains(args, epsilon) {
		return a.nullableOnly(args)
	}
	if a.covers(args, kindUnion) {
		return empty
	}
	return a.intern(node{kind: kindIntersect, args: args})
}

// nullableOnly is the intersection of args with {ε}.
func (a *Arena) nullableOnly(args []Expr) Expr {
	for _, x := range args {
		if !a.at(x).nullable {
			return empty
		}
	}
	return epsilon
}

// mergeLengths combines parts of the form class{m,n}, among them bounds on the length
// (AnyRune{m,n}). It decides such bounds where the lengths of the other parts are known.
func (a *Arena) mergeLengths(args []Expr) []Expr {
	merged, found := empty, false
	out := args[:0]
	for _, x := range args {
		base, lo, hi := a.counted(x)
		if !a.isClass(base) || x == a.anyText {
			out = append(out, x)
			continue
		}
		if !found {
			merged, found = x, true
			continue
		}
		other, l, h := a.counted(merged)
		class := a.leaf(a.words.combine(opIntersect, wordSet(a.at(base).a), wordSet(a.at(other).a)))
		merged = a.repeat(class, max(lo, l), minCount(hi, h))
		if merged == empty || merged == epsilon {
			out, found = append(out, merged), false
		}
	}
	if !found {
		return out
	}
	if base, lo, hi := a.counted(merged); base == a.anyRune {
		switch a.fits(out, lo, hi) {
		case yes:
			return append(out, a.anyText)
		case no:
			return append(out, empty)
		}
	}
	return append(out, merged)
}

// isClass reports whether e is a non-empty set of single code points.
func (a *Arena) isClass(e Expr) bool {
	n := a.at(e)
	return n.kind == kindWords && e != empty && n.text && n.span.minRunes == 1 && n.span.maxRunes == 1
}

// fits says by the spans of args whether every word that they share has lo to hi code points
// (yes), or none has (no).
func (a *Arena) fits(args []Expr, lo, hi int32) verdict {
	for _, x := range args {
		n := a.at(x)
		s := n.span
		if s.maxRunes != unbounded && s.maxRunes < lo || hi != unbounded && s.minRunes > hi {
			return no
		}
		if n.text && s.minRunes >= lo && (hi == unbounded || s.maxRunes != unbounded && s.maxRunes <= hi) {
			return yes
		}
	}
	return unknown
}

// complement keeps to text: AnyText without e.
func (a *Arena) complement(e Expr) Expr {
	if n := a.at(e); n.kind == kindIntersect && len(n.args) == 2 {
		for i, x := range n.args {
			if other := n.args[1-i]; x == a.anyText && a.at(other).kind == kindNot {
				return a.intersect(a.anyText, Expr(a.at(other).a))
			}
		}
	}
	return a.intersect(a.anyText, a.not(e))
}

// not complements relative to all byte strings.
func (a *Arena) not(e Expr) Expr {
	if n := a.at(e); n.kind == kindNot {
		return Expr(n.a)
	}
	return a.intern(node{kind: kindNot, a: int32(e)})
}
