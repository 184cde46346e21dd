package machine

import (
	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
)

// step appends to dst what a thread can become by reading one input: a byte, or symbolBase and the
// index of a symbol.
func (m *Machine) step(dst []thread, t thread, in int) []thread {
	if t.def == defRule {
		return m.stepRule(dst, t, in)
	}
	if t.def == defEnd {
		return dst
	}
	if t.def.kind() == kindEach {
		return m.stepEach(dst, t, in)
	}
	if in >= symbolBase {
		return m.stepSymbol(dst, t, in)
	}
	switch t.def.kind() {
	case kindLex:
		return m.stepLex(dst, t, byte(in))
	case kindUntil: // most of an output is such text
		if m.untils[t.def.index()].pops[t.st] {
			dst = m.stepBelow(dst, t, in)
		}
		return m.readUntil(dst, t, byte(in))
	case kindPlain, kindQuoted:
		if m.mayEnd(t, false) {
			dst = m.stepBelow(dst, t, in)
		}
		return m.read(dst, t, in)
	case kindValue:
		return m.stepValue(dst, t, byte(in))
	case kindString:
		return m.stepString(dst, t, byte(in))
	case kindObject:
		return m.stepObject(dst, t, byte(in))
	case kindNamedKey:
		return m.stepName(dst, t, byte(in))
	case kindUnnamedKey:
		return m.stepUnnamedKey(dst, t, byte(in))
	case kindArray:
		return m.stepArray(dst, t, byte(in))
	case kindSpace:
		if isSpace(byte(in)) {
			return append(dst, t)
		}
		return m.stepBelow(dst, t, in)
	}
	return dst
}

// stepSymbol reads a symbol in an automaton that knows only bytes: it ends first, if it can.
func (m *Machine) stepSymbol(dst []thread, t thread, in int) []thread {
	if m.mayEnd(t, false) {
		return m.stepBelow(dst, t, in)
	}
	return dst
}

func (m *Machine) stepLex(dst []thread, t thread, b byte) []thread {
	dst = m.readLex(dst, t, b)
	if m.arenas[t.def.index()].Accepting(lex.State(t.st)) && (!m.isPart(t) || isSpace(b) || b == ',' || b == ']' || b == '}') {
		dst = m.stepBelow(dst, t, int(b))
	}
	return dst
}

func (m *Machine) readLex(dst []thread, t thread, b byte) []thread {
	a := m.arenas[t.def.index()]
	if next := a.Step(lex.State(t.st), b); next != lex.Dead {
		u := t
		u.st, u.rec = int32(next), m.texts.add(t.rec, b)
		if finished(a, next) {
			dst = m.resume(dst, u)
		} else {
			dst = append(dst, u)
		}
	}
	return dst
}

// isPart says whether what waits for a thread's automaton compares it with others, which is not to
// be done in vain.
func (m *Machine) isPart(t thread) bool {
	if t.stack == noStack {
		return false
	}
	list := m.stacks.of(t.stack)
	kind := list[0].def.kind()
	return len(list) == 1 && phaseOf(list[0].st) == phaseElement && (kind == kindArray || kind == kindObject)
}

// finished says whether a lexical automaton has accepted and cannot go on.
func finished(a *lex.Arena, s lex.State) bool {
	return a.Accepting(s) && a.Expr(s) == a.Epsilon()
}

func (m *Machine) readUntil(dst []thread, t thread, b byte) []thread {
	if next := m.untils[t.def.index()].next[t.st][b]; next >= 0 {
		t.st = next
		dst = append(dst, t)
	}
	return dst
}

// stepBelow ends t's automaton and reads the input with what waited for it.
func (m *Machine) stepBelow(dst []thread, t thread, in int) []thread {
	from := len(dst)
	width := m.width
	m.width = 0 // what ends now has ended before the input
	dst = m.resume(dst, t)
	m.width = width
	to := len(dst)
	for i := from; i < to; i++ {
		dst = m.step(dst, dst[i], in)
	}
	return append(dst[:from], dst[to:]...)
}

// resume ends t's automaton: it appends the threads that waited for it.
func (m *Machine) resume(dst []thread, t thread) []thread {
	if t.stack == noStack {
		t.def, t.st, t.aux = defEnd, 0, 0
		return append(dst, t)
	}
	for _, e := range m.stacks.of(t.stack) {
		u := t
		u.stack, u.def, u.st, u.aux = e.below, e.def, e.st, e.aux
		dst = m.wake(dst, u)
	}
	return dst
}

// wake appends a thread whose callee has just ended.
func (m *Machine) wake(dst []thread, t thread) []thread {
	switch {
	case t.def == defRule:
		return m.addThread(dst, t)
	case t.st == phaseElement && t.def.kind() == kindArray:
		return m.endElement(dst, t)
	case phaseOf(t.st) == phaseElement && t.def.kind() == kindObject:
		return m.endMember(dst, t)
	case t.def.kind() == kindEach && !m.eachOf(t).more(t.aux):
		return m.resume(dst, t)
	}
	return append(dst, t)
}

// stepRule reads an input in a rule.
func (m *Machine) stepRule(dst []thread, t thread, in int) []thread {
	c := m.closureOf(t.st)
	for i := range c.items {
		if x := &c.items[i]; m.takes(x, in) {
			dst = m.stepItem(dst, t, x, in)
		}
	}
	if c.ends {
		t.ev = m.note(t.ev, c.marks)
		dst = m.stepBelow(dst, t, in)
	}
	return dst
}

// takes says whether an item may read an input.
func (m *Machine) takes(x *item, in int) bool {
	switch x.op {
	case opBytes:
		return in < symbolBase && m.prog.classes[x.arg].Has(byte(in))
	case opSym:
		return in-symbolBase == int(x.arg)
	case opOther:
		return in >= symbolBase && in-symbolBase != int(x.arg)
	}
	return true
}

func (m *Machine) stepItem(dst []thread, t thread, x *item, in int) []thread {
	t.ev = m.note(t.ev, x.marks)
	for _, s := range x.frames {
		t.stack = m.stacks.push(t.stack, frame{def: defRule, st: s})
	}
	if x.op == opSub {
		return m.stepInto(dst, t, x, in)
	}
	if in >= symbolBase && m.events {
		t.ev = m.addMark(mark{t.ev, opSym, int32(in - symbolBase), m.at})
	}
	t.st = x.to
	return m.addThread(dst, t)
}

// stepInto enters the terminal of an item and reads the input there.
func (m *Machine) stepInto(dst []thread, t thread, x *item, in int) []thread {
	if in >= symbolBase && m.prog.subs[x.arg].Op != gbnf.Each { // the others know only bytes
		return dst
	}
	if !m.prog.returns(x.to) {
		t.stack = m.stacks.push(t.stack, frame{def: defRule, st: x.to})
	}
	e := m.enter(x.arg)
	t.def, t.st, t.aux = e.def, e.st, e.aux
	if e.stack != noStack { // white space that may follow
		f := m.stacks.of(e.stack)[0].frame
		t.stack = m.stacks.push(t.stack, f)
	}
	return m.read(dst, t, in)
}

// read is step for a terminal that was entered just now. It may not end before it has read
// something, or a loop over it would enter it again without end: a rule goes around a terminal
// that may be empty.
func (m *Machine) read(dst []thread, t thread, in int) []thread {
	switch t.def.kind() {
	case kindLex:
		return m.readLex(dst, t, byte(in))
	case kindUntil:
		return m.readUntil(dst, t, byte(in))
	case kindPlain:
		return m.readPlain(dst, t, byte(in))
	case kindQuoted:
		return m.readQuoted(dst, t, byte(in))
	}
	return m.step(dst, t, in)
}

// addThread appends a thread that has reached a state of a rule, after doing what there is no
// choice about: returning from a rule that is at its end, and telling of captures.
func (m *Machine) addThread(dst []thread, t thread) []thread {
	for {
		x := &m.prog.states[t.st]
		if len(x.edges) == 0 && x.final {
			return m.resume(dst, t)
		}
		if !m.events || x.final || len(x.edges) != 1 {
			return append(dst, t)
		}
		e := x.edges[0]
		if e.op != opBegin && e.op != opEnd && e.op != opCheck {
			return append(dst, t)
		}
		t.ev = m.addMark(mark{t.ev, e.op, e.arg, m.at + m.width})
		t.st = e.to
	}
}

func (m *Machine) note(ev eventID, marks []edge) eventID {
	if !m.events {
		return 0
	}
	for _, e := range marks {
		ev = m.addMark(mark{ev, e.op, e.arg, m.at})
	}
	return ev
}

func (m *Machine) addMark(x mark) eventID {
	m.marks = append(m.marks, x)
	return eventID(len(m.marks) - 1)
}

// mayEnd says whether t's automaton may end here; last says that nothing follows at all.
func (m *Machine) mayEnd(t thread, last bool) bool {
	end := kinds[t.def.kind()].mayEnd
	return end != nil && end(m, t, last)
}

// finish appends the threads that t can become when nothing follows: those that have read
// everything.
func (m *Machine) finish(dst []thread, t thread) []thread {
	if t.def == defEnd {
		return append(dst, t)
	}
	if !m.mayEnd(t, true) {
		return dst
	}
	if t.def == defRule {
		t.ev = m.note(t.ev, m.closureOf(t.st).marks)
	}
	from := len(dst)
	m.width = 0
	dst = m.resume(dst, t)
	to := len(dst)
	for i := from; i < to; i++ {
		dst = m.finish(dst, dst[i])
	}
	return append(dst[:from], dst[to:]...)
}
