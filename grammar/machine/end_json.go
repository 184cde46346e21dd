package machine

import (
	"slices"
	"strings"
	"unicode/utf8"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// The distances of JSON are upper bounds: some end is no farther. They count no white space and
// the shortest spelling of everything.

func (m *Machine) stringDistance(i int, s lex.StringState, read int32) int32 {
	d := &m.strings[i]
	n := int32(d.unit.arena.StringDistance(s))
	if d.any && read < d.min {
		n += d.min - read
	}
	return n
}

// valueDistance is the length of the shortest value of a set.
func (m *Machine) valueDistance(i int32) int32 {
	switch d := m.values[i].least; {
	case d != 0:
		return d
	case m.solving != nil:
		return m.solving.length(i)
	}
	return m.solve(i)
}

func (m *Machine) valueKindDistance(d kindDef, st, _ int32) int32 {
	n := m.valueDistance(int32(d.index()))
	if phaseOf(st) == phaseColon {
		n = add(n, 1)
	}
	return n
}

// lengths are guesses at the shortest values of sets that may hold each other.
type lengths struct {
	of    map[int32]int32
	order []int32 // as they were asked for
}

// length is the guess at a set, which begins as unreachable.
func (l *lengths) length(i int32) int32 {
	n, ok := l.of[i]
	if !ok {
		n = unreachable
		l.of[i] = n
		l.order = append(l.order, i)
	}
	return n
}

// solve finds the length of the shortest value of a set and of all sets in it: guesses are mended,
// those of inner sets first, until none gets shorter. It takes a round for every level that the
// shortest value has, whatever refers to what.
func (m *Machine) solve(i int32) int32 {
	l := &lengths{of: map[int32]int32{}}
	l.length(i)
	m.solving = l
	for at := 0; at < len(l.order); at++ { // and what it asks for, in turn
		l.of[l.order[at]] = m.shortest(l.order[at])
	}
	for changed := true; changed; {
		changed = false
		for _, at := range slices.Backward(l.order) {
			if n := m.shortest(at); n < l.of[at] {
				l.of[at], changed = n, true
			}
		}
	}
	m.solving = nil
	for at, n := range l.of {
		m.values[at].least = n
	}
	return l.of[i]
}

// shortest is the length of the shortest value of a set, as far as the lengths of the values in it
// are known.
func (m *Machine) shortest(i int32) int32 {
	if n, ok := m.values[i].node.NumberLength(); ok {
		return int32(n) // an automaton for each number of a long list takes seconds
	}
	v := *m.load(i)
	n := int32(unreachable)
	if v.words != lex.Dead {
		n = int32(v.unit.arena.MinBytes(v.words))
	}
	for _, s := range v.strings {
		n = min(n, 1+m.stringDistance(int(s), m.strings[s].start, 0))
	}
	for _, x := range v.objects {
		o := m.objectAt(int(x))
		n = min(n, add(m.remaining(o, &o.regs[0]), 1))
	}
	for _, x := range v.arrays {
		a := m.arrays[x]
		n = min(n, add(m.missing(a, &a.regs[0], 0), 1))
	}
	return n
}

// remaining is the length of what an object still needs: keys with their values, and the brace.
func (m *Machine) remaining(o *object, reg *register) int32 {
	n := reg.knownDues()
	if n == 0 {
		// else it may get less
		if n = m.dues(o, reg); m.solving == nil && reg.known != nil {
			reg.known.dues = n
		}
	}
	if reg.count() == 0 && n > 1 {
		n-- // no comma before the first
	}
	return n
}

// knownDues is what dues found for a register before, 0 if it was not asked.
func (r *register) knownDues() int32 {
	if r.known == nil {
		return 0
	}
	return r.known.dues
}

// dues is remaining with a comma before every key. It counts the keys that are owed, the cheapest
// others until minProperties is reached, and a member for each obligation that is not met.
func (m *Machine) dues(o *object, reg *register) int32 {
	owed := o.owed(reg.seen, -1)
	n := int32(1)
	for rank := range o.names {
		if hasBit(owed, rank) {
			n = add(n, m.memberLength(o, rank))
		}
	}
	n = add(n, m.otherCosts(o, reg, owed, o.alt.MinProps-reg.count()-countBits(owed)))
	for i, x := range o.exists {
		if reg.counts[i] < x.least {
			n = add(n, m.existenceCost(o, reg, &x))
		}
	}
	return n
}

// duesApart says whether each key costs the same whatever other keys come: once one has come, the
// dues are less by its own cost.
func (o *object) duesApart(reg *register) bool {
	return len(o.exists) == 0 && reg.knownDues() < unreachable && reg.count()+countBits(o.owed(reg.seen, -1)) >= o.alt.MinProps
}

// remainingAfter is what remains of an object behind a name, without its value.
func (m *Machine) remainingAfter(o *object, reg *register, rank int, apart bool) int32 {
	switch {
	case !apart:
		after := o.withName(reg, rank)
		return m.remaining(o, &after)
	case hasBit(o.needed, rank):
		return reg.knownDues() - m.memberLength(o, rank)
	}
	return reg.knownDues()
}

// memberLength is the length of a named key with its colon, its shortest value, and a comma.
func (m *Machine) memberLength(o *object, rank int) int32 {
	return add(m.valueDistance(o.values[rank]), m.keyLength(o, rank)+2)
}

// keyLength is the length of a named key with its quotes.
func (m *Machine) keyLength(o *object, rank int) int32 {
	if o.lengths == nil {
		o.lengths = make([]int32, len(o.names))
		for i, name := range o.names {
			o.lengths[i] = 2 + quotedLength(name)
		}
	}
	return o.lengths[rank]
}

// quotedLength is the length of the shortest spelling of a text in a JSON string.
func quotedLength(text string) int32 {
	n := int32(0)
	for _, c := range []byte(text) {
		switch {
		case c == '"' || c == '\\' || c < 0x20 && strings.IndexByte("\b\f\n\r\t", c) >= 0:
			n += 2
		case c < 0x20:
			n += 6
		default:
			n++
		}
	}
	return n
}

// restOfName is how many bytes are missing of a name, with the quote and the colon. A thread's aux
// says how far it was read.
func (m *Machine) restOfName(o *object, rank int, aux int32) int32 {
	rest := o.names[rank][min(int(aux&0xffff), len(o.names[rank])):]
	if aux>>16 == 0 {
		return quotedLength(rest) + 2
	}
	r, n := utf8.DecodeRuneInString(rest)
	return restOfEscape(m.escapeTexts[aux>>16], r, o.unit.escapes) + quotedLength(rest[n:]) + 2
}

// restOfEscape is the length of what is missing of an escape that stands for r, of which text has
// been read.
func restOfEscape(text string, r rune, policy lex.Escapes) int32 {
	best := int32(unreachable)
	for _, spelling := range spellings(r, policy) {
		if strings.HasPrefix(spelling, lowerHex(text)) {
			best = min(best, int32(len(spelling)-len(text)))
		}
	}
	return best
}

// missing is the length of what an array still needs: elements, and the bracket. began is 1 while
// an element is being read.
func (m *Machine) missing(a *array, r *elements, began int) int32 {
	n := int32(1)
	others := len(r.seen) + began
	if began > 0 && a.alt.Unique && len(r.seen) > 0 {
		// n stops where places do not matter any more
		_, within := m.detour(a, max(int(r.n)-1, 0))
		n += within
	}
	need := a.alt.Min
	for i, c := range a.alt.Contains {
		need = max(need, int(r.n)+max(0, c.Min-int(r.counts[i])))
	}
	for i := int(r.n); i < need; i++ {
		var item *schema.Node
		a.unit.locked(func() { item = a.alt.Item(i) })
		d := m.valueDistance(m.valueIndex(a.unit, item))
		if a.alt.Unique && others+i > int(r.n) {
			ahead, _ := m.detour(a, i)
			d = add(d, ahead)
		}
		n = add(n, d+1)
		if i > len(a.alt.Prefix) { // the rest are alike
			n = add(n, int32(min(int64(need-i-1)*int64(d+1), unreachable)))
			break
		}
	}
	for i, c := range a.alt.Contains {
		if missing := c.Min - int(r.counts[i]); missing > 0 {
			d := m.valueDistance(m.valueIndex(a.unit, m.containable(a, int(r.n), c.Node)))
			n = add(n, int32(min(int64(missing)*int64(d), unreachable)))
		}
	}
	return n
}

// farther estimates by how much a value that must differ from others exceeds its shortest form.
const farther = 8

// detour estimates by how much the element at an index, which must differ from others, exceeds its
// shortest form: ahead before it has begun, within once it has. Where values are long and differ
// in few characters, it may be too low.
func (m *Machine) detour(a *array, index int) (ahead, within int32) {
	var item *schema.Node
	a.unit.locked(func() { item = a.alt.Item(index) })
	v := m.load(m.valueIndex(a.unit, item))
	ahead, within = farther, 1
	if len(v.objects)+len(v.arrays) > 0 {
		within = farther
	}
	for _, s := range v.strings {
		inner, _ := a.unit.arena.Decoded(m.strings[s].start)
		if longest, listed := a.unit.arena.Longest(inner); listed {
			ahead = max(ahead, int32(longest))
		} else {
			within = farther
		}
	}
	return ahead, within
}

// containable is the elements at an index that a Contain counts, or all that it counts if there
// are none at that index.
func (m *Machine) containable(a *array, index int, contained *schema.Node) (node *schema.Node) {
	a.unit.locked(func() {
		if node = a.alt.Item(index).And(contained); node.Empty() {
			node = contained
		}
	})
	return node
}

// objectDistance is how far an object is from its end. Behind a comma another key must come, owed
// or not.
func (m *Machine) objectDistance(o *object, st, reg int32) int32 {
	r := o.at(st, reg)
	n := m.remaining(o, &r)
	if phaseOf(st) != phaseComma {
		return n
	}
	if n > 1 {
		return n - 1
	}
	best := int32(unreachable)
	rules := m.rulesOf(o, st, reg)
	for rank := range o.names {
		if hasBit(rules.names, rank) {
			best = min(best, add(m.memberBehind(o, &r, rank, false), m.keyLength(o, rank)+1))
		}
	}
	if len(rules.extra) > 0 {
		d := m.otherCosts(o, &r, o.present, 1)
		best = min(best, add(d, 1))
	}
	return best
}

func (m *Machine) arrayDistance(a *array, st, reg int32) int32 {
	began := 0
	if phaseOf(st) == phaseElement {
		began = 1
	}
	n := m.missing(a, &a.regs[reg], began)
	if phaseOf(st) != phaseComma {
		return n
	}
	if n > 1 {
		return n - 1
	}
	best := int32(unreachable)
	for _, x := range m.optionsOf(a, reg, 0) {
		best = min(best, add(m.valueDistance(x.value), 1))
	}
	if len(a.regs[reg].seen) > 0 {
		ahead, _ := m.detour(a, int(a.regs[reg].n))
		best = add(best, ahead)
	}
	return best
}

// nameDistance is the distance of a thread in a named key: the shortest of the names it can still
// become, with its value and what the object needs then.
func (m *Machine) nameDistance(t thread) int32 {
	lo, hi := rangeOf(t.st)
	best := int32(unreachable)
	for _, e := range m.stacks.of(t.stack) {
		o := m.objects[e.def.index()]
		names, reg := m.rulesOf(o, e.st, e.aux).names, o.at(e.st, e.aux)
		below := m.below(e.below)
		m.remaining(o, &reg)
		apart := len(o.implied) == 0 && o.duesApart(&reg)
		for rank := lo; rank < hi; rank++ {
			if hasBit(names, rank) {
				d := add(m.memberBehind(o, &reg, rank, apart), m.restOfName(o, rank, t.aux))
				best = min(best, add(d, below))
			}
		}
	}
	return best
}

// memberBehind is what the value of a name costs, and what its object needs then.
func (m *Machine) memberBehind(o *object, reg *register, rank int, apart bool) int32 {
	d := add(m.remainingAfter(o, reg, rank, apart), m.valueDistance(o.values[rank]))
	for i, x := range o.exists {
		if reg.counts[i] < x.least && o.unit.arena.Accepting(o.unit.arena.Walk(x.keys, o.names[rank])) {
			if node := m.intersection(o, m.values[o.values[rank]].node, x.node); node != nil {
				d = min(d, m.afterMeeting(o, o.withName(reg, rank), i, node))
			}
		}
	}
	return d
}
