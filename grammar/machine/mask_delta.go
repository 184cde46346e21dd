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
const maxUnlike = 24

// maxApart is the number of nodes from which finding out everything anew is as good.
const maxApart = 1 << 14

// modelKey is what models are kept by: needs are sets of their own.
type modelKey struct {
	unit  *Unit
	needs bool
}

// modelOf returns a state whose tokens are known and that leads on mostly as x does; nil if there
// is none.
func (w *sliceWalk) modelOf(x *stringSlice) *stringSlice {
	row := w.row(x.state)
	for _, m := range w.k.models[modelKey{w.u, w.needs}] {
		unlike := 0
		for b, next := range w.row(m.state) {
			if next != row[b] && !special(byte(b)) {
				unlike++
			}
		}
		if unlike <= maxUnlike {
			return m
		}
	}
	return nil
}

// addModel remembers a state of which all is known.
func (k *Masks) addModel(x *stringSlice, needs bool) {
	key := modelKey{x.unit, needs}
	if known := k.models[key]; len(known) < maxModels {
		k.models[key] = append(known, x)
	}
}

// takeOver makes what is known of a model known of x, but for tokens with quotes and backslashes.
// It returns false, and leaves x as it was, where the two stay apart for long.
func (w *sliceWalk) takeOver(x, model *stringSlice) bool {
	sets := [][]uint64{model.inside}
	if w.needs {
		sets = sets[:0]
		for _, n := range model.needs {
			sets = append(sets, n.set)
		}
	}
	for i, set := range sets {
		sets[i] = slices.Clone(set)
		for j, word := range x.specials {
			sets[i][j] &^= word
		}
		w.k.kept += 8 * len(set)
	}
	if w.needs {
		for i, n := range model.needs {
			x.needs = append(x.needs, need{n.least, sets[i]})
		}
	} else {
		x.inside = sets[0]
	}
	if w.walkApart(x, model) {
		return true
	}
	x.needs, x.inside = nil, nil
	return false
}

// walkApart corrects what x has taken over from a model.
func (w *sliceWalk) walkApart(x, model *stringSlice) bool {
	tree := w.k.v.Trie()
	var at, other [vocab.MaxPiece + 2]*lex.StringRow
	at[0], other[0] = w.row(x.state), w.row(model.state)
	visited := 0
	for i := 0; i < len(tree.Nodes) && visited < maxApart; visited++ {
		n := &tree.Nodes[i]
		next, there := at[n.Depth-1][n.Byte], other[n.Depth-1][n.Byte]
		if next == there || special(n.Byte) {
			i += int(n.Size)
			continue
		}
		for id := n.Token; id >= 0; id = tree.Next(id) {
			w.correct(x, next, id)
		}
		if n.Size > 1 {
			at[n.Depth], other[n.Depth] = w.row(next), w.row(there)
		}
		i++
	}
	w.k.visit(visited, 0)
	return visited < maxApart
}

// correct puts a token where it belongs that leads to a state.
func (w *sliceWalk) correct(x *stringSlice, s lex.StringState, token int32) {
	word, bit := token>>6, uint64(1)<<(token&63)
	if !w.needs {
		x.inside[word] &^= bit
		if s != lex.StringDead {
			x.inside[word] |= bit
		}
		return
	}
	for _, n := range x.needs {
		n.set[word] &^= bit
	}
	if s != lex.StringDead {
		if set := w.setOf(s); set != nil {
			addToken(set, token)
		}
	}
}
