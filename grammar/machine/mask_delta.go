package machine

import (
	"slices"

	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// States of one automaton often differ in what they have just read, and not for long: of a search
// for words, in how much of which word may have begun. Two letters on, both are in the same state.
// So a state that leads on mostly as another does of which the tokens are known takes those over,
// and looks only at tokens on which the two have not met again.

// maxModels is how many states of a unit others are compared with.
const maxModels = 4

// maxUnlike is the number of bytes with which a state may lead elsewhere than its model does.
const maxUnlike = 8

// maxApart is the number of nodes from which finding out everything anew is as good.
const maxApart = 1 << 11

// modelOf returns a state whose tokens are known and that leads on mostly as x does; nil if there
// is none, or tokens are told apart by what they need.
func (w *sliceWalk) modelOf(x *stringSlice) *stringSlice {
	if w.needs {
		return nil
	}
	row := w.row(x.state)
	for _, m := range w.k.models[w.u] {
		unlike := 0
		for b, next := range w.row(m.state) {
			if next != row[b] && !special(byte(b)) {
				unlike++
			}
		}
		if unlike <= maxUnlike {
			w.k.addModel(m)
			w.k.strings.get(stringState{w.u, m.state}) // so that it is kept
			return m
		}
	}
	return nil
}

// addModel puts a state of which all is known before the others, and forgets the one that has not
// served for longest.
func (k *Masks) addModel(x *stringSlice) {
	others := slices.DeleteFunc(slices.Clone(k.models[x.unit]), func(m *stringSlice) bool { return m == x })
	k.models[x.unit] = slices.Insert(others[:min(len(others), maxModels-1)], 0, x)
}

// takeOver makes what is known of a model known of x, but for tokens with quotes and backslashes.
// It returns false where the two stay apart for long.
func (w *sliceWalk) takeOver(x, model *stringSlice) bool {
	x.inside, x.closing = w.k.newSet(), w.k.newSet()
	for i, word := range model.inside {
		x.inside[i] = word &^ x.specials[i]
	}
	return w.walkApart(x, model, maxApart)
}

// walkFromAll finds the tokens inside of x where most are. The model is a string of any text. The
// two agree on tokens that are no longer than what x is open for.
func (w *sliceWalk) walkFromAll(x *stringSlice) {
	for i, word := range x.lexicon.inside {
		x.inside[i] = word &^ x.specials[i]
	}
	w.walkApart(x, &stringSlice{state: w.u.plainString}, len(w.k.v.Trie().Nodes))
}

// walkApart corrects what x has taken over from a model, but for tokens without a shape. It gives
// up, and returns false, at a number of nodes.
func (w *sliceWalk) walkApart(x, model *stringSlice, most int) bool {
	tree, all := w.k.v.Trie(), model.state == w.u.plainString
	var at, other [vocab.MaxPiece + 2]*lex.StringRow
	var shape [vocab.MaxPiece + 2]vocab.ShapeState
	at[0], other[0], shape[0] = w.row(x.state), w.row(model.state), vocab.Between
	visited, counted := 0, 0
	for i := 0; i < len(tree.Nodes) && visited <= most; visited++ {
		if visited-counted == walkBlock {
			w.k.visit(walkBlock, 0)
			counted = visited
		}
		n := &tree.Nodes[i]
		d, end := n.Depth, i+int(n.Size)
		next, there := at[d-1][n.Byte], other[d-1][n.Byte]
		shape[d] = shape[d-1].Step(n.Byte)
		if next == there || shape[d] == vocab.NoShape || all && shape[d] == vocab.Between && w.openFor(next, n) {
			i = end
			continue
		}
		if next != lex.StringDead {
			end = i + 1
		}
		for ; i < end; i++ {
			for id := tree.Nodes[i].Token; id >= 0; id = tree.Next(id) {
				x.inside[id>>6] &^= 1 << (id & 63)
				if next != lex.StringDead {
					addToken(x.inside, id)
				}
			}
		}
		if n.Size > 1 && next != lex.StringDead {
			at[d], other[d] = w.row(next), w.row(there)
		}
	}
	w.k.visit(visited-counted, 0)
	return visited <= most
}

// openFor reports whether any text of the code points in n's subtree may follow a state.
func (w *sliceWalk) openFor(s lex.StringState, n *vocab.Node) bool {
	if int(s) < len(w.index) && w.index[s] != 0 && w.places[w.index[s]-1].openRunes >= int(n.Height) {
		return true
	}
	return s != lex.StringDead && n.Size >= worthLookahead && w.takes(w.place(s), int(n.Height), allClasses, n.Size)
}
