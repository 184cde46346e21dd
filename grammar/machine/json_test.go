package machine

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
)

// TestNewUnit_tellsWhatIsWrong: with a schema, with documents, with text that needs automata too
// large.
func TestNewUnit_tellsWhatIsWrong(t *testing.T) {
	for name, n := range map[string]*gbnf.Node{
		"a schema that is none":   {Op: gbnf.JSON, Text: `{"type":1}`},
		"documents that are none": {Op: gbnf.JSON, Text: `{}`, Options: gbnf.JSONOptions{Documents: `[1]`}},
	} {
		if _, err := NewUnit(n, false, lex.Limits{}, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if u, err := NewUnit(&gbnf.Node{Op: gbnf.JSON, Text: `{}`}, false, lex.Limits{}, nil); err != nil || len(u.Issues()) > 0 {
		t.Errorf("a schema of anything: %v", err)
	}
}

// TestObject_setsOfNames: whether a set of names holds some of a range.
func TestObject_setsOfNames(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		set := make([]uint64, 4)
		for range rng.IntN(3) {
			setBit(set, rng.IntN(256))
		}
		lo := rng.IntN(257)
		hi := lo + rng.IntN(257-lo)
		want := false
		for i := lo; i < hi; i++ {
			want = want || hasBit(set, i)
		}
		if got := anyBit(set, lo, hi); got != want {
			t.Fatalf("%x has some of %d to %d: %v", set, lo, hi, got)
		}
	}
}

// TestObject_valuesOfManyObjectsAreOneThread: whatever waits for it, a value is read once.
func TestObject_valuesOfManyObjectsAreOneThread(t *testing.T) {
	m := compiled(t, `root ::= "a"`, false)
	for i := range int32(6) {
		m.behind = append(m.behind, member{i % 2, entry{frame: frame{st: i}}})
	}
	if list := m.awaitMembers(nil, thread{}); len(list) != 2 {
		t.Errorf("%d threads read two values", len(list))
	}
}

// TestObject_tooManyKeys: where there are too many sets of keys, the next key is refused, and it
// is told why.
func TestObject_tooManyKeys(t *testing.T) {
	m := compiled(t, `root ::= %json{"type":"object"}[space=none]`, false)
	m.keys.nodes = make([]keyNode, maxKeySets)
	if id, n := m.Walk(m.Start(), []byte(`{"ab"`)); id != Stuck || n != 4 || !errors.Is(m.Err(), ErrTooComplex) {
		t.Errorf("read up to %d, %v", n, m.Err())
	}
}

// TestName_escapesAreKeptOnce: what of an escape has been read is kept once.
func TestName_escapesAreKeptOnce(t *testing.T) {
	m := compiled(t, `root ::= %json{"properties":{"\n":{},"é":{}}}`, false)
	after(t, m, `{"\u00e9":1,"\u000a":1`)
	kept := len(m.escapeTexts)
	after(t, m, `{"\u000a":1,"\u00e9":1`)
	if n := len(m.escapeTexts); n != kept {
		t.Errorf("%d texts, then %d", kept, n)
	}
}

// TestSizes_countWhatGrows: the sizes of a machine and its masks grow with rules, registers and
// what masks are collected in.
func TestSizes_countWhatGrows(t *testing.T) {
	m := compiled(t, `root ::= %json{"properties":{"a":{},"b":{}},"type":"object"}`, false)
	after(t, m, `{"a":1`)
	o := m.objects[0]
	last := int32(len(o.regs) - 1)
	before := o.size()
	if m.rulesOf(o, 0, last); o.size() == before {
		t.Error("rules take nothing")
	}
	k := NewMasks(m, wordVocab(t))
	k.Mask(after(t, m, `{"`), nil)
	if k.Size() == k.size+k.kept {
		t.Error("what a mask is collected in takes nothing")
	}
}

// TestUnique_longStringsAreLeft: of strings that are as long as automata cannot be, those that
// have been are not taken out.
func TestUnique_longStringsAreLeft(t *testing.T) {
	m := compiled(t, `root ::= %json{"type":"string"}`, false)
	u := m.values[0].unit
	i := m.stringIndex(u, u.anyText, maxMultiplied, maxMultiplied+1)
	states := u.arena.States()
	if got := m.reduceString(i, []string{strings.Repeat("a", maxMultiplied+1)}); got != i || u.arena.States() != states {
		t.Errorf("of string %d %d is left, and %d states are made", i, got, u.arena.States()-states)
	}
}

// TestString_needsOfEscapesAreFoundOnce: what is known of what a state within an escape
// needs is not found again.
func TestString_needsOfEscapesAreFoundOnce(t *testing.T) {
	m := compiled(t, `root ::= %json{"type":"string","pattern":"^a*bcd$","maxLength":9}`, false)
	id := after(t, m, `"a\`)
	s, u := lex.StringState(m.configs.lists[id][0].st), m.values[0].unit
	m.escapeNeeds[stringState{u, s}] = escapeNeed{enough: 1}
	if !m.escapeFits(u, s, 1) {
		t.Error("enough room is looked at again")
	}
	m.escapeNeeds[stringState{u, s}] = escapeNeed{short: 100}
	if m.escapeFits(u, s, 50) {
		t.Error("too little room is looked at again")
	}
}

// TestElement_framesAreCounted: what a string is a part of is not looked through without end.
func TestElement_framesAreCounted(t *testing.T) {
	m := compiled(t, `root ::= %json{"type":"array","uniqueItems":true}`, false)
	t1 := m.configs.lists[after(t, m, `["a`)][0]
	for frames, want := range map[int]bool{0: false, 9: true} {
		if got := m.firstOfAll(t1.stack, &frames); got != want {
			t.Errorf("of so many frames: %v", got)
		}
	}
}

// TestArray_elementsAreNotComparedInVain: where an element cannot end, it is not looked for among
// the others.
func TestArray_elementsAreNotComparedInVain(t *testing.T) {
	m := compiled(t, `root ::= %json{"type":"array","items":{"type":"integer"},"uniqueItems":true}`, false)
	id := after(t, m, `[7,12`)
	texts := m.texts.nodes.items
	if next := m.Step(id, 'x'); next != Stuck || m.texts.nodes.items != texts {
		t.Errorf("%d texts are kept of an element that does not end", m.texts.nodes.items-texts)
	}
}

// TestUnique_objectsTakeLittle: an object is built when it is entered, what another holds is read
// once, and without a unique set there is nothing to remember of a key.
func TestUnique_objectsTakeLittle(t *testing.T) {
	m := compiled(t, `root ::= %json{"type":"array","items":{"properties":{"a":{"type":"boolean"}},"required":["a"],`+closed+`},"uniqueItems":true}`+tight, false)
	after(t, m, `[{`)
	if len(m.objects) != 1 || m.objects[0].regs != nil {
		t.Error("an object is built before it is entered")
	}
	id := m.texts.of([]byte(`{"a":true}`))
	if m.membersOf(id) == nil {
		t.Error("an object has no members")
	}
	if m.members[id] = nil; m.membersOf(id) != nil {
		t.Error("an object is read again")
	}
	if r, _ := m.withUniqueSet(m.objectAt(0), register{}, 5, 6, 0); r.key != 0 {
		t.Error("a key is remembered that nothing is compared with")
	}
}
