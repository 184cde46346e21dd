package schema

import (
	"math/big"
	"slices"
	"strings"

	"tenon/grammar/schema/source"
)

// constant returns the set of exactly the given values.
func (s *Schema) constant(b *blame, values []*source.Value) *Node {
	if len(values) == 0 {
		return s.never
	}
	if len(values) == 1 {
		if n, ok := s.consts[values[0].Canonical()]; ok {
			return n
		}
	}
	n := s.newNode(opEnum)
	n.enum, n.blame = values, b
	if len(values) == 1 {
		s.consts[values[0].Canonical()] = n
	}
	return n
}

// A constant whose numbers and strings are no longer than this is small: its automata cost little.
const (
	smallNumber = 32
	smallString = 1 << 12
)

// small reports whether n is one small constant: it has a value, and its automata are within
// limits, which takes no search to see. For the constants of a long list a search takes seconds.
func (n *Node) small() bool { return n.op == opEnum && len(n.enum) == 1 && small(n.enum[0]) }

// NumberLength returns an upper bound on the bytes that n takes, if it is a single number of plain
// spelling; false otherwise.
func (n *Node) NumberLength() (int, bool) {
	if !n.small() || n.enum[0].Kind != Number {
		return 0, false
	}
	return len(n.enum[0].Text), true
}

func small(v *source.Value) bool {
	switch v.Kind {
	case Number:
		return len(v.Text) <= smallNumber && !strings.ContainsAny(v.Text, "eE")
	case String:
		return len(v.Text) <= smallString
	case Array:
		return !slices.ContainsFunc(v.Items, func(e *source.Value) bool { return !small(e) })
	case Object:
		return !slices.ContainsFunc(v.Members, func(m source.Member) bool { return len(m.Key) > smallString || !small(m.Val) })
	}
	return true
}

// mergeEnums intersects the lists of values, and the excluded lists, among the nodes of a
// conjunction to one list. That decides most discriminators without a look at their languages.
func (s *Schema) mergeEnums(nodes []*Node) []*Node {
	var lists, excluded, rest []*Node
	for _, n := range nodes {
		switch {
		case n.op == opEnum:
			lists = append(lists, n)
		case n.op == opNot && n.kids[0].op == opEnum:
			excluded = append(excluded, n.kids[0])
		default:
			rest = append(rest, n)
		}
	}
	if len(lists)+len(excluded) < 2 {
		return nodes
	}
	if len(lists) == 0 {
		var all []*source.Value
		for _, n := range excluded {
			all = append(all, n.enum...)
		}
		return append(rest, s.not(s.constant(excluded[0].blame, all)))
	}
	values := lists[0].enum
	for _, n := range lists[1:] {
		values = selected(values, n.enum, true)
	}
	for _, n := range excluded {
		values = selected(values, n.enum, false)
	}
	return append(rest, s.constant(lists[0].blame, values))
}

// selected returns the values that are in list, or those that are not if in is false.
func selected(values, list []*source.Value, in bool) []*source.Value {
	if len(list) == 1 {
		only := list[0].Canonical()
		return slices.DeleteFunc(slices.Clone(values), func(v *source.Value) bool { return (v.Canonical() == only) != in })
	}
	known := make(map[string]bool, len(list))
	for _, v := range list {
		known[v.Canonical()] = true
	}
	return slices.DeleteFunc(slices.Clone(values), func(v *source.Value) bool { return known[v.Canonical()] != in })
}

// enumAlts returns the values of kind k that n lists: one alternative for all scalars, and one for
// each array or object.
func (s *Schema) enumAlts(n *Node, k Kind) []*Alt {
	var words []string
	var points []cell
	var alts []*Alt
	flags := Alt{Kind: Bool}
	for _, v := range n.enum {
		if v.Kind != k {
			continue
		}
		switch k {
		case Null:
			return []*Alt{s.anyOf(Null)}
		case Bool:
			flags.True = flags.True || v.Truth
			flags.False = flags.False || !v.Truth
		case Number:
			points = append(points, s.point(n.blame, v))
		case String:
			words = append(words, v.Text)
		default:
			alts = append(alts, s.exact(v))
		}
	}
	switch {
	case flags.True || flags.False:
		return []*Alt{&flags}
	case len(points) > 0:
		return present(s.numberAlt(points))
	case len(words) > 0:
		return []*Alt{{Kind: String, String: StringAlt{Text: s.arena.Literals(words...), MaxLen: Unbounded}}}
	}
	return alts
}

// point returns the cell of one number; b is blamed if it is too large.
func (s *Schema) point(b *blame, v *source.Value) cell {
	r := source.Rat(v)
	if r == nil {
		s.unsupported(b, "a number whose exponent is too large")
		r = new(big.Rat)
	}
	return cell{min: r, max: r}
}

// exact returns the alternative that holds only v, an array or object.
func (s *Schema) exact(v *source.Value) *Alt {
	if v.Kind == Array {
		a := &ArrayAlt{Rest: s.never, Min: len(v.Items), Max: len(v.Items)}
		for _, e := range v.Items {
			a.Prefix = append(a.Prefix, s.constant(nil, []*source.Value{e}))
		}
		return &Alt{Kind: Array, Array: a}
	}
	o := &ObjectAlt{schema: s, MinProps: len(v.Members), MaxProps: len(v.Members)}
	o.Rules = []Rule{{Keys: s.arena.AnyText(), Value: s.never}}
	for _, m := range v.Members {
		o.add(Prop{Name: m.Key, Value: s.constant(nil, []*source.Value{m.Val}), Required: true})
	}
	return &Alt{Kind: Object, Object: o}
}
