package machine

import (
	"slices"

	"tenon/grammar/vocab"
)

// A mask that fills the automata by itself is computed in pieces, each on automata that hold
// little else: token by token, with nothing looked ahead.

// PartialMask is a mask in the making. It is not bound to one machine.
type PartialMask struct {
	set  []uint64 // what has been found
	next int      // the node of the tree to go on with
	path [vocab.MaxPiece + 2]byte
}

// Empty says whether no token has been found.
func (p *PartialMask) Empty() bool {
	return !slices.ContainsFunc(p.set, func(w uint64) bool { return w != 0 })
}

// Resume goes on with a mask until the automata are full, or says that it is whole. A token that
// fills fresh automata by itself is left out. pause is that of Mask.
func (k *Masks) Resume(id ConfigID, p *PartialMask, pause func()) (whole bool) {
	c, nodes := &collector{Masks: k, pause: pause}, k.v.Trie().Nodes
	w := &c.walk
	if p.set == nil {
		p.set = k.newSet()
	}
	w.begin(c, 0, k.m.configs.lists[id])
	known, from := 0, p.next // w.at is known down to a depth
	for p.next < len(nodes) {
		n := &nodes[p.next]
		above := int(n.Depth) - 1
		for known = min(known, above); known < above; known++ {
			w.at[known+1] = w.next(k.m, w.at[known], p.path[known])
		}
		s := w.next(k.m, w.at[above], n.Byte)
		c.visit(1, w.stepped*threadWork)
		w.stepped = 0
		if k.m.Full() {
			if p.next == from {
				p.next += int(n.Size)
			}
			return false
		}
		if s == walkDead {
			p.next += int(n.Size)
			continue
		}
		p.path[above], w.at[n.Depth], known = n.Byte, s, int(n.Depth)
		for token := n.Token; token >= 0; token = k.v.Trie().Next(token) {
			addToken(p.set, token)
		}
		p.next++
	}
	return true
}

// Assemble makes a mask of what has been found, and keeps it.
func (k *Masks) Assemble(id ConfigID, p *PartialMask) {
	c := &collector{Masks: k, used: true, set: p.set}
	k.remember(c.finish(k.m.Done(id), id))
}
