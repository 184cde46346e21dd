package print

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/machine"
)

// plainText prints a grammar as plain GBNF.
func plainText(t *testing.T, src string, symbols bool) (string, *Result) {
	t.Helper()
	g, err := gbnf.Read(src)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Plain(g, unitsOf(t, g), symbols)
	if err != nil {
		t.Fatal(err)
	}
	return gbnf.Write(r.Grammar), r
}

// unitsOf compiles the schemas of a grammar.
func unitsOf(t *testing.T, g *gbnf.Grammar) Units {
	t.Helper()
	units := Units{}
	var compile func(n *gbnf.Node)
	compile = func(n *gbnf.Node) {
		for _, k := range n.Kids {
			compile(k)
		}
		if n.Op == gbnf.JSON || n.Op == gbnf.Plain {
			u, err := machine.NewUnit(n, true, lex.Limits{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			units[n] = u
		}
	}
	for _, r := range g.Rules {
		compile(r.Node)
	}
	return units
}

// oneOfMany is a choice of so many words, and how it is written.
func oneOfMany(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("\"%03d\"", i)
	}
	return strings.Join(words, " | ")
}

// TestPlain_saysItByRules shows what becomes of each thing that plain GBNF does not have.
func TestPlain_saysItByRules(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"captures and checks go":       {`root ::= a:( "x" ) %check`, `root ::= "x"` + "\n"},
		"names without underscore":     {"root ::= a_b a-b\na_b ::= \"1\"\na-b ::= \"2\"", "root ::= a-b- a-b\na-b- ::= \"1\"\na-b ::= \"2\"\n"},
		"no left recursion":            {`root ::= root "+" [0-9] | [0-9]`, "root ::= [0-9] (\"+\" [0-9])*\n"},
		"no loop over nothing":         {`root ::= ("a"? "b"?)* "c"`, "root ::= (\"a\" \"b\"? | \"b\")* \"c\"\n"},
		"text up to a marker":          {`root ::= %until("ab") "ab"`, "root ::= until-1 \"ab\"\nuntil-1 ::= [^a] until-1 | [a] until-2 | \"\"\nuntil-2 ::= [^ab] until-1 | [a] until-2 | \"\"\n"},
		"a regular expression":         {`root ::= %regex "a+b?"`, "root ::= [a] regex-1\nregex-1 ::= [a] regex-1 | [b] | \"\"\n"},
		"bounds in blocks":             {`root ::= "a"{0,2500}`, "root ::= \"a\"{0,1999} | \"a\"{2000} \"a\"{0,500}\n"},
		"a repeated group has a rule":  {`root ::= ("a" | "bc"){2,3}`, "root ::= part-1{2,3}\npart-1 ::= \"a\" | \"bc\"\n"},
		"so often what may be empty":   {`root ::= ("a" | "bc"?){2,3}`, "root ::= part-1{0,3}\npart-1 ::= \"a\" | \"bc\"\n"},
		"a large group has a rule":     {"root ::= (" + oneOfMany(inPlace) + ")?", "root ::= part-1?\npart-1 ::= " + oneOfMany(inPlace) + "\n"},
		"a small one has none":         {"root ::= (" + oneOfMany(inPlace-1) + ")?", "root ::= (" + oneOfMany(inPlace-1) + ")?\n"},
		"control characters by number": {`root ::= "\x01a" [\x00-\x1F\-0-9^] [\-a-\x7F]`, "root ::= \"\\u0001a\" [0-9\\x00-\\x1F\\x2D\\x5E] [\\u002Da-\\x7F]\n"},
		"keys in declared order": {`root ::= %json{"properties":{"a":{"type":"null"},"b":{"type":"null"}},"required":["a"],"additionalProperties":false,"type":"object"}[space=none, escapes=canonical, order=declared]`,
			"root ::= \"{\\\"a\\\":null\" object-1 \"}\"\nobject-1 ::= \",\\\"b\\\":null\" | \"\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, r := plainText(t, c.src, true)
			if diff := cmp.Diff(c.want, got); diff != "" || len(r.Loosened)+len(r.Narrowed) > 0 {
				t.Errorf("loosened %q, narrowed %q (-want +got):\n%s", r.Loosened, r.Narrowed, diff)
			}
		})
	}
}

// TestPlain_tellsApartWhatItChanged: what accepts more and what accepts less.
func TestPlain_tellsApartWhatItChanged(t *testing.T) {
	for src, want := range map[string]struct{ loosened, narrowed string }{
		`root ::= %json{"type":"array","uniqueItems":true,"items":{"type":"boolean"}}`: {"uniqueItems is not enforced", ""},
		`root ::= %json{"type":"integer","minimum":3}`:                                 {"", "numbers that a schema restricts are accepted without exponent only"},
		`root ::= %json{"const":"a"}`:                                                  {"", "strings that a schema restricts are accepted without superfluous escapes only"},
		`root ::= %json{"type":"object","additionalProperties":{"type":"null"}}`:       {"other keys than the named may come twice", ""},
		`root ::= %until("` + strings.Repeat("a", 600) + `")`:                          {"markers are too long to be looked for by rules: the text before them may hold them", ""},
		`root ::= <[CALL]> "x"`:                                                        {"the special token CALL is accepted when it is spelled by ordinary tokens, too", ""},
	} {
		_, r := plainText(t, src, true)
		if strings.Join(r.Loosened, "; ") != want.loosened || strings.Join(r.Narrowed, "; ") != want.narrowed {
			t.Errorf("%s: loosened %q, narrowed %q", src, r.Loosened, r.Narrowed)
		}
	}
}

// TestPlain_writesNothingTwice: parts that may be left out, and rules whose empty text is, lead to
// the same from many sides, and are written once. A copy for each way there would double with
// every part.
func TestPlain_writesNothingTwice(t *testing.T) {
	const parts = 12
	var kids, chain string
	for i := range parts {
		kids += fmt.Sprintf(` | "%d"?`, i)
		chain += fmt.Sprintf("x%d ::= x%d? \"a\"? x%d?\n", i, i+1, i+1)
	}
	for name, src := range map[string]string{
		"parts in any order":  `root ::= %each(","` + kids + `)`,
		"without empty texts": "root ::= x0*\n" + chain + fmt.Sprintf("x%d ::= \"b\"?", parts),
	} {
		g, err := gbnf.Read(src)
		if err != nil {
			t.Fatal(err)
		}
		p := newPrinter(g, nil, true)
		if err := p.rules(g); err != nil {
			t.Fatal(err)
		}
		if p.shape(); len(p.out.Rules) > 3*parts {
			t.Errorf("%s: %d rules", name, len(p.out.Rules))
		}
	}
}

func TestPlain_whatIsNoGrammarIsAnError(t *testing.T) {
	g, err := gbnf.Read(`root ::= "a" | x` + "\n" + `x ::= %regex "("`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Plain(g, nil, true); err == nil || !strings.Contains(err.Error(), "rule x") {
		t.Errorf("the error is %v", err)
	}
}
