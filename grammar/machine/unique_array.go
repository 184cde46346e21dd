package machine

import (
	"slices"
	"unicode/utf8"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

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
