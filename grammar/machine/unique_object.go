package machine

import (
	"bytes"
	"encoding/json"
	"slices"
)

// An object that must differ from others, because it is an element of an array whose elements
// must, may not get to where nothing but one of them can come of it. Its register holds its unique
// set: those of the others that begin as it does. A member that leaves so few ways to go on that
// they have taken them all is not read, and neither is a name that has only such values.
//
// Package schema sees to it that other values never run out (schema.ArrayAlt): arrays are
// unbounded, or of scalars that are all alike; objects in objects can have one more key, or have a
// named key of many values; and nothing counts but the values of their keys.

// others are what the value that a thread is about to read must differ from.
func (m *Machine) others(t thread) []textID {
	if t.rec == 0 || t.stack == noStack || rareObjects.off() {
		return nil
	}
	list := m.stacks.of(t.stack)
	e := list[0]
	switch {
	case len(list) > 1 || phaseOf(e.st) != phaseElement:
		return nil
	case e.def.kind() == kindArray:
		return m.arrays[e.def.index()].regs[e.aux].seen
	case e.def.kind() == kindObject:
		return m.contestOfMember(m.objects[e.def.index()], e.aux).taken
	}
	return nil
}

// contest is about one member of an object that must differ from others. left lists, for each
// value of the member, those of the unique set with that value. taken lists the values that may
// not come: with them, every way to go on ends as one of that set.
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
	var uniqueSet []textID
	for _, id := range m.others(t) {
		if m.membersOf(id) != nil {
			uniqueSet = append(uniqueSet, id)
		}
	}
	if len(uniqueSet) == 0 {
		return 0
	}
	o := m.objectAt(index)
	if len(o.classes) > 0 {
		return 0
	}
	reg := o.regs[0]
	reg.uniqueSet = uniqueSet
	return o.intern(reg)
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

// withUniqueSet completes the register behind a key, whose unique set is a part of that before it,
// and gives the set that the value is one of.
func (m *Machine) withUniqueSet(o *object, after register, key, rec textID, value int32) (register, int32) {
	after.uniqueSet = slices.DeleteFunc(slices.Clone(after.uniqueSet), func(id textID) bool {
		_, has := m.membersOf(id)[key]
		return !has
	})
	if len(after.uniqueSet) == 0 {
		return after, value
	}
	after.key, after.from = key, rec
	if taken := m.contest(o, &after).taken; len(taken) > 0 {
		m.load(value)
		value = m.reduce(value, m.decodedTexts(taken))
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
	for _, id := range r.uniqueSet {
		if v, has := m.membersOf(id)[r.key]; has {
			c.left[v] = append(c.left[v], id)
		}
	}
	ways := m.ways(o, r, len(r.uniqueSet)+1)
	for v, like := range c.left {
		if ways <= len(like) && ways <= m.reachable(o, r, like) {
			c.taken = append(c.taken, v)
		}
	}
	slices.Sort(c.taken)
	return c
}

// mayCome says whether a name may still come, next or later.
func (o *object) mayCome(r *register, rank int) bool {
	return hasBit(o.present, rank) && !hasBit(r.seen, rank) && (!o.unit.declared || o.order[rank] >= r.last)
}

// maxListed is the number of values of a key from which they count as any number.
const maxListed = 4096

// listed are the values of a key, sorted, if it has few.
type listed struct {
	ids []textID
	few bool
}

func (m *Machine) listedOf(o *object, rank int) *listed {
	if o.listed == nil {
		o.listed = make([]*listed, len(o.names))
	}
	if o.listed[rank] == nil {
		x := &listed{}
		var texts []string
		o.unit.locked(func() { texts, x.few = m.values[o.values[rank]].node.Listed(maxListed) })
		for _, text := range texts {
			x.ids = append(x.ids, m.texts.of([]byte(text)))
		}
		slices.Sort(x.ids)
		o.listed[rank] = x
	}
	return o.listed[rank]
}

func (x *listed) has(id textID) bool {
	_, has := slices.BinarySearch(x.ids, id)
	return has
}

// ways counts, up to a limit, how an object can go on to its end, no matter in which order.
func (m *Machine) ways(o *object, r *register, limit int) int {
	n := 1
	for rank := range o.names {
		if !o.mayCome(r, rank) {
			continue
		}
		x := m.listedOf(o, rank)
		if !x.few {
			return limit
		}
		count := len(x.ids)
		if !hasBit(o.needed, rank) {
			count++
		}
		n = min(n*count, limit)
	}
	return n
}

// reachable counts those of a unique set that an object can still become. Few values may come in
// it.
func (m *Machine) reachable(o *object, r *register, uniqueSet []textID) int {
	n := 0
	for _, id := range uniqueSet {
		members, common, fits := m.membersOf(id), 0, true
		for rank, name := range o.names {
			value, has := members[m.texts.of([]byte(name))]
			switch {
			case has:
				common++
				fits = fits && (hasBit(r.seen, rank) || o.mayCome(r, rank) && m.listedOf(o, rank).has(value))
			case hasBit(o.needed, rank) || hasBit(r.seen, rank):
				fits = false
			}
		}
		if fits && common == len(members) {
			n++
		}
	}
	return n
}

// refuseTaken takes names out all values of which are taken.
func (m *Machine) refuseTaken(o *object, reg *register, names []uint64) {
	for rank := range o.names {
		if !hasBit(names, rank) || !m.listedOf(o, rank).few {
			continue
		}
		after := o.withName(reg, rank)
		after.key = m.texts.of([]byte(o.names[rank]))
		taken := m.contest(o, &after)
		if !slices.ContainsFunc(m.listedOf(o, rank).ids, func(id textID) bool { return !taken.isTaken(id) }) {
			names[rank>>6] &^= 1 << (rank & 63)
		}
	}
}

// withoutUsedUp is a value without the objects whose every instance was seen.
func (m *Machine) withoutUsedUp(i int32, seen []textID) int32 {
	if rareObjects.off() {
		return i
	}
	rest := m.values[i]
	rest.objects = slices.DeleteFunc(slices.Clone(rest.objects), func(index int32) bool {
		o := m.objectAt(int(index))
		if len(o.classes) > 0 {
			return false
		}
		start, uniqueSet := &o.regs[0], slices.DeleteFunc(slices.Clone(seen), func(id textID) bool { return m.membersOf(id) == nil })
		ways := m.ways(o, start, len(uniqueSet)+1)
		return ways <= len(uniqueSet) && ways <= m.reachable(o, start, uniqueSet)
	})
	if len(rest.objects) == len(m.values[i].objects) {
		return i
	}
	m.values = append(m.values, rest)
	return int32(len(m.values) - 1)
}

// endMember looks at the value of an object with a unique set that has just been read.
func (m *Machine) endMember(dst []thread, t thread) []thread {
	o := m.objects[t.def.index()]
	r := o.at(t.st, t.aux)
	m.buf = m.texts.appendSince(m.buf[:0], r.from, t.rec)
	value := m.texts.of(canonical(bytes.TrimLeft(m.buf, " \t\r\n:")))
	c := m.contestOfMember(o, t.aux)
	if c.isTaken(value) {
		return dst
	}
	r.uniqueSet = c.left[value]
	r.key, r.from = 0, 0
	t.st, t.aux = inPhase(phaseAfter, r.keys), o.intern(r)
	return append(dst, t)
}
