package machine

import (
	"strconv"

	"tenon/grammar/gbnf"
)

// atom is one step of an alternative. Atoms with equal keys are built once for all alternatives
// that begin with the same atoms.
type atom struct {
	key    string
	node   *gbnf.Node // nil for the marks of a capture
	within *writtenOut
	op     op
	arg    int32
}

// Limits of writing rules out in place of their names, which lets alternatives that are rules of
// their own share their beginnings.
const (
	maxInlineDepth = 8
	maxInlineAtoms = 4096
	// of all rules together: those in a choice within one that is written out itself
	maxInlineNested = 4096
)

// writtenOut is a rule that is being written out, and those around it.
type writtenOut struct {
	rule   int
	depth  int
	around *writtenOut
}

func (w *writtenOut) has(rule int) bool {
	return w != nil && (w.rule == rule || w.around.has(rule))
}

func (w *writtenOut) with(rule int) *writtenOut {
	if w == nil {
		return &writtenOut{rule, 1, nil}
	}
	return &writtenOut{rule, w.depth + 1, w}
}

type branch struct {
	from int32
	key  string
}

func (b *builder) choice(kids []*gbnf.Node, from int32) int32 {
	join := b.state()
	built := map[branch]int32{}
	for _, k := range kids {
		s := from
		for _, a := range b.atoms(nil, k, b.within) {
			next, ok := built[branch{s, a.key}]
			if !ok {
				next = b.atom(a, s)
				built[branch{s, a.key}] = next
			}
			s = next
		}
		b.edge(s, opNone, 0, join)
	}
	return join
}

func (b *builder) atom(a atom, from int32) int32 {
	if a.node == nil {
		return b.step(from, a.op, a.arg)
	}
	saved := b.within
	b.within = a.within
	end := b.node(a.node, from)
	b.within = saved
	return end
}

// atoms appends the steps of n, which stands within a rule that is written out unless that is nil,
// to list.
func (b *builder) atoms(list []atom, n *gbnf.Node, within *writtenOut) []atom {
	switch n.Op {
	case gbnf.Literal:
		for i := range len(n.Text) {
			list = append(list, atom{key: "'" + n.Text[i:i+1], op: opBytes, arg: b.byte(n.Text[i])})
		}
		return list
	case gbnf.Seq:
		for _, k := range n.Kids {
			list = b.atoms(list, k, within)
		}
		return list
	case gbnf.Capture:
		if !b.captures {
			return b.atoms(list, n.Kids[0], within)
		}
		id := b.name(n.Text)
		list = append(list, atom{key: "(" + n.Text, op: opBegin, arg: id})
		list = b.atoms(list, n.Kids[0], within)
		return append(list, atom{key: ")" + n.Text, op: opEnd, arg: id})
	case gbnf.Ref:
		if len(list) < maxInlineAtoms && b.mayWriteOut(n.Rule, within) {
			return b.atoms(list, b.g.Rules[n.Rule].Node, within.with(n.Rule))
		}
	}
	return append(list, atom{key: b.identity(n), node: n, within: within})
}

// mayWriteOut says whether a rule is to be written out: never in itself, or it would be so without
// end.
func (b *builder) mayWriteOut(rule int, within *writtenOut) bool {
	if !isSequence(b.g.Rules[rule].Node) || within.has(rule) || within != nil && within.depth >= maxInlineDepth {
		return false
	}
	if b.within != nil {
		b.nested++
	}
	return b.within == nil || b.nested <= maxInlineNested
}

// identity is Identity, but of a schema only the number of its terminal.
func (b *builder) identity(n *gbnf.Node) string {
	if n.Op == gbnf.JSON || n.Op == gbnf.Plain {
		return "%" + strconv.Itoa(int(b.subID(n)))
	}
	return gbnf.Identity(n)
}

// isSequence says whether a rule's body is worth writing out: it begins with something that other
// alternatives may begin with too.
func isSequence(n *gbnf.Node) bool {
	switch n.Op {
	case gbnf.Literal:
		return true
	case gbnf.Seq, gbnf.Capture:
		return isSequence(n.Kids[0])
	}
	return false
}

// simple says whether copies of n cost no more than calls of a rule would.
func simple(n *gbnf.Node) bool {
	switch n.Op {
	case gbnf.Seq, gbnf.Alt, gbnf.Repeat, gbnf.Capture:
		return false
	case gbnf.Literal:
		return len(n.Text) <= 1
	}
	return true
}

// repeat builds Min copies and then a loop or a chain of optional copies. What is repeated more
// than twice becomes a rule, so that nested repetitions add up and do not multiply.
func (b *builder) repeat(n *gbnf.Node, from int32) int32 {
	kid := n.Kids[0]
	if kid.Op == gbnf.Empty || n.Max == 0 {
		return from
	}
	if (n.Min > 1 || n.Max > 1) && !simple(kid) {
		kid = b.hoist(kid)
	}
	if n.Max == gbnf.Unbounded {
		return b.loop(kid, n.Min, from)
	}
	for range n.Min {
		from = b.node(kid, from)
	}
	to := b.state()
	for range n.Max - n.Min {
		if b.err != nil {
			break
		}
		from = b.step(from, opNone, 0)
		next := b.node(kid, from)
		b.edge(from, opNone, 0, to)
		from = next
	}
	b.edge(from, opNone, 0, to)
	return to
}

func (b *builder) loop(kid *gbnf.Node, least int, from int32) int32 {
	for i := 1; i < least; i++ {
		from = b.node(kid, from)
	}
	head := b.step(from, opNone, 0)
	end := b.node(kid, head)
	to := b.state()
	b.edge(end, opNone, 0, head)
	if least == 0 {
		b.edge(head, opNone, 0, to)
	} else {
		b.edge(end, opNone, 0, to)
	}
	return to
}

func (b *builder) hoist(n *gbnf.Node) *gbnf.Node {
	key := gbnf.Identity(n)
	i, ok := b.hoisted[key]
	if !ok {
		i = b.newRule(key)
		b.hoisted[key] = i
		b.rule(i, n)
	}
	return &gbnf.Node{Op: gbnf.Ref, Rule: int(i)}
}
