package machine

import (
	"strings"
	"unicode/utf8"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// The distances of JSON are upper bounds: some end is that near. They count no
// white space and the shortest spelling of everything.

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
	if d := m.values[i].least; d != 0 {
		return d
	}
	n, _ := m.shortest(i, map[int32]bool{})
	return n
}

// shortest finds the length of the shortest value. The values above it, which are
// in open, are of no use to it: a shortest value never holds itself. A length
// that was found without some of those is exact only there, and not kept.
func (m *Machine) shortest(i int32, open map[int32]bool) (n int32, exact bool) {
	if d := m.values[i].least; d != 0 {
		return d, true
	}
	if open[i] {
		return unreachable, false
	}
	open[i] = true
	defer delete(open, i)
	v := *m.load(i)
	n, exact = unreachable, true
	if v.words != lex.Dead {
		n = int32(v.unit.arena.MinBytes(v.words))
	}
	for _, s := range v.strings {
		n = min(n, 1+m.stringDistance(int(s), m.strings[s].start, 0))
	}
	for _, o := range v.objects {
		d, ok := m.shortestObject(m.objectAt(int(o)), open)
		n, exact = min(n, d), exact && ok
	}
	for _, a := range v.arrays {
		d, ok := m.shortestArray(m.arrays[a], open)
		n, exact = min(n, d), exact && ok
	}
	if exact || len(open) == 1 {
		m.values[i].least = n
	}
	return n, exact
}

func (m *Machine) shortestObject(o *object, open map[int32]bool) (int32, bool) {
	n, exact := m.remaining(o, &o.regs[0], open)
	return add(n, 1), exact
}

// remaining is how long the keys are that an object still needs, with their
// values and the closing brace: those owed, and the cheapest others until there
// are enough.
func (m *Machine) remaining(o *object, reg *register, open map[int32]bool) (int32, bool) {
	owed := o.owed(reg.seen, -1)
	n, exact := int32(1), true
	keys := 0
	pay := func(rank int) {
		d, ok := m.shortest(o.values[rank], open)
		n, exact = add(n, add(d, m.keyLength(o, rank)+2)), exact && ok
		keys++
	}
	for rank := range o.names {
		if hasBit(owed, rank) {
			pay(rank)
		}
	}
	for rank := 0; rank < len(o.names) && int(reg.count)+keys < o.alt.MinProps; rank++ {
		if hasBit(o.present, rank) && !hasBit(owed, rank) && !hasBit(reg.seen, rank) {
			pay(rank)
		}
	}
	for missing := o.alt.MinProps - int(reg.count) - keys; missing > 0; missing-- {
		d, ok := m.cheapestExtra(o, open)
		n, exact = add(n, d), exact && ok
	}
	for i, x := range o.exists {
		if reg.counts[i] < x.least {
			d, ok := m.cheapestExtra(o, open)
			n, exact = add(n, d), exact && ok
		}
	}
	if reg.count == 0 && keys > 0 {
		n-- // no comma before the first
	}
	return n, exact
}

// keyLength is the length of a named key with its quotes.
func (m *Machine) keyLength(o *object, rank int) int32 { return 2 + quotedLength(o.names[rank]) }

// quotedLength is the length of the shortest spelling of a text in a JSON string.
func quotedLength(text string) int32 {
	n := int32(0)
	for _, c := range []byte(text) {
		switch {
		case strings.IndexByte("\"\\\b\f\n\r\t", c) >= 0:
			n += 2
		case c < 0x20:
			n += 6
		default:
			n++
		}
	}
	return n
}

// restOfName is the length of what is missing of a name that has been read so far
// as the aux of a thread says, with the quote and the colon.
func (m *Machine) restOfName(o *object, rank int, aux int32) int32 {
	rest := o.names[rank][min(int(aux&0xffff), len(o.names[rank])):]
	if aux>>16 == 0 {
		return quotedLength(rest) + 2
	}
	r, n := utf8.DecodeRuneInString(rest)
	return restOfEscape(m.escapeTexts[aux>>16], r, o.unit.escapes) + quotedLength(rest[n:]) + 2
}

// restOfEscape is the length of what is missing of an escape that stands for r, of
// which text has been read.
func restOfEscape(text string, r rune, policy lex.Escapes) int32 {
	best := int32(unreachable)
	for _, spelling := range spellings(r, policy) {
		if strings.HasPrefix(spelling, lowerHex(text)) {
			best = min(best, int32(len(spelling)-len(text)))
		}
	}
	return best
}

// longKey is what a key costs beyond its shortest form so that it differs from
// all others.
const longKey = 8

func (m *Machine) cheapestExtra(o *object, open map[int32]bool) (int32, bool) {
	best, exact := int32(unreachable), true
	for _, c := range o.classes {
		a := o.unit.arena
		key := int32(a.StringDistance(a.StartString(m.classes[c].keys, o.unit.escapes)))
		d, ok := m.shortest(m.valueIndex(o.unit, m.classes[c].node), open)
		best, exact = min(best, add(d, key+3+longKey)), exact && ok
	}
	return best, exact
}

func (m *Machine) shortestArray(a *array, open map[int32]bool) (int32, bool) {
	n, exact := m.missing(a, &a.regs[0], 0, open)
	return add(n, 1), exact
}

// missing is how long the elements are that an array still needs, and the
// closing bracket; began is 1 while an element is being read.
func (m *Machine) missing(a *array, r *elements, began int, open map[int32]bool) (int32, bool) {
	n, exact := int32(1), true
	others := len(r.seen) + began
	if began > 0 && a.alt.Unique && len(r.seen) > 0 {
		var item *schema.Node
		a.unit.locked(func() { item = a.alt.Item(int(r.n) - 1) })
		n += m.detour(m.valueIndex(a.unit, item))
	}
	need := a.alt.Min
	for i, c := range a.alt.Contains {
		need = max(need, int(r.n)+max(0, c.Min-int(r.counts[i])))
	}
	if a.alt.Repeats && !r.repeated {
		need = max(need, int(r.n)+2)
	}
	for i := int(r.n); i < need; i++ {
		var item *schema.Node
		a.unit.locked(func() { item = a.alt.Item(i) })
		rank := 0
		if a.alt.Unique {
			rank = others + i - int(r.n)
		}
		d, ok := m.freeCost(a, item, rank, open)
		n, exact = add(n, d+1), exact && ok
		if i > len(a.alt.Prefix) && (!a.alt.Unique || rank > maxRanked) { // the rest are alike
			n = add(n, int32(min(int64(need-i-1)*int64(d+1), unreachable)))
			break
		}
	}
	for i, c := range a.alt.Contains {
		if r.counts[i] < int32(c.Min) {
			d, ok := m.shortest(m.valueIndex(a.unit, c.Node), open)
			n, exact = add(n, d), exact && ok
		}
	}
	return n, exact
}

// objectDistance is how far an object is from its end. Behind a comma another key
// must come, owed or not.
func (m *Machine) objectDistance(o *object, st, reg int32) int32 {
	n, _ := m.remaining(o, &o.regs[reg], map[int32]bool{})
	if phaseOf(st) != phaseComma {
		return n
	}
	if n > 1 {
		return n - 1
	}
	best := int32(unreachable)
	names := m.rulesOf(o, reg).names
	for rank := range o.names {
		if hasBit(names, rank) {
			best = min(best, add(m.valueDistance(o.values[rank]), m.keyLength(o, rank)+2))
		}
	}
	if len(m.rulesOf(o, reg).extra) > 0 {
		d, _ := m.cheapestExtra(o, map[int32]bool{})
		best = min(best, add(d, 1))
	}
	return best
}

func (m *Machine) arrayDistance(a *array, st, reg int32) int32 {
	began := 0
	if phaseOf(st) == phaseElement {
		began = 1
	}
	n, _ := m.missing(a, &a.regs[reg], began, map[int32]bool{})
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
	if seen := len(a.regs[reg].seen); a.alt.Unique && seen > 0 {
		var item *schema.Node
		a.unit.locked(func() { item = a.alt.Item(int(a.regs[reg].n)) })
		d, _ := m.freeCost(a, item, seen, map[int32]bool{})
		best = max(best, add(d, 1))
	}
	return best
}

// nameDistance is the distance of a thread in a named key: the shortest of the
// names it can still become, with its value and what the object needs then.
func (m *Machine) nameDistance(t thread) int32 {
	o := m.objects[t.def.index()]
	lo, hi := rangeOf(t.st)
	best := int32(unreachable)
	for _, e := range m.stacks.of(t.stack) {
		names := m.rulesOf(o, e.aux).names
		for rank := lo; rank < hi; rank++ {
			if !hasBit(names, rank) {
				continue
			}
			reg := o.withName(&o.regs[e.aux], rank)
			d, _ := m.remaining(o, &reg, map[int32]bool{})
			key := m.restOfName(o, rank, t.aux)
			d = add(add(d, key), m.valueDistance(o.values[rank]))
			best = min(best, add(d, m.below(e.below)))
		}
	}
	return best
}

func (m *Machine) extraDistance(t thread) int32 {
	c := &m.classes[t.def.index()]
	o := m.objects[c.object]
	best := int32(unreachable)
	for _, e := range m.stacks.of(t.stack) {
		reg := o.withExtra(&o.regs[e.aux], noText)
		d, _ := m.remaining(o, &reg, map[int32]bool{})
		key := int32(o.unit.arena.StringDistance(lex.StringState(t.st))) + 1 + longKey
		d = add(add(d, key), m.valueDistance(m.valueIndex(o.unit, c.node)))
		best = min(best, add(d, m.below(e.below)))
	}
	return best
}
