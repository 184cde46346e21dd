package machine

// tokenSlice is the part of a mask that depends on a lexical state alone, and is shared by all
// configurations whose thread is in that state: the tokens that stay inside of the automaton, and
// the places of the tree where one leaves it.
type tokenSlice struct {
	inside []uint64
	exits  []exit
}

// exit is a node of the tree where the automaton ends on the way.
type exit struct {
	node int32
	path []byte // the bytes down to the node, that of the node included
}

type sliceKey struct {
	def kindDef
	st  int32
}

// sliceOf returns the split of a state in text up to a marker.
func (k *Masks) sliceOf(t thread) *tokenSlice {
	key := sliceKey{t.def, t.st}
	s := k.splits[key]
	if s == nil {
		u := k.m.untils[t.def.index()]
		s = k.sliceText(t.st, func(st int32, b byte) int32 { return u.next[st][b] })
		k.splits[key] = s
	}
	return s
}

// collectSlice adds the tokens of a thread with the help of its split.
func (k *Masks) collectSlice(t thread, s *tokenSlice) {
	k.addSet(s.inside)
	for _, x := range s.exits {
		threads := []thread{t}
		for _, b := range x.path {
			var next []thread
			for _, u := range threads {
				next = k.m.step(next, u, int(b))
			}
			threads = next
		}
		k.walk.runBelow(k, k.v.Trie(), int(x.node), threads)
	}
}

// sliceText splits the tokens by an automaton whose step is negative where it ends.
func (k *Masks) sliceText(st int32, step func(st int32, b byte) int32) *tokenSlice {
	s := &tokenSlice{inside: k.newSet()}
	tree := k.v.Trie()
	var at [256 + 1]int32
	var path [256]byte
	at[0] = st
	for i := 0; i < len(tree.Nodes); {
		k.Stats.Nodes++
		n := &tree.Nodes[i]
		next := step(at[n.Depth-1], n.Byte)
		path[n.Depth-1] = n.Byte
		if next < 0 {
			s.exits = append(s.exits, exit{int32(i), append([]byte(nil), path[:n.Depth]...)})
			i += int(n.Size)
			continue
		}
		at[n.Depth] = next
		for id := n.Token; id >= 0; id = tree.Next(id) {
			s.inside[id>>6] |= 1 << (id & 63)
		}
		i++
	}
	return s
}
