package gbnf

import "slices"

// Sequence makes a Seq. It leaves out empty parts and takes the parts of a Seq in it; a single
// part stays as it is.
func Sequence(kids ...*Node) *Node {
	var out []*Node
	for _, k := range kids {
		switch {
		case k == nil || k.Op == Empty:
		case k.Op == Seq:
			out = append(out, k.Kids...)
		default:
			out = append(out, k)
		}
	}
	return joined(Seq, out)
}

// Choice makes an Alt; a single kid stays as it is.
func Choice(kids ...*Node) *Node { return joined(Alt, kids) }

// joined makes a Seq or an Alt; a single kid stays as it is, and none is Empty.
func joined(o Op, kids []*Node) *Node {
	switch len(kids) {
	case 0:
		return &Node{Op: Empty}
	case 1:
		return kids[0]
	}
	return &Node{Op: o, Kids: kids}
}

// WithoutLeftRecursion rewrites a ::= a x | b as a ::= b x*, which accepts the same; self is the
// rule that n is the tree of. Recursion through other rules is left as it is.
func (n *Node) WithoutLeftRecursion(self int) *Node {
	if n.Op != Alt {
		return n
	}
	var bases, tails []*Node
	for _, k := range n.Kids {
		if k.Op == Seq && k.Kids[0].Op == Ref && k.Kids[0].Rule == self {
			tails = append(tails, Sequence(k.Kids[1:]...))
		} else if k.Op != Ref || k.Rule != self {
			bases = append(bases, k)
		}
	}
	if len(tails) == 0 || len(bases) == 0 {
		return n
	}
	return Sequence(Choice(bases...), &Node{Op: Repeat, Max: Unbounded, Kids: []*Node{Choice(tails...)}})
}

// NullableRules says which rules match the empty text, given their trees. terminal says it of
// terminals that are automata; it is nil for grammars without any.
func NullableRules(rules []*Node, terminal func(*Node) bool) []bool {
	empty := make([]bool, len(rules))
	users := make([][]int, len(rules)) // by rule: those that lead to it
	queue := make([]int, len(rules))
	for i, n := range rules {
		_, refs := Shape(n)
		for _, to := range refs {
			users[to] = append(users[to], i)
		}
		queue[i] = i
	}
	for ; len(queue) > 0; queue = queue[1:] {
		if i := queue[0]; !empty[i] && rules[i].Nullable(empty, terminal) {
			empty[i] = true
			queue = append(queue, users[i]...)
		}
	}
	return empty
}

// Nullable says whether n matches the empty text, given which rules do.
func (n *Node) Nullable(rules []bool, terminal func(*Node) bool) bool {
	switch n.Op {
	case Empty, Check:
		return true
	case Literal:
		return n.Text == ""
	case Ref:
		return rules[n.Rule]
	case Repeat:
		return n.Min == 0 || n.Kids[0].Nullable(rules, terminal)
	case Capture:
		return n.Kids[0].Nullable(rules, terminal)
	case Seq:
		return !slices.ContainsFunc(n.Kids, func(k *Node) bool { return !k.Nullable(rules, terminal) })
	case Alt:
		return slices.ContainsFunc(n.Kids, func(k *Node) bool { return k.Nullable(rules, terminal) })
	}
	return terminal != nil && terminal(n)
}
