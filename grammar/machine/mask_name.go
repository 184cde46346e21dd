package machine

import (
	"unicode/utf8"

	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// nameSlice is the part of a mask that depends alone on how much of a named key has been read:
// which names tokens without escapes lead to. Which of the names an object still admits changes
// with every key.
type nameSlice struct {
	inside  []nameTokens
	closing []nameToken
	whole   int32 // the name that has been read to its end, or -1
}

func (s *nameSlice) size() int { return sliceSize + 12*len(s.inside) + 8*len(s.closing) }

// nameTokens is a token that leads to a range of names.
type nameTokens struct{ token, lo, hi int32 }

// nameToken is a token that ends a name and goes on behind it.
type nameToken struct{ token, rank int32 }

// nameState is how much of which names has been read.
type nameState struct {
	list    int32
	st, aux int32
}

// nameSliceOf returns the slice of a thread in a named key, outside of escapes.
func (k *collector) nameSliceOf(t thread, x *lexicon) *nameSlice {
	key := nameState{int32(t.def.index()), t.st, t.aux}
	s, ok := k.names.get(key)
	if !ok {
		s = k.sliceName(t, x)
		k.names.put(key, s)
		k.kept += s.size()
	}
	return s
}

func (k *collector) sliceName(t thread, x *lexicon) *nameSlice {
	s := &nameSlice{whole: -1}
	list := &k.m.nameLists[t.def.index()]
	lo, hi := rangeOf(t.st)
	read := int(t.aux)
	for rank := lo; rank < hi; rank++ {
		rest := list.names[rank][read:]
		if rest == "" {
			s.whole = int32(rank)
			continue
		}
		for _, id := range x.heads[rest] {
			s.closing = append(s.closing, nameToken{id, int32(rank)})
		}
	}
	type span struct{ lo, hi int }
	var at [vocab.MaxPiece + 2]span
	var next [vocab.MaxPiece + 2]lex.ByteSet // by depth: the bytes that names go on with
	at[0], next[0] = span{lo, hi}, list.nextBytes(lo, hi, read)
	tree := k.v.Trie()
	for i := 0; i < len(tree.Nodes); k.visit(1, 0) {
		n := &tree.Nodes[i]
		d := int(n.Depth)
		if !next[d-1].Has(n.Byte) || special(n.Byte) {
			i += int(n.Size)
			continue
		}
		from, to := list.narrow(at[d-1].lo, at[d-1].hi, read+d-1, n.Byte)
		at[d] = span{from, to}
		for id := n.Token; id >= 0; id = tree.Next(id) {
			s.inside = append(s.inside, nameTokens{id, int32(from), int32(to)})
		}
		if n.Size > 1 {
			next[d] = list.nextBytes(from, to, read+d)
		}
		i++
	}
	return s
}

// nextBytes is the bytes that a range of names go on with behind the first ones.
func (x *nameList) nextBytes(lo, hi, depth int) lex.ByteSet {
	var set lex.ByteSet
	for lo < hi {
		if len(x.names[lo]) == depth {
			lo++
			continue
		}
		b := x.names[lo][depth]
		set.Add(b)
		_, lo = x.narrow(lo, hi, depth, b)
	}
	return set
}

// collectName adds the tokens of a thread in a named key, outside of escapes and between code
// points: what closes the key is known by whole texts.
func (k *collector) collectName(t thread) bool {
	lo, _ := rangeOf(t.st)
	rest := k.m.nameLists[t.def.index()].names[lo][t.aux&0xffff:]
	if t.aux>>16 != 0 || rest != "" && !utf8.RuneStart(rest[0]) {
		return false
	}
	x := k.lexiconOf(k.m.objects[k.m.stacks.of(t.stack)[0].def.index()].unit, false)
	s := k.nameSliceOf(t, x)
	if k.whole != x {
		for _, n := range s.inside {
			if k.m.anyAdmits(t, int(n.lo), int(n.hi)) {
				k.ids = append(k.ids, n.token)
			}
		}
		k.walk.run(k, &x.slashes, []thread{t})
	}
	for _, n := range s.closing {
		if k.m.anyAdmits(t, int(n.rank), int(n.rank)+1) && k.m.reads(k.v.Piece(n.token), t) {
			k.ids = append(k.ids, n.token)
		}
	}
	k.walk.run(k, &x.escaped, []thread{t})
	if s.whole >= 0 {
		k.ends.addNamed(k, x, t)
	}
	return true
}
