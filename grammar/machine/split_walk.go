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
//   - where all bytes below are free, or lead nowhere: the tokens made of the
//     groups of bytes that are free, which the vocabulary knows (split_free.go);
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
	seen   []int32 // places that explore has looked at
	plain  []span  // tokens, in the tree's order, that are read from a state of any text
}

// splitPlace is what a walk knows about a state.
type splitPlace struct {
	state lex.StringState
	row   *lex.StringRow
	set   []uint64 // takes the tokens that end here; nil if they do not count
	plain bool     // any text may follow
	raw   bool     // outside of escapes

	// Groups of bytes: those that may come next, those that lead straight back,
	// and the state that each group beyond ASCII leads to.
	live, loops uint64
	wide        [vocab.Leads]lex.StringState
	studied     bool

	// Groups of bytes of which any reach bytes may be read, in any order, and the
	// tokens that end on the way all go into set; and groups of bytes that lead
	// nowhere, here and wherever such free bytes lead.
	free, dead uint64
	reach      int
	explored   bool
}

// splitString fills in what tokens do from a state outside of escapes: inside, and
// closing on the way, or with needs the needs.
func (k *Masks) splitString(x *stringSplit, needs bool) {
	w := k.beginSplit(x, needs)
	if !needs {
		x.inside, x.closing = k.newSet(), k.newSet()
	}
	w.walkOrdinary(x.state)
	w.walkSpecial(x.state)
	w.addPlain()
}

// newSet is a set of tokens that is kept.
func (k *Masks) newSet() []uint64 {
	words := max(1, (k.v.Len()+63)/64)
	k.kept += 8 * words
	return make([]uint64, words)
}

func (k *Masks) beginSplit(x *stringSplit, needs bool) *splitWalk {
	w := &k.split
	w.k, w.u, w.x, w.needs = k, x.unit, x, needs
	for i := range w.places {
		w.index[w.places[i].state] = 0
	}
	w.places, w.plain = w.places[:0], w.plain[:0]
	return w
}

// closingOf is the tokens that close a string in a state.
func (k *Masks) closingOf(x *stringSplit) []uint64 {
	if x.closing != nil {
		return x.closing
	}
	if x.near != nil {
		x.closing = k.corrected(x, &x.longClosers, k.closingOf(x.near))
		return x.closing
	}
	x.closing = x.none
	tree, a := &x.whole, x.unit.arena
	if a.StringAtLeast(x.state) > int(x.longest)+1 {
		return x.closing
	}
	var at [vocab.MaxPiece + 2]lex.StringState
	at[0] = x.state
	for i := 0; i < len(tree.Nodes); k.Stats.Nodes++ {
		n := &tree.Nodes[i]
		next, end := a.StepString(at[n.Depth-1], n.Byte), i+int(n.Size)
		switch next {
		case lex.StringClosed:
			if &x.closing[0] == &x.none[0] {
				x.closing = k.newSet()
			}
			for ; i < end; i++ {
				for id := tree.Nodes[i].Token; id >= 0; id = tree.Next(id) {
					addToken(x.closing, id)
				}
			}
		case lex.StringDead:
			i = end
		default:
			at[n.Depth] = next
			i++
		}
	}
	return x.closing
}

// closes says whether some token closes a string in a state.
func (k *Masks) closes(x *stringSplit) bool { return &k.closingOf(x)[0] != &x.none[0] }

// manyBelow is the size of a subtree from which it pays to ask whether it can be
// taken at once.
const manyBelow = 6

// walkOrdinary walks the tokens without special bytes.
func (w *splitWalk) walkOrdinary(start lex.StringState) {
	tree := w.k.v.Trie()
	var at [vocab.MaxPiece + 2]int32    // by depth: the place
	var path [vocab.MaxPiece + 2]uint64 // by depth: groups of the bytes on the way
	at[0] = w.place(start)
	if w.takes(at[0], 0, ^vocab.SpecialGroups, vocab.MaxPiece) {
		w.addFree(&w.places[at[0]])
		return
	}
	for i := 0; i < len(tree.Nodes); w.k.Stats.Nodes++ {
		n := &tree.Nodes[i]
		next := w.places[at[n.Depth-1]].row[n.Byte]
		if next == lex.StringDead || !tree.HasOrdinary[i] {
			i += int(n.Size)
			continue
		}
		here, group := at[n.Depth-1], vocab.ByteGroup(n.Byte)
		height := int(tree.Height[i])
		path[n.Depth] = path[n.Depth-1] | group
		if group&vocab.LeadGroups != 0 && n.Size >= manyBelow && w.takes(here, path[n.Depth-1], group|tree.Ordinary[i], height+1) && group&w.places[here].free != 0 {
			w.addBelow(&w.places[here], i, path[n.Depth])
			i += int(n.Size)
			continue
		}
		if next != w.places[here].state {
			here = w.place(next)
		}
		at[n.Depth] = here
		switch {
		case w.places[here].plain:
			w.plain = append(w.plain, span{tree.Before[i], tree.Before[i+int(n.Size)]})
			i += int(n.Size)
			continue
		case n.Size >= manyBelow && w.takes(here, path[n.Depth], tree.Ordinary[i], height):
			w.addBelow(&w.places[here], i, path[n.Depth])
			i += int(n.Size)
			continue
		}
		p := &w.places[here]
		if p.set != nil && n.Token >= 0 {
			for id := n.Token; id >= 0; id = tree.Next(id) {
				addToken(p.set, id)
			}
		}
		i++
	}
}

// takes says whether tokens can be told by their groups alone that reach a state
// by bytes of the groups of path, and go on with at most so many bytes of those of
// below: all of below are free or dead, and a token that holds dead ones at all
// holds them below.
func (w *splitWalk) takes(place int32, path, below uint64, bytes int) bool {
	if !w.places[place].explored {
		w.explore(place)
	}
	p := &w.places[place]
	return below&^(p.free|p.dead) == 0 && bytes <= p.reach && (path&^p.free == 0 || below&^p.free == 0)
}

// addFree adds the ordinary tokens that are free from the start.
func (w *splitWalk) addFree(p *splitPlace) {
	set := make([]uint64, len(p.set))
	w.k.v.Trie().AddOrdinary(set, p.free)
	for i, valid := range w.x.lexicon.inside {
		p.set[i] |= set[i] & valid
	}
}

// addBelow adds those tokens of node i's subtree that are made of free bytes, and
// of those of path on the way to it.
func (w *splitWalk) addBelow(p *splitPlace, i int, path uint64) {
	if p.set == nil {
		return
	}
	tree := w.k.v.Trie()
	allowed := p.free | path
	inside := w.x.lexicon.inside
	from, to := tree.Before[i], tree.Before[i+int(tree.Nodes[i].Size)]
	for j, groups := range tree.TokenGroups[from:to] {
		if groups&^allowed != 0 {
			continue
		}
		if id := tree.Tokens[int(from)+j]; groups&vocab.WideGroups == 0 || hasToken(inside, id) {
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
	p := splitPlace{state: s, row: row, plain: s == w.u.plainString, raw: raw, explored: !raw}
	switch {
	case !w.needs:
		p.set = w.x.inside
	case raw:
		p.set = w.needing(int32(w.u.arena.MinRunes(inner)))
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
	set := w.k.newSet()
	w.x.needs = append(w.x.needs, need{least, set})
	return set
}
