// Package partition finds which things are the same where things lead to each other: the states of
// an automaton that accept the same words, the rules of a grammar that read the same. The field
// calls it partition refinement (Moore, Hopcroft, Paige–Tarjan); regex-automata minimizes DFAs so.
//
// # Words
//
//	here                     the field (Hopcroft, Paige–Tarjan)
//	class                    block of a partition
//	Coarsest                 the coarsest partition that is stable; minimization, for a DFA
//	signature                what tells the members of a block apart, as a splitter does
//	dirty                    members of blocks in the worklist
//	the most that agree keep their number
//	                         all parts but the largest are processed
package partition

// Coarsest numbers n things so that two have one number if and only if their signatures are equal.
// A signature may hold the numbers of other things: signature appends that of thing i to buf,
// given the numbers so far, and before[j] lists the things in whose signature the number of j
// stands.
//
// All begin in one class, and classes are split until none has members that differ (Moore's
// algorithm). Only what has a changed number in its signature is looked at again: where some
// members of a class were not, they keep its number, else the most that agree do.
func Coarsest(n int, signature func(buf []byte, i int, class []int32) []byte, before [][]int32) []int32 {
	p := &partition{class: make([]int32, n), sizes: []int{n}, agreed: []string{""}}
	dirty := make([]int32, n)
	for i := range dirty {
		dirty[i] = int32(i)
	}
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
	class []int32 // by thing
	sizes []int   // by class
	// by class: the signature of the members that were not looked at again since
	agreed []string
}

// part is the members of a class that were looked at and have one signature.
type part struct {
	class int32
	mark  string
}

// round splits the classes of the dirty things, and returns those that got new numbers. Signatures
// speak of the numbers before the round.
func (p *partition) round(dirty []int32, signature func([]byte, int, []int32) []byte) (moved []int32) {
	members := map[part][]int32{}
	var parts []part
	looked, largest := map[int32]int{}, map[int32]part{} // by class
	var buf []byte
	for _, i := range dirty {
		buf = signature(buf[:0], int(i), p.class)
		k := part{p.class[i], string(buf)}
		if members[k] == nil {
			parts = append(parts, k)
		}
		members[k] = append(members[k], i)
		looked[k.class]++
		if len(members[k]) > len(members[largest[k.class]]) {
			largest[k.class] = k
		}
	}
	for c, n := range looked {
		if n == p.sizes[c] {
			p.agreed[c] = largest[c].mark
		}
	}
	for _, k := range parts {
		if k.mark == p.agreed[k.class] {
			continue
		}
		for _, i := range members[k] {
			p.class[i] = int32(len(p.sizes))
		}
		p.sizes[k.class] -= len(members[k])
		p.sizes, p.agreed = append(p.sizes, len(members[k])), append(p.agreed, k.mark)
		moved = append(moved, members[k]...)
	}
	return moved
}
