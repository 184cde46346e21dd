package schema

import (
	"encoding/binary"
	"slices"

	"tenon/grammar/schema/source"
)

// op says how a node's set is put together.
type op uint8

const (
	opNever op = iota
	opAny
	opLeaf   // one schema object of the source
	opNot    // complement of kids[0]
	opAnd    // intersection of kids
	opOr     // union of kids
	opChoice // union of kids that are disjoint by construction
	opOneOf  // values in exactly one of kids
	opEnum   // one of the listed values
	opFixed  // the alternatives in fixed
)

// Node is a set of JSON values. Nodes are hash-consed: within one Schema, equal formulas are the
// same pointer, which keeps recursion finite. A node's alternatives are computed when first asked
// for.
type Node struct {
	schema *Schema
	id     int32
	op     op
	sat    satState
	kids   []*Node
	blame  *blame // the keyword to name when expansion meets a limit; nil: look in kids
	leaf   *leaf
	enum   []*source.Value
	fixed  []*Alt
	not    *Node         // memo of Not
	memo   [2]*expansion // by tracking, see expand
	alts   []*Alt        // memo of Alts
	listed bool          // alts is set
}

// blame is the keyword that a formula comes from.
type blame struct {
	at      *source.Value // the schema object that holds keyword
	keyword string
}

// Any reports whether n is known to hold every JSON value.
func (n *Node) Any() bool { return n.op == opAny }

// Empty reports whether no value belongs to n. It is exact: a schema that only infinite values
// would satisfy is empty.
func (n *Node) Empty() bool { return !n.schema.satisfiable(n) }

// Alts returns the alternatives of n, none of them empty, in the order of their kinds. An empty
// node has none.
func (n *Node) Alts() []*Alt {
	if !n.listed {
		n.listed = true
		n.schema.at = n
		for k := range kinds {
			for _, a := range n.schema.expand(n, k, false) {
				if n.schema.inhabited(a) {
					n.alts = append(n.alts, n.schema.boundTimes(n.schema.normalize(a))...)
				}
			}
		}
	}
	return n.alts
}

// And returns the values that belong to both n and m, which must be nodes of one Schema.
func (n *Node) And(m *Node) *Node { return n.schema.and(n, m) }

// Not returns the values that do not belong to n.
func (n *Node) Not() *Node { return n.schema.not(n) }

func (s *Schema) newNode(o op) *Node {
	if len(s.slab) == 0 {
		s.slab = make([]Node, min(64, 8+int(s.nodes)))
	}
	n := &s.slab[0]
	s.slab = s.slab[1:]
	n.schema, n.id, n.op = s, s.nodes, o
	s.nodes++
	if s.nodes > s.limits.Nodes && s.err == nil {
		s.unsupported(nil, "more than the allowed number of intermediate nodes")
	}
	return n
}

// workPerStop is how much work is done between two calls of Options.Stop.
const workPerStop = 1 << 10

// spend counts work.
func (s *Schema) spend(n int) {
	if s.err != nil {
		return // the attempt has failed and is ending
	}
	if asks := s.work/workPerStop != (s.work+n)/workPerStop; asks && s.stop != nil {
		if s.stopped = s.stop(); s.stopped != nil {
			s.unsupported(nil, "stopped")
			return
		}
	}
	if s.work += n; s.work > s.limits.Work {
		s.unsupported(nil, "too much work")
	}
}

func (s *Schema) and(nodes ...*Node) *Node {
	return s.combine(opAnd, nodes, nil)
}

// or unites nodes; b is blamed if expanding the union meets a limit.
func (s *Schema) or(b *blame, nodes ...*Node) *Node {
	return s.combine(opOr, nodes, b)
}

// combine builds the conjunction or union of nodes, flattened and without repetition.
func (s *Schema) combine(o op, nodes []*Node, b *blame) *Node {
	neutral, absorbing := s.any, s.never
	if o == opOr {
		neutral, absorbing = s.never, s.any
	}
	if len(nodes) == 2 { // nearly always
		switch x, y := nodes[0], nodes[1]; {
		case x == y || y == neutral:
			return x
		case x == neutral:
			return y
		}
	}
	var buffer [8]*Node
	flat := buffer[:0]
	for _, n := range nodes {
		switch {
		case n == absorbing && !(o == opOr && s.source.Tracks):
			// where annotations matter, A ∪ any is not any: A has evaluated something
			return absorbing
		case n == neutral:
		case n.op == o:
			for _, k := range n.kids {
				flat = appendNew(flat, k)
			}
		default:
			flat = appendNew(flat, n)
		}
	}
	switch len(flat) {
	case 0:
		return neutral
	case 1:
		return flat[0]
	}
	key := consKey(o, flat)
	if n, ok := s.cons[key]; ok {
		return n
	}
	if o == opAnd {
		if contradicts(flat) {
			s.cons[key] = s.never
			return s.never
		}
		if merged := s.mergeEnums(flat); len(merged) < len(flat) {
			n := s.combine(o, merged, b)
			s.cons[key] = n
			return n
		}
	}
	n := s.newNode(o)
	n.kids, n.blame = slices.Clone(flat), b
	s.cons[key] = n
	return n
}

// contradicts reports whether a conjunction of nodes is plainly empty: A ∧ ¬A, or A ∧ B ∧ (¬A ∨
// ¬B).
func contradicts(nodes []*Node) bool {
	for _, n := range nodes {
		switch n.op {
		case opNot:
			if slices.Contains(nodes, n.kids[0]) {
				return true
			}
		case opOr:
			if !slices.ContainsFunc(n.kids, func(k *Node) bool { return k.not == nil || !slices.Contains(nodes, k.not) }) {
				return true
			}
		}
	}
	return false
}

func appendNew(list []*Node, n *Node) []*Node {
	if slices.Contains(list, n) {
		return list
	}
	return append(list, n)
}

// consKey identifies a combination regardless of the order of its kids. The node keeps the order
// in which it was first built.
func consKey(o op, kids []*Node) string {
	var buffer [16]int32
	ids := buffer[:0]
	for _, k := range kids {
		ids = append(ids, k.id)
	}
	slices.Sort(ids)
	key := make([]byte, 0, 1+4*len(ids))
	key = append(key, byte(o))
	for _, id := range ids {
		key = binary.LittleEndian.AppendUint32(key, uint32(id))
	}
	return string(key)
}

// not complements n. It applies De Morgan down to leaves, enums and oneOf, whose complement is a
// node of its own.
func (s *Schema) not(n *Node) *Node {
	if n.not != nil {
		return n.not
	}
	var m *Node
	switch n.op {
	case opNever:
		m = s.any
	case opAny:
		m = s.never
	case opAnd:
		m = s.or(n.blame, s.notAll(n.kids)...)
	case opOr, opChoice:
		m = s.and(s.notAll(n.kids)...)
	default:
		m = s.newNode(opNot)
		m.kids, m.blame = []*Node{n}, n.blame
	}
	n.not = m
	if m.not == nil {
		m.not = n
	}
	return m
}

func (s *Schema) notAll(nodes []*Node) []*Node {
	out := make([]*Node, len(nodes))
	for i, n := range nodes {
		out[i] = s.not(n)
	}
	return out
}

// choice unites disjoint nodes.
func (s *Schema) choice(b *blame, nodes ...*Node) *Node {
	n := s.newNode(opChoice)
	n.kids, n.blame = nodes, b
	return n
}

// exactlyOne returns the values in exactly one of nodes.
func (s *Schema) exactlyOne(b *blame, nodes []*Node) *Node {
	live := make([]*Node, 0, len(nodes))
	for _, n := range nodes {
		if n != s.never {
			live = append(live, n) // a repeated node counts twice
		}
	}
	switch len(live) {
	case 0:
		return s.never
	case 1:
		return live[0]
	}
	n := s.newNode(opOneOf)
	n.kids, n.blame = live, b
	return n
}

// fixedNode returns the union of the given alternatives.
func (s *Schema) fixedNode(alts ...*Alt) *Node {
	n := s.newNode(opFixed)
	n.fixed = alts
	return n
}
