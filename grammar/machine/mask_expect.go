package machine

import "tenon/grammar/lex"

// expect adds to a set the bytes that a thread may be able to read, so that a walk need not try
// the others: in a wide tree, most of what is tried is refused. The set may hold too much. It is
// false where only trying tells.
func (m *Machine) expect(t thread, set *lex.ByteSet) bool {
	f := kinds[t.def.kind()].expect
	return f != nil && f(m, t, set)
}

func (m *Machine) expectObject(_ thread, set *lex.ByteSet) bool {
	set.AddAll(" \t\n\r\",}")
	return true
}

func (m *Machine) expectArray(t thread, set *lex.ByteSet) bool {
	set.AddAll(" \t\n\r,]")
	if phaseOf(t.st) != phaseAfter {
		set.AddAll(valueStarts)
	}
	return true
}

func (m *Machine) expectValue(t thread, set *lex.ByteSet) bool {
	set.AddAll(" \t\n\r:")
	if phaseOf(t.st) != phaseColon {
		set.AddAll(valueStarts)
	}
	return true
}

func (m *Machine) expectLex(t thread, set *lex.ByteSet) bool {
	a := m.arenas[t.def.index()]
	for b, next := range a.Row(lex.State(t.st)) {
		if next != lex.Dead {
			set.Add(byte(b))
		}
	}
	return !a.Accepting(lex.State(t.st)) || m.expectBelow(t, set)
}

func (m *Machine) expectSpace(t thread, set *lex.ByteSet) bool {
	set.AddAll(" \t\n\r")
	return m.expectBelow(t, set)
}

// valueStarts is the bytes that JSON values begin with.
const valueStarts = "\"{[-0123456789tfn"

// expectBelow is expect for what waits for t's automaton to end.
func (m *Machine) expectBelow(t thread, set *lex.ByteSet) bool {
	from := len(m.work)
	m.work = m.resume(m.work, t)
	known := true
	for i := from; i < len(m.work) && known; i++ {
		known = m.work[i].def == defEnd || m.expect(m.work[i], set)
	}
	m.work = m.work[:from]
	return known
}

// expectAny is expect for several threads; nil where only trying tells.
func (m *Machine) expectAny(list []thread) *lex.ByteSet {
	set := new(lex.ByteSet)
	for _, t := range list {
		if !m.expect(t, set) {
			return nil
		}
	}
	return set
}

// expectName is expect in a named key.
func (m *Machine) expectName(t thread, set *lex.ByteSet) bool {
	x := &m.nameLists[t.def.index()]
	lo, hi := rangeOf(t.st)
	depth := int(t.aux & 0xffff)
	if t.aux>>16 != 0 {
		m.expectEscape(t, x, set)
		return true
	}
	*set = set.Union(x.nextBytes(lo, hi, depth))
	set.Add('\\')
	for ; lo < hi && len(x.names[lo]) == depth; lo++ {
		set.Add('"')
	}
	return true
}

// expectEscape is expect within an escape of a named key.
func (m *Machine) expectEscape(t thread, x *nameList, set *lex.ByteSet) {
	if m.escapeTexts[t.aux>>16] != `\` {
		set.AddAll(`0123456789abcdefABCDEF\u`)
		return
	}
	lo, hi := rangeOf(t.st)
	next := x.nextBytes(lo, hi, int(t.aux&0xffff))
	set.Add('u')
	for i, b := range []byte("\"\\\b\f\n\r\t/") {
		if next.Has(b) {
			set.Add("\"\\bfnrt/"[i])
		}
	}
}
