package machine

import (
	"slices"
	"unicode/utf8"

	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// A pattern that is searched for anywhere refuses hardly any text, but each of its states tells
// some letters apart. So a mask looks ahead: it seeks classes of code points that may all follow
// a state, for some length or for ever. Tokens of those classes are taken together.

// maxExplored is how many states are looked at for what may follow one of them.
const maxExplored = 128

// farEnough is the number of code points for which it pays to know what may follow: classes that
// would end it before are given up.
const farEnough = 4

// maxFollowed is how many places all looking ahead of one walk may look at.
const maxFollowed = 1500

// maxMade is how many states all looking ahead of one walk may make: code points beyond ASCII take
// many, and each a KiB.
const maxMade = 1024

// maxDerived is how many derivatives all looking ahead of one walk may take: states of large
// intersections are dear.
const maxDerived = 1280

// muchLasts is the number of code points from which on, if any may follow a place, what else is to
// be found are classes that may follow for ever.
const muchLasts = 6

// maxTries is how often marks are given up.
const maxTries = 6

// wellAhead is the number of code points beyond which looking ahead makes no more states, if it
// has made manyMade: few tokens are longer.
const (
	wellAhead = 8
	manyMade  = 64
)

// anyLength is a reach of any number of code points.
const anyLength = 1 << 30

// explore finds classes of which any code points may follow a place, and how many, so that the
// tokens that end on the way all count alike.
func (w *sliceWalk) explore(place int32) {
	w.note(place, 0, 0)
	before, taken := w.u.arena.States(), w.u.arena.Derived()
	defer func() {
		w.made, w.derived = w.made+w.u.arena.States()-before, w.derived+w.u.arena.Derived()-taken
	}()
	if w.spent(0, 0) {
		return
	}
	all := w.live(place)
	if all == 0 {
		return // perhaps within a code point, the rest of which is of no class that could tell of it
	}
	if free, reach, gone := w.grow(place, all&w.free); w.free != 0 && gone == 0 && reach == anyLength { // as elsewhere: most places are known
		w.settle(free, reach)
		return
	}
	if w.places[place].lasts >= muchLasts {
		all &^= w.toldApart(place)
	}
	free, reach, gone := w.grow(place, all)
	for tries := 0; gone != 0 && tries < maxTries && !w.spent(w.u.arena.States()-before, w.u.arena.Derived()-taken); tries++ { // now that marks are chosen, without what is behind them
		all &^= gone
		free, reach, gone = w.grow(place, all)
	}
	if gone != 0 || reach < farEnough && all&^letters != 0 { // words at least may be alike
		free, reach, gone = w.grow(place, w.live(place)&letters)
	}
	if gone == 0 {
		w.settle(free, reach)
		if reach == anyLength {
			w.free = free
		}
	}
}

// toldApart is the classes of ASCII that a place does not lead to one state.
func (w *sliceWalk) toldApart(place int32) (apart uint64) {
	row := w.rowAt(place)
	for c := vocab.NoClass + 1; c < vocab.Classes; c++ {
		if lo, hi := c.Bytes(); c.Width() == 1 && slices.ContainsFunc(row[lo:hi], func(s lex.StringState) bool { return s != row[hi] }) {
			apart |= c.Bit()
		}
	}
	return apart
}

// spent says whether looking ahead has had its share of the walk, with so many states and
// derivatives since that was last noted.
func (w *sliceWalk) spent(made, derived int) bool {
	return w.made+made > maxMade || w.derived+derived > maxDerived || w.followed > maxFollowed
}

// grow looks, level by level, at the places that code points of some classes lead to: it gives
// those of the classes, and how many code points of them, that may follow the first place. Where
// some letters do not follow, tokens count otherwise, or places become too many, but only behind
// marks, it gives those marks instead: better do without them.
func (w *sliceWalk) grow(place int32, free uint64) (left uint64, reach int, gone uint64) {
	before, taken, set := w.u.arena.States(), w.u.arena.Derived(), w.places[place].set
	w.round++
	w.seen = append(w.seen[:0], place)
	w.places[place].round, w.places[place].via = w.round, 0
	for from := 0; ; reach++ {
		to := len(w.seen)
		for ; from < to && len(w.seen) <= 2*maxExplored && !w.spent(w.u.arena.States()-before, w.u.arena.Derived()-taken); from++ {
			w.follow(w.seen[from], free)
		}
		for _, q := range w.seen[to:] {
			w.places[q].away = reach + 1
		}
		cut := from < to
		many := cut || len(w.seen) > maxExplored
		gone |= w.leaveOut(to, free, set, many)
		ends, alike := w.admit(to, free&^gone, set)
		switch {
		case len(w.seen) == to && !cut:
			return ends, anyLength, gone
		case !alike || many:
			return free, reach, gone
		case ends&letters != free&letters && reach+1 >= farEnough, reach+1 >= wellAhead && w.u.arena.States()-before > manyMade:
			return free, reach + 1, gone
		}
		free = ends
	}
}

// letters is the classes that are worth more than marks.
var letters = vocab.ClassOf('a').Bit() | vocab.ClassOf('A').Bit() | vocab.ClassOf('0').Bit()

// leaveOut takes places out of those seen from an index on that are behind marks, where some
// letters do not follow or tokens count otherwise, or all if there are too many; it gives the
// marks.
func (w *sliceWalk) leaveOut(from int, free uint64, set []uint64, many bool) (gone uint64) {
	kept := w.seen[:from]
	for _, q := range w.seen[from:] {
		if via := w.places[q].via; via != 0 && (many || !w.countsAs(q, set) || free&letters&^w.live(q) != 0) {
			gone |= via
		} else {
			kept = append(kept, q)
		}
	}
	w.seen = kept
	return gone
}

// admit looks at the places seen from an index on: it gives the classes that may follow all of
// them, and says whether tokens that end there count alike.
func (w *sliceWalk) admit(from int, free uint64, set []uint64) (ends uint64, alike bool) {
	ends, alike = free, true
	for _, q := range w.seen[from:] {
		ends, alike = ends&w.live(q), alike && w.countsAs(q, set)
	}
	return ends, alike
}

// countsAs says whether the tokens that end in a place go into a set.
func (w *sliceWalk) countsAs(place int32, set []uint64) bool {
	own := w.places[place].set
	return len(own) > 0 && &own[0] == &set[0]
}

// settle tells a place what was found, and those on the way what is left of it there.
func (w *sliceWalk) settle(free uint64, reach int) {
	for i, q := range w.seen {
		p := &w.places[q]
		left := reach
		if reach < anyLength && i > 0 {
			left -= p.away
		}
		if i == 0 || left >= farEnough && !p.explored {
			w.note(q, free, left)
		}
	}
}

// note tells a place what was found of it.
func (w *sliceWalk) note(place int32, free uint64, reach int) {
	p := &w.places[place]
	p.free, p.reach, p.explored = free, reach, true
	switch {
	case reach > 0:
		w.taking[p.state] = takesSome
	case w.taking[p.state] == takesUnknown:
		w.taking[p.state] = takesNone
	}
}

// follow adds the places that code points of some classes lead to from a place to those seen.
func (w *sliceWalk) follow(from int32, free uint64) {
	w.followed++
	row, behind := w.rowAt(from), w.places[from].via
	last, marks, width := lex.StringDead, uint64(0), 0
	for c := vocab.NoClass + 1; c < vocab.Classes; c++ {
		if c.Bit()&free == 0 {
			continue
		}
		via := behind
		if c.Bit()&letters == 0 {
			via = c.Bit()
		}
		lo, hi := c.Bytes()
		for b := lo; b <= hi; b++ {
			switch s := row[b]; {
			case s == last:
				marks = eitherWay(marks, via)
			case s != lex.StringDead:
				if last != lex.StringDead {
					w.see(last, free, marks, width-1)
				}
				last, marks, width = s, via, c.Width()
			}
		}
	}
	if last != lex.StringDead {
		w.see(last, free, marks, width-1)
	}
}

// eitherWay is the marks that two ways to a place are behind; 0 if one is behind none.
func eitherWay(x, y uint64) uint64 {
	if x == 0 || y == 0 {
		return 0
	}
	return x | y
}

// see adds the places that so many continuation bytes lead to from s, behind a mark; 0 is behind
// none.
func (w *sliceWalk) see(s lex.StringState, free, via uint64, bytes int) {
	q := w.place(s)
	p := &w.places[q]
	if p.round == w.round {
		all := eitherWay(p.via, via)
		if all == p.via || bytes == 0 {
			p.via = all
			return
		}
		via = all
	}
	p.round, p.via = w.round, via
	if bytes == 0 {
		if p.reach < anyLength || free&^p.free != 0 || !w.countsAs(q, w.places[w.seen[0]].set) { // else what is behind is known
			w.seen = append(w.seen, q)
		}
		return
	}
	row := w.rowAt(q)
	for b := 0x80; b < 0xC0; b++ {
		if row[b] != lex.StringDead && (b == 0x80 || row[b] != row[b-1]) {
			w.see(row[b], free, via, bytes-1)
		}
	}
}

// live is the classes all code points of which may follow a place: none within a code point.
func (w *sliceWalk) live(place int32) uint64 {
	if live := w.places[place].live; live != 0 {
		return live
	}
	live, row := vocab.AllClasses, w.rowAt(place)
	for c := vocab.NoClass + 1; c < vocab.Classes; c++ {
		if !w.allLive(row, c) {
			live &^= c.Bit()
		}
	}
	w.places[place].live = live
	return live
}

// allLive says whether all code points of a class may follow a state with a row.
func (w *sliceWalk) allLive(row *lex.StringRow, c vocab.Class) bool {
	lo, hi := c.Bytes()
	for b := lo; b <= hi; b++ {
		switch next := row[b]; {
		case next == lex.StringDead:
			return false
		case b < utf8.RuneSelf || b > lo && next == row[b-1] && anySecond(b) && anySecond(b-1):
		case anySecond(b) && !w.tailAlive(next, c.Width()-1) || !anySecond(b) && !w.alive(next, b):
			return false
		}
	}
	return true
}

// alive says whether all code points may follow that begin with a byte that leads to s.
func (w *sliceWalk) alive(s lex.StringState, lead byte) bool {
	lo, hi := secondBytes(lead)
	return w.allAlive(s, lo, hi, vocab.ClassOf(lead).Width()-1)
}

func (w *sliceWalk) allAlive(s lex.StringState, lo, hi byte, bytes int) bool {
	row := w.u.arena.StringRow(s)
	for b := lo; b <= hi; b++ {
		switch {
		case row[b] == lex.StringDead:
			return false
		case bytes > 1 && (b == lo || row[b] != row[b-1]) && !w.tailAlive(row[b], bytes-1):
			return false
		}
	}
	return true
}

// tailAlive says whether any so many continuation bytes may follow s. How many may follow a state
// is a matter of the state, so that the answer is remembered by it.
func (w *sliceWalk) tailAlive(s lex.StringState, bytes int) bool {
	alive, ok := w.alives[s]
	if !ok {
		alive = w.allAlive(s, 0x80, 0xBF, bytes)
		w.alives[s] = alive
	}
	return alive
}

// anySecond says whether every continuation byte may be the second of a code point by its first.
func anySecond(lead byte) bool {
	lo, hi := secondBytes(lead)
	return lo == 0x80 && hi == 0xBF
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
