package machine

import (
	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// lead finds where the code points of a class lead from a place.
func (w *sliceWalk) lead(from int32, c vocab.Class) int32 {
	row := w.rowAt(from)
	lo, hi := c.Bytes()
	state := w.target(row[lo], vocab.Between.Step(lo))
	for b := lo; b < hi && state != lex.StringClosed; b++ {
		if w.target(row[b+1], vocab.Between.Step(b+1)) != state {
			state = lex.StringClosed
		}
	}
	to := int32(toMany)
	switch state {
	case lex.StringClosed:
	case lex.StringDead:
		to = toDead
	default:
		to = toPlace + w.place(state)
	}
	w.places[from].to[c] = to
	return to
}

// tailKey is a state within a code point.
type tailKey struct {
	state lex.StringState
	shape vocab.ShapeState
}

// target is the state that every end of a code point leads to, in texts that have a shape. It is
// StringClosed, where no code point can lead, if they lead to several.
func (w *sliceWalk) target(s lex.StringState, q vocab.ShapeState) lex.StringState {
	if q == vocab.Between || s == lex.StringDead {
		return s
	}
	if to, ok := w.tails[tailKey{s, q}]; ok {
		return to
	}
	row := w.row(s)
	to, last, before := lex.StringClosed, lex.StringClosed, vocab.NoShape // of the byte before
	for b := 0x80; b < 0xC0; b++ {
		q := q.Step(byte(b))
		if q == vocab.NoShape || q == before && row[b] == last {
			continue
		}
		next := w.target(row[b], q)
		if before != vocab.NoShape && next != to {
			to = lex.StringClosed
			break
		}
		to, last, before = next, row[b], q
	}
	w.tails[tailKey{s, q}] = to
	return to
}

// walkBelow walks the tokens whose shape begins with that of a node, where the code points of the
// node's class lead from a place to several states. It returns false if the tokens have no text in
// common and are too many to be walked one by one.
func (w *sliceWalk) walkBelow(from int32, i int) bool {
	tree := w.k.v.Shapes()
	n := &tree.Nodes[i]
	var text []byte
	read, single := 0, true // bytes
	for _, c := range w.path[1:n.Depth] {
		b, _ := c.Bytes()
		text = append(text, b)
		read, single = read+c.Width(), single && c.Single()
	}
	w.takes(from, openForever, allClasses, worthLookahead)
	if !w.needs && w.crowdBehind(w.crowdOf(w.places[from].state), n.Class) != noCrowd {
		return w.walkCrowds(from, i, read)
	}
	if single && (int(n.To-n.From) <= maxListedTokens || w.mostlyOpen(w.places[0].state) < openEnough) {
		w.walkTexts(from, text, n.Class)
		return true
	}
	return w.walkListed(from, n, read)
}

// walkListed walks the tokens of a subtree one by one, if they are not too many.
func (w *sliceWalk) walkListed(from int32, n *vocab.ShapeNode, read int) bool {
	if w.listed += int(n.To - n.From); w.listed > w.most {
		return false
	}
	tree := w.k.v.Shapes()
	for i := n.From; i < n.To; i++ {
		w.walkToken(from, tree.Tokens[i], tree.Text(i)[read:])
	}
	return true
}

// maxListedTokens is the number of tokens from which walking all texts is as good as each token:
// an eighth where few begin what is not open, four times as many where no subtree is left out.
const maxListedTokens = 1 << 12

// walkToken walks the rest of one token's text from the place that its first bytes have led to,
// until any text may follow.
func (w *sliceWalk) walkToken(from, id int32, text []byte) {
	row, next, visited := w.rowAt(from), lex.StringDead, 0
	for i, b := range text {
		if i > 0 {
			if !w.needs && w.lookaheadOf(next).openRunes >= len(text)-i {
				break
			}
			row = w.row(next)
		}
		visited++
		if next = row[b]; next == lex.StringDead || next == lex.StringClosed {
			break
		}
	}
	if w.k.visit(visited, 0); next == lex.StringDead || next == lex.StringClosed {
		return
	}
	if set := w.setOf(next); set != nil {
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
	w.made++
	w.k.spend(rowWork)
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
	visited := 0
	for i := begin; i < end; visited++ {
		if visited == walkBlock {
			w.k.visit(visited, 0)
			visited = 0
		}
		n := &tree.Nodes[i]
		next := at[n.Depth-1][n.Byte]
		if next == lex.StringDead || special(n.Byte) || n.Depth == top && c != vocab.NoClass && vocab.ClassOf(n.Byte) != c {
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
	w.k.visit(visited, 0)
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

// special says whether a byte ends a string, begins an escape in it, or is not allowed in it.
func special(b byte) bool { return b < ' ' || b == '"' || b == '\\' }
