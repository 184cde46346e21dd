package schema

import "slices"

// expansion memoises the alternatives of one node, kind by kind.
type expansion struct {
	state [kinds]uint8 // 0 unknown, expanding, listed, expanded
	alts  [kinds][]*Alt

	// set where the node is part of itself, so that evaluating it would never end: what led
	// back to it
	endless   [kinds]*Node
	descended kindSet // the kinds for which descend took it apart
}

const (
	expanding uint8 = iota + 1
	listed          // as a part of a union: not merged yet
	expanded
)

// expand returns the alternatives of n of one kind. Some may turn out to be empty: Alts removes
// those.
//
// With track, alternatives are split until each knows which keys or elements are evaluated (the
// annotations that unevaluatedProperties and unevaluatedItems read). A union A ∪ B becomes A∧B,
// A∧¬B and ¬A∧B.
func (s *Schema) expand(n *Node, k Kind, track bool) []*Alt {
	slot := 0
	if track && k >= Array {
		slot = 1
	}
	m := n.expansion(slot)
	switch m.state[k] {
	case expanded:
		return m.alts[k]
	case expanding:
		if s.speculating > 0 {
			s.cyclic = true
			return nil
		}
		m.endless[k] = s.at
		return nil
	case 0:
		s.collect(nil, n, slot, k, func([]*Alt) []*Alt { return s.expandOp(n, k, slot == 1) })
	}
	if m.state[k] != listed {
		return nil
	}
	m.alts[k], m.state[k] = s.mergeAlts(m.alts[k], k, slot == 1), expanded
	if len(m.alts[k]) > s.limits.Alternatives {
		s.unsupported(n.blame, "too many alternatives")
	}
	return m.alts[k]
}

func (n *Node) expansion(slot int) *expansion {
	if n.memo[slot] == nil {
		n.memo[slot] = new(expansion)
	}
	return n.memo[slot]
}

// collect calls f to append the alternatives of n to alts, and remembers them.
func (s *Schema) collect(alts []*Alt, n *Node, slot int, k Kind, f func([]*Alt) []*Alt) []*Alt {
	if s.err != nil || s.cyclic {
		return alts
	}
	m, from, outer := n.expansion(slot), len(alts), s.at
	m.state[k], s.at = expanding, n
	alts = f(alts)
	s.at = outer
	if s.cyclic || s.err != nil {
		m.state[k] = 0 // what is incomplete must not be remembered
		return slices.Clip(alts[:from])
	}
	if back := m.endless[k]; back != nil {
		alts = slices.Clip(alts[:from])
		s.refersToItself(s.reference(back))
	}
	m.alts[k], m.state[k] = slices.Clip(alts[from:]), listed
	return alts
}

// selfReference is the reason why a reference has no meaning (2020-12 core §9.4.1 forbids it).
const selfReference = "the schema refers to itself without descending into the value"

// refersToItself drops a reference in lenient mode. In strict mode a schema whose evaluation never
// ends accepts nothing.
func (s *Schema) refersToItself(b *blame) {
	if s.lenient && s.building {
		s.unsupported(b, selfReference)
		return
	}
	s.issue(b.at, b.keyword, Enforced, selfReference+": no value is accepted there")
}

// reference returns the keyword by which n refers to another schema, or the likeliest if n is more
// than one schema object.
func (s *Schema) reference(n *Node) *blame {
	if n.leaf != nil {
		for _, keyword := range references {
			if n.leaf.at.Get(keyword) != nil {
				return &blame{n.leaf.at, keyword}
			}
		}
	}
	return s.culprit(n, append(references[:], suspects[:]...))
}

func (s *Schema) expandOp(n *Node, k Kind, track bool) []*Alt {
	switch n.op {
	case opAny:
		return []*Alt{s.anyOf(k)}
	case opLeaf:
		return s.expandLeaf(n, k, track)
	case opNot:
		return s.complement(n.kids[0], k)
	case opAnd:
		return s.expandAnd([]*Alt{s.anyOf(k)}, n.kids, k, track)
	case opOr:
		if track {
			return s.expandSplit(n, k)
		}
		return s.expandUnion(nil, n.kids, k, track)
	case opChoice:
		if track {
			return s.expandUnion(nil, n.kids, k, true)
		}
		return s.expandChoice(nil, n, []*Alt{s.anyOf(k)}, k)
	case opOneOf:
		return s.expandOneOf(n, s.anyOf(k), track)
	case opEnum:
		return s.enumAlts(n, k)
	case opFixed:
		return slices.DeleteFunc(slices.Clone(n.fixed), func(a *Alt) bool { return a.Kind != k })
	default:
		return nil
	}
}

// expandLeaf intersects what a schema object's own keywords accept with its subschemas that apply
// to the same value.
func (s *Schema) expandLeaf(n *Node, k Kind, track bool) []*Alt {
	f := s.formOf(n.leaf)
	base := s.baseAlt(n.leaf, k)
	if base == nil {
		return nil
	}
	pending := k == Array && f.unevaluatedItems != nil || k == Object && f.unevaluatedProps != nil
	if !track && !pending {
		base = base.withoutAnnotations()
	}
	if f.relaxed && (track || pending) {
		// a dropped keyword may have evaluated anything
		base = s.intersect(base, s.allEvaluated(k))
	}
	if !pending {
		return s.expandAnd([]*Alt{base}, f.subs, k, track)
	}
	alts := s.expandAnd([]*Alt{base}, f.subs, k, true)
	out := make([]*Alt, 0, len(alts))
	for _, a := range alts {
		if a = s.closeUnevaluated(a, f); a != nil {
			if !track {
				a = a.withoutAnnotations()
			}
			out = append(out, a)
		}
	}
	return out
}

// expandAnd intersects alts with every node, those with the fewest alternatives first. A oneOf
// comes last: within what the others leave, its branches are mostly disjoint.
func (s *Schema) expandAnd(alts []*Alt, nodes []*Node, k Kind, track bool) []*Alt {
	factors := make([]factor, 0, len(nodes))
	var oneOfs []*Node
	for _, n := range nodes {
		if n.op == opOneOf {
			oneOfs = append(oneOfs, n)
			continue
		}
		list := s.expand(n, k, track)
		if len(list) == 0 {
			return nil
		}
		factors = append(factors, factor{n, list})
	}
	slices.SortStableFunc(factors, func(a, b factor) int { return len(a.alts) - len(b.alts) })
	for _, f := range factors {
		alts = s.product(alts, f.alts, f.node)
	}
	for _, n := range oneOfs {
		var within []*Alt
		for _, a := range alts {
			within = append(within, s.expandOneOf(n, a, track)...)
		}
		alts = s.absorb(within)
	}
	return alts
}

type factor struct {
	node *Node
	alts []*Alt
}

// expandUnion appends the alternatives of all nodes to alts. It does not copy or compare those of
// nested unions at each level, which would take quadratic time.
func (s *Schema) expandUnion(alts []*Alt, nodes []*Node, k Kind, track bool) []*Alt {
	for _, n := range nodes {
		parts := n.unionOf(s)
		if track || parts == nil || n.expansion(0).state[k] != 0 {
			alts = append(alts, s.expand(n, k, track)...)
			continue
		}
		alts = s.collect(alts, n, 0, k, func(alts []*Alt) []*Alt {
			if n.op == opChoice {
				return s.expandChoice(alts, n, []*Alt{s.anyOf(k)}, k)
			}
			return s.expandUnion(alts, parts, k, false)
		})
	}
	return alts
}

// unionOf returns the nodes whose union n plainly is, nil if it is not one.
func (n *Node) unionOf(s *Schema) []*Node {
	switch {
	case n.op == opOr || n.op == opChoice:
		return n.kids
	case n.op == opLeaf && s.formOf(n.leaf).nothingBut():
		return n.leaf.form.subs
	}
	return nil
}

// expandChoice appends to alts what n, a choice, shares with the alternatives in within. A
// conjunction among its kids may hold another choice, as in a chain of else. That is expanded
// within the other conjuncts: expanding it first, and intersecting all its alternatives with each
// condition of the chain, would take quadratic time.
func (s *Schema) expandChoice(alts []*Alt, n *Node, within []*Alt, k Kind) []*Alt {
	for _, kid := range n.kids {
		inner, others := s.choiceWithin(kid, k)
		if inner == nil {
			alts = append(alts, s.expandAnd(within, []*Node{kid}, k, false)...)
			continue
		}
		if w := s.expandAnd(within, others, k, false); len(w) > 0 {
			alts = s.descend(alts, inner, w, k)
		}
	}
	return alts
}

// choiceWithin returns a conjunct of n that leads to a choice, neither of them expanded yet, and
// the other conjuncts; nil if there is none.
func (s *Schema) choiceWithin(n *Node, k Kind) (choice *Node, others []*Node) {
	if n.op != opAnd || k < Array {
		return nil, nil
	}
	for i, kid := range n.kids {
		end := kid
		for range maxChain {
			if end.op != opLeaf || !end.untouched(k) {
				break
			}
			inner, _ := s.conjunct(end.leaf, k)
			if inner == nil {
				break
			}
			end = inner
		}
		if end.op == opChoice && end.untouched(k) {
			return kid, slices.Delete(slices.Clone(n.kids), i, i+1)
		}
	}
	return nil, nil
}

// conjunct returns the choice among a schema object's subschemas, or its only subschema, and the
// other subschemas; nil if there is neither.
func (s *Schema) conjunct(l *leaf, k Kind) (inner *Node, others []*Node) {
	f := s.formOf(l)
	i := slices.IndexFunc(f.subs, func(sub *Node) bool { return sub.op == opChoice })
	if i < 0 && len(f.subs) == 1 {
		i = 0
	}
	if i < 0 || f.relaxed || k == Array && f.unevaluatedItems != nil || k == Object && f.unevaluatedProps != nil {
		return nil, nil
	}
	return f.subs[i], slices.Delete(slices.Clone(f.subs), i, i+1)
}

// untouched reports whether n has neither been expanded nor taken apart by descend: a shared node
// is better expanded once.
func (n *Node) untouched(k Kind) bool {
	m := n.expansion(0)
	return m.state[k] == 0 && !m.descended.has(k)
}

// descend appends to alts what n, a node that leads to a choice, shares with the alternatives in
// within.
func (s *Schema) descend(alts []*Alt, n *Node, within []*Alt, k Kind) []*Alt {
	alts = s.collect(alts, n, 0, k, func(alts []*Alt) []*Alt {
		if n.op == opChoice {
			return s.expandChoice(alts, n, within, k)
		}
		inner, others := s.conjunct(n.leaf, k)
		if base := s.baseAlt(n.leaf, k); base != nil {
			within = s.expandAnd(s.product(within, []*Alt{base.withoutAnnotations()}, n), others, k, false)
			if len(within) > 0 {
				alts = s.descend(alts, inner, within, k)
			}
		}
		return alts
	})
	m := n.expansion(0)
	m.alts[k], m.state[k], m.endless[k] = nil, 0, nil
	m.descended |= 1 << k
	return alts
}

// expandSplit expands a union so that every alternative lies within or outside of each kid.
func (s *Schema) expandSplit(n *Node, k Kind) []*Alt {
	if !s.annotates(n.kids, k) {
		return s.expandUnion(nil, n.kids, k, true)
	}
	var some []*Alt // within at least one kid so far
	none := []*Alt{s.anyOf(k)}
	for _, kid := range n.kids {
		yes, no := s.expand(kid, k, true), s.expand(s.not(kid), k, false)
		some = slices.Concat(s.product(some, yes, n), s.product(some, no, n), s.product(none, yes, n))
		none = s.product(none, no, n)
	}
	return some
}

// annotates reports whether some alternative of the nodes knows what has been evaluated.
func (s *Schema) annotates(nodes []*Node, k Kind) bool {
	for _, n := range nodes {
		for _, a := range s.expand(n, k, true) {
			if a.annotated() {
				return true
			}
		}
	}
	return false
}

// product intersects every x with every y; n is blamed if there are too many.
func (s *Schema) product(xs, ys []*Alt, n *Node) []*Alt {
	if len(xs) == 1 && xs[0] == s.anyOf(xs[0].Kind) {
		return ys
	}
	if len(ys) == 1 && ys[0] == s.anyOf(ys[0].Kind) {
		return xs
	}
	var out []*Alt
	for _, x := range xs {
		out = s.intersectEach(out, x, ys, len(xs) > 1 && len(ys) > 1)
		if len(out) > s.limits.Alternatives {
			s.unsupported(n.blame, "too many alternatives")
			return nil
		}
	}
	return s.absorb(out)
}

// intersectEach appends what x shares with each of ys: x alone, if that is a subset of one of
// them.
func (s *Schema) intersectEach(out []*Alt, x *Alt, ys []*Alt, prune bool) []*Alt {
	start := len(out)
	for _, y := range ys {
		if x.Kind == Object && x.Object.subsetOf(y.Object) {
			return append(out, x)
		}
	}
	for _, y := range ys {
		m := s.intersect(x, y)
		if m == nil || prune && !s.plausible(m) {
			continue
		}
		if m.same(x) {
			return append(out[:start], x)
		}
		out = append(out, m)
	}
	return out
}
