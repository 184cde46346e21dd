package machine

import "tenon/grammar/lex"

// kind is what is to be known of a kind of automaton, but for the step, which is hot and therefore
// a switch (core_step.go). A new kind is a row here and a case there. Most have a file
// kind_*.go.
type kind struct {
	name string
	// mayEnd says whether an automaton may end where a thread stands; last says that nothing
	// follows at all. nil: it ends by itself.
	mayEnd func(m *Machine, t thread, last bool) bool
	// distance is how far an automaton is from its own end; nil: it is there.
	distance func(m *Machine, d kindDef, st, aux int32) int32
	// expect adds the bytes that a thread may read, or says that only trying tells, as nil
	// does.
	expect func(m *Machine, t thread, set *lex.ByteSet) bool
	// collect adds the tokens that a thread allows, or says that they are to be tried one by
	// one, as nil does.
	collect func(k *collector, t thread) bool
}

// kinds is the table of kinds. It is filled in by init because what it names reads it.
var kinds [1 << kindBits]kind

func init() {
	always := func(*Machine, thread, bool) bool { return true }
	kinds = [1 << kindBits]kind{
		kindEnd: {name: "end", mayEnd: always},
		kindRule: {
			name:     "rule",
			mayEnd:   func(m *Machine, t thread, _ bool) bool { return m.closureOf(t.st).ends },
			distance: func(m *Machine, _ kindDef, st, _ int32) int32 { return m.ruleDistance(st) },
		},
		kindLex: {
			name:   "word",
			mayEnd: func(m *Machine, t thread, _ bool) bool { return m.arenas[t.def.index()].Accepting(lex.State(t.st)) },
			distance: func(m *Machine, d kindDef, st, _ int32) int32 {
				return int32(m.arenas[d.index()].MinBytes(lex.State(st)))
			},
			expect: (*Machine).expectLex,
		},
		kindUntil: {name: "until", mayEnd: (*Machine).untilEnds, distance: (*Machine).untilDistance, collect: (*collector).collectText},
		kindValue: {name: "value", distance: (*Machine).valueKindDistance, expect: (*Machine).expectValue, collect: (*collector).collectBetween},
		kindString: {
			name: "string",
			distance: func(m *Machine, d kindDef, st, aux int32) int32 {
				return m.stringDistance(d.index(), lex.StringState(st), aux)
			},
			collect: (*collector).collectString,
		},
		kindObject: {
			name: "object",
			distance: func(m *Machine, d kindDef, st, aux int32) int32 {
				return m.objectDistance(m.objectAt(d.index()), st, aux)
			},
			expect: (*Machine).expectObject, collect: (*collector).collectBetween,
		},
		kindNamedKey:   {name: "named key", expect: (*Machine).expectName, collect: (*collector).collectName},
		kindUnnamedKey: {name: "other key", collect: (*collector).collectUnnamedKey},
		kindArray: {
			name:     "array",
			distance: func(m *Machine, d kindDef, st, aux int32) int32 { return m.arrayDistance(m.arrays[d.index()], st, aux) },
			expect:   (*Machine).expectArray, collect: (*collector).collectBetween,
		},
		kindSpace: {name: "space", mayEnd: always, expect: (*Machine).expectSpace},
		kindPlain: {
			name:   "plain text",
			mayEnd: func(m *Machine, t thread, _ bool) bool { return m.plainEnds(t) },
			distance: func(m *Machine, d kindDef, st, aux int32) int32 {
				return m.plainDistance(m.plains[d.index()], lex.State(st), aux)
			},
			collect: (*collector).collectPlain,
		},
		kindQuoted: {
			name:   "quoted text",
			mayEnd: func(m *Machine, t thread, _ bool) bool { return m.quotedEnds(t) },
			distance: func(m *Machine, _ kindDef, st, _ int32) int32 {
				// no quote closes it
				return int32(m.arenas[0].StringDistance(lex.StringState(st))) - 1
			},
			collect: (*collector).collectText,
		},
		kindEach: {
			name:     "parts in any order",
			mayEnd:   func(m *Machine, t thread, _ bool) bool { return t.st == 0 && m.eachOf(t).complete(t.aux) },
			distance: func(m *Machine, d kindDef, st, aux int32) int32 { return m.eachDistance(m.eaches[d.index()], st, aux) },
		},
	}
}
