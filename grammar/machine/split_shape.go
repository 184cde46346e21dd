package machine

import (
	"unicode/utf8"

	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// lead finds where the code points of a class lead from a place.
func (w *splitWalk) lead(from int32, c vocab.Class) int32 {
	row := w.places[from].row
	lo, hi := c.Bytes()
	state := w.target(row[lo], lo)
	same := true
	for b := lo; b < hi && same; b++ {
		same = row[b+1] == row[b] && lo < utf8.RuneSelf || w.target(row[b+1], b+1) == state
	}
	to := int32(toMany)
	switch {
	case !same || state == lex.StringClosed:
	case state == lex.StringDead:
		to = toDead
	default:
		to = toPlace + w.place(state)
	}
	w.places[from].to[c] = to
	return to
}

// target is the one state that the code points lead to which begin with a byte that
// leads to s; StringClosed, where no code point leads, if they lead to several.
func (w *splitWalk) target(s lex.StringState, lead byte) lex.StringState {
	if lead < utf8.RuneSelf || s == lex.StringDead {
		return s
	}
	bytes := vocab.ClassOf(lead).Width() - 1
	lo, hi := secondBytes(lead)
	if lo > 0x80 || hi < 0xBF {
		return w.through(s, lo, hi, bytes)
	}
	return w.tail(s, bytes)
}

// tail is the one state that so many continuation bytes, any of them, lead to from s.
func (w *splitWalk) tail(s lex.StringState, bytes int) lex.StringState {
	if s == lex.StringDead || s == lex.StringClosed || bytes == 0 {
		return s
	}
	to, ok := w.tails[s]
	if !ok {
		to = w.through(s, 0x80, 0xBF, bytes)
		w.tails[s] = to
	}
	return to
}

// through is tail where the first of the bytes is one from lo to hi.
func (w *splitWalk) through(s lex.StringState, lo, hi byte, bytes int) lex.StringState {
	row := w.u.arena.StringRow(s)
	to := w.tail(row[lo], bytes-1)
	for b := lo; b < hi; b++ {
		if row[b+1] != row[b] && w.tail(row[b+1], bytes-1) != to {
			return lex.StringClosed
		}
	}
	return to
}

// manyBelow is the size of a subtree from which it pays to explore what may follow.
const manyBelow = 64

// takes says whether what follows a place counts alike, if it is at most so many code
// points of some classes.
func (p *splitPlace) takes(classes uint64, height uint8) bool {
	return p.plain || p.lasts >= int(height) || p.reach >= int(height) && classes&^p.free == 0
}

// maxAlone is how many tokens may be looked at one by one before going down the tree of
// their texts costs less.
const maxAlone = 2048

// walkBelow walks the tokens that begin with the shape of a node, the last class of
// which a place does not lead to one state. It returns false if they are too many.
func (w *splitWalk) walkBelow(from int32, n *vocab.ShapeNode) bool {
	if !w.places[from].explored {
		w.explore(from)
	}
	if p := &w.places[from]; p.takes(n.Classes, n.Height+1) {
		w.k.v.Shapes().AddAll(p.set, n)
		return true
	}
	var text [vocab.MaxPiece]byte
	bytes, single := 0, true
	for _, c := range w.path[1:n.Depth] {
		text[bytes], _ = c.Bytes()
		bytes += c.Width()
		single = single && c.Single()
	}
	if single {
		w.walkTexts(from, text[:bytes], n.Class)
		return true
	}
	if w.alone += int(n.To - n.From); w.alone > maxAlone {
		return false
	}
	for _, id := range w.k.v.Shapes().Tokens[n.From:n.To] {
		w.walkToken(from, id, bytes)
	}
	return true
}

// walkToken reads a token from a byte on.
func (w *splitWalk) walkToken(from, id int32, at int) {
	s := w.places[from].state
	for _, b := range w.k.v.Piece(id)[at:] {
		if s = w.u.arena.StepString(s, b); s == lex.StringDead {
			return
		}
	}
	if set := w.places[w.place(s)].set; set != nil {
		addToken(set, id)
	}
}

// walkTexts walks the tokens that begin with a text and a code point of a class; of any
// class if it is NoClass.
func (w *splitWalk) walkTexts(from int32, text []byte, c vocab.Class) {
	tree, sub := w.k.v.Trie(), w.k.v.Subtrees()
	begin, end := tree.Below(text)
	var at [vocab.MaxPiece + 2]int32
	at[len(text)] = from
	for i := begin; i < end; w.k.Stats.Nodes++ {
		n := &tree.Nodes[i]
		here, behind := at[n.Depth-1], i+int(n.Size)
		next := w.places[here].row[n.Byte]
		if next == lex.StringDead || special(n.Byte) || c != vocab.NoClass && int(n.Depth) == len(text)+1 && vocab.ClassOf(n.Byte) != c {
			i = behind
			continue
		}
		if next != w.places[here].state {
			here = w.place(next)
		}
		at[n.Depth] = here
		if n.Size >= manyBelow && !w.places[here].explored {
			w.explore(here)
		}
		if p := &w.places[here]; p.takes(sub.Classes[i], sub.Height[i]) {
			w.addPlain(p.set, sub.Tokens[sub.Before[i]:sub.Before[behind]])
			i = behind
			continue
		}
		if set := w.places[here].set; set != nil {
			for id := n.Token; id >= 0; id = tree.Next(id) {
				addToken(set, id)
			}
		}
		i++
	}
}

// addPlain adds those of some tokens that stay inside of a string, as those of a subtree
// do behind which any text may follow.
func (w *splitWalk) addPlain(set []uint64, ids []int32) {
	x := w.x.lexicon
	for _, id := range ids {
		if hasToken(x.inside, id) && !(w.needs && hasToken(x.escaping, id)) {
			addToken(set, id)
		}
	}
}

// special says whether a byte ends a string, begins an escape in it, or is not allowed
// in it.
func special(b byte) bool { return b < ' ' || b == '"' || b == '\\' }
