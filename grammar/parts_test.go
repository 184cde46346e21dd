package grammar

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tenon/grammar/vocab"
)

func TestParts_languages(t *testing.T) {
	for name, c := range map[string]struct {
		src     string
		yes, no []string
	}{
		"no separator":        {`root ::= "(" %each("" | "a1" | "a2"? | "b") ")"`, []string{"(a1b)", "(ba1)", "(a2ba1)"}, []string{"()", "(a1)", "(a1ba1)", "(ba2)", "(a1ab)"}},
		"all may be missing":  {`root ::= %each("," | "a"? | "b"?)`, []string{"", "a", "b,a"}, []string{",", "a,", ",a", "a,a", "ab"}},
		"nested":              {`root ::= %each(";" | "x" %each("," | "a"? | "b"?) | "y")`, []string{"x;y", "y;xb,a", "xa;y"}, []string{"y;", "xa,a;y"}},
		"parts by rules":      {"root ::= %each(\" \" | one | two)\none ::= \"<k=\" \"1>\"\ntwo ::= \"<k=2>\" [0-9]*", []string{"<k=1> <k=2>", "<k=2>77 <k=1>"}, []string{"<k=1>", "<k=1> <k=1>"}},
		"plain":               {`root ::= "[" %plain{"type":"string"}("]" | "--") "]"`, []string{"[]", "[a-b\n\"]"}, []string{"[a]b]", "[--]"}},
		"plain by length":     {`root ::= %plain{"type":"string","minLength":2,"maxLength":3}`, []string{"äö", "abc"}, []string{"a", "abcd", "\xff\xff"}},
		"plain by enum":       {`root ::= %plain{"enum":["x","y z",3]} "."`, []string{"x.", "y z."}, []string{"3.", ".", "\"x\"."}},
		"plain by format":     {`root ::= "<" %plain{"type":"string","format":"date"}("<") "</"`, []string{"<2024-02-29</"}, []string{"<2023-02-29</", "<</"}},
		"plain of two":        {`root ::= %plain{"anyOf":[{"type":"string","maxLength":1},{"type":"string","const":"long"}]}`, []string{"", "a", "long"}, []string{"ab", "lon"}},
		"plain of no strings": {`root ::= "a" | %plain{"type":"integer"}`, []string{"a"}, []string{"1", ""}},
		"quoted":              {`root ::= "\"" %quoted "[\\s\\S]*" "\""`, []string{`""`, `"a\n\"\\ü"`, `"\u0001"`}, []string{`"`, "\"\n\"", `"\/"`, `"\u000a"`}},
		"quoted by pattern":   {`root ::= "\"" %quoted "a\"?b" "\""`, []string{`"ab"`, `"a\"b"`}, []string{`"a"b"`, `"a"`}},
	} {
		t.Run(name, func(t *testing.T) {
			g := mustParse(t, c.src)
			again := mustParse(t, g.Text())
			for _, s := range c.yes {
				if !accepts(g, s) || !accepts(again, s) {
					t.Errorf("%q is refused", s)
				}
			}
			for _, s := range c.no {
				if accepts(g, s) || accepts(again, s) {
					t.Errorf("%q is accepted", s)
				}
			}
		})
	}
}

func TestParts_whatIsNoneIsRefused(t *testing.T) {
	for _, src := range []string{
		`root ::= %each(",")`,
		`root ::= %each("a" | "b"`,
		`root ::= %each("" | "a"* | "b")`,
		`root ::= %each("" | root? | "b")`,
		`root ::= %plain "x"`,
		`root ::= %quoted "("`,
	} {
		if _, err := Parse(src, Options{}); err == nil {
			t.Errorf("%s is accepted", src)
		}
	}
}

// Many parts cost no more threads than their beginnings need, and the shortest end is known at
// every step.
func TestParts_manyInAnyOrder(t *testing.T) {
	const n = 70
	var src strings.Builder
	src.WriteString(`root ::= %each("\n"`)
	var parts []string
	for i := range n {
		optional := ""
		if i%2 == 1 {
			optional = "?"
		}
		fmt.Fprintf(&src, ` | ("<key=%d>" %%plain{"type":"string"}("</") "</>")%s`, i, optional)
		parts = append(parts, fmt.Sprintf("<key=%d>v</>", i))
	}
	g := mustParse(t, src.String()+")")
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		order := r.Perm(n)
		var all []string
		for _, i := range order {
			if i%2 == 0 || r.IntN(2) == 0 {
				all = append(all, parts[i])
			}
		}
		m := g.Matcher(nil)
		text := strings.Join(all, "\n")
		for i := range len(text) {
			before := m.Distance()
			if err := m.AcceptBytes([]byte{text[i]}); err != nil {
				t.Fatalf("%q after %q: %v", text[i], text[:i], err)
			}
			if m.Distance() < before-1 {
				t.Fatalf("the distance fell from %d to %d with one byte at %d", before, m.Distance(), i)
			}
		}
		if !m.Done() {
			t.Fatalf("%q may not end", text)
		}
	}
}

// Masks of small vocabularies hold exactly the tokens that the matcher accepts.
func TestParts_masksAgreeWithTheMatcher(t *testing.T) {
	pieces := []string{"a", "b", "<", "</", "</a>", "<a>", "<b>", ",", ",<", "x", "xx", "xxx", "xxxx", "1", "\"", "\\", "\\\"", "\\n", "n", "ab", "yes", "y", "no", "<end>"}
	kinds := make([]TokenKind, len(pieces))
	all := make([][]byte, len(pieces))
	for i, p := range pieces {
		kinds[i], all[i] = vocab.Normal, []byte(p)
	}
	v, err := NewVocab(all, kinds, []int32{int32(len(pieces) - 1)})
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{
		`root ::= %each("," | "<a>" %plain{"type":"string","maxLength":5,"pattern":"^x*$"}("</") "</a>" | ("<b>" %plain{"enum":["yes","no"]}("<") "<")? )`,
		`root ::= "\"" %quoted "[ab\"\n]*" "\""`,
		`root ::= %plain{"type":"string","minLength":2}("</a>") "</a>"`,
	} {
		m := mustParse(t, src).Matcher(v)
		r := rand.New(rand.NewPCG(5, 5))
		for range 400 {
			mask := m.Mask()
			var allowed []int32
			for id := range int32(len(pieces)) {
				fits := m.Clone().Accept(id) == nil
				if fits != mask.Allows(id) {
					t.Fatalf("%s: %q: mask %v, matcher %v", src, pieces[id], mask.Allows(id), fits)
				}
				if fits && id != int32(len(pieces)-1) {
					allowed = append(allowed, id)
				}
			}
			if len(allowed) == 0 || r.IntN(12) == 0 {
				m.Rollback(1 << 20)
				continue
			}
			if err := m.Accept(allowed[r.IntN(len(allowed))]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestParts_capturesOfPartsComeInTheirOrder(t *testing.T) {
	g := mustParse(t, `root ::= all:( %each("," | "<" a:( %plain{"type":"string"}("</") ) "</" | "[" b:( %json{"type":"integer"} ) "]" | ("(" c:( [0-9] ) ")")?) )`)
	p := g.Parser()
	var got []string
	for _, b := range []byte("[12],<x</,(3)") {
		if err := p.Feed([]byte{b}); err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Events() {
			if e.Kind == Begin {
				got = append(got, e.Name)
			}
			if e.Kind == End && e.Name == "all" {
				// all parts have come: nothing else can follow
				got = append(got, "end")
			}
		}
	}
	if want := []string{"all", "b", "a", "c", "end"}; !slices.Equal(got, want) {
		t.Errorf("captures %v, want %v", got, want)
	}
}

func TestParts_printedForOtherEngines(t *testing.T) {
	for _, src := range []string{
		`root ::= %each("," | "a" | "b"? | "c") "."`,
		`root ::= %each("" | "a" | "b"? | "c"? | "d" | "e"?) "."`,
		`root ::= "<" %plain{"type":"string","pattern":"^[ab]+$","maxLength":4}("bb") ">"`,
		`root ::= "\"" %quoted "[ab\"]{1,3}" "\""`,
	} {
		g := mustParse(t, src)
		for _, target := range []Target{GBNF, XGrammar} {
			printed, err := g.Print(target)
			if err != nil || printed.Text == "" {
				t.Errorf("%s in %s: %v", src, target, err)
			}
			if target != GBNF {
				continue
			}
			plain := mustParse(t, printed.Text)
			for _, s := range []string{"a,c.", "c,b,a.", "a.", "ad.", "dbeca.", "abcd.", "<ab>", "<abb>", "<aaaaa>", `"a\""`, `"aaaa"`, `"""`} {
				if printed.Exact && accepts(plain, s) != accepts(g, s) || !printed.Exact && accepts(plain, s) && !accepts(g, s) {
					t.Errorf("%s: %q: printed %v, own %v", src, s, accepts(plain, s), accepts(g, s))
				}
			}
		}
	}
}

// Families whose tags are tokens of the vocabulary (GLM's <arg_key>) begin their arguments with
// symbols.
func TestParts_mayBeginWithSymbols(t *testing.T) {
	g := mustParse(t, `root ::= "f(" %each("" | <[<k>]> "a" <[</k>]> %plain{"type":"string"} <[</v>]> | (<[<k>]> "b" <[</v>]>)?) ")"`)
	m := g.Matcher(nil)
	for _, s := range []string{"f(", "<k>", "b", "</v>", "<k>", "a", "</k>", "x<", "</v>", ")"} {
		var err error
		if strings.HasPrefix(s, "<") {
			err = m.AcceptSymbol(s)
		} else {
			err = m.AcceptBytes([]byte(s))
		}
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
	}
	if !m.Done() {
		t.Error("the end is refused")
	}
}
