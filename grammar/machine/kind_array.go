package machine

import (
	"encoding/binary"
	"slices"

	"tenon/grammar/schema"
)

// array is the automaton of a set of JSON arrays. Like an object's, its memory is a register.
type array struct {
	unit  *Unit
	alt   *schema.ArrayAlt
	cap   int32 // elements from this index on are alike
	regs  []elements
	index map[string]int32
}

// elements is what has been read of an array.
type elements struct {
	n       int32
	counts  []int32  // by Contain: elements that belong to it
	seen    []textID // elements in canonical form, sorted, where they must differ
	from    textID   // where the record of the current element begins
	options []option
	derived bool
}

// option is one way to read the next element: as a value, after which the array has the register
// reg.
type option struct{ value, reg int32 }

func (m *Machine) arrayIndex(u *Unit, alt *schema.ArrayAlt) int32 {
	a := &array{unit: u, alt: alt, index: map[string]int32{}, cap: int32(len(alt.Prefix))}
	a.cap = max(a.cap, int32(alt.Min), int32(alt.Max))
	for _, c := range alt.Contains {
		a.cap = max(a.cap, int32(c.From))
	}
	a.intern(elements{counts: make([]int32, len(alt.Contains))})
	return numbered(m.arrayIDs, &m.arrays, alt, a)
}

func (a *array) intern(r elements) int32 {
	key := make([]byte, 0, 64)
	key = binary.LittleEndian.AppendUint32(key, uint32(r.n))
	for _, x := range r.counts {
		key = binary.LittleEndian.AppendUint32(key, uint32(x))
	}
	for _, x := range r.seen {
		key = binary.LittleEndian.AppendUint32(key, uint32(x))
	}
	key = binary.LittleEndian.AppendUint32(key, uint32(r.from))
	return numbered(a.index, &a.regs, string(key), r)
}

// stepArray reads a byte between the elements of an array.
func (m *Machine) stepArray(dst []thread, t thread, b byte) []thread {
	a := m.arrays[t.def.index()]
	phase := phaseOf(t.st)
	switch {
	case isSpace(b):
		return m.stepSpace(dst, t, a.unit, b)
	case b == ']' && phase != phaseComma:
		if a.complete(&a.regs[t.aux]) {
			t.rec = m.texts.add(t.rec, b)
			dst = m.resume(dst, t)
		}
		return dst
	case phase != phaseAfter:
		return m.beginElement(dst, t, a, b)
	case b == ',' && len(m.optionsOf(a, t.aux, t.rec)) > 0:
		t.st, t.rec = phaseComma, m.texts.add(t.rec, b)
		return append(dst, t)
	}
	return dst
}

func (a *array) complete(r *elements) bool {
	if int(r.n) < a.alt.Min {
		return false
	}
	for i, c := range a.alt.Contains {
		if int(r.counts[i]) < c.Min {
			return false
		}
	}
	return true
}

// beginElement reads the first byte of an element, in each way it may count.
func (m *Machine) beginElement(dst []thread, t thread, a *array, b byte) []thread {
	self := t.def
	for _, x := range m.optionsOf(a, t.aux, t.rec) {
		u := t
		f := frame{def: self, st: phaseAfter, aux: x.reg}
		if a.alt.Unique {
			f.st = phaseElement
			if u.rec == 0 {
				u.rec = noText
			}
		}
		u.stack = m.stacks.push(t.stack, f)
		u.def, u.st, u.aux = def(kindValue, int(x.value)), phaseValue, 0
		dst = m.stepValue(dst, u, b)
	}
	return dst
}

// optionsOf returns the ways to read the next element; none where there can be no other. The
// options depend on where the record begins, which is part of the register they lead to.
func (m *Machine) optionsOf(a *array, reg int32, rec textID) []option {
	r := &a.regs[reg]
	if !a.alt.Unique {
		rec = 0
	} else if rec == 0 {
		rec = noText
	}
	if r.derived && r.from == rec {
		return r.options
	}
	list := m.deriveOptions(a, *r, rec)
	r = &a.regs[reg]
	r.options, r.derived, r.from = list, true, rec
	return list
}

func (m *Machine) deriveOptions(a *array, r elements, rec textID) []option {
	i := int(r.n)
	if a.alt.Max != schema.Unbounded && i >= a.alt.Max {
		return nil
	}
	next := r
	next.n, next.from, next.options, next.derived = min(r.n+1, a.cap), rec, nil, false
	split := splitter{m: m, a: a, index: i}
	a.unit.locked(func() {
		if item := a.alt.Item(i); !item.Empty() {
			split.contains(next, item, 0)
		}
	})
	if len(r.seen) > 0 && !rareUsedUp.off() {
		return m.withoutSeen(split.list, r.seen)
	}
	return split.list
}

// splitter collects the ways in which the element at an index may count.
type splitter struct {
	m     *Machine
	a     *array
	index int
	list  []option
}

// contains adds an option for each combination of the Contains that an element may belong to or
// not; i is the first of them not yet decided.
func (s *splitter) contains(next elements, item *schema.Node, i int) {
	if i == len(s.a.alt.Contains) {
		if s.a.canMeetContains(&next) {
			s.list = append(s.list, option{s.m.valueIndex(s.a.unit, item), s.a.intern(next)})
		}
		return
	}
	c := &s.a.alt.Contains[i]
	n := int(next.counts[i])
	if s.index < c.From || n >= c.Min && c.Max == schema.Unbounded {
		s.contains(next, item, i+1) // how often it is met does not matter here
		return
	}
	if c.Max == schema.Unbounded || n < c.Max {
		if in := item.And(c.Node); !in.Empty() {
			with := next
			with.counts = slices.Clone(next.counts)
			with.counts[i]++
			s.contains(with, in, i+1)
		}
	}
	if out := item.And(c.Node.Not()); !out.Empty() {
		s.contains(next, out, i+1)
	}
}

// canMeetContains says whether enough elements may follow one to meet every Contain.
func (a *array) canMeetContains(r *elements) bool {
	if a.alt.Max == schema.Unbounded {
		return true
	}
	for i, c := range a.alt.Contains {
		if c.Min-int(r.counts[i]) > a.alt.Max-int(r.n) {
			return false
		}
	}
	return true
}
