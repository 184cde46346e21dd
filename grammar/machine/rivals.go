package machine

import (
	"bytes"
	"slices"

	"tenon/grammar/schema"
)

// An object that must differ from others, because it is an element of an array whose
// elements must, may not get to where nothing but one of them can come of it. Its
// register holds its rivals: those of the others that have all its members so far.
// A value that leaves so few ways to go on that rivals have taken them all is not
// read, and a name that has only such values neither.

// openRegister is the register at the start of an object, whose opening brace a
// thread has just read.
func (m *Machine) openRegister(t thread, index int) int32 {
	if t.rec == 0 || t.stack == noStack {
		return 0
	}
	list := m.stacks.of(t.stack)
	e := list[0]
	var others []textID
	switch {
	case len(list) > 1 || e.st != phaseElement:
		return 0
	case e.def.kind() == kindArray && m.arrays[e.def.index()].alt.Unique:
		others = m.arrays[e.def.index()].regs[e.aux].seen
	case e.def.kind() == kindObject:
		o := m.objects[e.def.index()]
		others = m.takenValues(o, &o.regs[e.aux])
	}
	rivals := m.objectsAmong(others)
	if len(rivals) == 0 {
		return 0
	}
	o := m.objectAt(index)
	if len(o.exists) > 0 {
		return 0
	}
	reg := o.regs[0]
	reg.rivals, reg.rules, reg.free = rivals, nil, nil
	return o.intern(reg)
}

func (m *Machine) objectsAmong(texts []textID) []textID {
	var list []textID
	for _, id := range texts {
		if m.membersOf(id) != nil {
			list = append(list, id)
		}
	}
	return list
}

// membersOf are the keys and values of an object in canonical form; nil for what is
// none.
func (m *Machine) membersOf(id textID) map[textID]textID {
	if x, ok := m.members[id]; ok {
		return x
	}
	var x map[textID]textID
	if text := m.texts.appendSince(nil, noText, id); len(text) > 0 && text[0] == '{' {
		x = map[textID]textID{}
		for text = text[1:]; len(text) > 1; {
			n := canonicalLength(text)
			key := m.texts.of(decodeString(text[1 : n-1]))
			text = text[n:]
			n = canonicalLength(text)
			x[key] = m.texts.of(text[:n])
			text = text[n:]
		}
	}
	m.members[id] = x
	return x
}

// canonicalLength is the length of the value that a text in canonical form begins
// with.
func canonicalLength(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		default:
			if n := bytes.IndexAny(text[i:], `"{}[],`); depth == 0 && n >= 0 {
				return i + n
			}
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}

// withRivals completes the register behind a key, whose rivals are those of the
// register before it, and gives the set that the value is one of.
func (m *Machine) withRivals(o *object, after register, key, rec textID, value int32) (register, int32) {
	after.rivals = slices.DeleteFunc(slices.Clone(after.rivals), func(id textID) bool {
		_, has := m.membersOf(id)[key]
		return !has
	})
	if len(after.rivals) == 0 {
		return after, value
	}
	after.key, after.from = key, rec
	if taken := m.takenValues(o, &after); len(taken) > 0 {
		m.load(value)
		value = m.reduce(value, m.decodedTexts(taken))
	}
	return after, value
}

// takenValues are the values of the key just read behind which only rivals remain.
func (m *Machine) takenValues(o *object, r *register) []textID {
	rest := *r
	rest.rivals, rest.rules, rest.free = nil, nil, nil
	rules := m.deriveRules(o, &rest)
	if len(rules.extra) > 0 {
		return nil
	}
	counts := map[textID]int{}
	var values []textID
	for _, id := range r.rivals {
		v, has := m.membersOf(id)[r.key]
		if !has || !m.within(o, id, r, rules) {
			continue
		}
		if counts[v]++; counts[v] == 1 {
			values = append(values, v)
		}
	}
	ways := m.ways(o, r, rules, len(r.rivals)+1)
	return slices.DeleteFunc(values, func(v textID) bool { return counts[v] < ways })
}

// within says whether a rival has no other keys than there are or may come.
func (m *Machine) within(o *object, rival textID, r *register, next *rules) bool {
	for key := range m.membersOf(rival) {
		rank, named := o.rank(string(m.texts.appendSince(nil, noText, key)))
		if named && !hasBit(r.seen, int(rank)) && !hasBit(next.names, int(rank)) {
			return false
		}
	}
	return true
}

// ways counts, up to a limit, how an object can go on to its end, no matter in which
// order. It counts too many where keys depend on each other.
func (m *Machine) ways(o *object, r *register, next *rules, limit int) int {
	owed := o.owed(r.seen, -1)
	n := 1
	for rank := range o.names {
		if !hasBit(next.names, rank) {
			continue
		}
		c := m.countValues(o, m.values[o.values[rank]].node, limit)
		if !hasBit(owed, rank) {
			c++
		}
		if n = min(n*c, limit); n == limit {
			break
		}
	}
	return n
}

// countValues counts the values of a set, up to a limit. Sets are asked for again and
// again, with limits that grow slowly.
func (m *Machine) countValues(o *object, n *schema.Node, limit int) int {
	known, ok := m.counts[n]
	if !ok || known.values == known.limit && known.limit < limit {
		known.limit = max(limit, 2*known.limit)
		o.unit.locked(func() { known.values = n.Count(known.limit) })
		m.counts[n] = known
	}
	return min(known.values, limit)
}

// tally is how many values there are, as far as they were counted.
type tally struct{ values, limit int }

// refuseTaken takes names out all values of which are taken.
func (m *Machine) refuseTaken(o *object, reg *register, names []uint64) {
	for rank := range o.names {
		if !hasBit(names, rank) {
			continue
		}
		after := o.withName(reg, int(rank))
		after.key = m.texts.of([]byte(o.names[rank]))
		taken := m.takenValues(o, &after)
		if len(taken) > 0 && m.countValues(o, m.values[o.values[rank]].node, len(taken)+1) <= len(taken) {
			names[rank>>6] &^= 1 << (rank & 63)
		}
	}
}

// usedUp says whether all objects of a set are among those there are.
func (m *Machine) usedUp(index int32, seen []textID) bool {
	o := m.objectAt(int(index))
	next := m.rulesOf(o, 0)
	if len(next.extra) > 0 {
		return false
	}
	n := 0
	for _, id := range m.objectsAmong(seen) {
		if m.within(o, id, &o.regs[0], next) {
			n++
		}
	}
	return n > 0 && m.ways(o, &o.regs[0], next, n+1) <= n
}

// endMember looks at the value of an object with rivals that has just been read.
func (m *Machine) endMember(dst []thread, t thread) []thread {
	o := m.objects[t.def.index()]
	r := o.regs[t.aux]
	m.buf = m.texts.appendSince(m.buf[:0], r.from, t.rec)
	value := m.texts.of(canonical(bytes.TrimLeft(m.buf, " \t\r\n:")))
	if slices.Contains(m.takenValues(o, &r), value) {
		return dst
	}
	r.rivals = slices.DeleteFunc(slices.Clone(r.rivals), func(id textID) bool { return m.membersOf(id)[r.key] != value })
	r.key, r.from, r.rules, r.free = 0, 0, nil, nil
	t.st, t.aux = phaseAfter, o.intern(r)
	return append(dst, t)
}
