package grammar

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// exactPrints are grammars that plain GBNF can say exactly.
var exactPrints = []string{
	`root ::= %json{"type":["boolean","null"]}`,
	`root ::= %json{"type":"string","minLength":1,"maxLength":3}[escapes=canonical]`,
	`root ::= %json{"type":"string","maxLength":4}`,
	`root ::= %json{"type":"string","maxLength":4}`,
	`root ::= %json{"type":"number"}`,
	`root ::= %json{"type":"string","pattern":"^(a|bé)*c?$"}[escapes=canonical]`,
	`root ::= %json{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"null"},"c":{"enum":["x","y"]}},"required":["b"],"additionalProperties":false}[escapes=canonical, space=bounded, order=declared]`,
	`root ::= %json{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"null"}},"required":["b"],"additionalProperties":false}[escapes=canonical, space=none, order=declared]`,
	`root ::= %json{"type":"array","items":{"type":"null"},"minItems":1,"maxItems":3}`,
	`root ::= %json{"type":"array","prefixItems":[{"type":"null"},{"type":"boolean"}],"items":false,"minItems":1}[space=none]`,
	`root ::= %json{"type":"array","prefixItems":[{"type":"null"}],"items":{"type":"boolean"},"maxItems":3}[space=none]`,
	`root ::= %json{"type":"integer","minimum":-3,"maximum":12}[numbers=canonical]`,
	`root ::= %json{"type":"number"}[numbers=canonical]`,
	`root ::= %json{"type":"integer"}[numbers=canonical]`,
	`root ::= %json{"type":"number","minimum":0,"exclusiveMaximum":2.5}[numbers=canonical]`,
	`root ::= %json{"type":"object","properties":{"a":{"type":"number"},"b":{"enum":["x","y z"]},"c":{"type":"string"}},"required":["b"]}[escapes=canonical, space=bounded, numbers=canonical, extra=none, order=declared]`,
	`root ::= a:( %regex "[ab]+\\d?" ) %check "c"`,
	// Names that the printer takes for its own rules, spellings that differ, and tools that
	// have much in common.
	`root ::= char ws %json{"type":["string","number"]} number hex sp other-key` + "\n" + `char ::= "x"` + "\n" + `ws ::= "w"` + "\n" + `number ::= "#"` + "\n" + `hex ::= "h"` + "\n" + `sp ::= "_"` + "\n" + `other-key ::= "o"`,
	`root ::= %json{"type":"string"} "," %json{"type":"string"}[escapes=canonical] "," %json{"type":"string"}`,
	`root ::= "a" ( %json{"type":"object","properties":{"id":{"type":"string","pattern":"^[a-c]{2,4}$"},"n":{"type":["integer","null"]}},"required":["id"]}[escapes=canonical, numbers=canonical, space=bounded, extra=none, order=declared]
		| "b" %json{"type":"object","properties":{"id":{"type":"string","pattern":"^[a-c]{2,4}$"},"n":{"type":["integer","null"]}},"required":["id"]}[escapes=canonical, numbers=canonical, space=bounded, extra=none, order=declared]
		| "c" %json{"type":"object","properties":{"id":{"type":"string","pattern":"^[a-c]{2,3}$"},"n":{"type":["integer","null"]}},"required":["id"]}[escapes=canonical, numbers=canonical, space=none, order=declared, extra=none] )`,
	`root ::= a b` + "\n" + `a ::= "x" b | "y"` + "\n" + `b ::= "x" a | "y"`,
}

// TestPrint_readBackGivesTheSameMasks walks at random through both grammars.
func TestPrint_readBackGivesTheSameMasks(t *testing.T) {
	v := walkVocab(t)
	for _, src := range exactPrints {
		g := mustParse(t, src)
		p, err := g.Print(GBNF)
		if err != nil {
			t.Fatal(err)
		}
		if !p.Exact {
			t.Errorf("%s: not exact: %v, %v", src, p.Loosened, p.Narrowed)
		}
		back, err := Parse(p.Text, Options{})
		if err != nil {
			t.Fatalf("%s is printed as\n%s\n%v", src, p.Text, err)
		}
		for seed := range uint64(6) {
			compareWalk(t, g.Matcher(v), back.Matcher(v), rand.New(rand.NewPCG(seed, 7)), p.Text)
		}
	}
}

func compareWalk(t *testing.T, a, b *Matcher, rng *rand.Rand, text string) {
	t.Helper()
	v := a.v
	var path []byte
	for range 25 {
		x, y := a.Mask(), b.Mask()
		for id := range int32(v.Len()) {
			if x.Allows(id) != y.Allows(id) {
				t.Fatalf("after %q token %q: %v, printed and read back %v:\n%s", path, v.Piece(id), x.Allows(id), y.Allows(id), text)
			}
		}
		token := randomToken(x, v, rng)
		if v.IsEOG(token) {
			return
		}
		path = append(path, v.Piece(token)...)
		if a.Accept(token) != nil || b.Accept(token) != nil {
			t.Fatalf("%q is allowed and refused", path)
		}
	}
}

// TestPrint_toolsShareRules: what a second tool has in common with the first is not written again.
func TestPrint_toolsShareRules(t *testing.T) {
	const object = `{"type":"object","properties":{"when":{"format":"date-time","type":"string"},"mode":{"enum":["read","write"]},"size":{"type":"integer","minimum":17,"maximum":4711},"all":{"items":{"type":"number","minimum":0}}}}[space=bounded]`
	for _, target := range []Target{GBNF, XGrammar} {
		length := func(tools int) int {
			var b strings.Builder
			b.WriteString(`root ::= "0" %json` + object)
			for i := range tools - 1 {
				fmt.Fprintf(&b, ` | "%d" %%json%s`, i+1, object)
			}
			p, err := mustParse(t, b.String()).Print(target)
			if err != nil {
				t.Fatal(err)
			}
			return len(p.Text)
		}
		if one, many := length(1), length(100); many > one+100*60 {
			t.Errorf("%s: one tool takes %d bytes, a hundred with its schema %d", target, one, many)
		}
	}
}

// TestPrint_tellsOtherKeys: a key that is not named is any other text, also where it begins like a
// named one.
func TestPrint_tellsOtherKeys(t *testing.T) {
	g := mustParse(t, `root ::= %json{"type":"object","properties":{"a":{"type":"null"},"ab":{"type":"null"},"é\n":{"type":"null"},"":{"type":"null"}},"additionalProperties":{"type":"boolean"}}[space=none, escapes=canonical]`)
	p, err := g.Print(GBNF)
	if err != nil {
		t.Fatal(err)
	}
	back := mustParse(t, p.Text)
	keys := []string{""}
	for i := 0; len(keys) < 400; i++ {
		for _, c := range []string{"a", "b", "é", `\n`, `\"`, "z", `\u0001`} {
			keys = append(keys, keys[i]+c)
		}
	}
	for _, key := range keys {
		for _, value := range []string{"null", "true"} {
			text := `{"` + key + `":` + value + `}`
			if want, got := accepts(g, text), accepts(back, text); got != want {
				t.Errorf("%s: %v, printed %v:\n%s", text, want, got, p.Text)
			}
		}
	}
}

// TestPrint_saysWhatIsDifferent: printed grammars that are not exact say so.
func TestPrint_saysWhatIsDifferent(t *testing.T) {
	for src, want := range map[string]string{
		`root ::= %json{"type":"array","uniqueItems":true}`:                                        "uniqueItems",
		`root ::= %json{"type":"object","properties":{"a":{},"b":{},"c":{},"d":{},"e":{},"f":{}}}`: "declared order",
		`root ::= %json{"type":"string","maxLength":1000000}`:                                      "10000",
		`root ::= %json{"type":"number","minimum":3}`:                                              "exponent",
		`root ::= <[call]> "a"`: "special token call",
	} {
		p, err := mustParse(t, src).Print(GBNF)
		if err != nil {
			t.Fatal(err)
		}
		if p.Exact || !strings.Contains(strings.Join(append(p.Loosened, p.Narrowed...), "; "), want) {
			t.Errorf("%s: exact %v, notes %q, %q", src, p.Exact, p.Loosened, p.Narrowed)
		}
		if _, err := Parse(p.Text, Options{}); err != nil {
			t.Errorf("%s: the printed text does not read back: %v", src, err)
		}
	}
}
