package machine

import (
	"encoding/binary"
	"errors"
	"slices"

	"tenon/grammar/gbnf"
)

// anyOrder is a %each terminal: parts that come in any order, each at most once.
type anyOrder struct {
	sep    string
	parts  []int32  // rules
	needed []uint64 // parts that must come
}

// each builds the rules of the parts.
func (b *builder) each(n *gbnf.Node) *anyOrder {
	x := &anyOrder{sep: n.Text, needed: make([]uint64, (len(n.Kids)+63)/64)}
	for i, k := range n.Kids {
		if k.IsOptional() {
			k = k.Kids[0]
		} else {
			setBit(x.needed, i)
		}
		r := b.newRule("part of %each")
		b.rule(r, k)
		x.parts = append(x.parts, r)
	}
	return x
}

// checkEaches refuses parts that read nothing: they would come without end.
func (p *Program) checkEaches() error {
	for _, x := range p.eaches {
		for _, r := range x.parts {
			if p.rules[r].nullable {
				return errors.New("a part of %each can be empty")
			}
		}
	}
	return nil
}

// leftParts lists the rules of a terminal that can be entered before anything has been read.
func (p *Program) leftParts(sub int32) []int32 {
	if x := p.eaches[p.subs[sub]]; x != nil {
		return x.parts
	}
	return nil
}

// anyOrderSets is what a machine knows of a %each terminal: the sets of parts that have come,
// interned. The set 0 is empty.
type anyOrderSets struct {
	*anyOrder
	sets  [][]uint64
	index map[string]int32
}

func (m *Machine) enterEach(n *gbnf.Node) thread {
	x := &anyOrderSets{anyOrder: m.prog.eaches[n], index: map[string]int32{}}
	x.intern(make([]uint64, len(x.needed)))
	m.eaches = append(m.eaches, x)
	return thread{def: def(kindEach, len(m.eaches)-1)}
}

func (m *Machine) eachOf(t thread) *anyOrderSets { return m.eaches[t.def.index()] }

func (x *anyOrderSets) intern(set []uint64) int32 {
	var key []byte
	for _, w := range set {
		key = binary.LittleEndian.AppendUint64(key, w)
	}
	return numbered(x.index, &x.sets, string(key), set)
}

// with is a set with one more part.
func (x *anyOrderSets) with(set int32, part int) int32 {
	next := slices.Clone(x.sets[set])
	setBit(next, part)
	return x.intern(next)
}

// complete says whether all parts have come that must.
func (x *anyOrderSets) complete(set int32) bool {
	for i, w := range x.needed {
		if w&^x.sets[set][i] != 0 {
			return false
		}
	}
	return true
}

// more says whether a part has not come yet.
func (x *anyOrderSets) more(set int32) bool {
	for i := range x.parts {
		if !hasBit(x.sets[set], i) {
			return true
		}
	}
	return false
}

// lead is what stands before the next part.
func (x *anyOrderSets) lead(set int32) string {
	if set == 0 {
		return ""
	}
	return x.sep
}

// stepEach reads an input before a part.
func (m *Machine) stepEach(dst []thread, t thread, in int) []thread {
	x := m.eachOf(t)
	if t.st == 0 && t.aux != 0 && x.complete(t.aux) {
		dst = m.stepBelow(dst, t, in)
	}
	if sep := x.lead(t.aux); int(t.st) < len(sep) {
		if int(sep[t.st]) == in && x.more(t.aux) {
			t.st++
			dst = append(dst, t)
		}
		return dst
	}
	set, stack := t.aux, t.stack
	for i, r := range x.parts {
		if hasBit(x.sets[set], i) {
			continue
		}
		t.stack = m.stacks.push(stack, frame{def: t.def, aux: x.with(set, i)})
		u := t
		u.def, u.st, u.aux = defRule, m.prog.rules[r].start, 0
		dst = m.step(dst, u, in)
	}
	return dst
}

// eachDistance is how far the parts that are missing are from their end.
func (m *Machine) eachDistance(x *anyOrderSets, read, set int32) int32 {
	lead := int32(len(x.lead(set)))
	n, next := int32(0), lead
	nearest := int32(unreachable)
	for i, r := range x.parts {
		if hasBit(x.sets[set], i) {
			continue
		}
		d := m.ruleDistance(m.prog.rules[r].start)
		nearest = min(nearest, d)
		if hasBit(x.needed, i) {
			n = add(n, add(d, next))
			next = int32(len(x.sep))
		}
	}
	if n == 0 && read > 0 {
		n = add(nearest, lead)
	}
	return max(n-read, 0)
}
