package print

import (
	"encoding/binary"

	"tenon/grammar/gbnf"
	"tenon/grammar/partition"
)

// share makes one rule of those that read the same, whatever rules they lead to are called: tools
// have keys, formats and values in common.
func (p *printer) share() {
	class := sameRules(p.out.Rules)
	first := map[int32]int{class[p.out.Root]: p.out.Root} // the rule of a class that stays
	for i, c := range class {
		if _, ok := first[c]; !ok {
			first[c] = i
		}
	}
	p.replace(func(i int) int { return first[class[i]] })
}

// sameRules numbers rules so that those with one number match the same.
func sameRules(rules []gbnf.Rule) []int32 {
	shapes := map[string]uint32{}
	shape, refs := make([]uint32, len(rules)), make([][]int, len(rules))
	before := make([][]int32, len(rules))
	for i, r := range rules {
		text, to := gbnf.Shape(r.Node)
		if _, ok := shapes[text]; !ok {
			shapes[text] = uint32(len(shapes))
		}
		shape[i], refs[i] = shapes[text], to
		for _, j := range to {
			before[j] = append(before[j], int32(i))
		}
	}
	return partition.Coarsest(len(rules), func(buf []byte, i int, class []int32) []byte {
		buf = binary.LittleEndian.AppendUint32(buf, shape[i])
		for _, j := range refs[i] {
			buf = binary.LittleEndian.AppendUint32(buf, uint32(class[j]))
		}
		return buf
	}, before)
}

// replace leaves out the rules that others stand for.
func (p *printer) replace(by func(int) int) {
	moved := make([]int, len(p.out.Rules))
	var kept []gbnf.Rule
	for i, r := range p.out.Rules {
		if by(i) == i {
			moved[i] = len(kept)
			kept = append(kept, r)
		}
	}
	p.names = map[string]int{}
	for i := range kept {
		p.names[kept[i].Name] = i
		kept[i].Node = mapRefs(kept[i].Node, func(n *gbnf.Node) *gbnf.Node { return ref(moved[by(n.Rule)]) })
	}
	p.out = gbnf.Grammar{Rules: kept, Root: moved[by(p.out.Root)]}
	given := 0
	for i := range p.given {
		given += boolInt(by(i) == i)
	}
	p.given = given
}

// mapRefs is n with something else in the place of its references.
func mapRefs(n *gbnf.Node, f func(*gbnf.Node) *gbnf.Node) *gbnf.Node {
	if n.Op == gbnf.Ref {
		return f(n)
	}
	return n.WithKids(func(k *gbnf.Node) *gbnf.Node { return mapRefs(k, f) })
}
