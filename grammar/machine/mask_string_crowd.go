package machine

import (
	"slices"

	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// A state that looks for words tells the letters of one class apart: each may begin a word. All
// that texts of one shape may lead to is a crowd of states. If none of them refuses what comes
// next, all tokens of the shape are admitted, whichever state each leads to; few shapes are left,
// whose tokens are looked at one by one.

// crowd is a set of states in which texts of one shape may be.
type crowd struct {
	states []lex.StringState // without those that any text may follow
	// any text of so many code points may follow each of the states, if not more
	openRunes   int
	openClasses classes // any text of these classes may follow each of them
	// by class: 1 and the crowd that its code points lead to, noCrowd, or 0
	to [vocab.Classes]int32
}

const (
	noCrowd    = -1 // some code points lead nowhere, or too much is to be found out
	maxCrowds  = 64 // of one slice
	maxInCrowd = 24 // states
)

// walkCrowds walks a subtree whose first class leads from a place to many states, none of which is
// dead.
func (w *sliceWalk) walkCrowds(from int32, i, read int) bool {
	tree, set := w.k.v.Shapes(), w.places[from].set
	var at [vocab.MaxPiece + 2]int32
	at[tree.Nodes[i].Depth-1] = w.crowdOf(w.places[from].state)
	for end := i + int(tree.Nodes[i].Size); i < end; w.k.visit(1, 0) {
		n := &tree.Nodes[i]
		to := w.crowdBehind(at[n.Depth-1], n.Class)
		switch {
		case to == noCrowd:
			if !w.walkListed(from, n, read) {
				return false
			}
		case w.crowds[to].openRunes >= int(n.Height) || n.Below&^w.crowds[to].openClasses == 0:
			tree.AddAll(set, n)
		default:
			tree.AddOwn(set, n)
			at[n.Depth] = to
			i++
			continue
		}
		i += int(n.Size)
	}
	return true
}

// crowdBehind is the crowd that the code points of a class lead to from another.
func (w *sliceWalk) crowdBehind(from int32, c vocab.Class) int32 {
	if from == noCrowd {
		return noCrowd
	}
	if w.crowds[from].to[c] == 0 {
		to := w.findCrowd(w.crowds[from].states, c)
		if to != noCrowd {
			to++
		}
		w.crowds[from].to[c] = to
	}
	return max(w.crowds[from].to[c]-1, noCrowd)
}

// findCrowd is crowdBehind for what is not known yet.
func (w *sliceWalk) findCrowd(from []lex.StringState, c vocab.Class) int32 {
	var states []lex.StringState
	for _, s := range from {
		x := w.lookaheadOf(s)
		if !x.known && w.spare <= 0 {
			return noCrowd
		}
		if x = w.spend(s); x.dead>>c&1 != 0 {
			return noCrowd
		}
		for _, to := range x.to {
			if y := w.lookaheadOf(to.state); to.by>>c&1 != 0 && y.openRunes < openForever && y.openClasses != allClasses {
				states = append(states, to.state)
			}
		}
	}
	slices.Sort(states)
	return w.crowdOf(slices.Compact(states)...)
}

// crowdOf is the crowd of some states, which are in order.
func (w *sliceWalk) crowdOf(states ...lex.StringState) int32 {
	for i := range w.crowds {
		if slices.Equal(w.crowds[i].states, states) {
			return int32(i)
		}
	}
	if len(w.crowds) == maxCrowds || len(states) > maxInCrowd {
		return noCrowd
	}
	if len(w.crowds) == 0 {
		w.spare = max(w.spare, maxLookahead)
	}
	x := crowd{states: states, openRunes: openForever, openClasses: allClasses}
	for _, s := range states {
		x.openRunes, x.openClasses = min(x.openRunes, w.lookaheadOf(s).openRunes), x.openClasses&w.lookaheadOf(s).openClasses
	}
	w.crowds = append(w.crowds, x)
	return int32(len(w.crowds) - 1)
}
