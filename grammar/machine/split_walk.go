package machine

import (
	"slices"

	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// splitWalk finds the tokens that a state of a string's automaton admits, without
// looking at most of them. Three kinds of subtrees of the vocabulary are taken at
// once:
//
//   - where all bytes below lead back to the state, or to nowhere: the tokens
//     made of the groups of bytes that lead back, which the vocabulary knows;
//   - where the state is that of a string of any text: the lexicon knows what
//     that admits;
//   - tokens with quotes or backslashes are few; they have a tree of their own.
type splitWalk struct {
	k     *Masks
	u     *Unit
	x     *stringSplit
	needs bool // tokens are told apart by what they need

	places []splitPlace
	index  []int32 // by state: 1 and its place, or 0
	plain  []span  // tokens, in the tree's order, that are read from a state of any text
}

// splitPlace is what a walk knows about a state.
type splitPlace struct {
	state       lex.StringState
	row         *lex.StringRow
	set         []uint64 // takes the tokens that end here; nil if they do not count
	loops, dead uint16   // groups of bytes that all lead back here, and nowhere
	asked       bool     // whether code points beyond ASCII all lead back here
	plain       bool     // any text may follow
}

// splitString fills in what tokens do from a state outside of escapes: inside and
// closing, or with needs the needs.
func (k *Masks) splitString(u *Unit, start lex.StringState, x *stringSplit, needs bool) {
	w := &k.split
	w.k, w.u, w.x, w.needs = k, u, x, needs
	for i := range w.places {
		w.index[w.places[i].state] = 0
	}
	w.places, w.plain = w.places[:0], w.plain[:0]
	words := (k.v.Len() + 63) / 64
	if !needs {
		x.inside, x.closing = make([]uint64, words), make([]uint64, words)
	}
	w.walkOrdinary(start)
	w.walkSpecial(start)
	w.addPlain()
}

// walkOrdinary walks the tokens without special bytes.
func (w *splitWalk) walkOrdinary(start lex.StringState) {
	tree := w.k.v.Trie()
	var at [vocab.MaxPiece + 2]int32    // by depth: the place
	var path [vocab.MaxPiece + 2]uint16 // by depth: groups of the bytes on the way
	at[0] = w.place(start)
	if p := &w.places[at[0]]; w.loopsOver(p, 0xFFFF&^vocab.SpecialGroups) {
		w.addLooping(p)
		return
	}
	for i := 0; i < len(tree.Nodes); w.k.Stats.Nodes++ {
		n := &tree.Nodes[i]
		next := w.places[at[n.Depth-1]].row[n.Byte]
		if next == lex.StringDead || !tree.HasOrdinary[i] {
			i += int(n.Size)
			continue
		}
		here := at[n.Depth-1]
		if next != w.places[here].state {
			here = w.place(next)
		}
		at[n.Depth], path[n.Depth] = here, path[n.Depth-1]|vocab.ByteGroup(n.Byte)
		p := &w.places[here]
		switch {
		case p.plain:
			w.plain = append(w.plain, span{tree.Before[i], tree.Before[i+int(n.Size)]})
			i += int(n.Size)
			continue
		case n.Size > 1 && w.loopsOver(p, tree.Ordinary[i]) && (path[n.Depth]&^p.loops == 0 || tree.Ordinary[i]&^p.loops == 0):
			w.addBelow(p, i, path[n.Depth])
			i += int(n.Size)
			continue
		}
		if p.set != nil && n.Token >= 0 {
			for id := n.Token; id >= 0; id = tree.Next(id) {
				addToken(p.set, id)
			}
		}
		i++
	}
}

// loopsOver says whether all bytes of some groups lead from a state back to it, or
// nowhere.
func (w *splitWalk) loopsOver(p *splitPlace, groups uint16) bool {
	rest := groups &^ (p.loops | p.dead)
	if rest == vocab.WideGroup && !p.asked {
		p.asked = true
		if w.wideLoops(p) {
			p.loops |= vocab.WideGroup
			rest = 0
		}
	}
	return rest == 0
}

// addLooping adds the ordinary tokens that never leave the start.
func (w *splitWalk) addLooping(p *splitPlace) {
	w.k.v.Trie().AddOrdinary(p.set, p.loops)
	for i, valid := range w.x.lexicon.inside {
		p.set[i] &= valid
	}
}

// addBelow adds the tokens from node i on, whose state loops over all that is
// below. Groups say where a token leaves the loop for good; those of path, on the
// way to the node, do not count against a token if they loop too.
func (w *splitWalk) addBelow(p *splitPlace, i int, path uint16) {
	if p.set == nil {
		return
	}
	tree := w.k.v.Trie()
	allowed := p.loops | path
	inside := w.x.lexicon.inside
	from, to := tree.Before[i], tree.Before[i+int(tree.Nodes[i].Size)]
	for j, groups := range tree.TokenGroups[from:to] {
		if groups&^allowed != 0 {
			continue
		}
		if id := tree.Tokens[int(from)+j]; groups&vocab.WideGroup == 0 || hasToken(inside, id) {
			addToken(p.set, id)
		}
	}
}

// walkSpecial walks the tokens with quotes and backslashes.
func (w *splitWalk) walkSpecial(start lex.StringState) {
	tree := &w.x.special
	var at [vocab.MaxPiece + 2]int32
	at[0] = w.place(start)
	for i := 0; i < len(tree.Nodes); w.k.Stats.Nodes++ {
		n := &tree.Nodes[i]
		here := at[n.Depth-1]
		next := w.places[here].row[n.Byte]
		end := i + int(n.Size)
		switch {
		case next == lex.StringClosed && !w.needs:
			for ; i < end; i++ {
				for id := tree.Nodes[i].Token; id >= 0; id = tree.Next(id) {
					addToken(w.x.closing, id)
				}
			}
			continue
		case next == lex.StringClosed || next == lex.StringDead:
			i = end
			continue
		case next != w.places[here].state:
			here = w.place(next)
		}
		at[n.Depth] = here
		if set := w.places[here].set; set != nil {
			for id := n.Token; id >= 0; id = tree.Next(id) {
				addToken(set, id)
			}
		}
		i++
	}
}

// addPlain adds the tokens that are read from a state of any text: those among
// them that the lexicon says stay inside.
func (w *splitWalk) addPlain() {
	if len(w.plain) == 0 {
		return
	}
	set := w.places[w.place(w.u.plainString)].set
	inside, tree, n := w.x.lexicon.inside, w.k.v.Trie(), int32(0)
	for _, s := range w.plain {
		n += s.to - s.from
	}
	if int(n) < len(tree.Tokens)/2 {
		for _, s := range w.plain {
			for _, id := range tree.Tokens[s.from:s.to] {
				set[id>>6] |= inside[id>>6] & (1 << (id & 63))
			}
		}
	} else {
		most := slices.Clone(inside)
		from := int32(0)
		for _, s := range append(w.plain, span{from: int32(len(tree.Tokens))}) {
			for _, id := range tree.Tokens[from:s.from] {
				most[id>>6] &^= 1 << (id & 63)
			}
			from = s.to
		}
		for i, bits := range most {
			set[i] |= bits
		}
	}
	if w.needs {
		for i, bits := range w.x.escaping {
			set[i] &^= bits
		}
	}
}

// place returns the index of a state's place.
func (w *splitWalk) place(s lex.StringState) int32 {
	if int(s) < len(w.index) && w.index[s] != 0 {
		return w.index[s] - 1
	}
	row := w.u.arena.StringRow(s)
	inner, raw := w.u.arena.Decoded(s)
	p := splitPlace{state: s, row: row, plain: s == w.u.plainString}
	switch {
	case !w.needs:
		p.set = w.x.inside
	case raw:
		p.set = w.needing(int32(w.u.arena.MinRunes(inner)))
	}
	if raw && !p.plain {
		p.loops, p.dead = groupsOf(row, s), groupsOf(row, lex.StringDead)
	}
	if int(s) >= len(w.index) {
		w.index = append(w.index, make([]int32, int(s)+64-len(w.index))...)
	}
	w.places = append(w.places, p)
	w.index[s] = int32(len(w.places))
	return int32(len(w.places) - 1)
}

// needing is the set of tokens after which at least so many code points must come.
func (w *splitWalk) needing(least int32) []uint64 {
	for _, n := range w.x.needs {
		if n.least == least {
			return n.set
		}
	}
	set := make([]uint64, (w.k.v.Len()+63)/64)
	w.x.needs = append(w.x.needs, need{least, set})
	return set
}

// groupsOf is the groups of bytes all of which lead to a state.
func groupsOf(row *lex.StringRow, s lex.StringState) uint16 {
	some, others := uint16(0), uint16(0)
	for b, next := range row {
		if next == s {
			some |= vocab.ByteGroup(byte(b))
		} else {
			others |= vocab.ByteGroup(byte(b))
		}
	}
	return some &^ others
}

// wideLoops says whether every code point beyond ASCII leads from a state back to
// it (see the table of well-formed byte sequences in the Unicode Standard, 3.9).
func (w *splitWalk) wideLoops(p *splitPlace) bool {
	row := func(s lex.StringState) *lex.StringRow { return w.u.arena.StringRow(s) }
	all := func(r *lex.StringRow, lo, hi byte, s lex.StringState) bool {
		for b := lo; b <= hi; b++ {
			if r[b] != s {
				return false
			}
		}
		return true
	}
	r := p.row
	one, two, three := r[0xC2], r[0xE1], r[0xF1] // states that await so many more bytes
	return all(r, 0xC2, 0xDF, one) && all(row(one), 0x80, 0xBF, p.state) &&
		all(r, 0xE1, 0xEC, two) && all(r, 0xEE, 0xEF, two) && all(row(two), 0x80, 0xBF, one) &&
		all(row(r[0xE0]), 0xA0, 0xBF, one) && all(row(r[0xED]), 0x80, 0x9F, one) &&
		all(r, 0xF1, 0xF3, three) && all(row(three), 0x80, 0xBF, two) &&
		all(row(r[0xF0]), 0x90, 0xBF, two) && all(row(r[0xF4]), 0x80, 0x8F, two)
}
