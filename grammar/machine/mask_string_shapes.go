package machine

import (
	"unicode/utf8"

	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// lead finds where the code points of a class lead from a place.
func (w *sliceWalk) lead(from int32, c vocab.Class) int32 {
	row := w.rowAt(from)
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

// target is the one state that the code points lead to which begin with a byte that leads to s;
// StringClosed, where no code point leads, if they lead to several.
func (w *sliceWalk) target(s lex.StringState, lead byte) lex.StringState {
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
func (w *sliceWalk) tail(s lex.StringState, bytes int) lex.StringState {
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
func (w *sliceWalk) through(s lex.StringState, lo, hi byte, bytes int) lex.StringState {
	row := w.u.arena.StringRow(s)
	to := w.tail(row[lo], bytes-1)
	for b := lo; b < hi; b++ {
		if row[b+1] != row[b] && w.tail(row[b+1], bytes-1) != to {
			return lex.StringClosed
		}
	}
	return to
}

// secondBytes is the range of the second byte of a code point by its first (table 3-7 of the
// Unicode Standard, well-formed UTF-8).
func secondBytes(lead byte) (lo, hi byte) {
	switch lead {
	case 0xE0:
		return 0xA0, 0xBF
	case 0xED:
		return 0x80, 0x9F
	case 0xF0:
		return 0x90, 0xBF
	case 0xF4:
		return 0x80, 0x8F
	}
	return 0x80, 0xBF
}

// takes says whether what follows a place counts alike, if it is at most so many code points.
func (p *slicePlace) takes(height uint8) bool { return p.plain || p.lasts >= int(height) }

// maxAlone is how many tokens may be looked at one by one before going down the tree of their
// texts costs less.
const maxAlone = 8192

// walkBelow walks the tokens that begin with the shape of a node, the last class of which a place
// does not lead to one state. It returns false if they are too many.
func (w *sliceWalk) walkBelow(from int32, i int) bool {
	n := &w.k.v.Shapes().Nodes[i]
	var text [vocab.MaxPiece]byte
	bytes, single := 0, true
	for _, c := range w.path[1:n.Depth] {
		text[bytes], _ = c.Bytes()
		bytes += c.Width()
		single = single && c.Single()
	}
	odd := w.partBelow(from, i)
	switch {
	case single && 3*odd > int(n.To-n.From):
		w.walkTexts(from, text[:bytes], n.Class)
		return true
	case w.alone+odd > maxAlone:
		return false
	}
	w.alone += odd
	w.addAlike(w.places[from].set)
	shapes := w.k.v.Shapes()
	for _, r := range w.odd {
		for i := r.from; i < r.to; i++ {
			w.walkToken(from, shapes.Tokens[i], shapes.Text(i)[bytes:])
		}
	}
	return true
}

// partBelow parts the tokens of a subtree of shapes: of the nodes in w.alike they count alike
// after a place, of w.odd that is not known. It tells how many these are.
func (w *sliceWalk) partBelow(from int32, i int) (odd int) {
	tree, p := w.k.v.Shapes(), &w.places[from]
	w.odd, w.alike = w.odd[:0], w.alike[:0]
	top := tree.Nodes[i].Depth
	for end := i + int(tree.Nodes[i].Size); i < end; w.k.Stats.Nodes++ {
		n := &tree.Nodes[i]
		long := n.Depth - top + 1
		switch {
		case p.takes(n.Height + long):
			w.alike = append(w.alike, alikeNode{n, true})
			i += int(n.Size)
		case p.takes(long):
			w.alike = append(w.alike, alikeNode{n, false})
			i++
		default:
			w.odd = append(w.odd, span{n.From, n.To})
			odd += int(n.To - n.From)
			i += int(n.Size)
		}
	}
	return odd
}

// alikeNode is a node of the tree of shapes with tokens that count alike: those of its own shape,
// or all that begin with it.
type alikeNode struct {
	*vocab.ShapeNode
	all bool
}

// addAlike adds to a set what partBelow has found.
func (w *sliceWalk) addAlike(set []uint64) {
	if set == nil {
		return
	}
	tree := w.k.v.Shapes()
	for _, n := range w.alike {
		if n.all {
			tree.AddAll(set, n.ShapeNode)
		} else {
			tree.AddOwn(set, n.ShapeNode)
		}
	}
}

// walkToken reads a token's text from a place on.
func (w *sliceWalk) walkToken(from, id int32, text []byte) {
	s := w.places[from].state
	for _, b := range text {
		if s = w.row(s)[b]; s == lex.StringDead {
			return
		}
	}
	if set := w.setOf(s); set != nil {
		addToken(set, id)
	}
}

// row is the row of a state.
func (w *sliceWalk) row(s lex.StringState) *lex.StringRow {
	if int(s) < len(w.rows) && w.rows[s] != nil {
		return w.rows[s]
	}
	return w.newRow(s)
}

func (w *sliceWalk) newRow(s lex.StringState) *lex.StringRow {
	if int(s) >= len(w.rows) {
		w.rows = append(w.rows, make([]*lex.StringRow, int(s)+256-len(w.rows))...)
	}
	w.rows[s] = w.u.arena.StringRow(s)
	return w.rows[s]
}

// setOf is the set that takes the tokens that lead to a state, nil if they do not count.
func (w *sliceWalk) setOf(s lex.StringState) []uint64 {
	if !w.needs {
		return w.x.inside
	}
	return w.places[w.place(s)].set
}

// walkTexts walks the tokens that begin with a text and a code point of a class, or of any class
// for NoClass. It is the hot loop, so it avoids branches: a node without a token sets a bit that
// is never read, and a leaf fetches a row that is never used.
func (w *sliceWalk) walkTexts(from int32, text []byte, c vocab.Class) {
	tree, padded := w.k.v.Trie(), w.padded
	begin, end := tree.Below(text)
	var at [vocab.MaxPiece + 2]*lex.StringRow
	top := uint8(len(text)) + 1
	at[top-1] = w.rowAt(from)
	visited := int64(0)
	for i := begin; i < end; visited++ {
		n := &tree.Nodes[i]
		next := at[n.Depth-1][n.Byte]
		if next == lex.StringDead || special(n.Byte) || n.Depth == top && c != vocab.NoClass && vocab.ClassOf(n.Byte) != c {
			i += int(n.Size)
			continue
		}
		if w.mayTake(next, n.Size) && w.takeBelow(next, i) {
			i += int(n.Size)
			continue
		}
		if w.needs {
			w.addNeeding(next, n.Token)
		} else {
			padded[n.Token>>6+1] |= 1 << (n.Token & 63)
		}
		if int(next) >= len(w.rows) || w.rows[next] == nil && n.Size > 1 {
			w.newRow(next)
		}
		at[n.Depth] = w.rows[next]
		i++
	}
	w.k.Stats.Nodes += visited
	w.addSame(tree)
}

// addNeeding adds a token, if it is one, and those of the same text to the set of a state.
func (w *sliceWalk) addNeeding(s lex.StringState, token int32) {
	if token < 0 {
		return
	}
	if set := w.setOf(s); set != nil {
		for ; token >= 0; token = w.k.v.Trie().Next(token) {
			addToken(set, token)
		}
	}
}

// addSame adds the tokens that have the same text as one that has been added.
func (w *sliceWalk) addSame(tree *vocab.Trie) {
	if w.needs {
		return
	}
	for token := range tree.Same {
		for same := token; hasToken(w.x.inside, token) && same >= 0; same = tree.Next(same) {
			addToken(w.x.inside, same)
		}
	}
}

// What is known of the places of states in advance, so that a walk need not look at them.
const (
	takesUnknown = iota
	takesNone    // not all of any subtree counts alike
	takesSome
)

// fewBelow is the size of a subtree below which taking it costs as much as walking it, manyBelow
// the one from which it pays to find out what may follow a state.
const (
	fewBelow  = 4
	manyBelow = 64
)

// mayTake says whether it pays to ask a state whether a subtree of a size counts alike.
func (w *sliceWalk) mayTake(s lex.StringState, size uint32) bool {
	known := uint8(takesUnknown)
	if int(s) < len(w.taking) {
		known = w.taking[s]
	}
	return known == takesSome && size >= fewBelow || known == takesUnknown && size >= manyBelow
}

// takeBelow adds the tokens of a node's subtree, that of the node included, if they count alike:
// the node leads to a state.
func (w *sliceWalk) takeBelow(s lex.StringState, i int) bool {
	n, sub := &w.k.v.Trie().Nodes[i], w.sub
	p := &w.places[w.place(s)]
	if !p.takes(sub.Height[i]) {
		return false
	}
	addTokens(p.set, sub.Tokens[sub.Before[i]:sub.Before[i+int(n.Size)]])
	return true
}

// special says whether a byte ends a string, begins an escape in it, or is not allowed in it.
func special(b byte) bool { return b < ' ' || b == '"' || b == '\\' }
