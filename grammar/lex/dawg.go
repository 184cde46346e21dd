package lex

// A wordSet is a finite set of byte strings: a node of a minimal acyclic automaton (DAWG). The
// leaves of expressions are word sets: bytes, code point classes in UTF-8, literals, unions of
// literals. Equal sets have equal ids.
type wordSet int32

const (
	noWords   wordSet = 0 // ∅
	emptyWord wordSet = 1 // {ε}
)

// edge leads from a word set to what may follow one of the bytes lo…hi.
type edge struct {
	lo, hi byte
	next   wordSet
}

type wordNode struct {
	edges []edge // sorted, disjoint, adjacent edges with equal targets merged
	final bool   // ε is a member
	lone  bool   // there is exactly one member
	// bit q: every member completes a UTF-8 text from decoder state q (see utf8Step)
	utf8   uint8
	span   span
	bounds ByteSet // first bytes of the maximal ranges on which the successors agree
}

type words struct {
	nodes []wordNode
	index interner
	edges []edge               // storage that the nodes' edges are cut from
	pairs map[[3]int32]wordSet // memo of combine

	limit    int  // on nodes
	overflow bool // a set came out smaller than it should, because of limit
}

func newWords() *words {
	w := &words{pairs: map[[3]int32]wordSet{}, limit: 2}
	w.intern(false, nil)
	w.intern(true, nil)
	return w
}

func (w *words) clone() *words {
	return &words{
		nodes: append(make([]wordNode, 0, 4*len(w.nodes)), w.nodes...), index: w.index.clone(),
		edges: append(make([]edge, 0, 4*len(w.edges)), w.edges...), pairs: map[[3]int32]wordSet{}, limit: w.limit,
	}
}

// intern returns the set of ε (if final) and the words along the edges. It joins the edges in
// place, and copies them if the set is new.
func (w *words) intern(final bool, edges []edge) wordSet {
	edges = joinEdges(edges)
	h := uint64(len(edges))
	if final {
		h += 1 << 32
	}
	for _, e := range edges {
		h = mix(h, uint64(e.lo)|uint64(e.hi)<<8|uint64(e.next)<<16)
	}
	id := w.index.find(h, func(id int32) bool {
		n := &w.nodes[id]
		if n.final != final || len(n.edges) != len(edges) {
			return false
		}
		for i := range edges {
			if n.edges[i] != edges[i] {
				return false
			}
		}
		return true
	})
	if id < 0 {
		id = int32(len(w.nodes))
		if int(id) >= w.limit {
			w.overflow = true
			return noWords
		}
		from := len(w.edges)
		w.edges = append(w.edges, edges...)
		w.nodes = append(w.nodes, w.describe(final, w.edges[from:len(w.edges):len(w.edges)]))
		w.index.add(h, id)
	}
	return wordSet(id)
}

// joinEdges drops edges to ∅ and merges neighbours with one target.
func joinEdges(edges []edge) []edge {
	out := edges[:0]
	for _, e := range edges {
		if e.next == noWords {
			continue
		}
		if k := len(out) - 1; k >= 0 && out[k].next == e.next && out[k].hi+1 == e.lo {
			out[k].hi = e.hi
			continue
		}
		out = append(out, e)
	}
	return out
}

// describe computes a node's attributes from those of its targets.
func (w *words) describe(final bool, edges []edge) wordNode {
	n := wordNode{edges: edges, final: final, utf8: utf8Mask(w, final, edges)}
	n.lone = final && len(edges) == 0 || !final && len(edges) == 1 && edges[0].lo == edges[0].hi && w.nodes[edges[0].next].lone
	n.bounds.Add(0)
	first := true
	if final {
		first = false
	}
	for _, e := range edges {
		n.bounds.Add(e.lo)
		if e.hi < 255 {
			n.bounds.Add(e.hi + 1)
		}
		s := edgeSpan(e).concat(w.nodes[e.next].span)
		if first {
			n.span, first = s, false
		} else {
			n.span = n.span.union(s)
		}
	}
	return n
}

// edgeSpan is the span of the one-byte strings of e.
func edgeSpan(e edge) span {
	s := span{1, runeCost(e.lo), jsonCost(e.lo), runeCost(e.lo)}
	for b := int(e.lo) + 1; b <= int(e.hi); b++ {
		runes := runeCost(byte(b))
		s = s.union(span{1, runes, jsonCost(byte(b)), runes})
	}
	return s
}

// after returns the words of s that begin with b, without that byte.
func (w *words) after(s wordSet, b byte) wordSet {
	edges := w.nodes[s].edges
	lo, hi := 0, len(edges)
	for lo < hi {
		if m := (lo + hi) / 2; edges[m].hi < b {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(edges) && edges[lo].lo <= b {
		return edges[lo].next
	}
	return noWords
}

// literal returns {s}·tail.
func (w *words) literal(s string, tail wordSet) wordSet {
	for i := len(s) - 1; i >= 0; i-- {
		tail = w.intern(false, []edge{{s[i], s[i], tail}})
	}
	return tail
}

// single returns the member of a set of one.
func (w *words) single(s wordSet) string {
	var text []byte
	for n := &w.nodes[s]; len(n.edges) > 0; n = &w.nodes[n.edges[0].next] {
		text = append(text, n.edges[0].lo)
	}
	return string(text)
}

type setOp int32

const (
	opUnion setOp = iota
	opIntersect
	opSubtract
)

// holds combines two memberships by op.
func (op setOp) holds(x, y bool) bool {
	switch op {
	case opUnion:
		return x || y
	case opIntersect:
		return x && y
	}
	return x && !y
}

// combine returns the union, intersection or difference of two word sets.
func (w *words) combine(op setOp, x, y wordSet) wordSet {
	if r, ok := combineTrivial(op, x, y); ok {
		return r
	}
	if op != opSubtract && x > y {
		x, y = y, x
	}
	key := [3]int32{int32(op), int32(x), int32(y)}
	if r, ok := w.pairs[key]; ok {
		return r
	}
	final := op.holds(w.nodes[x].final, w.nodes[y].final)
	cuts := w.nodes[x].bounds.Union(w.nodes[y].bounds)
	var buffer [32]edge
	edges := buffer[:0]
	for lo := 0; lo < 256; {
		hi := cuts.from(lo+1) - 1
		next := w.combine(op, w.after(x, byte(lo)), w.after(y, byte(lo)))
		edges = append(edges, edge{byte(lo), byte(hi), next})
		lo = hi + 1
	}
	r := w.intern(final, edges)
	if !w.overflow && len(w.pairs) < w.limit {
		w.pairs[key] = r
	}
	return r
}

func combineTrivial(op setOp, x, y wordSet) (wordSet, bool) {
	switch {
	case x == y && op == opSubtract:
		return noWords, true
	case x == y:
		return x, true
	case x == noWords && op == opUnion:
		return y, true
	case x == noWords:
		return noWords, true
	case y == noWords && op == opIntersect:
		return noWords, true
	case y == noWords:
		return x, true
	}
	return 0, false
}

// combineAll combines many sets, halves first, so that the union of many words is not built anew
// for each word.
func (w *words) combineAll(op setOp, sets []wordSet) wordSet {
	if len(sets) == 1 {
		return sets[0]
	}
	half := len(sets) / 2
	return w.combine(op, w.combineAll(op, sets[:half]), w.combineAll(op, sets[half:]))
}

// ofSorted returns the set of the given strings, which are sorted and distinct.
func (w *words) ofSorted(all []string) wordSet {
	final := len(all) > 0 && all[0] == ""
	if final {
		all = all[1:]
	}
	if len(all) == 1 && !final {
		return w.literal(all[0], emptyWord)
	}
	var edges []edge
	for len(all) > 0 {
		b := all[0][0]
		n := 0
		for n < len(all) && all[n][0] == b {
			n++
		}
		tails := make([]string, n)
		for i := range tails {
			tails[i] = all[i][1:]
		}
		edges = append(edges, edge{b, b, w.ofSorted(tails)})
		all = all[n:]
	}
	return w.intern(final, edges)
}

// ofBytes returns the set of one-byte strings.
func (w *words) ofBytes(set ByteSet) wordSet {
	var edges []edge
	for b := set.from(0); b < 256; b = set.from(b + 1) {
		edges = append(edges, edge{byte(b), byte(b), emptyWord})
	}
	return w.intern(false, edges)
}
