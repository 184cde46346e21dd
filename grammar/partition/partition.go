// Package partition finds which things are the same where things lead to each other: the states of
// an automaton that accept the same words, the rules of a grammar that read the same.
package partition

import "slices"

// Coarsest numbers n things so that two have one number if and only if their signatures are equal.
// A signature may hold the numbers of other things: signature appends that of thing i to buf,
// given the numbers so far, and before[j] lists the things in whose signature the number of j
// stands.
//
// All begin in one class, and classes are split until none has members that differ. The largest
// part of a class keeps its number, so a thing gets a new one some log n times at most, and only
// what it is in the signature of is looked at again.
func Coarsest(n int, signature func(buf []byte, i int, class []int32) []byte, before [][]int32) []int32 {
	p := &partition{class: make([]int32, n), at: make([]int32, n)}
	dirty := make([]int32, n)
	for i := range dirty {
		dirty[i], p.at[i] = int32(i), int32(i)
	}
	p.members, p.agreed = [][]int32{slices.Clone(dirty)}, []string{""}
	queued := make([]bool, n)
	for len(dirty) > 0 {
		var next []int32
		for _, moved := range p.round(dirty, signature) {
			for _, i := range before[moved] {
				if !queued[i] {
					queued[i], next = true, append(next, i)
				}
			}
		}
		for _, i := range next {
			queued[i] = false
		}
		dirty = next
	}
	return p.class
}

type partition struct {
	class   []int32   // by thing
	at      []int32   // by thing: where it stands among the members of its class
	members [][]int32 // by class
	agreed  []string  // by class: the signature of the members that were not looked at again since
}

// part is the members of a class with one signature.
type part struct {
	class   int32
	mark    string
	members []int32
	stays   bool // members that were not looked at have this signature, too
}

// round splits the classes of the dirty things, and returns those that got new numbers. Signatures
// speak of the numbers before the round.
func (p *partition) round(dirty []int32, signature func([]byte, int, []int32) []byte) []int32 {
	type key struct {
		class int32
		mark  string
	}
	index := map[key]int{}
	var parts []part
	count := map[int32]int{} // dirty members by class
	var buf []byte
	for _, i := range dirty {
		buf = signature(buf[:0], int(i), p.class)
		k, ok := index[key{p.class[i], string(buf)}]
		if !ok {
			k = len(parts)
			mark := string(buf)
			index[key{p.class[i], mark}] = k
			parts = append(parts, part{class: p.class[i], mark: mark})
		}
		parts[k].members = append(parts[k].members, i)
		count[p.class[i]]++
	}
	byClass := map[int32][]part{}
	var order []int32
	for _, x := range parts {
		if byClass[x.class] == nil {
			order = append(order, x.class)
		}
		byClass[x.class] = append(byClass[x.class], x)
	}
	var moved []int32
	for _, c := range order {
		moved = append(moved, p.split(c, byClass[c], len(p.members[c])-count[c])...)
	}
	return moved
}

// split gives all parts of class c numbers of their own but the largest. Rest is how many members
// were not looked at, which agree with each other.
func (p *partition) split(c int32, parts []part, rest int) []int32 {
	if rest > 0 {
		k := slices.IndexFunc(parts, func(x part) bool { return x.mark == p.agreed[c] })
		if k < 0 {
			k = len(parts)
			parts = append(parts, part{class: c, mark: p.agreed[c]})
		}
		parts[k].stays = true
	}
	size := func(x part) int {
		if x.stays {
			return len(x.members) + rest
		}
		return len(x.members)
	}
	largest := 0
	for k := range parts {
		if size(parts[k]) > size(parts[largest]) {
			largest = k
		}
	}
	if !parts[largest].stays && rest > 0 {
		p.gather(c, parts)
	}
	var moved []int32
	for k, x := range parts {
		if k != largest {
			p.move(x)
			moved = append(moved, x.members...)
		}
	}
	p.agreed[c] = parts[largest].mark
	return moved
}

// gather adds the members that were not looked at to the part that they belong to.
func (p *partition) gather(c int32, parts []part) {
	looked := map[int32]bool{}
	stays := 0
	for k, x := range parts {
		if x.stays {
			stays = k
		}
		for _, i := range x.members {
			looked[i] = true
		}
	}
	for _, i := range p.members[c] {
		if !looked[i] {
			parts[stays].members = append(parts[stays].members, i)
		}
	}
}

// move makes a class of a part.
func (p *partition) move(x part) {
	c := int32(len(p.members))
	p.agreed = append(p.agreed, x.mark)
	old := p.members[x.class]
	for k, i := range x.members {
		last := old[len(old)-1]
		old[p.at[i]], p.at[last] = last, p.at[i]
		old = old[:len(old)-1]
		p.class[i], p.at[i] = c, int32(k)
	}
	p.members[x.class] = old
	p.members = append(p.members, x.members)
}
