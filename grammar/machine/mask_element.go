package machine

import (
	"tenon/grammar/lex"
)

// A string that is an element of an array whose elements must differ, or a part of one, is
// recorded, and what follows it depends on its text. But all texts that have not been there lead
// on alike, so that one of them stands for all.

// comparable says whether that holds for a thread inside of a recorded string: it is an element
// itself, of strings that are never used up, and where it is part of a larger element nothing that
// this could equal has been.
func (m *Machine) comparable(t thread) bool {
	if _, raw := m.strings[t.def.index()].unit.arena.Decoded(lex.StringState(t.st)); !raw {
		return false
	}
	list := m.stacks.of(t.stack)
	if len(list) != 1 {
		return false
	}
	e := list[0]
	if e.def.kind() == kindArray && e.st == phaseElement {
		a := m.arrays[e.def.index()]
		if !m.plentiful(int32(t.def.index())) || !m.neverUsedUp(a, &a.regs[e.aux]) {
			return false
		}
	}
	frames := maxFrames
	return m.firstOfAll(e.below, &frames)
}

// inObject says whether a recorded string is the value of a key, and counts where its object ends:
// there are no objects that it must differ from with the same members so far.
func (m *Machine) inObject(t thread) bool {
	list := m.stacks.of(t.stack)
	_, raw := m.strings[t.def.index()].unit.arena.Decoded(lex.StringState(t.st))
	return raw && len(list) == 1 && list[0].def.kind() == kindObject && len(m.objects[list[0].def.index()].regs[list[0].aux].uniqueSet) == 0
}

// maxFrames is how many frames that wait are looked at for what a string is part of.
const maxFrames = 256

// firstOfAll reports whether every enclosing array with unique elements is still at its first
// element. frames counts down how many it may look at; where there are more, the answer is no.
func (m *Machine) firstOfAll(id stackID, frames *int) bool {
	for _, e := range m.stacks.of(id) {
		if *frames--; *frames < 0 {
			return false
		}
		if e.def.kind() == kindArray && e.st == phaseElement && len(m.arrays[e.def.index()].regs[e.aux].seen) > 0 || !m.firstOfAll(e.below, frames) {
			return false
		}
	}
	return true
}

// neverUsedUp reports whether the values allowed behind this element can never run out of new
// strings. Values that are no strings do not matter.
func (m *Machine) neverUsedUp(a *array, r *elements) bool {
	if len(a.alt.Contains) > 0 {
		return false
	}
	var next int32
	a.unit.locked(func() { next = m.valueIndex(a.unit, a.alt.Item(int(r.n))) })
	for _, s := range m.load(next).strings {
		if !m.plentiful(s) {
			return false
		}
	}
	return true
}

// plentiful says whether there are more strings than any array has elements.
func (m *Machine) plentiful(i int32) bool {
	return m.inexhaustible(i) || m.strings[i].any && m.strings[i].max > 1
}

// collectElement adds the tokens that close a recorded string.
func (k *collector) collectElement(t thread, x *stringSlice, b bounds) {
	m := k.m
	k.walk.run(k, &x.elements.tree, []thread{t})
	from := len(k.ids)
	var seen []textID
	e, taken := m.stacks.of(t.stack)[0], takenTexts{x: x}
	if e.def.kind() == kindArray && e.st == phaseElement {
		r := &m.arrays[e.def.index()].regs[e.aux]
		seen = r.seen
		taken.prefix = string(decodeString(m.texts.appendSince(nil, m.texts.add(r.from, '"'), t.rec)))
	}
	u := t
	for u.rec = m.texts.add(t.rec, fillerByte); m.isElement(e, seen, u.rec); {
		u.rec = m.texts.add(u.rec, fillerByte)
	}
	u.rec = m.texts.add(u.rec, '"')
	k.collectClosers(x, x.elements.others, m.resume(nil, u), b)
	taken.tokens = k.found[:0]
	for _, text := range m.decodedTexts(seen) {
		if text[0] == '"' {
			taken.add(string(decodeString([]byte(text[1 : len(text)-1]))))
		}
	}
	k.found = taken.tokens
	k.removeFrom(from, taken.tokens)
}

// fillerByte ends texts that stand for any that has not been there.
const fillerByte = 0x7F

// isElement says whether the string read so far, if it closed now, is among those seen.
func (m *Machine) isElement(e entry, seen []textID, rec textID) bool {
	if len(seen) == 0 {
		return false
	}
	r := &m.arrays[e.def.index()].regs[e.aux]
	text := m.texts.appendSince(nil, r.from, m.texts.add(rec, '"'))
	id := m.texts.of(canonical(text))
	for _, x := range seen {
		if x == id {
			return true
		}
	}
	return false
}
