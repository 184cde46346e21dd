package machine

import "tenon/grammar/lex"

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

// collectText adds the tokens of a thread in text, with the help of the slice of its state.
func (k *collector) collectText(t thread) bool {
	key := sliceKey{t.def, t.st}
	s, ok := k.textSlices.get(key)
	if !ok {
		s = k.sliceText(t)
		k.textSlices.put(key, s)
	}
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
	return true
}

// insideText is the state behind a byte of text, negative where the text has ended.
func (m *Machine) insideText(t thread, st int32, b byte) int32 {
	if t.def.kind() == kindUntil {
		return m.untils[t.def.index()].next[st][b]
	}
	next := int32(lex.Dead)
	if t.def.kind() == kindPlain {
		next = int32(m.plains[t.def.index()].arena.Step(lex.State(st), b))
	} else if s := m.arenas[0].StepString(lex.StringState(st), b); s > lex.StringClosed {
		next = int32(s)
	}
	if next == int32(lex.Dead) {
		return -1
	}
	return next
}

// sliceText slices the tokens by what they do from a thread's state on.
func (k *collector) sliceText(t thread) *tokenSlice {
	s := &tokenSlice{inside: k.newSet()}
	tree := k.v.Trie()
	var at [256 + 1]int32
	var path [256]byte
	at[0] = t.st
	for i := 0; i < len(tree.Nodes); k.visit(1, 0) {
		n := &tree.Nodes[i]
		next := k.m.insideText(t, at[n.Depth-1], n.Byte)
		path[n.Depth-1] = n.Byte
		if next < 0 {
			s.exits = append(s.exits, exit{int32(i), append([]byte(nil), path[:n.Depth]...)})
			i += int(n.Size)
			continue
		}
		at[n.Depth] = next
		for id := n.Token; id >= 0; id = tree.Next(id) {
			addToken(s.inside, id)
		}
		i++
	}
	return s
}
