package grammar

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/machine"
)

// sprawling has a state for every set of places where the letter a stood among the last 200.
const sprawling = `root ::= text:( %json{"type":"string","pattern":"a.{200}$"}[space=none, escapes=canonical] ) "!"` + "\n"

// fullGrammar is that grammar after texts that have filled its automata.
func fullGrammar(t *testing.T, v *Vocab) *Grammar {
	t.Helper()
	g, err := Parse(sprawling, Options{})
	if err != nil {
		t.Fatal(err)
	}
	old := g.workspace(v)
	for seed := range uint64(200) {
		m := g.Matcher(v)
		for _, b := range someText(seed) {
			if m.Mask().Len() == 0 {
				t.Fatalf("text %d: a mask is empty", seed)
			}
			if err := m.AcceptBytes([]byte{b}); err != nil {
				t.Fatalf("text %d: %v", seed, err)
			}
		}
		if old.full.Load() {
			return g
		}
	}
	t.Fatal("the automata do not fill")
	return nil
}

func someText(seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 3))
	text := []byte{'"'}
	for range 300 {
		text = append(text, "ab"[rng.IntN(2)])
	}
	return text
}

// Once automata are as large as they may be, nothing new could be written, in that turn and in all
// that came after it.
func TestMatcher_goesOnWhereAutomataAreFull(t *testing.T) {
	DropCaches()
	defer DropCaches()
	v := walkVocab(t)
	g := fullGrammar(t, v)
	for seed := range uint64(3) {
		m := g.Matcher(v)
		for _, b := range someText(1000 + seed) {
			if !m.Allowed(int32(b)) || m.Mask().Len() == 0 {
				t.Fatalf("text %d: %q is not allowed", seed, b)
			}
			if err := m.Accept(int32(b)); err != nil {
				t.Fatal(err)
			}
		}
		if d := m.Distance(); d < 2 || d > 203 {
			t.Errorf("%d bytes to an end", d)
		}
	}
}

// A matcher that goes over to new automata stands where it stood, and can go back as far.
func TestMatcher_renewedStandsWhereItStood(t *testing.T) {
	v := walkVocab(t)
	g := mustParse(t, `root ::= "x" <|s|> %json{"type":"array","items":{"type":"integer"}}`+"\n")
	m := g.Matcher(v)
	for _, err := range []error{m.AcceptBytes([]byte("x")), m.AcceptSymbol("<|s|>"), m.AcceptBytes([]byte("[1,")), m.Accept('2')} {
		if err != nil {
			t.Fatal(err)
		}
	}
	m.Rollback(1)
	c := m.Clone()
	if m.e.full.Store(true); !m.renew() {
		t.Fatal("not renewed")
	}
	if m.e == c.e {
		t.Error("in the same workspace")
	}
	for _, x := range []*Matcher{m, c} {
		if err := x.AcceptBytes([]byte("34]")); err != nil || !x.Done() {
			t.Errorf("%v, done %v", err, x.Done())
		}
		if x.Rollback(2); x.AcceptBytes([]byte("[]")) != nil || !x.Done() {
			t.Error("it does not go back to the start of the array")
		}
	}
}

// A parser whose schema's automata are full reads on, and tells every event once.
func TestParser_readsOnWhereAutomataAreFull(t *testing.T) {
	DropCaches()
	defer DropCaches()
	g := fullGrammar(t, walkVocab(t))
	for seed := range uint64(40) {
		text := someText(2000 + seed)
		for text[len(text)-201] != 'a' {
			text = append(text, 'b')
		}
		text = append(text, `"!`...)
		p := g.Parser()
		var got []byte
		marks := 0
		for i := range text {
			if err := p.Feed(text[i : i+1]); err != nil {
				t.Fatalf("text %d: %v", seed, err)
			}
			if i%7 != 0 && i < len(text)-1 {
				continue
			}
			for _, e := range p.Events() {
				if got = append(got, e.Bytes...); e.Kind != Bytes {
					marks++
				}
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Events() {
			if got = append(got, e.Bytes...); e.Kind != Bytes {
				marks++
			}
		}
		if string(got) != string(text[:len(text)-1]) || marks != 2 {
			t.Fatalf("text %d: %q, %d marks", seed, got, marks)
		}
	}
}

// The least length that is a multiple of six numbers is not found with as much work as one
// question may take.
func TestParse_tooHardAnExpressionIsAnError(t *testing.T) {
	if _, err := FromRegex("^(?=([ab]{7})*$)(?=([ab]{11})*$)(?=([ab]{13})*$)(?=([ab]{17})*$)(?=([ab]{19})*$)(?=([ab]{23})*$).+$"); err == nil {
		t.Error("no error, and nothing can be written")
	}
}

// A text that takes more by itself than a workspace may is not read again for every few tokens: of
// an object with thousands of keys no two others came before the next renewal.
func TestMatcher_isRenewedSeldomWhereItsTextIsLarge(t *testing.T) {
	defer func(n int) { maxMachine = n }(maxMachine)
	maxMachine = 256 << 10
	v := walkVocab(t)
	g, err := parse(`root ::= %json{"type":"object","additionalProperties":{"type":"integer"}}[space=none]`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := g.Matcher(v)
	text := "{"
	for i := range 1500 {
		text += fmt.Sprintf(`"key_%d":%d,`, i, i)
	}
	for i := range text {
		if !m.Mask().Allows(int32(text[i])) {
			t.Fatalf("stuck after %s", text[:i])
		}
		if err := m.Accept(int32(text[i])); err != nil {
			t.Fatal(err)
		}
	}
	if m.renewed == 0 || m.renewed > 30 {
		t.Errorf("renewed %d times in %d tokens", m.renewed, len(text))
	}
	if n := m.e.m.Size(); n > 4<<20 {
		t.Errorf("the machine takes %d bytes for a text of %d", n, len(text))
	}
	if m.AcceptBytes([]byte(`"key_77"`)) == nil || m.AcceptBytes([]byte(`"key_1500":0}`)) != nil || !m.Done() {
		t.Error("keys are no longer told apart")
	}
}

// TestRenewal_delaysNobodyElse: while a schema is compiled anew, and that does not come to its
// end, others parse, match, are forgotten and are weighed.
func TestRenewal_delaysNobodyElse(t *testing.T) {
	DropCaches()
	v := walkVocab(t)
	entered, release, done, others := make(chan bool), make(chan bool), make(chan bool), make(chan bool)
	compiled := 0
	newUnit = func(n *gbnf.Node, lenient bool, limits lex.Limits, stop func() error) (*machine.Unit, error) {
		if strings.Contains(n.Text, "a.{200}$") {
			if compiled++; compiled == 2 {
				close(entered)
				<-release
			}
		}
		return machine.NewUnit(n, lenient, limits, stop)
	}
	defer func() {
		newUnit, units.limit, grammars.limit = machine.NewUnit, maxUnits, maxGrammars
		DropCaches()
	}()
	go func() {
		defer close(done)
		fullGrammar(t, v)
	}()
	await(t, entered, "no schema is compiled anew")
	units.limit, grammars.limit = 1<<10, 1<<10
	go func() {
		defer close(others)
		for i := range 3 {
			text, call := toolSet(i)
			learn(t, mustParse(t, text), v, bytesOf(call))
		}
		if mustSchema(t, `{"type":"integer"}`, SchemaOptions{}).Size() == 0 || Kept().Grammars == 0 {
			t.Error("what is there is not counted")
		}
	}()
	await(t, others, "others wait for the compile")
	close(release)
	await(t, done, "the compile does not end")
}

// await waits for a channel to be closed; the time is a guard against hanging.
func await(t *testing.T, c chan bool, otherwise string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(30 * time.Second):
		t.Fatal(otherwise)
	}
}
