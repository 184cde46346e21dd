package machine

import (
	"bytes"
	"encoding/json"
	"slices"

	"tenon/grammar/schema"
)

// An object or array that must differ from others, because it is an element of an array whose
// elements must, may not get to where nothing but one of them can come of it. Its register holds
// its rivals: those of the others that begin as it does. A part that leaves so few ways to go on
// that rivals have taken them all is not read, and neither is a name that has only such values.

// others are what the value that a thread is about to read must differ from.
func (m *Machine) others(t thread) []textID {
	if t.rec == 0 || t.stack == noStack {
		return nil
	}
	list := m.stacks.of(t.stack)
	e := list[0]
	switch {
	case len(list) > 1 || phaseOf(e.st) != phaseElement:
		return nil
	case e.def.kind() == kindArray:
		a := m.arrays[e.def.index()]
		return m.takenElements(a, &a.regs[e.aux])
	case e.def.kind() == kindObject:
		return m.contestOfMember(m.objects[e.def.index()], e.aux).taken
	}
	return nil
}

// contest is about one part of a value that must differ from others: a member of an object, or an
// element of an array. left lists, for each value of the part, the rivals with that value. taken
// lists the values that may not come: with them, every way to go on ends as a rival.
type contest struct {
	left  map[textID][]textID
	taken []textID // sorted
}

func (c *contest) isTaken(part textID) bool {
	_, taken := slices.BinarySearch(c.taken, part)
	return taken
}

// openRegister is the register at the start of an object, whose opening brace a thread has just
// read.
func (m *Machine) openRegister(t thread, index int) int32 {
	rivals := m.objectsAmong(m.others(t))
	if len(rivals) == 0 {
		return 0
	}
	o := m.objectAt(index)
	if len(o.exists) > 0 || o.endless(&o.regs[0]) && o.alt.MaxProps == schema.Unbounded {
		return 0
	}
	if rivals = m.belonging(o.unit, o.holds, o.alt, rivals); len(rivals) == 0 {
		return 0
	}
	reg := o.regs[0]
	reg.rivals = rivals
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

// belonging are those of some values that belong to a set. No others are in the way of its own.
func (m *Machine) belonging(u *Unit, memo map[textID]bool, set interface{ Holds(text []byte) bool }, list []textID) []textID {
	return slices.DeleteFunc(list, func(id textID) bool {
		holds, known := memo[id]
		if !known {
			u.locked(func() { holds = set.Holds(m.texts.appendSince(nil, noText, id)) })
			memo[id] = holds
		}
		return !holds
	})
}

// endless says whether other keys may still come, of which there are always more.
func (o *object) endless(r *register) bool {
	return len(o.classes) > 0 && countBits(o.owed(r.seen, -1)) < o.room(r)
}

// membersOf are the keys and values of an object in canonical form; nil for what is none.
func (m *Machine) membersOf(id textID) map[textID]textID {
	if x, ok := m.members[id]; ok {
		return x
	}
	var x map[textID]textID
	var members map[string]json.RawMessage
	if text := m.texts.appendSince(nil, noText, id); bytes.HasPrefix(text, []byte("{")) && json.Unmarshal(text, &members) == nil {
		x = make(map[textID]textID, len(members))
		for key, value := range members {
			x[m.texts.of([]byte(key))] = m.texts.of(value)
		}
	}
	m.members[id] = x
	return x
}

// withRivals completes the register behind a key, whose rivals are those of the register before
// it, and gives the set that the value is one of.
func (m *Machine) withRivals(o *object, after register, key, rec textID, value int32) (register, int32) {
	after.rivals = slices.DeleteFunc(slices.Clone(after.rivals), func(id textID) bool {
		_, has := m.membersOf(id)[key]
		return !has
	})
	if len(after.rivals) == 0 {
		return after, value
	}
	after.key, after.from = key, rec
	if taken := m.contest(o, &after).taken; len(taken) > 0 {
		m.load(value)
		value = m.withoutUsedUp(m.reduce(value, m.decodedTexts(taken)), taken)
	}
	return after, value
}

func (m *Machine) contestOfMember(o *object, reg int32) *contest {
	c := o.contests[reg]
	if c == nil {
		c = m.contest(o, &o.regs[reg])
		o.contests[reg] = c
	}
	return c
}

// contest is about the value of the key just read.
func (m *Machine) contest(o *object, r *register) *contest {
	c := &contest{left: map[textID][]textID{}}
	for _, id := range r.rivals {
		if v, has := m.membersOf(id)[r.key]; has {
			c.left[v] = append(c.left[v], id)
		}
	}
	if o.endless(r) {
		return c
	}
	names := o.toCome(r)
	ways := m.ways(o, r, names, len(r.rivals)+1)
	for v, like := range c.left {
		among := 0
		for _, id := range like {
			if ways <= len(like) && m.within(o, id, r, names) {
				among++
			}
		}
		if among >= ways {
			c.taken = append(c.taken, v)
		}
	}
	slices.Sort(c.taken)
	return c
}

// toCome is the set of names that may still come, next or later.
func (o *object) toCome(r *register) []uint64 {
	names := make([]uint64, len(r.seen))
	for i, w := range o.present {
		names[i] = w &^ r.seen[i]
	}
	room := o.room(r)
	for rank := range o.names {
		if !o.plain && hasBit(names, rank) && !o.fits(r, rank, o.owed(r.seen, int32(rank)), room-1) {
			names[rank>>6] &^= 1 << (rank & 63)
		}
	}
	return names
}

// fits says whether a name may still come, with those that are owed then.
func (o *object) fits(r *register, rank int, owed []uint64, room int) bool {
	if countBits(owed) > room || !o.possible(owed) {
		return false
	}
	setBit(owed, rank)
	for i := range o.names {
		if o.unit.declared && hasBit(owed, i) && o.order[i] < r.last {
			return false
		}
	}
	return true
}

// within says whether a rival has no other keys than there are or may come.
func (m *Machine) within(o *object, rival textID, r *register, names []uint64) bool {
	for key := range m.membersOf(rival) {
		rank, named := o.rank(string(m.texts.appendSince(nil, noText, key)))
		if named && !hasBit(r.seen, int(rank)) && !hasBit(names, int(rank)) {
			return false
		}
	}
	return true
}

// ways counts, up to a limit, how an object can go on to its end, no matter in which order.
func (m *Machine) ways(o *object, r *register, names []uint64, limit int) (n int) {
	among := func(set []uint64) func(string) bool {
		return func(name string) bool {
			rank, _ := o.rank(name)
			return hasBit(set, int(rank))
		}
	}
	o.unit.locked(func() { n = o.alt.Completions(among(r.seen), among(names), int(r.others), limit) })
	return n
}

// refuseTaken takes names out all values of which are taken.
func (m *Machine) refuseTaken(o *object, reg *register, names []uint64) {
	for rank := range o.names {
		if !hasBit(names, rank) {
			continue
		}
		after := o.withName(reg, int(rank))
		after.key = m.texts.of([]byte(o.names[rank]))
		taken := m.contest(o, &after).taken
		if len(taken) == 0 {
			continue
		}
		values := 0
		o.unit.locked(func() { values = m.values[o.values[rank]].node.Count(len(taken) + 1) })
		if values <= len(taken) {
			names[rank>>6] &^= 1 << (rank & 63)
		}
	}
}

// usedUp says whether all objects of a set are among those there are.
func (m *Machine) usedUp(index int32, seen []textID) bool {
	o := m.objectAt(int(index))
	start := &o.regs[0]
	if o.endless(start) {
		return false
	}
	rivals := m.objectsAmong(seen)
	ways := m.ways(o, start, o.toCome(start), len(rivals)+1)
	return ways <= len(rivals) && ways <= len(m.belonging(o.unit, o.holds, o.alt, rivals))
}

// endMember looks at the value of an object with rivals that has just been read.
func (m *Machine) endMember(dst []thread, t thread) []thread {
	o := m.objects[t.def.index()]
	r := o.at(t.st, t.aux)
	m.buf = m.texts.appendSince(m.buf[:0], r.from, t.rec)
	value := m.texts.of(canonical(bytes.TrimLeft(m.buf, " \t\r\n:")))
	c := m.contestOfMember(o, t.aux)
	if c.isTaken(value) {
		return dst
	}
	r.rivals = c.left[value]
	r.key, r.from = 0, 0
	t.st, t.aux = inPhase(phaseAfter, r.keys), o.intern(r)
	return append(dst, t)
}
