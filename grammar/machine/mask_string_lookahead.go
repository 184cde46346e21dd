package machine

import (
	"math/bits"
	"slices"
	"unicode/utf8"
	"unsafe"

	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// Behind many states any text may follow, if it is not long: what must not be in a string takes
// some code points to write. Behind others any text of some classes may follow: letters and digits
// in a name. All tokens of that kind are admitted, however many states they lead to. Which they
// are is found by a search through the automaton, ahead of the tokens.

// lookahead is what is known of a state between code points.
type lookahead struct {
	to    []reached // where code points lead of texts that have a shape
	dead  classes   // those of which some lead nowhere
	known bool      // to and dead are known
	asked bool      // it has been searched from here
	// any text of so many code points may follow, if not more
	openRunes   int
	openClasses classes // any text of these classes may follow
}

// classes is a set of vocab.Class.
type classes = uint64

const allClasses classes = 1<<vocab.Classes - 1<<(vocab.NoClass+1)

// maxLookahead is the number of rows that searches may make for one slice. One that takes as many
// derivatives as dearRow counts twice.
const (
	maxLookahead = 48
	dearRow      = 32
)

// countedLookahead is how many code points ahead a search looks where states have counters. Those
// that are farther from their bound count as one state.
const countedLookahead = 12

// openForever stands for any number of code points.
const openForever = 1 << 30

// openEnough is the number of code points that most subtrees of texts have no more than.
const openEnough = 4

// worthLookahead is the number of nodes from which it pays to know that all can be taken.
const worthLookahead = 16

// takes says whether all tokens of a subtree may follow a place. The subtree has tokens of height
// code points at most, of the classes below.
func (w *sliceWalk) takes(place int32, height int, below classes, nodes uint32) bool {
	p := &w.places[place]
	if p.plain || p.openRunes >= height || below&^p.openClasses == 0 {
		return true
	}
	if w.needs || p.asked || nodes < worthLookahead {
		return false
	}
	openRunes, openClasses := w.lookahead(p.state)
	p = &w.places[place]
	p.asked, p.openRunes, p.openClasses = true, max(p.openRunes, openRunes), openClasses
	return p.openRunes >= height || below&^openClasses == 0
}

// lookahead finds the openRunes and openClasses of a state.
func (w *sliceWalk) lookahead(s lex.StringState) (openRunes int, openClasses classes) {
	x := w.lookaheadOf(s)
	if w.look(s, x); x.dead == 0 && x.openRunes < openForever {
		if simple := w.u.arena.AbstractCounters(s, countedLookahead); simple != s {
			return max(x.openRunes, min(countedLookahead, w.search(simple).openRunes)), 0
		}
	}
	w.search(s)
	return x.openRunes, x.openClasses
}

// search looks for the shortest text that cannot follow a state: any shorter one can. If that is
// short, it also looks for classes of which any text can follow.
func (w *sliceWalk) search(s lex.StringState) *lookahead {
	start := w.lookaheadOf(s)
	if start.asked {
		return start
	}
	start.asked = true
	seen, looked := []lex.StringState{s}, 0
	for looked < len(seen) && w.spare > 0 {
		x := w.spend(seen[looked])
		looked++
		if x.dead != 0 && (looked > 1 || bits.OnesCount64(x.dead) > fewDead) {
			break
		}
		for _, to := range x.to {
			if !slices.Contains(seen, to.state) {
				seen = append(seen, to.state)
			}
		}
	}
	w.relax(seen[:looked])
	if start.openRunes < openEnough {
		w.close(s)
	}
	return start
}

// relax finds the openRunes of some states: how many code points lead from each to where some code
// point cannot follow.
func (w *sliceWalk) relax(states []lex.StringState) {
	all, before := make([]*lookahead, len(states)), make([]int, len(states))
	for i, s := range states {
		all[i] = w.lookaheads[s]
		before[i] = all[i].openRunes
		all[i].openRunes = openForever
	}
	for changed := true; changed; {
		changed = false
		for i, x := range all {
			least := openForever
			for _, to := range x.to {
				least = min(least, w.lookaheadOf(to.state).openRunes+1)
			}
			if x.dead != 0 {
				least = 0
			}
			if least = max(least, before[i]); least < x.openRunes {
				x.openRunes, changed = least, true
			}
		}
	}
}

// close finds the openClasses of a state. It begins with all classes that may come next. Where
// they lead to a state that refuses some of them, it gives those up, or else the classes by which
// it came there: whichever lose less.
func (w *sliceWalk) close(s lex.StringState) {
	openClasses := allClasses &^ w.lookaheadOf(s).dead
	var seen []reached
	for gone := classes(1); gone != 0 && openClasses != 0; openClasses &^= gone {
		seen, gone = append(seen[:0], reached{state: s}), 0
		for i := 0; i < len(seen) && gone == 0; i++ {
			if gone = openClasses; w.spare > 0 || w.lookaheadOf(seen[i].state).known {
				gone &= w.spend(seen[i].state).dead
			}
			for j := i; j > 0 && gone != 0; j = seen[j].from {
				if by := seen[j].by; loss(by) < loss(gone) {
					gone = by
				}
			}
			for _, to := range w.lookaheadOf(seen[i].state).to {
				if by := to.by & openClasses; by != 0 {
					seen = reach(seen, reached{to.state, by, i})
				}
			}
		}
	}
	if openClasses == 0 {
		return
	}
	// not the union with those of another search: a text of both may lead nowhere
	for _, x := range seen {
		if of := w.lookaheads[x.state]; loss(of.openClasses) < loss(openClasses) {
			of.openClasses = openClasses
		}
	}
}

// reached is a state, the classes of which some code points lead to it, and from where in a list.
type reached struct {
	state lex.StringState
	by    classes
	from  int
}

// reach adds a state, or the classes that lead to it.
func reach(seen []reached, to reached) []reached {
	for i := range seen {
		if seen[i].state == to.state {
			seen[i].by |= to.by
			return seen
		}
	}
	return append(seen, to)
}

// loss is how much it matters, about, to give up classes.
func loss(gone classes) int {
	n := bits.OnesCount64(gone)
	for _, c := range []byte("aA 0") {
		if gone>>vocab.ClassOf(c)&1 != 0 {
			n += 16
		}
	}
	return n
}

// mostlyOpen is the openRunes of a state if what may not come next is left aside. It is 0 if that
// is more than a few classes.
func (w *sliceWalk) mostlyOpen(s lex.StringState) int {
	x, least := w.lookaheadOf(s), openForever
	if !x.known || bits.OnesCount64(x.dead) > fewDead {
		return 0
	}
	for _, to := range x.to {
		least = min(least, w.lookaheadOf(to.state).openRunes+1)
	}
	return least
}

// opens says whether any text may follow a state, but for texts that begin with one of a few
// letters and marks.
func (w *sliceWalk) opens(s lex.StringState) bool {
	n := 0
	for b, next := range w.row(s)[:utf8.RuneSelf] {
		if !special(byte(b)) && (next == lex.StringDead || w.lookaheadOf(next).openRunes < openForever) {
			n++
		}
	}
	return n <= fewDead
}

// fewDead is how many classes count as few.
const fewDead = 8

// spend looks at a state for a search.
func (w *sliceWalk) spend(s lex.StringState) *lookahead {
	x, made, derived := w.lookaheadOf(s), w.made, w.u.arena.Derived()
	w.look(s, x)
	w.spare -= w.made - made + (w.u.arena.Derived()-derived)/dearRow
	return x
}

func (w *sliceWalk) lookaheadOf(s lex.StringState) *lookahead {
	if int(s) >= len(w.lookaheads) {
		w.lookaheads = append(w.lookaheads, make([]*lookahead, int(s)+256-len(w.lookaheads))...)
	}
	if w.lookaheads[s] == nil {
		inner, _ := w.u.arena.Decoded(s)
		w.lookaheads[s] = &lookahead{openRunes: max(0, w.u.arena.OpenRunes(inner))}
		w.lookaheadSize += int(unsafe.Sizeof(lookahead{}))
	}
	return w.lookaheads[s]
}

// look finds where the code points lead that may come in a state.
func (w *sliceWalk) look(s lex.StringState, x *lookahead) {
	if x.known {
		return
	}
	x.known = true
	row := w.row(s)
	last, before := lex.StringDead, vocab.NoShape
	for b, next := range row {
		q, c := vocab.Between.Step(byte(b)), vocab.ClassOf(byte(b))
		if q == vocab.NoShape || q == before && next == last && b > 0 && vocab.ClassOf(byte(b-1)) == c {
			continue
		}
		w.lookBehind(x, next, q, 1<<c)
		last, before = next, q
	}
	w.lookaheadSize += cap(x.to) * int(unsafe.Sizeof(reached{}))
}

// lookBehind is look for the code points of a class whose first bytes lead to a state.
func (w *sliceWalk) lookBehind(x *lookahead, s lex.StringState, q vocab.ShapeState, by classes) {
	switch to := w.target(s, q); to {
	case lex.StringDead:
		x.dead |= by
		return
	case lex.StringClosed:
	default:
		x.to = reach(x.to, reached{state: to, by: by})
		return
	}
	row, last, before := w.row(s), lex.StringDead, vocab.NoShape
	for b := 0x80; b < 0xC0; b++ {
		if q := q.Step(byte(b)); q != vocab.NoShape && (q != before || row[b] != last) {
			w.lookBehind(x, row[b], q, by)
			last, before = row[b], q
		}
	}
}
