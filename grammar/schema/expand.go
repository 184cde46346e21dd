package schema

import "slices"

// expansion memoises the alternatives of one node, kind by kind.
type expansion struct {
	state [kinds]uint8 // 0 unknown, expanding, expanded
	alts  [kinds][]*Alt

	endless [kinds]*Node // the node is part of itself: evaluating it would never end. What led back to it
}

const (
	expanding uint8 = iota + 1
	expanded
)

// expand returns the alternatives of n of one kind. Some may turn out to be empty: Alts removes
// those.
//
// With track, alternatives are split until each knows which keys or elements the schemas it met
// have evaluated (the annotations that unevaluatedProperties and unevaluatedItems read): a union A
// ∪ B becomes A∧B, A∧¬B and ¬A∧B.
func (s *Schema) expand(n *Node, k Kind, track bool) []*Alt {
	slot := 0
	if track && k >= Array {
		slot = 1
	}
	m := n.memo[slot]
	if m == nil {
		m = new(expansion)
		n.memo[slot] = m
	}
	switch m.state[k] {
	case expanded:
		return m.alts[k]
	case expanding:
		if s.ahead > 0 {
			s.lost = true
			return nil
		}
		m.endless[k] = s.at
		return nil
	}
	if s.err != nil || s.lost {
		return nil
	}
	m.state[k] = expanding
	outer := s.at
	s.at = n
	alts := s.expandOp(n, k, slot == 1)
	s.at = outer
	if s.lost || s.err != nil {
		m.state[k] = 0 // what is incomplete must not be remembered
		return nil
	}
	if back := m.endless[k]; back != nil {
		alts = nil
		s.refersToItself(s.reference(back))
	}
	m.alts[k], m.state[k] = s.tidy(alts, k, slot == 1), expanded
	if len(m.alts[k]) > s.limits.Alternatives {
		s.unsupported(n.blame, "too many alternatives")
	}
	return m.alts[k]
}

// selfReference is why a reference has no meaning (2020-12 core §9.4.1 forbids it).
const selfReference = "the schema refers to itself without descending into the value"

// refersToItself gives up a reference in lenient mode. Strictly it is read to the letter: what it
// never ends to evaluate accepts nothing.
func (s *Schema) refersToItself(b *blame) {
	if s.lenient && s.building {
		s.unsupported(b, selfReference)
		return
	}
	s.issue(b.at, b.keyword, Enforced, selfReference+": no value is accepted there")
}

// reference is the keyword by which n refers to another schema; what is likeliest, if n is more
// than a schema object.
func (s *Schema) reference(n *Node) *blame {
	if n.leaf != nil {
		for _, keyword := range references {
			if n.leaf.at.get(keyword) != nil {
				return &blame{n.leaf.at, keyword}
			}
		}
	}
	return s.culpritOf(n, append(references[:], suspects[:]...))
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
		return s.expandUnion(s.alternatives(n), k, track)
	case opChoice:
		return s.expandUnion(n.kids, k, track)
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

// expandLeaf conjoins what a schema object says of kind k itself with the schemas that apply
// beside it.
func (s *Schema) expandLeaf(n *Node, k Kind, track bool) []*Alt {
	f := s.formOf(n.leaf)
	base := s.baseAlt(n.leaf, k)
	if base == nil {
		return nil
	}
	pending := k == Array && f.unevaluatedItems != nil || k == Object && f.unevaluatedProps != nil
	if !track && !pending {
		base = base.unseen()
	}
	if f.loose && (track || pending) {
		base = s.intersect(base, s.allSeen(k)) // what was dropped may have evaluated anything
	}
	if !pending {
		return s.expandAnd([]*Alt{base}, f.subs, k, track)
	}
	alts := s.expandAnd([]*Alt{base}, f.subs, k, true)
	out := make([]*Alt, 0, len(alts))
	for _, a := range alts {
		if a = s.closeUnevaluated(a, f); a != nil {
			if !track {
				a = a.unseen()
			}
			out = append(out, a)
		}
	}
	return out
}

// expandAnd conjoins alts with every node, the ones with the fewest alternatives first. A oneOf
// comes last: within what the others leave, its branches mostly share nothing.
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

// alternatives are what the union n unites, and the unions within it: what is nested deep would be
// copied at each level. What has been met before is left as it is: it may lead back to itself.
func (s *Schema) alternatives(n *Node) []*Node {
	met := map[*Node]bool{n: true}
	var flat []*Node
	for stack := slices.Clone(n.kids); len(stack) > 0; {
		kid := stack[0]
		stack = stack[1:]
		inner := kid
		for range maxChain {
			if inner.op != opLeaf || inner.memo[0] != nil || !s.formOf(inner.leaf).nothingBut() {
				break
			}
			inner = inner.leaf.form.subs[0]
		}
		if inner.op != opOr || met[inner] || inner.memo[0] != nil {
			flat = append(flat, kid)
			continue
		}
		met[inner] = true
		stack = append(slices.Clone(inner.kids), stack...)
	}
	return flat
}

func (s *Schema) expandUnion(nodes []*Node, k Kind, track bool) []*Alt {
	var alts []*Alt
	for _, n := range nodes {
		alts = append(alts, s.expand(n, k, track)...)
	}
	return alts
}

// expandSplit is a union in which every alternative knows of each kid whether it holds.
func (s *Schema) expandSplit(n *Node, k Kind) []*Alt {
	if !s.annotates(n.kids, k) {
		return s.expandUnion(n.kids, k, true)
	}
	var met []*Alt
	unmet := []*Alt{s.anyOf(k)}
	for _, kid := range n.kids {
		yes, no := s.expand(kid, k, true), s.expand(s.not(kid), k, false)
		met = slices.Concat(s.product(met, yes, n), s.product(met, no, n), s.product(unmet, yes, n))
		unmet = s.product(unmet, no, n)
	}
	return met
}

// annotates reports whether some alternative of the nodes has evaluated anything.
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

// expandOneOf keeps of each branch what no other branch takes, all within context. Where two
// branches share no value, which is the usual intent of oneOf, there is nothing to take away.
func (s *Schema) expandOneOf(n *Node, context *Alt, track bool) []*Alt {
	parts := make([][]*Alt, len(n.kids))
	live := 0
	for i, kid := range n.kids {
		parts[i] = s.share(nil, context, s.expand(kid, context.Kind, track), true)
		if len(parts[i]) > 0 {
			live++
		}
	}
	if texts := sameLengths(parts); len(texts) > manyTexts {
		first := firstOf(parts).String
		return present(s.stringAlt(s.exactlyOneText(texts), first.MinLen, first.MaxLen))
	}
	var out []*Alt
	for i, part := range parts {
		if live < 2 {
			out = append(out, part...)
			continue
		}
		for _, a := range part {
			out = append(out, s.minusOthers(n, i, a, parts)...)
		}
		if len(out) > s.limits.Alternatives {
			s.unsupported(n.blame, "too many alternatives")
			return nil
		}
	}
	return out
}

// sameLengths returns the texts of branches that are strings of the same lengths, nil if they are
// not.
func sameLengths(parts [][]*Alt) []Expr {
	var texts []Expr
	first := firstOf(parts)
	for _, part := range parts {
		for _, a := range part {
			if len(part) > 1 || a.Kind != String || a.String.MinLen != first.String.MinLen || a.String.MaxLen != first.String.MaxLen {
				return nil
			}
			texts = append(texts, a.String.Text)
		}
	}
	return texts
}

func firstOf(parts [][]*Alt) *Alt {
	for _, part := range parts {
		if len(part) > 0 {
			return part[0]
		}
	}
	return nil
}

// manyTexts is the number of languages from which taking all others away from each is too much.
const manyTexts = 8

// exactlyOneText returns what is in exactly one of some languages.
func (s *Schema) exactlyOneText(texts []Expr) Expr {
	var apart, others []Expr
	for i, x := range texts {
		if s.overlapsOther(texts, i) {
			others = append(others, x)
		} else {
			apart = append(apart, x)
		}
	}
	if len(others) > 0 {
		one, _ := s.oneText(others)
		apart = append(apart, one)
	}
	return s.arena.Union(apart...)
}

// overlapsOther reports whether a language shares a word with another of the list.
func (s *Schema) overlapsOther(texts []Expr, i int) bool {
	for j, y := range texts {
		if j != i && !s.vacant(s.arena.Intersect(texts[i], y)) {
			return true
		}
	}
	return false
}

// oneText returns what is in exactly one of some languages, and what is in any. Halves share what
// their words have become, which the complements of all others beside each would not.
func (s *Schema) oneText(texts []Expr) (one, any Expr) {
	if len(texts) == 1 {
		return texts[0], texts[0]
	}
	a, half := s.arena, len(texts)/2
	left, anyLeft := s.oneText(texts[:half])
	right, anyRight := s.oneText(texts[half:])
	return a.Union(a.Intersect(left, a.Complement(anyRight)), a.Intersect(right, a.Complement(anyLeft))), a.Union(anyLeft, anyRight)
}

// minusOthers returns what of a, an alternative of branch i, lies in no other branch.
func (s *Schema) minusOthers(n *Node, i int, a *Alt, parts [][]*Alt) []*Alt {
	rest := []*Alt{a}
	for j, part := range parts {
		if j == i || len(rest) == 0 || !s.anyOverlap(rest, part) {
			continue
		}
		rest = s.product(rest, s.expand(s.not(n.kids[j]), a.Kind, false), n)
	}
	return rest
}

// anyOverlap reports whether some alternative of one list may share a value with one of the other.
func (s *Schema) anyOverlap(xs, ys []*Alt) bool {
	for _, x := range xs {
		for _, y := range ys {
			if x.Kind == Number && apartCells(x.cells, y.cells) {
				continue
			}
			if m := s.intersect(x, y); m != nil && s.plausible(m) {
				return true
			}
		}
	}
	return false
}

// product intersects every pair. n is to blame if there are too many.
func (s *Schema) product(xs, ys []*Alt, n *Node) []*Alt {
	if len(xs) == 1 && xs[0] == s.anyOf(xs[0].Kind) {
		return ys
	}
	if len(ys) == 1 && ys[0] == s.anyOf(ys[0].Kind) {
		return xs
	}
	var out []*Alt
	for _, x := range xs {
		out = s.share(out, x, ys, len(xs) > 1 && len(ys) > 1)
		if len(out) > s.limits.Alternatives {
			s.unsupported(n.blame, "too many alternatives")
			return nil
		}
	}
	return s.absorb(out)
}

// share appends what x has in common with each of ys. If x lies within one of them, that is x
// alone.
func (s *Schema) share(out []*Alt, x *Alt, ys []*Alt, prune bool) []*Alt {
	start := len(out)
	for _, y := range ys {
		if x.Kind == Object && x.Object.within(y.Object) {
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
