package machine

import (
	"slices"

	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// Behind many states any text may follow, if it is not long: what must not be in a string takes
// some code points to write, and so do the words that there may be of some number. All tokens that
// are no longer than that are admitted, whatever they are. How long it is, is found by a search
// through the automaton, ahead of the tokens.

// ahead is what is known of a state between code points.
type ahead struct {
	to    []lex.StringState // where code points lead of texts that have a shape
	dead  bool              // some lead nowhere
	known bool              // to and dead are known
	asked bool              // it has been searched from here
	lasts int               // code points of which any may follow, at least
}

// maxAhead is the number of rows that searches may make for one slice.
const maxAhead = 48

// nearAhead is how many code points ahead a search looks where states count: those that count far
// are one then.
const nearAhead = 12

// lastsLong is for any number of code points.
const lastsLong = 1 << 30

// lastsSome is the number of code points from which few subtrees of texts are left to be walked.
const lastsSome = 4

// worthAhead is the number of nodes from which it pays to know that all can be taken.
const worthAhead = 16

// takes says whether all that follows a place counts alike, in a subtree of so many code points
// and nodes.
func (w *sliceWalk) takes(place int32, height int, nodes uint32) bool {
	p := &w.places[place]
	if p.plain || p.lasts >= height {
		return true
	}
	if w.needs || p.asked || nodes < worthAhead {
		return false
	}
	lasts := w.lastsFrom(p.state)
	p = &w.places[place]
	p.asked, p.lasts = true, max(p.lasts, lasts)
	return p.lasts >= height
}

// lastsFrom is how many code points of which any may follow a state, at least.
func (w *sliceWalk) lastsFrom(s lex.StringState) int {
	x := w.aheadOf(s)
	if w.look(s, x); x.dead || x.lasts >= lastsLong {
		return x.lasts
	}
	if near := w.u.arena.AbstractCounters(s, nearAhead); near != s {
		return max(x.lasts, min(nearAhead, w.search(near)))
	}
	return w.search(s)
}

// search looks for the shortest text that cannot follow a state.
func (w *sliceWalk) search(s lex.StringState) int {
	start := w.aheadOf(s)
	if start.asked {
		return start.lasts
	}
	start.asked = true
	seen, looked := []lex.StringState{s}, 0
	for looked < len(seen) && w.spare > 0 {
		x, made := w.aheadOf(seen[looked]), w.made
		w.look(seen[looked], x)
		w.spare -= w.made - made
		looked++
		if x.dead {
			break
		}
		for _, to := range x.to {
			if !slices.Contains(seen, to) {
				seen = append(seen, to)
			}
		}
	}
	w.settle(seen[:looked])
	return start.lasts
}

// settle finds how many code points lead from some states to others, or to nowhere.
func (w *sliceWalk) settle(states []lex.StringState) {
	all, before := make([]*ahead, len(states)), make([]int, len(states))
	for i, s := range states {
		all[i] = w.ahead[s]
		before[i] = all[i].lasts
		all[i].lasts = lastsLong
	}
	for changed := true; changed; {
		changed = false
		for i, x := range all {
			least := lastsLong
			for _, to := range x.to {
				least = min(least, w.aheadOf(to).lasts+1)
			}
			if x.dead {
				least = 0
			}
			if least = max(least, before[i]); least < x.lasts {
				x.lasts, changed = least, true
			}
		}
	}
}

func (w *sliceWalk) aheadOf(s lex.StringState) *ahead {
	x := w.ahead[s]
	if x == nil {
		inner, _ := w.u.arena.Decoded(s)
		x = &ahead{lasts: max(0, w.u.arena.Lasts(inner))}
		w.ahead[s] = x
	}
	return x
}

// look finds where the code points lead that may come in a state.
func (w *sliceWalk) look(s lex.StringState, x *ahead) {
	if !x.known {
		x.known = true
		w.lookFrom(x, w.row(s), vocab.Between)
	}
}

func (w *sliceWalk) lookFrom(x *ahead, row *lex.StringRow, q vocab.ShapeState) {
	last, before := lex.StringDead, vocab.NoShape
	for b, next := range row {
		q := q.Step(byte(b))
		if q == vocab.NoShape || q == before && next == last {
			continue
		}
		last, before = next, q
		switch {
		case next == lex.StringDead:
			x.dead = true
			return
		case q != vocab.Between:
			w.lookFrom(x, w.row(next), q)
			if x.dead {
				return
			}
		case !slices.Contains(x.to, next):
			x.to = append(x.to, next)
		}
	}
}
