package machine

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"tenon/grammar/lex"
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

// withoutSeen takes the elements that may not be out of the options whose values are few, so that
// no thread begins a value that it cannot end.
func (m *Machine) withoutSeen(list []option, seen []textID) []option {
	words := m.decodedTexts(seen)
	out := list[:0]
	for _, x := range list {
		m.load(x.value)
		x.value = m.withoutUsedUp(m.reduce(x.value, words), seen)
		if v := &m.values[x.value]; v.words != lex.Dead || len(v.strings)+len(v.objects)+len(v.arrays) > 0 {
			out = append(out, x)
		}
	}
	return out
}

// reduce is a value without the strings, words and bounded arrays that are seen, which are in
// canonical form.
func (m *Machine) reduce(i int32, seen []string) int32 {
	v := m.values[i]
	u := v.unit
	var texts, numbers, arrays []string
	var gone []lex.Expr
	for _, s := range seen {
		switch s[0] {
		case '"':
			texts = append(texts, string(decodeString([]byte(s[1:len(s)-1]))))
		case 't', 'f', 'n':
			gone = append(gone, u.arena.Literal(s))
		case '[':
			arrays = append(arrays, s)
		case '{':
		default:
			numbers = append(numbers, s)
		}
	}
	rest := value{unit: u, node: v.node, loaded: true, lex: v.lex, words: v.words, objects: v.objects}
	if rareNumbers.off() {
		numbers = nil
	}
	if len(numbers)+len(gone) > 0 && v.words != lex.Dead {
		left := u.arena.WithoutNumbers(u.arena.Expr(v.words), numbers)
		rest.words = u.arena.Start(u.arena.Intersect(left, u.arena.Complement(u.arena.Union(gone...))))
	}
	for _, s := range v.strings {
		if s = m.reduceString(s, texts); s >= 0 {
			rest.strings = append(rest.strings, s)
		}
	}
	for _, x := range v.arrays {
		rest.arrays = append(rest.arrays, m.reduceArray(x, arrays)...)
	}
	if rest.words == v.words && slices.Equal(rest.strings, v.strings) && slices.Equal(rest.arrays, v.arrays) {
		return i
	}
	m.values = append(m.values, rest)
	return int32(len(m.values) - 1)
}

// reduceArray are the arrays of an automaton without some, which are in canonical form. One that
// may always have one more element does not run out.
func (m *Machine) reduceArray(i int32, gone []string) (rest []int32) {
	a := m.arrays[i]
	if len(gone) == 0 || a.alt.Max == schema.Unbounded {
		return []int32{i}
	}
	a.unit.locked(func() {
		for _, alt := range a.alt.Without(gone) {
			rest = append(rest, m.arrayIndex(a.unit, alt))
		}
	})
	return rest
}

// reduceString is a string automaton without some texts, or -1 if nothing is left.
func (m *Machine) reduceString(i int32, texts []string) int32 {
	s := m.strings[i]
	if m.inexhaustible(i) {
		return i
	}
	if s.any { // a text that is shorter than it may be can be made to differ
		if s.min >= maxMultiplied {
			return i
		}
		texts = slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return utf8.RuneCountInString(t) != int(s.max) })
	}
	if len(texts) == 0 {
		return i
	}
	a := s.unit.arena
	inner, _ := a.Decoded(s.start)
	left := a.Intersect(a.Expr(inner), a.Complement(a.Literals(texts...)))
	if s.any && s.min > 0 { // a lower bound is counted only where every text is admitted
		left = a.Intersect(left, a.Repeat(a.AnyRune(), int(s.min), schema.Unbounded))
	}
	if s.max != schema.Unbounded && s.max < maxMultiplied {
		left = a.Intersect(left, a.Repeat(a.AnyRune(), 0, int(s.max)))
	}
	if a.StartString(left, s.unit.escapes) == lex.StringDead {
		return -1
	}
	return m.stringIndex(s.unit, left, 0, int(s.max))
}

// inexhaustible says whether, whatever texts have been, a string that has begun can end as
// another.
func (m *Machine) inexhaustible(i int32) bool {
	s := &m.strings[i]
	if s.max != schema.Unbounded {
		return false
	}
	inner, _ := s.unit.arena.Decoded(s.start)
	return s.any || s.unit.arena.Endless(s.unit.arena.Expr(inner))
}

// maxMultiplied is the bound on a length from which on it is not multiplied into an automaton.
const maxMultiplied = 2000

// endElement compares an element that has just been read with those before it.
func (m *Machine) endElement(dst []thread, t thread) []thread {
	a := m.arrays[t.def.index()]
	r := a.regs[t.aux]
	m.buf = m.texts.appendSince(m.buf[:0], r.from, t.rec)
	id := m.texts.of(canonical(m.buf))
	i, seen := slices.BinarySearch(r.seen, id)
	if seen {
		return dst
	}
	r.seen = slices.Insert(slices.Clone(r.seen), i, id)
	if r.from == noText {
		t.rec = 0
	}
	r.from, r.options, r.derived = 0, nil, false
	t.st, t.aux = phaseAfter, a.intern(r)
	return append(dst, t)
}
