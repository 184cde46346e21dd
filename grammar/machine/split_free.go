package machine

import (
	"math/bits"
	"slices"

	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// maxExplored is how many states are looked at to find which bytes are free in
// one. Patterns that count have more; there, only so many bytes may be free.
const maxExplored = 16

// fewFree is the number of bytes below which those that lead straight back are of
// more use than those that are free.
const fewFree = 8

// explore finds which groups of bytes are free in a state: all that may come next
// are, but for those that lead, in any number of steps, to where one of them may
// not come, or to tokens of another set. Groups that lead straight back are not
// given up for others. It goes by code points, each of which is at least a byte.
func (w *splitWalk) explore(place int32) {
	w.study(place)
	p := w.places[place]
	p.free, p.reach, p.explored = p.live, 0, true
	w.seen = append(w.seen[:0], place)
	for from := 0; ; p.reach++ {
		to := len(w.seen)
		for ; from < to && len(w.seen) <= maxExplored; from++ {
			w.follow(&p, w.seen[from])
		}
		if len(w.seen) > maxExplored { // no byte further than is known so far
			break
		}
		if len(w.seen) == to {
			p.reach = vocab.MaxPiece
			break
		}
	}
	if p.reach < fewFree && p.loops != 0 {
		p.free, p.reach, p.dead = p.loops, vocab.MaxPiece, w.places[place].dead
	}
	p.dead &^= p.free
	w.places[place] = p
}

// follow looks at the states that free bytes of p lead to from one of those seen.
func (w *splitWalk) follow(p *splitPlace, from int32) {
	q := w.places[from]
	last, group := lex.StringDead, uint64(0)
	for b := 0x20; b < 0x80 && len(w.seen) <= maxExplored; b++ {
		if g := vocab.ByteGroup(byte(b)); g&p.free != 0 && (g != group || q.row[b] != last) {
			last, group = q.row[b], g
			w.admit(p, last, g)
		}
	}
	for leads := vocab.LeadGroups & p.free; leads != 0 && len(w.seen) <= maxExplored; leads &= leads - 1 {
		i := bits.TrailingZeros64(leads)
		w.admit(p, q.wide[i-vocab.FirstLead], 1<<i)
	}
}

// admit takes a state that bytes of a group lead to among those seen, or the group
// from the free ones.
func (w *splitWalk) admit(p *splitPlace, s lex.StringState, group uint64) {
	i := w.place(s)
	if s == p.state || slices.Contains(w.seen, i) {
		return
	}
	w.study(i)
	q := &w.places[i]
	if !q.raw || &q.set[0] != &p.set[0] || p.loops&p.free&^q.live != 0 {
		p.free &^= group
		return
	}
	p.free &= q.live
	p.dead &= q.dead
	w.seen = append(w.seen, i)
}

// study finds where the groups of bytes lead from a state.
func (w *splitWalk) study(place int32) {
	p := w.places[place]
	if p.studied {
		return
	}
	p.studied = true
	p.loops, p.dead = groupsOf(p.row, p.state), groupsOf(p.row, lex.StringDead)
	p.live = ^(vocab.SpecialGroups | vocab.WideGroups)
	for b, next := range p.row[:0x80] {
		if next == lex.StringDead {
			p.live &^= vocab.ByteGroup(byte(b))
		}
	}
	for i, next := range w.wideTargets(p.row) {
		p.wide[i] = next
		group := uint64(1) << (i + vocab.FirstLead)
		switch next {
		case lex.StringDead:
			continue
		case p.state:
			p.loops |= group | vocab.Continuation
		}
		p.live |= group | vocab.Continuation
		p.dead &^= vocab.Continuation
	}
	w.places[place] = p
}

// groupsOf is the groups of bytes all of which lead to a state.
func groupsOf(row *lex.StringRow, s lex.StringState) uint64 {
	some, others := uint64(0), uint64(0)
	for b, next := range row {
		if next == s {
			some |= vocab.ByteGroup(byte(b))
		} else {
			others |= vocab.ByteGroup(byte(b))
		}
	}
	return some &^ others
}

// wideTargets is, for each group of bytes that begin a code point beyond ASCII, the
// one state that all its code points lead to, or StringDead if there is none.
// (Which bytes may follow is in table 3-7 of the Unicode Standard, well-formed
// UTF-8.)
func (w *splitWalk) wideTargets(row *lex.StringRow) (to [vocab.Leads]lex.StringState) {
	var met [vocab.Leads]bool
	for b := 0xC2; b <= 0xF4; b++ {
		lo, hi, more := byte(0x80), byte(0xBF), 0
		switch {
		case b >= 0xF0:
			more = 2
		case b >= 0xE0:
			more = 1
		}
		switch b {
		case 0xE0:
			lo = 0xA0
		case 0xED:
			hi = 0x9F
		case 0xF0:
			lo = 0x90
		case 0xF4:
			hi = 0x8F
		}
		i := bits.TrailingZeros64(vocab.ByteGroup(byte(b))) - vocab.FirstLead
		next := w.target(row[b], lo, hi, more)
		if met[i] && to[i] != next {
			next = lex.StringDead
		}
		to[i], met[i] = next, true
	}
	return to
}

// target is the one state that the bytes lo to hi, and so many more continuation
// bytes, lead to, or StringDead.
func (w *splitWalk) target(s lex.StringState, lo, hi byte, more int) lex.StringState {
	if s == lex.StringDead {
		return s
	}
	row := w.u.arena.StringRow(s)
	to, last := lex.StringDead, lex.StringDead
	for b := lo; b <= hi; b++ {
		next := row[b]
		if b > lo && next == last {
			continue
		}
		last = next
		if more > 0 {
			next = w.target(next, 0x80, 0xBF, more-1)
		}
		if next == lex.StringDead || b > lo && next != to {
			return lex.StringDead
		}
		to = next
	}
	return to
}
