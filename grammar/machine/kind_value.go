package machine

import (
	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// value is a set of JSON values: where a thread goes from their first byte.
type value struct {
	unit    *Unit
	node    *schema.Node
	loaded  bool
	strings []int32 // indices of string automata
	objects []int32
	arrays  []int32
	words   lex.State // numbers, true, false and null
	lex     kindDef   // the automaton kind of words
	least   int32     // bytes of the shortest value; 0: not known
}

// valueIndex returns the automaton of a node.
func (m *Machine) valueIndex(u *Unit, n *schema.Node) int32 {
	return numbered(m.valueIDs, &m.values, n, value{unit: u, node: n})
}

// unitIndex returns the index of a unit's arena among those of the machine.
func (m *Machine) unitIndex(u *Unit) int {
	i, ok := m.unitIDs[u]
	if !ok {
		i = len(m.arenas)
		m.arenas = append(m.arenas, u.arena)
		m.unitIDs[u] = i
	}
	return i
}

// load asks the schema for the alternatives of a value.
func (m *Machine) load(i int32) *value {
	v := &m.values[i]
	if v.loaded {
		return v
	}
	var alts []*schema.Alt
	v.unit.locked(func() { alts = v.node.Alts() })
	if ablation.alts != nil {
		alts = ablation.alts(alts)
	}
	filled := m.fill(v.unit, alts)
	filled.unit, filled.node = v.unit, v.node
	m.values[i] = filled
	return &m.values[i]
}

func (m *Machine) fill(u *Unit, alts []*schema.Alt) value {
	v := value{loaded: true, lex: def(kindLex, m.unitIndex(u))}
	var words []lex.Expr
	for _, a := range alts {
		switch a.Kind {
		case schema.String:
			v.strings = append(v.strings, m.stringIndex(u, a.String.Text, a.String.MinLen, a.String.MaxLen))
		case schema.Object:
			v.objects = append(v.objects, m.objectIndex(u, a.Object))
		case schema.Array:
			v.arrays = append(v.arrays, m.arrayIndex(u, a.Array))
		default:
			words = append(words, u.word(a))
		}
	}
	v.words = u.arena.Start(u.arena.Union(words...))
	return v
}

// word is the language of an alternative that is a number, a boolean or null.
func (u *Unit) word(a *schema.Alt) lex.Expr {
	switch a.Kind {
	case schema.Number:
		return a.Number
	case schema.Null:
		return u.arena.Literal("null")
	}
	var words []string
	if a.True {
		words = append(words, "true")
	}
	if a.False {
		words = append(words, "false")
	}
	return u.arena.Literals(words...)
}

// stepValue reads a byte before or at the start of a value.
func (m *Machine) stepValue(dst []thread, t thread, b byte) []thread {
	i := int32(t.def.index())
	u := m.values[i].unit
	phase := phaseOf(t.st)
	if isSpace(b) {
		if phase == phaseRoot && !u.anySpace {
			return dst
		}
		return m.stepSpace(dst, t, u, b)
	}
	if phase == phaseColon {
		if b != ':' {
			return dst
		}
		t.st, t.rec = phaseValue, m.texts.add(t.rec, b)
		return append(dst, t)
	}
	v := m.load(i)
	t.rec, t.aux = m.texts.add(t.rec, b), 0
	switch b {
	case '"':
		for _, s := range v.strings {
			t.def, t.st = def(kindString, int(s)), int32(m.strings[s].start)
			dst = append(dst, t)
		}
	case '{':
		for _, o := range v.objects {
			t.def, t.st, t.aux = def(kindObject, int(o)), phaseOpen, m.openRegister(t, int(o))
			dst = append(dst, t)
		}
	case '[':
		for _, a := range v.arrays {
			t.def, t.st = def(kindArray, int(a)), phaseOpen
			dst = append(dst, t)
		}
	default:
		next := u.arena.Step(v.words, b)
		if next == lex.Dead {
			return dst
		}
		t.def, t.st = v.lex, int32(next)
		dst = append(dst, t)
	}
	return dst
}

// stringKey identifies a string automaton.
type stringKey struct {
	unit     *Unit
	text     lex.Expr
	min, max int
}

// jsonString is the inside of strings of one language and length.
type jsonString struct {
	unit     *Unit
	start    lex.StringState
	min, max int32 // max is schema.Unbounded if none
	any      bool  // every text of that length
}

func (m *Machine) stringIndex(u *Unit, text lex.Expr, least, most int) int32 {
	key := stringKey{u, text, least, most}
	i, ok := m.stringIDs[key]
	if !ok {
		i = int32(len(m.strings))
		m.strings = append(m.strings, jsonString{unit: u, start: u.arena.StartString(text, u.escapes), min: int32(least), max: int32(most), any: text == u.anyText})
		m.stringIDs[key] = i
	}
	return i
}

// counts says whether a string's automaton keeps count of code points.
func (s *jsonString) counts() bool { return s.min > 0 || s.max != schema.Unbounded }

// stepString reads a byte inside of a string. The thread's aux is the number of code points read,
// up to where it stops to matter.
func (m *Machine) stepString(dst []thread, t thread, b byte) []thread {
	d := &m.strings[t.def.index()]
	a := d.unit.arena
	s := lex.StringState(t.st)
	next := a.StepString(s, b)
	if next == lex.StringDead {
		return dst
	}
	t.rec = m.texts.add(t.rec, b)
	if next == lex.StringClosed {
		if t.aux < d.min {
			return dst
		}
		return m.resume(dst, t)
	}
	if d.counts() {
		t.aux = d.count(s, next, b, t.aux)
		if d.max != schema.Unbounded && !m.fits(d, next, t.aux) {
			return dst
		}
	}
	t.st = int32(next)
	return append(dst, t)
}

// count adds the code point that a step begins, or completes where it is escaped.
func (d *jsonString) count(s, next lex.StringState, b byte, n int32) int32 {
	_, raw := d.unit.arena.Decoded(s)
	if raw && (b == '\\' || b&0xC0 == 0x80) {
		return n
	}
	if _, ends := d.unit.arena.Decoded(next); !raw && !ends {
		return n
	}
	if d.max == schema.Unbounded && n >= d.min {
		return n
	}
	return n + 1
}

// fits says whether a string of which n code points have been read can still end within its
// bounds.
func (m *Machine) fits(d *jsonString, s lex.StringState, n int32) bool {
	inner, raw := d.unit.arena.Decoded(s)
	switch {
	case d.any && raw:
		return n <= d.max
	case d.any:
		return n < d.max
	case raw:
		return n+int32(d.unit.arena.MinRunes(inner)) <= d.max
	}
	if most := d.unit.arena.Reach(inner, 0); most >= 0 && n+1+int32(most) <= d.max {
		return true
	}
	return m.escapeFits(d.unit, s, d.max-n)
}

// escapeNeed is what is known of how many code points a string needs to end, from a state within
// an escape: so many are enough, so many are too few; 0: not known.
type escapeNeed struct{ enough, short int32 }

// escapeFits says whether a string can end within most code points from a state within an escape,
// the escaped one included. What an escape stands for depends on its digits: it tries each until
// one fits. Many escapes share their ends, so that it remembers what it finds.
func (m *Machine) escapeFits(u *Unit, s lex.StringState, most int32) bool {
	key := stringState{u, s}
	known := m.escapeNeeds[key]
	switch {
	case rareEscapeFits.off():
		return true
	case known.enough != 0 && known.enough <= most:
		return true
	case most <= known.short:
		return false
	}
	last := lex.StringDead
	for _, next := range u.arena.StringRow(s) {
		if next == lex.StringDead || next == last {
			continue
		}
		last = next
		inner, raw := u.arena.Decoded(next)
		if raw && 1+int32(u.arena.MinRunes(inner)) <= most || !raw && m.escapeFits(u, next, most) {
			m.escapeNeeds[key] = escapeNeed{most, known.short}
			return true
		}
	}
	m.escapeNeeds[key] = escapeNeed{known.enough, most}
	return false
}

// enterJSON is the thread at the start of a %json terminal. White space may follow the value where
// any is admitted.
func (m *Machine) enterJSON(n *gbnf.Node) thread {
	u := m.units[n]
	t := thread{def: def(kindValue, int(m.valueIndex(u, u.schema.Root))), st: phaseRoot}
	if u.anySpace {
		t.stack = m.stacks.push(noStack, frame{def: defSpace})
	}
	return t
}
