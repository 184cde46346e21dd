package machine

import (
	"fmt"
	"strings"
	"testing"

	"tenon/grammar/vocab"
)

// TestDistance_isFoundOnce: what is known of values and stacks is not found again.
func TestDistance_isFoundOnce(t *testing.T) {
	m := compiled(t, `root ::= %json{"type":"array","items":{"const":"abc"}}`, false)
	id := after(t, m, `["a`)
	stack := m.configs.lists[id][0].stack
	m.Distance(id)
	if m.dist.stacks[stack] = 70; m.below(stack) != 70 {
		t.Error("what lies below is measured again")
	}
	if m.values[0].least = 80; m.valueDistance(0) != 80 {
		t.Error("a value is measured again")
	}
}

// TestDistance_takesNoWorkWhereItIsPlain: lengths of numbers, of terminals that no short way leads
// through, of the many elements that an array must have, and of the many names of an object.
func TestDistance_takesNoWorkWhereItIsPlain(t *testing.T) {
	m := compiled(t, `root ::= %json{"type":"array","items":{"const":1.25},"minItems":1}`, false)
	if d := m.Distance(m.Start()); d != 7 || m.values[1].loaded {
		t.Errorf("an automaton is made for a number, for a distance of %d", d)
	}
	m = compiled(t, `root ::= "" | %regex "bc"`, false)
	if m.Distance(m.Start()) != 0 || m.entries[0].def != defEnd {
		t.Error("a terminal is entered that no short way leads through")
	}
	m = compiled(t, `root ::= %json{"type":"array","items":{"const":"a"},"minItems":10000}[space=none]`, false)
	if d := m.Distance(m.Start()); d != 40002 {
		t.Errorf("10,000 elements take %d bytes", d)
	}
	a := m.arrays[0]
	if made := testing.AllocsPerRun(5, func() { m.missing(a, &a.regs[0], 0) }); made > 100 {
		t.Errorf("each of 10,000 elements is looked at: %v", made)
	}
	names := ""
	for i := range 100 {
		names += `,"` + strings.Repeat("a", i+1) + `":{}`
	}
	m = compiled(t, `root ::= %json{"properties":{`+names[1:]+`},"minProperties":2,`+closed+`}[space=none]`, false)
	id := after(t, m, `{"aaaa":1,"aaa":1,"a`)
	m.Distance(id)
	if made := testing.AllocsPerRun(5, func() { m.Distance(id) }); made > 20 {
		t.Errorf("each of 100 names is looked at: %v", made)
	}
	o := m.objects[0]
	if made := testing.AllocsPerRun(5, func() { m.optionalCost(o, &o.regs[0], 5, nil) }); made > 0 {
		t.Errorf("what a name asks for is looked at where none asks: %v", made)
	}
}

// TestWithin_leavesWhatFits: with room for all tokens the mask is left as it is; with little, the
// tokens of a dense and of a sparse mask are looked at.
func TestWithin_leavesWhatFits(t *testing.T) {
	k := NewMasks(compiled(t, `root ::= %json{"type":"string"}`, false), wordVocab(t))
	id := after(t, k.m, `"`)
	all := k.Mask(id, nil)
	if n := k.Within(id, 10_000).Len(); n != all.Len() {
		t.Errorf("%d of %d tokens are left", n, all.Len())
	}
	each(vocab.SparseMask([]int32{1, 5}, 0), 0, func(int32) {})
}

// TestForced_looksAtFewThreads: many ways to read a text make what is forced of it short.
func TestForced_looksAtFewThreads(t *testing.T) {
	src, rules := `root ::= "b"`, "\n"
	for i := range 100 {
		src += fmt.Sprintf(" | x%d", i)
		rules += fmt.Sprintf("x%d ::= [a] %q \"%d\"\n", i, strings.Repeat("a", 1000), i)
	}
	m := compiled(t, src+rules, false)
	if n := len(m.Forced(nil, after(t, m, "a"))); n == 0 || n > maxForcedThreads/100 {
		t.Errorf("%d bytes are forced", n)
	}
	if got := m.Expected(Stuck); got != "nothing" {
		t.Errorf("where all is refused %s is expected", got)
	}
}
