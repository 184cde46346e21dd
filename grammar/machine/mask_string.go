package machine

import (
	"math/bits"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
	"tenon/grammar/vocab"
)

// stringSlice is the part of a mask that depends on the state of a string's automaton alone:
// tokens that stay inside of the string, and tokens that close it.
type stringSlice struct {
	*lexicon
	unit     *Unit
	state    lex.StringState
	open     bool         // all tokens that stay inside of some string stay inside of this
	sparse   bool         // few tokens stay inside: they are in few, not in inside and needs
	abstract *stringSlice // of a state that says the same about all but long tokens; or nil
	alike    bool         // about those, too
	few      []int32      // nil until asked for
	inside   []uint64     // nil until asked for
	closing  []uint64     // nil until asked for
	needs    []need       // nil until a string close to its bound asks
}

// need is the tokens that stay inside of a string, do not end in an escape, and lead to where at
// least so many code points must still come.
type need struct {
	least int32
	set   []uint64
}

// denseState is the number of printable ASCII bytes that a state must accept for a slice to pay.
const denseState = 16

// sliceSize is what a slice takes beside its sets.
const sliceSize = 256

type stringState struct {
	unit  *Unit
	state lex.StringState
}

// stringSliceOf returns the slice of a state of a string's automaton, or nil where walking the
// tree is as good.
func (k *Masks) stringSliceOf(u *Unit, s lex.StringState) *stringSlice {
	key := stringState{u, s}
	if x, ok := k.strings.get(key); ok {
		return x
	}
	var x *stringSlice
	switch a := u.arena; {
	case s == u.plainString:
		x = k.lexiconOf(u, false).slice()
	case s == a.StepString(u.plainString, '\\'):
		x = k.lexiconOf(u, true).slice()
	case a.StringOpen(s):
		l := k.lexiconOf(u, false)
		x = &stringSlice{lexicon: l, unit: u, state: s, open: true, inside: l.inside}
	default:
		if between(a, s) {
			x = &stringSlice{lexicon: k.lexiconOf(u, false), unit: u, state: s}
			if simple := a.AbstractCounters(s, lookaheadRunes); simple != s {
				x.abstract, x.alike = k.stringSliceOf(u, simple), a.AbstractCounters(s, int(x.most)+1) == simple
				x.sparse = x.abstract.sparse
			} else {
				x.sparse = !dense(a, s)
			}
		}
	}
	k.strings.put(key, x)
	k.kept += sliceSize
	return x
}

// between says whether a state is between code points and outside of escapes.
func between(a *lex.Arena, s lex.StringState) bool {
	_, raw := a.Decoded(s)
	row := a.StringRow(s)
	for b := 0x80; b < 0xC0 && raw; b++ {
		raw = row[b] == lex.StringDead
	}
	return raw
}

// dense says whether a state accepts many bytes.
func dense(a *lex.Arena, s lex.StringState) bool {
	n := 0
	for _, next := range a.StringRow(s)[0x20:0x7F] {
		if next != lex.StringDead {
			n++
		}
	}
	return n >= denseState
}

// addInside adds the tokens that a thread stays inside with, if the string may have most code
// points more; schema.Unbounded: any number. With a bound, those that end in an escape are left
// out.
func (k *collector) addInside(t thread, x *stringSlice, most int32) {
	switch {
	case k.whole == x.lexicon:
		return
	case x.sparse:
		k.addFew(t, x, most)
		return
	}
	fit := k.fitting(x, most)
	if most != schema.Unbounded && fit < exactPoints-1 {
		k.addByNeed(x, most)
		return
	}
	if most == schema.Unbounded && x.inside == nil && k.addLeft(x) {
		return
	}
	k.fillInside(x)
	if most == schema.Unbounded {
		k.addSet(x.inside)
		return
	}
	k.addWithin(x.inside, x.points, fit)
	for _, l := range x.points.long {
		if l.n > fit && l.n <= most && hasToken(x.inside, l.token) && k.m.reads(k.v.Piece(l.token), t) {
			k.ids = append(k.ids, l.token)
		}
	}
}

// maxLeft is the number of tokens that are sooner read one by one than found all together.
const maxLeft = 256

// addLeft is addInside where few tokens are left that a string of any text stays inside with: keys
// are of classes that are all texts together, and most tokens go on in the first of them.
func (k *collector) addLeft(x *stringSlice) bool {
	if !k.used {
		return false
	}
	left := k.found[:0]
	for i, word := range x.lexicon.inside {
		for word &^= k.set[i]; word != 0; word &= word - 1 {
			left = append(left, int32(i<<6+bits.TrailingZeros64(word)))
		}
		if len(left) > maxLeft {
			return false
		}
	}
	k.found = left
	for _, id := range left {
		s, a, piece := x.state, x.unit.arena, k.v.Piece(id)
		for i := 0; i < len(piece) && s != lex.StringDead; i++ {
			s = a.StepString(s, piece[i])
		}
		if k.visit(len(piece), 0); s != lex.StringDead {
			k.ids = append(k.ids, id)
		}
	}
	return true
}

// addFew is addInside for a sparse slice; tokens that end in an escape are with the others.
func (k *collector) addFew(t thread, x *stringSlice, most int32) {
	k.fillFew(x)
	if most == schema.Unbounded {
		k.ids = append(k.ids, x.few...)
		return
	}
	fit := k.fitting(x, most)
	for _, id := range x.few {
		piece := k.v.Piece(id)
		if int32(len(piece)) < fit || k.m.reads(piece, t) {
			k.ids = append(k.ids, id)
		}
	}
}

// walkFew lists the tokens that stay inside.
func (k *collector) walkFew(x *stringSlice) []int32 {
	few := []int32{}
	tree, a := k.v.Trie(), x.unit.arena
	var rows [vocab.MaxPiece + 2]*lex.StringRow
	rows[0] = a.StringRow(x.state)
	for i := 0; i < len(tree.Nodes); k.visit(1, 0) {
		n := &tree.Nodes[i]
		next := rows[n.Depth-1][n.Byte]
		if next == lex.StringDead || next == lex.StringClosed {
			i += int(n.Size)
			continue
		}
		for id := n.Token; id >= 0; id = tree.Next(id) {
			few = append(few, id)
		}
		if n.Size > 1 {
			rows[n.Depth] = a.StringRow(next)
		}
		i++
	}
	k.kept += 4 * len(few)
	return few
}

// fitting returns a number of code points. Tokens that hold no more fit under the bound, whatever
// must follow them. It is negative where the bound is so close that this depends on the token.
func (k *collector) fitting(x *stringSlice, most int32) int32 {
	if most == schema.Unbounded || x.needs != nil {
		return -1
	}
	a := x.unit.arena
	inner, _ := a.Decoded(x.state)
	few := int32(exactPoints - 1)
	needed := a.Reach(inner, int(few))
	switch n := min(few+most-int32(needed), x.most+1); {
	case needed < 0 || n < few:
		return -1
	case a.Reach(inner, int(n)) <= int(most):
		return n
	}
	return few
}

// addByNeed adds the tokens that stay inside, and behind which the rest that must follow still
// fits under the bound.
func (k *collector) addByNeed(x *stringSlice, most int32) {
	if x.needs == nil {
		k.sliceString(x, true)
	}
	for _, n := range x.needs {
		k.addWithin(n.set, x.points, most-n.least)
	}
}

// reads says whether one of some threads can read a text.
func (m *Machine) reads(text []byte, threads ...thread) bool {
	from := len(m.work)
	m.work = append(m.work, threads...)
	for _, b := range text {
		m.stepAll(from, int(b))
	}
	read := len(m.work) > from
	m.work = m.work[:from]
	return read
}

// stepAll replaces the threads at work from an index on by what they become by reading any of some
// inputs.
func (m *Machine) stepAll(from int, inputs ...int) {
	to := len(m.work)
	for i := from; i < to; i++ {
		for _, in := range inputs {
			m.work = m.step(m.work, m.work[i], in)
		}
	}
	m.work = append(m.work[:from], m.work[to:]...)
	if len(m.work)-from > manyThreads {
		m.work = m.work[:from+len(m.normalise(m.work[from:]))]
	}
}

// addWithin adds the tokens of a set that hold at most n code points.
func (k *collector) addWithin(set []uint64, p *points, n int32) {
	if n < 0 {
		return
	}
	k.addBoth(set, p.within[min(int(n), exactPoints-1)])
	for _, x := range p.long {
		if x.n > n {
			break
		}
		if hasToken(set, x.token) {
			k.ids = append(k.ids, x.token)
		}
	}
}

// collectString adds the tokens of a thread inside of a string.
func (k *collector) collectString(t thread) bool {
	x := k.textOf(t)
	if x == nil {
		return false
	}
	d := &k.m.strings[t.def.index()]
	most, least := int32(schema.Unbounded), d.min-t.aux
	if d.max != schema.Unbounded {
		most = d.max - t.aux
	}
	k.addInside(t, x, most)
	if most != schema.Unbounded && k.whole != x.lexicon && !x.sparse {
		k.walk.run(k, &x.escapes, []thread{t})
	}
	switch b := (bounds{least, most}); {
	case !k.closes(x):
	case t.rec == 0:
		k.collectClosers(x, nil, k.m.resume(nil, t), b)
	case k.m.comparable(t):
		k.collectElement(t, x, b)
	case k.m.inObject(t):
		k.walk.run(k, &x.parts.tree, []thread{t})
		t.rec = k.m.texts.add(t.rec, '"')
		k.collectClosers(x, x.parts.others, k.m.resume(nil, t), b)
	default:
		k.walk.run(k, &x.whole, []thread{t})
	}
	return true
}

// bounds are how many code points must and may still come in a string.
type bounds struct{ least, most int32 }

// collectClosers adds those of a set of tokens that close a string within bounds and that the
// threads behind it read; nil is the set of all.
func (k *collector) collectClosers(x *stringSlice, of []uint64, after []thread, b bounds) {
	closing := k.closingOf(x)
	for _, i := range k.readable(x.lexicon, after) {
		g := &x.groups[i]
		for j, id := range g.tokens {
			if !hasToken(closing, id) || of != nil && !hasToken(of, id) {
				continue
			}
			if n := g.before[j]; n >= b.least && (b.most == schema.Unbounded || n <= b.most) {
				k.ids = append(k.ids, id)
			}
		}
	}
}

// readable lists the groups of tokens whose text behind the closing quote of a string the threads
// behind it read.
func (k *collector) readable(x *lexicon, after []thread) []int32 {
	k.found = k.found[:0]
	if x.bare >= 0 && len(after) > 0 {
		k.found = append(k.found, x.bare)
	}
	k.grouped = true
	k.walk.run(k, &x.behind, after)
	k.grouped = false
	return k.found
}
