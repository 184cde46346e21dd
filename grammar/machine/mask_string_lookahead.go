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
	lasts int       // code points of which any may follow, at least
	over  classes   // those of which any may follow, however many
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

// nearLookahead is how many code points ahead a search looks where states count: those that count
// far are one then.
const nearLookahead = 12

// lastsLong is for any number of code points.
const lastsLong = 1 << 30

// lastsSome is the number of code points from which few subtrees of texts are left to be walked.
const lastsSome = 4

// worthLookahead is the number of nodes from which it pays to know that all can be taken.
const worthLookahead = 16

// takes says whether all that follows a place counts alike, in a subtree of so many code points,
// of some classes, and so many nodes.
func (w *sliceWalk) takes(place int32, height int, below classes, nodes uint32) bool {
	p := &w.places[place]
	if p.plain || p.lasts >= height || below&^p.over == 0 {
		return true
	}
	if w.needs || p.asked || nodes < worthLookahead {
		return false
	}
	lasts, over := w.lookahead(p.state)
	p = &w.places[place]
	p.asked, p.lasts, p.over = true, max(p.lasts, lasts), over
	return p.lasts >= height || below&^over == 0
}

// lookahead finds the code points of which so many may follow a state, whichever they are, and the
// classes of which any number may.
func (w *sliceWalk) lookahead(s lex.StringState) (lasts int, over classes) {
	x := w.lookaheadOf(s)
	if w.look(s, x); x.dead == 0 && x.lasts < lastsLong {
		if near := w.u.arena.AbstractCounters(s, nearLookahead); near != s {
			return max(x.lasts, min(nearLookahead, w.search(near).lasts)), 0
		}
	}
	w.search(s)
	return x.lasts, x.over
}

// search looks for the shortest text that cannot follow a state, and if that is short for the
// classes that go on for ever.
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
	if start.lasts < lastsSome {
		w.close(s)
	}
	return start
}

// relax finds how many code points lead from some states to others, or to nowhere.
func (w *sliceWalk) relax(states []lex.StringState) {
	all, before := make([]*lookahead, len(states)), make([]int, len(states))
	for i, s := range states {
		all[i] = w.lookaheads[s]
		before[i] = all[i].lasts
		all[i].lasts = lastsLong
	}
	for changed := true; changed; {
		changed = false
		for i, x := range all {
			least := lastsLong
			for _, to := range x.to {
				least = min(least, w.lookaheadOf(to.state).lasts+1)
			}
			if x.dead != 0 {
				least = 0
			}
			if least = max(least, before[i]); least < x.lasts {
				x.lasts, changed = least, true
			}
		}
	}
}

// close finds classes of which any text may follow a state. It begins with all that may come next.
// Where it comes to a state behind which one of them may not, it gives up those, or all that lead
// to it, or to one on the way.
func (w *sliceWalk) close(s lex.StringState) {
	over := allClasses &^ w.lookaheadOf(s).dead
	var seen []reached
	for gone := classes(1); gone != 0 && over != 0; over &^= gone {
		seen, gone = append(seen[:0], reached{state: s}), 0
		for i := 0; i < len(seen) && gone == 0; i++ {
			if gone = over; w.spare > 0 || w.lookaheadOf(seen[i].state).known {
				gone &= w.spend(seen[i].state).dead
			}
			for j := i; j > 0 && gone != 0; j = seen[j].from {
				if by := seen[j].by; loss(by) < loss(gone) {
					gone = by
				}
			}
			for _, to := range w.lookaheadOf(seen[i].state).to {
				if by := to.by & over; by != 0 {
					seen = reach(seen, reached{to.state, by, i})
				}
			}
		}
	}
	if over == 0 {
		return
	}
	// not the union with those of another search: a text of both may lead nowhere
	for _, x := range seen {
		if of := w.lookaheads[x.state]; loss(of.over) < loss(over) {
			of.over = over
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

// mostlyLasts is how long a state lasts but for what may not come next, if that is little.
func (w *sliceWalk) mostlyLasts(s lex.StringState) int {
	x, least := w.lookaheadOf(s), lastsLong
	if !x.known || bits.OnesCount64(x.dead) > fewDead {
		return 0
	}
	for _, to := range x.to {
		least = min(least, w.lookaheadOf(to.state).lasts+1)
	}
	return least
}

// opens says whether but few letters and marks lead from a state to where not any text may follow.
func (w *sliceWalk) opens(s lex.StringState) bool {
	n := 0
	for b, next := range w.row(s)[:utf8.RuneSelf] {
		if !special(byte(b)) && (next == lex.StringDead || w.lookaheadOf(next).lasts < lastsLong) {
			n++
		}
	}
	return n <= fewDead
}

// fewDead is how many classes of which not all code points may come next are few.
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
		w.lookaheads[s] = &lookahead{lasts: max(0, w.u.arena.OpenRunes(inner))}
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
