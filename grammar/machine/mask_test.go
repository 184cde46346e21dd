package machine

import (
	"fmt"
	"slices"
	"testing"

	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// TestMasks_keepNoMoreThanTheyMay walks through many states of a language, whose masks are the
// same whether or not what is known of states is forgotten.
func TestMasks_keepNoMoreThanTheyMay(t *testing.T) {
	pieces, kinds := [][]byte{[]byte("<end>")}, []vocab.Kind{vocab.Control}
	for b := range 256 {
		pieces, kinds = append(pieces, []byte{byte(b)}), append(kinds, vocab.Normal)
	}
	v, err := vocab.New(pieces, kinds, []int32{0})
	if err != nil {
		t.Fatal(err)
	}
	m := compiled(t, `root ::= %json{"type":"string","pattern":"^([a-y]{1,9}z)*$","maxLength":300}`, false)
	small, large := NewMasks(m, v), NewMasks(m, v)
	small.keep, small.limit = 1<<9, 1<<10
	id := m.Start()
	for _, b := range []byte(`"abcdefgzabzzabcdefghizabcdefgzabcdefzabcdezabcdzabczabzaz`) {
		x, y := small.Mask(id, nil), large.Mask(id, nil)
		for token := range int32(v.Len()) {
			if x.Allows(token) != y.Allows(token) {
				t.Fatalf("before %q token %d: %v and %v", b, token, x.Allows(token), y.Allows(token))
			}
		}
		if small.kept > 2<<10 {
			t.Fatalf("before %q %d bytes are kept", b, small.kept)
		}
		if id = m.Step(id, int(b)); id == Stuck {
			break
		}
	}
	if large.kept <= 2<<10 {
		t.Fatalf("all that there is to keep is %d bytes: the walk is too short", large.kept)
	}
}

// TestMasks_keepWhatWasAskedForLast: beyond the limit the mask goes that was used least recently.
func TestMasks_keepWhatWasAskedForLast(t *testing.T) {
	m := compiled(t, `root ::= "ab" [c-z]* "!"`, false)
	k := NewMasks(m, longVocab(t, 2))
	one := k.Mask(after(t, m, ""), nil)
	k.limit = 2 * (one.Size() + entrySize)
	k.Mask(after(t, m, "a"), nil)
	k.Mask(after(t, m, ""), nil)
	k.Mask(after(t, m, "ab!"), nil)
	missed := k.Stats.Misses
	if k.Mask(after(t, m, ""), nil); k.Stats.Misses != missed {
		t.Error("the mask that was asked for last is gone")
	}
	if k.Mask(after(t, m, "a"), nil); k.Stats.Misses == missed {
		t.Error("the mask that was asked for first is kept")
	}
}

// TestMasks_inStepsAndResumedAreWhole: however a mask is computed, it is the same.
func TestMasks_inStepsAndResumedAreWhole(t *testing.T) {
	src := `root ::= ""`
	for i := range 8 {
		src += fmt.Sprintf(` | %%regex "[a-z ]{0,%d}[x-z]"`, 3+i)
	}
	v := wordVocab(t)
	m := compiled(t, src, false)
	id := after(t, m, `b`)
	want := NewMasks(m, v).Mask(id, nil)
	same := func(how string, got vocab.Mask) {
		t.Helper()
		for token := range int32(v.Len()) {
			if got.Allows(token) != want.Allows(token) {
				t.Fatalf("%s: token %d %q: %v", how, token, v.Piece(token), got.Allows(token))
			}
		}
	}
	k, pauses := NewMasks(m, v), 0
	same("in steps", k.Mask(id, func() {
		if pauses++; pauses == 1 {
			same("meanwhile", k.Mask(id, nil))
		}
	}))
	if pauses == 0 {
		t.Error("a long mask was computed in one step")
	}
	var p PartialMask
	k = NewMasks(m, v)
	if !p.Empty() || !k.Resume(id, &p, nil) || p.Empty() {
		t.Fatal("a mask cannot be found token by token")
	}
	k.Assemble(id, &p)
	missed := k.Stats.Misses
	if same("assembled", k.Mask(id, nil)); k.Stats.Misses != missed {
		t.Error("an assembled mask is not kept")
	}
}

// TestMasks_keepNothingTwice: a mask that was computed twice at once, in steps, counts once.
func TestMasks_keepNothingTwice(t *testing.T) {
	m := compiled(t, `root ::= "ab" [c-z]* "!"`, false)
	k := NewMasks(m, longVocab(t, 2))
	id := after(t, m, "")
	mask := k.Mask(id, nil)
	k.remember(k.memo[id].Value.(*maskEntry))
	k.remember(&maskEntry{Mask: mask, config: id})
	if k.byUse.Len() != 1 || k.size != mask.Size()+entrySize {
		t.Errorf("%d masks take %d bytes, want one of %d", k.byUse.Len(), k.size, mask.Size())
	}
}

// TestMasks_keepEqualOnesOnce: masks of many tokens that are equal are one, which is kept as long
// as a configuration is that has it. Others are not taken for it, even if their hash is its.
func TestMasks_keepEqualOnesOnce(t *testing.T) {
	k := NewMasks(compiled(t, `root ::= %json{"properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"}},"required":["a","b","c"],`+closed+`}[order=declared]`, false), wordVocab(t))
	ask := func(text string) *sharedMask {
		k.Mask(after(t, k.m, text), nil)
		return k.byUse.Front().Value.(*maskEntry).shared
	}
	a, b, other := ask(`{"a":"`), ask(`{"a":"x","b":"`), ask(`{"a":"x","b":"y","c":"`)
	if a != b || a == other || k.size != 3*entrySize+a.Size()+other.Size() {
		t.Errorf("masks of %d and %d tokens take %d bytes with one of %d", a.Size(), b.Size(), k.size, other.Size())
	}
	k.drop(k.byUse.Back())
	if k.equal[a.hash] != a || k.size != 2*entrySize+a.Size()+other.Size() {
		t.Error("a mask that is used goes")
	}
	k.drop(k.byUse.Back())
	if k.equal[a.hash] != nil || k.size != entrySize+other.Size() {
		t.Error("a mask that is not used stays")
	}
	k.equal[a.hash] = other
	if x := ask(`{"a":"`); x.Len() != a.Len() || k.equal[a.hash] != other {
		t.Errorf("%d tokens are admitted, %d before", x.Len(), a.Len())
	}
}

// TestMasks_pauseBetweenSmallSteps: a mask pauses after each step, and steps are short.
func TestMasks_pauseBetweenSmallSteps(t *testing.T) {
	pieces, kinds := [][]byte{[]byte("<end>")}, []vocab.Kind{vocab.Control}
	for _, word := range words("abcdefghijklmnopqrstuvwxyz", 3) {
		for _, text := range []string{word + ".", " " + word, word + "s-"} {
			pieces, kinds = append(pieces, []byte(text)), append(kinds, vocab.Normal)
		}
	}
	v, err := vocab.New(pieces, kinds, []int32{0})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ src, text string }{
		"threads": {`root ::= %regex "[a-z. -]*!" | %regex "[a-z. -]*[?]"`, "a"},
		"texts":   {`root ::= %json{"type":"string","pattern":"^([a-y]{1,9}z)*$","maxLength":300}`, `"a`},
	} {
		whole := &collector{Masks: NewMasks(compiled(t, c.src, false), v)}
		whole.compute(after(t, whole.m, c.text))
		k, pauses := NewMasks(compiled(t, c.src, false), v), 0
		k.Mask(after(t, k.m, c.text), func() { pauses++ })
		if least := whole.work / (stepWork + 2*walkBlock); pauses < least || least == 0 {
			t.Errorf("%s: %d pauses in work of %d, want %d", name, pauses, whole.work, least)
		}
	}
}

// TestMasks_symbolsAndControls: symbols that the vocabulary lacks change nothing, and tokens that
// are no text are not read as such.
func TestMasks_symbolsAndControls(t *testing.T) {
	v := longVocab(t, 2)
	k := NewMasks(compiled(t, `root ::= (<|nope|> | "<end>" | %until("x"))* <|s|>`, false), v)
	if k.Step(k.m.Start(), 0) != Stuck {
		t.Error("a control token is read as its text")
	}
	for _, id := range []ConfigID{k.m.Start(), after(t, k.m, "a")} {
		mask := k.Mask(id, nil)
		for token := range int32(v.Len()) {
			if mask.Allows(token) != (k.Step(id, token) != Stuck) && token > 0 {
				t.Errorf("the mask says %v of %q", mask.Allows(token), v.Piece(token))
			}
		}
	}
}

// TestMasks_resumeGetsAlong: a mask that fills the automata again and again is found in pieces,
// but for tokens that fill them alone.
func TestMasks_resumeGetsAlong(t *testing.T) {
	const src = `root ::= %json{"type":"string","pattern":"(a|b)*a(a|b){9}x"}[space=none, escapes=canonical]`
	on := func(limits lex.Limits) (*Machine, ConfigID) {
		m, _ := limited(t, src, limits, false)
		return m, after(t, m, `"`)
	}
	text := ""
	for i := range 60 {
		text += string("ab"[(i>>(i%7)^i/3)&1])
	}
	v := longVocab(t, 30, text)
	var p PartialMask
	whole, rounds := false, 0
	var k *Masks
	var id ConfigID
	for ; !whole && rounds < 2*v.Len(); rounds++ {
		m, at := on(lex.Limits{States: 60})
		k, id = NewMasks(m, v), at
		whole = k.Resume(id, &p, nil)
	}
	k.Assemble(id, &p)
	got := k.Mask(id, nil)
	m, id := on(lex.Limits{})
	want, found := NewMasks(m, v).Mask(id, nil), 0
	for token := range int32(v.Len()) {
		if got.Allows(token) {
			found++
			if !want.Allows(token) {
				t.Fatalf("%q is no token of the mask", v.Piece(token))
			}
		}
	}
	if !whole || rounds < 2 || found < want.Len()/2 {
		t.Errorf("whole: %v, after %d rounds, with %d of %d tokens", whole, rounds, found, want.Len())
	}
}

// TestWalker_keepsTheStatesOfWalksThatComeAgain: beyond the limit those go in which no walk has
// begun lately. What is met again costs no steps.
func TestWalker_keepsTheStatesOfWalksThatComeAgain(t *testing.T) {
	v := wordVocab(t)
	k := NewMasks(compiled(t, `root ::= %regex "[a-z]{0,200}!" | %regex "[A-Z]{0,30000}!"`, false), v)
	c := &collector{Masks: k}
	hot, cold := k.m.configs.lists[after(t, k.m, "ab")], k.m.Start()
	steps := func(start []thread) int {
		c.ids, c.work, c.walk.stepped = c.ids[:0], 0, 0
		c.walk.run(c, v.Trie(), start)
		return c.work + c.walk.stepped*threadWork
	}
	for range 3 {
		steps(hot)
	}
	least := steps(hot)
	for i := range 4 * maxWalkStates {
		cold = k.m.Step(k.m.Step(cold, 'A'), 'A')
		if steps(k.m.configs.lists[cold]); i%100 != 0 {
			continue
		}
		if n := steps(hot); n > least {
			t.Fatalf("after %d walks one that comes again takes %d, and took %d", i, n, least)
		}
	}
	if n := len(c.walk.spans) + len(c.walk.others.spans); n > 4*maxWalkStates {
		t.Errorf("%d states are kept", n)
	}
}

// TestMasks_keepModelsThatServe: a state that others take over from outlasts what is forgotten,
// and one that does not serve goes.
func TestMasks_keepModelsThatServe(t *testing.T) {
	v := wordVocab(t)
	k := NewMasks(compiled(t, `root ::= %json{"type":"string","pattern":"^[a-z ]*(needle|haystack|straw)[a-z]*$"}`, false), v)
	k.Mask(after(t, k.m, `"x`), nil)
	u := k.m.strings[0].unit
	model := k.models[u][0]
	for _, text := range []string{`"n`, `"nes`, `"hay`, `"st`} {
		k.forget()
		k.Mask(after(t, k.m, text), nil)
		if !slices.Contains(k.models[u], model) {
			t.Fatalf("behind %s the model is gone", text)
		}
	}
	k.forget()
	if k.forget(); len(k.models[u]) > 0 {
		t.Error("a model that nothing takes over from is kept")
	}
}

// TestMasks_takeNothingOutInVain: where no token may end a key as one that there is, none is
// looked for.
func TestMasks_takeNothingOutInVain(t *testing.T) {
	k := NewMasks(compiled(t, `root ::= %json{"type":"object"}`, false), longVocab(t, 2))
	if k.Mask(after(t, k.m, `{"x`), nil); k.idle.gone != nil {
		t.Error("tokens are taken out")
	}
}

// TestMasks_walksForget: when there are many states, a walk begins with none, and the rows of
// those that are forgotten are used again.
func TestMasks_walksForget(t *testing.T) {
	m, v := compiled(t, `root ::= %json{"type":"array","items":{"type":"integer"},"uniqueItems":true}`+tight, false), wordVocab(t)
	k, text, states, rows := NewMasks(m, v), "[", 0, 0
	for n := 1000; ; n++ {
		text += fmt.Sprint(n)
		k.Mask(after(t, m, text), nil)
		if len(k.idle.walk.spans) < states {
			break
		}
		if states = len(k.idle.walk.spans); states > 2*maxWalkStates {
			t.Fatalf("of %d states none is forgotten", states)
		}
		text += ","
	}
	checkAgainstBytes(t, k, v, text)
	for _, w := range []*walkStates{&k.idle.walk.walkStates, &k.idle.walk.others} {
		w.forget()
		free := len(w.free)
		if w.newRow(); free > 0 && len(w.free) != free-1 {
			t.Errorf("of %d free rows %d are left", free, len(w.free))
		}
		rows += free
	}
	if rows == 0 {
		t.Error("no row can be used again")
	}
}
