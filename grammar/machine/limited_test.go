package machine

import (
	"strings"
	"testing"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
)

// limited is the machine of a grammar whose only terminal has limits, and the terminal's unit.
func limited(t *testing.T, src string, limits lex.Limits, captures bool) (*Machine, *Unit) {
	t.Helper()
	g, err := gbnf.Read(src)
	if err != nil {
		t.Fatal(err)
	}
	var n *gbnf.Node
	for _, kid := range append([]*gbnf.Node{g.Rules[0].Node}, g.Rules[0].Node.Kids...) {
		if kid.Op == gbnf.JSON || kid.Op == gbnf.Plain {
			n = kid
		}
	}
	u, err := NewUnit(n, false, limits, nil)
	if err != nil {
		t.Fatal(err)
	}
	units := map[*gbnf.Node]*Unit{n: u}
	p, err := Compile(g, units, captures)
	if err != nil {
		t.Fatal(err)
	}
	return New(p, units, captures), u
}

// TestMachine_automataThatAreFullRefuse: where automata may grow no further, it is told.
func TestMachine_automataThatAreFullRefuse(t *testing.T) {
	m, u := limited(t, `root ::= "a" %json{"type":"string","pattern":"(a|b)*a(a|b){9}x"}[space=none]`, lex.Limits{States: 200}, true)
	r := NewReader(m)
	if r.Full() || r.m.Lost() != nil {
		t.Fatal("it is full before it has read anything")
	}
	text := `a"`
	for i := range 4000 {
		text += string("ab"[(i>>(i%7)^i/3)&1])
	}
	_, _ = r.Feed([]byte(text))
	if !r.Full() || !u.Full() || r.m.Lost() == nil {
		t.Errorf("the reader is full: %v, the unit: %v, with %v", r.Full(), u.Full(), r.m.Lost())
	}
}

// TestPlain_textsThatAreTooLarge: the terminal is refused, and nothing is read of it.
func TestPlain_textsThatAreTooLarge(t *testing.T) {
	const src = `root ::= %plain{"type":"string","pattern":"^[a-z]+$"}("<!-- no such marker -->" | "x" | "y" | "abc" | "def" | "ghi") "<"`
	m, _ := limited(t, src, lex.Limits{Exprs: 60}, false)
	if err := m.Prepare(); err == nil || !strings.Contains(err.Error(), "text of a schema's strings") {
		t.Errorf("prepared: %v", err)
	}
	m, _ = limited(t, src, lex.Limits{Exprs: 60}, false)
	if id, _ := m.Walk(m.Start(), []byte("b")); id != Stuck {
		t.Error("a text is read")
	}
}
