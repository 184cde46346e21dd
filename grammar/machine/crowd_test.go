package machine

import (
	"testing"

	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// TestCrowds_areFewAndKept: a crowd of the same states is one; there are not more than may be, nor
// larger ones, and what is not known is not found out without end.
func TestCrowds_areFewAndKept(t *testing.T) {
	w := &sliceWalk{}
	for range 300 {
		w.lookaheads = append(w.lookaheads, &lookahead{})
	}
	if one, two := w.crowdOf(3, 4), w.crowdOf(3, 4); one != two || one == w.crowdOf(3) {
		t.Errorf("the crowd of two states is %d and %d", one, two)
	}
	if w.crowdOf(make([]lex.StringState, maxInCrowd+1)...) != noCrowd {
		t.Error("a crowd of too many states is made")
	}
	if w.crowdBehind(noCrowd, 1) != noCrowd {
		t.Error("something is behind no crowd")
	}
	w.spare = 0
	if w.findCrowd([]lex.StringState{5}, vocab.ClassOf('a')) != noCrowd {
		t.Error("a state is looked at for which there is no work to spare")
	}
	for s := range lex.StringState(maxCrowds) {
		w.crowdOf(s + 10)
	}
	if len(w.crowds) != maxCrowds || w.crowdOf(200) != noCrowd {
		t.Errorf("%d crowds are made", len(w.crowds))
	}
}

// TestSlice_whatIsKnownIsNotFoundAgain: where code points lead, and what takes the tokens.
func TestSlice_whatIsKnownIsNotFoundAgain(t *testing.T) {
	w := &sliceWalk{x: &stringSlice{inside: []uint64{1}}, tails: map[tailKey]lex.StringState{}}
	within := vocab.Between.Step(0xC3)
	if w.tails[tailKey{5, within}] = 7; w.target(5, within) != 7 {
		t.Error("the end of a code point is looked for again")
	}
	if w.look(5, &lookahead{known: true}); w.made > 0 {
		t.Error("a state is looked at again")
	}
	if &w.setOf(5)[0] != &w.x.inside[0] || len(w.places) > 0 {
		t.Error("a place is made where all tokens are in one set")
	}
}

// TestLookahead_classesOfTwoSearchesAreNotMixed: of a text with a colon any may follow that has no
// slash, and any that has no colon: not one that has both.
func TestLookahead_classesOfTwoSearchesAreNotMixed(t *testing.T) {
	pieces, kinds := [][]byte{[]byte("<end>")}, []vocab.Kind{vocab.Control}
	for b := range 256 {
		pieces, kinds = append(pieces, []byte{byte(b)}), append(kinds, vocab.Normal)
	}
	for _, word := range words("/:-.a", 4)[1:] {
		pieces, kinds = append(pieces, []byte(word)), append(kinds, vocab.Normal)
	}
	v, err := vocab.New(pieces, kinds, []int32{0})
	if err != nil {
		t.Fatal(err)
	}
	k := NewMasks(compiled(t, `root ::= %json{"type":"string","pattern":"^[^/]+:[^:]+$"}`, false), v)
	for _, text := range []string{`"`, `"p`, `"p:`, `"p:1`, `"p:1/`} {
		checkAgainstBytes(t, k, v, text)
	}
}
