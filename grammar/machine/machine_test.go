package machine

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
)

// compiled is a machine for a grammar, as package grammar makes it.
func compiled(t *testing.T, src string, events bool) *Machine {
	t.Helper()
	m, err := compile(src, events)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func compile(src string, events bool) (*Machine, error) {
	tree, err := gbnf.Read(src)
	if err != nil {
		return nil, err
	}
	units := map[*gbnf.Node]*Unit{}
	var visit func(n *gbnf.Node)
	visit = func(n *gbnf.Node) {
		for _, k := range n.Kids {
			visit(k)
		}
		if err == nil && (n.Op == gbnf.JSON || n.Op == gbnf.Plain) {
			units[n], err = NewUnit(n, false, lex.Limits{}, nil)
		}
	}
	for _, r := range tree.Rules {
		visit(r.Node)
	}
	if err != nil {
		return nil, err
	}
	p, err := Compile(tree, units, events)
	if err != nil {
		return nil, err
	}
	m := New(p, units, events)
	return m, m.Prepare()
}

// after is the configuration behind a text.
func after(t *testing.T, m *Machine, text string) ConfigID {
	t.Helper()
	id, n := m.Walk(m.Start(), []byte(text))
	if id == Stuck {
		t.Fatalf("%q is refused at byte %d", text, n)
	}
	return id
}

// TestMachine_configurationsAreInterned: texts after which the same can follow lead to one
// configuration, which is what makes masks worth remembering.
func TestMachine_configurationsAreInterned(t *testing.T) {
	for name, c := range map[string]struct {
		src, a, b string
		same      bool
	}{
		"a loop":                    {`root ::= [a-z]* "!"`, "a", "zzz", true},
		"ways that met":             {`root ::= ("ab" | "cd") "x"`, "ab", "cd", true},
		"the rest of a string":      {`root ::= %json{"type":"array","items":{"type":"string"}}[space=none]`, `["ab`, `["x`, true},
		"other keys seen":           {`root ::= %json{"properties":{"a":{},"b":{}},"additionalProperties":false}[space=none]`, `{"a":1,`, `{"b":1,`, false},
		"enough letters":            {`root ::= %json{"type":"string","minLength":2}`, `"ab`, `"abcd`, true},
		"behind a check":            {`root ::= ("a" %check "b")* "!"`, "ab", "abab", true},
		"behind different elements": {`root ::= %json{"properties":{"x":{"type":"array","uniqueItems":true}},"additionalProperties":{"type":"string"}}[space=none]`, `{"x":["a","b"],"y":"c`, `{"x":["a","b"],"y":"cd`, true},
		"the same keys, reordered":  {`root ::= %json{"properties":{"a":{},"b":{}},"additionalProperties":false}[space=none]`, `{"a":1,"b":2`, `{"b":3,"a":4`, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := compiled(t, c.src, false)
			if same := after(t, m, c.a) == after(t, m, c.b); same != c.same {
				t.Errorf("after %q and %q: one configuration: %v, want %v", c.a, c.b, same, c.same)
			}
		})
	}
}

// TestMachine_whatItKnowsOfAConfiguration: whether the text may end, what must come, what may
// come, how far the end is.
func TestMachine_whatItKnowsOfAConfiguration(t *testing.T) {
	object := `root ::= %json{"properties":{"name":{"type":"string"},"n":{"type":"integer"}},"required":["name"],"additionalProperties":false}[space=none, escapes=canonical]`
	for name, c := range map[string]struct {
		src, text, forced string
		distance          int
		done              bool
		expected          string
	}{
		"a literal begun":                 {`root ::= "hello" "x"?`, "he", "llo", 3, false, "'l'"},
		"may end or go on":                {`root ::= "hello" "x"?`, "hello", "", 0, true, "the end"},
		"only one key is left":            {object, `{"n":1,`, `"name":"`, 10, false, `'"'`},
		"inside a number":                 {object, `{"n":1`, "", 11, false, "','"},
		"a name that meets an obligation": {`root ::= %json{"properties":{"x":{"enum":[1,null]}},"not":{"additionalProperties":{"type":"null"}},` + closed + `}` + tight, `{"x"`, ":1", 3, false, "':'"},
		"a choice of keys":                {object, `{"n`, "", 8, false, "'a'"},
	} {
		t.Run(name, func(t *testing.T) {
			m := compiled(t, c.src, false)
			id := after(t, m, c.text)
			if got := string(m.Forced(nil, id)); got != c.forced {
				t.Errorf("forced %q, want %q", got, c.forced)
			}
			if got := m.Distance(id); got != c.distance {
				t.Errorf("distance %d, want %d", got, c.distance)
			}
			if got := m.Done(id); got != c.done {
				t.Errorf("done %v, want %v", got, c.done)
			}
			if got := m.Expected(id); !strings.Contains(got, c.expected) {
				t.Errorf("expected %q, want it to hold %q", got, c.expected)
			}
		})
	}
}

func TestMachine_symbolsAreNoText(t *testing.T) {
	m := compiled(t, `root ::= %text <|end|> "x"`, false)
	if id := m.StepSymbol(after(t, m, "any <|end|> text"), "<|end|>"); id == Stuck || string(m.Forced(nil, id)) != "x" {
		t.Error("the symbol does not end the text")
	}
	if m.StepSymbol(m.Start(), "<|other|>") != Stuck {
		t.Error("a symbol that the grammar does not name is accepted")
	}
	m = compiled(t, `root ::= !<|a|> "x" | "!" (<|a|> | <|b|>)`, false)
	if id := m.StepSymbol(m.Start(), "<|b|>"); id == Stuck || string(m.Forced(nil, id)) != "x" {
		t.Error("another symbol is refused")
	}
	if m.StepSymbol(m.Start(), "<|a|>") != Stuck {
		t.Error("the symbol that may not come is accepted")
	}
	if id := after(t, m, "a"); m.Distance(m.Start()) != 2 || m.Distance(id) != 1 {
		t.Errorf("the end is %d bytes away, and behind a byte %d", m.Distance(m.Start()), m.Distance(id))
	}
}

// TestReader_tellsOnlyWhatIsCertain: while two readings are possible no capture is told; the first
// in the grammar's order wins at the end.
func TestReader_tellsOnlyWhatIsCertain(t *testing.T) {
	r := NewReader(compiled(t, `root ::= a:( [a-z]+ ) "1"? | b:( [a-z]+ ) "2"`, true))
	if _, err := r.Feed([]byte("xy")); err != nil {
		t.Fatal(err)
	}
	if got := r.Events(); len(got) != 0 {
		t.Fatalf("%d events while both captures are possible", len(got))
	}
	if _, err := r.Feed([]byte("2")); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	var kinds []EventKind
	text := ""
	for _, e := range r.Events() {
		kinds = append(kinds, e.Kind)
		text += string(e.Bytes)
		if e.Kind == Begin && e.Name != "b" {
			t.Errorf("capture %s begins", e.Name)
		}
	}
	if len(kinds) < 3 || kinds[0] != Begin || kinds[len(kinds)-1] != End || text != "xy" {
		t.Errorf("events %v with text %q", kinds, text)
	}
	if _, err := r.Feed([]byte("x")); !errors.Is(err, ErrRefused) {
		t.Errorf("text behind the end: %v", err)
	}
}

func TestCanonical_equalValuesGiveEqualTexts(t *testing.T) {
	seen := map[string]string{}
	for _, equal := range [][]string{
		{`1`, `1.0`, `10e-1`, `0.1E1`, ` 1 `}, {`0`, `-0`, `0.00e5`}, {`-12.50`, `-125e-1`}, {`10`}, {`"1"`}, {`true`}, {`null`}, {`[1]`}, {`[1,1]`, `[1, 1.0]`},
		{`"a/"`, `"\u0061\/"`},
		{`{"a":1,"b":[2]}`, `{ "b" : [2.0], "\u0061":1 }`},
	} {
		for _, s := range equal {
			if a, b := string(canonical([]byte(equal[0]))), string(canonical([]byte(s))); a != b {
				t.Errorf("%s is %s, %s is %s", equal[0], a, s, b)
			}
		}
		text := string(canonical([]byte(equal[0])))
		if other, ok := seen[text]; ok {
			t.Errorf("%s and %s are both %s", other, equal[0], text)
		}
		seen[text] = equal[0]
	}
	if text := []byte(`"ab"`); &canonical(text)[0] != &text[0] || &decodeString(text[1:3])[0] != &text[1] {
		t.Error("a plain text is copied")
	}
	if got := string(decodeString([]byte(`\x`))); got != `\x` {
		t.Errorf("what is no string becomes %q", got)
	}
}

// TestMachine_whatAlternativesShareIsReadOnce: beginnings of alternatives, rules that are written
// out, repetitions and right recursion cost no threads, states or frames of their own.
func TestMachine_whatAlternativesShareIsReadOnce(t *testing.T) {
	for name, c := range map[string]struct{ src, text string }{
		"literals":          {`root ::= "tool_a" | "tool_b" | "tool_c"`, "tool"},
		"rules":             {"root ::= a | b | c\na ::= \"tool_a\" \"x\"\nb ::= \"tool_b\" \"y\"\nc ::= \"tool_c\" \"z\"", "tool"},
		"captures":          {`root ::= x:( "tool_a" ) | x:( "tool_b" )`, "tool"},
		"captures of rules": {"root ::= a | b\na ::= x:( \"tool_a\" )\nb ::= x:( \"tool_b\" )", "tool"},
	} {
		m := compiled(t, c.src, false)
		if n := len(m.configs.lists[after(t, m, c.text)]); n != 1 {
			t.Errorf("%s: %d threads behind %q", name, n, c.text)
		}
	}
	m := compiled(t, `root ::= ((("ab" "cd"){9} "e"){9} "f"){9}`, false)
	if n := len(m.prog.states); n > 200 {
		t.Errorf("repetitions of repetitions take %d states", n)
	}
	m = compiled(t, "root ::= \"a\" root | \"b\"", false)
	if after(t, m, "a") != after(t, m, strings.Repeat("a", 100)) {
		t.Error("right recursion grows")
	}
}

// TestReader_keepsTheFirstOfThreadsThatReadOnAlike, of few and of many. Two hundred thousand are
// not compared with each other.
func TestReader_keepsTheFirstOfThreadsThatReadOnAlike(t *testing.T) {
	for _, n := range []int{1, manyThreads / 2, manyThreads, 100_000} {
		var list, want []thread
		for i := range 2 * n {
			x := thread{def: defRule, st: int32(i / 2), stack: stackID(i / 4), ev: eventID(i)}
			if list = append(list, x); i%2 == 0 {
				want = append(want, x)
			}
		}
		if got := distinct(list); !slices.Equal(got, want) {
			t.Errorf("of %d threads %d are left, not the first %d", 2*n, len(got), n)
		}
	}
}
