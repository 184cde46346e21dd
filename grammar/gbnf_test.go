package grammar

import (
	"fmt"
	"strings"
	"testing"
)

// accepts says whether a grammar accepts a text as a whole.
func accepts(g *Grammar, text string) bool {
	m := g.Matcher(nil)
	return m.AcceptBytes([]byte(text)) == nil && m.Done()
}

func mustParse(t testing.TB, src string) *Grammar {
	t.Helper()
	g, err := Parse(src, Options{})
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return g
}

func TestParse_languages(t *testing.T) {
	for name, c := range map[string]struct {
		src     string
		yes, no []string
	}{
		"arithmetic": {
			src: "root ::= (expr \"=\" ws term \"\\n\")+\nexpr ::= term ([-+*/] term)*\nterm ::= ident | num | \"(\" ws expr \")\" ws\nident ::= [a-z] [a-z0-9_]* ws\nnum ::= [0-9]+ ws\nws ::= [ \\t\\n]*\n",
			yes: []string{"a=1\n", "(a+(1*b2))-3 = c\nb=2\n"},
			no:  []string{"a=1", "a==1\n", "(a=1\n", ""},
		},
		"nullable loops":        {`root ::= ("a"? "b"?)* ("" | "c")`, []string{"", "abba", "bbc", "c"}, []string{"ca", "d"}},
		"right recursion":       {`root ::= "x" root | "y"`, []string{"y", "xxxxy"}, []string{"", "x", "yx"}},
		"left recursion":        {`root ::= root "+" n | n` + "\n" + `n ::= [0-9]+`, []string{"1", "1+22+3"}, []string{"+1", "1+", ""}},
		"nesting":               {`root ::= "(" root ")" | ""`, []string{"", "((()))"}, []string{"(", ")", "(()"}},
		"ambiguous":             {`root ::= "a" root "b" | "a" root "c" | "a" root | ""`, []string{"", "aabc", "aaabcb"}, []string{"bc", "ab" + "bb"}},
		"code points":           {`root ::= [ä-ö€] . [^\x00-\x7F]`, []string{"ö😀é", "€aß"}, []string{"äb", "€ab", "zzé"}},
		"bounded":               {`root ::= ("ab" | "c"){2,3} [x]{0,2}`, []string{"abc", "cccx", "ababxx"}, []string{"ab", "cccc", "ccxxx"}},
		"bounded in bounded":    {`root ::= (("a"{1,3} "b"){2,2000}){1,100}`, []string{"abab", strings.Repeat("aab", 50)}, []string{"ab", "aaaab"}},
		"shared beginnings":     {`root ::= "get_a" "1" | "get_b" ("2" | "3") | "get_" "c"`, []string{"get_a1", "get_b3", "get_c"}, []string{"get_", "get_b1"}},
		"regex":                 {`root ::= %regex "[a-z]+\\d{2}" "!"`, []string{"ab12!"}, []string{"ab1!", "12!"}},
		"regex that is empty":   {`root ::= "<" %regex "a*" ">"`, []string{"<>", "<aa>"}, []string{"<b>"}},
		"until":                 {`root ::= %until("</think>") "</think>" "x"`, []string{"</think>x", "a<</think></think>x", "</thin</think>x"}[0:1], []string{"x", "</think>y"}},
		"until takes the first": {`root ::= %until("aab") "aab" "c"`, []string{"aabc", "aaabc", "baabc"}, []string{"aabaabc"}},
		"until the end":         {`root ::= %until("<a>" | "<b>") ("<a>" "1" | "<b>" "2")?`, []string{"", "x<", "x<a>1", "<<b>2", "<a<b>2"}, []string{"<a>", "<a>2", "x<b>1"}},
		"any text":              {`root ::= %text`, []string{"", "\xff\x00", "a"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := mustParse(t, c.src)
			for _, s := range c.yes {
				if !accepts(g, s) {
					t.Errorf("%q is refused", s)
				}
			}
			for _, s := range c.no {
				if accepts(g, s) {
					t.Errorf("%q is accepted", s)
				}
			}
		})
	}
}

func TestParse_refusesWhatCannotBeMatched(t *testing.T) {
	for src, want := range map[string]string{
		"root ::= a\na ::= b \"x\"\nb ::= a | \"y\"":     "left recursive",
		`root ::= "a"? root "b" | "c"`:                   "left recursive",
		`root ::= ` + strings.Repeat(`"a"{100000} `, 11): "too large",
		`root ::= %regex "("`:                            "regular expression",
	} {
		_, err := Parse(src, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one that says %q", src, err, want)
		}
	}
}

// TestParse_hostileGrammarsEndSoon: each of these must give an answer or an error at once; a test
// that hangs has found what it looks for.
func TestParse_hostileGrammarsEndSoon(t *testing.T) {
	chain := func(n int, rule string) string {
		var b strings.Builder
		b.WriteString("root ::= r0\n")
		for i := range n {
			fmt.Fprintf(&b, "r%d ::= "+strings.ReplaceAll(rule, "NEXT", fmt.Sprintf("r%d", i+1))+"\n", i)
		}
		fmt.Fprintf(&b, "r%d ::= \"x\" | \"\"\n", n)
		return b.String()
	}
	for name, src := range map[string]string{
		"nullable twice":   chain(40, "NEXT NEXT | \"\""),
		"long chain":       chain(50_000, "NEXT"),
		"long tail":        chain(20_000, "\"a\" NEXT"),
		"nested loops":     "root ::= " + strings.Repeat("(", 150) + "\"a\"" + strings.Repeat("*)", 150) + "*",
		"bounds in bounds": `root ::= (("a"{0,1000}){0,1000}){0,1000}`,
		"many markers":     `root ::= %until("` + strings.Repeat("ab", 4000) + `") "x"`,
		"pattern":          `root ::= %regex "(a|aa|aaa)*(b{1,1000}c){1,1000}"`,
	} {
		t.Run(name, func(t *testing.T) {
			g, err := Parse(src, Options{})
			if err != nil {
				return
			}
			m := g.Matcher(nil)
			for range 30 {
				if m.AcceptBytes([]byte("a")) != nil {
					break
				}
			}
			m.Done()
			m.Distance()
		})
	}
}

// TestMatcher_ambiguityStaysSmall: the number of stacks doubles with each byte, that of threads
// must not.
func TestMatcher_ambiguityStaysSmall(t *testing.T) {
	g := mustParse(t, `root ::= "a" root "b" | "a" root "c" | "d"`)
	m := g.Matcher(nil)
	if err := m.AcceptBytes([]byte(strings.Repeat("a", 300) + "d" + strings.Repeat("bc", 150))); err != nil || !m.Done() {
		t.Fatalf("err %v, done %v", err, m.Done())
	}
}

func TestMatcher_rollbackAndClone(t *testing.T) {
	m := mustParse(t, `root ::= "a" [0-9]+ "b"`).Matcher(nil)
	for _, s := range []string{"a", "1", "2"} {
		if err := m.AcceptBytes([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	c := m.Clone()
	m.Rollback(2)
	if err := m.AcceptBytes([]byte("b")); err == nil {
		t.Error("b is accepted where a digit must come first")
	}
	if err := c.AcceptBytes([]byte("b")); err != nil || !c.Done() {
		t.Errorf("the clone does not go on: %v", err)
	}
	c.Rollback(100)
	if err := c.AcceptBytes([]byte("a7b")); err != nil || !c.Done() {
		t.Errorf("after rolling back to the start: %v", err)
	}
}

func TestMatcher_forcedAndDistance(t *testing.T) {
	m := mustParse(t, `root ::= "<call>" [ab] "</call>"`).Matcher(nil)
	if got := string(m.Forced()); got != "<call>" {
		t.Errorf("forced %q", got)
	}
	if d := m.Distance(); d != 14 {
		t.Errorf("distance %d", d)
	}
	if err := m.AcceptBytes([]byte("<call>a<")); err != nil {
		t.Fatal(err)
	}
	if got := string(m.Forced()); got != "/call>" || m.Distance() != 6 {
		t.Errorf("forced %q, distance %d", got, m.Distance())
	}
}

// Alternatives that are rules are written out in place of their names. A rule that holds itself in
// a choice is not written out without end, nor do rules whose choices are of further rules
// multiply.
func TestParse_rulesInChoicesDoNotMultiply(t *testing.T) {
	var chain strings.Builder
	chain.WriteString("root ::= r0\n")
	for i := range 40 {
		fmt.Fprintf(&chain, "r%d ::= \"x\" (\"a\" r%d | \"b\" r%d | \"c\")\n", i, i+1, i+1)
	}
	chain.WriteString("r40 ::= \"y\"\n")
	for src, c := range map[string]struct{ yes, no []string }{
		"root ::= r\nr ::= \"(\" (r | [a-z]) \")\"":                                      {[]string{"(a)", "((((((((((((x))))))))))))"}, []string{"()", "((a)"}},
		"root ::= \"b\" (\"a\" root \"b\" | \"c\")":                                      {[]string{"bc", "babcb", "bababcbb"}, []string{"babc", "b"}},
		"root ::= r | s\nr ::= \"a\" (s | r | \"c\")\ns ::= \"a\" (r \"x\" | s | \"d\")": {[]string{"ac", "ad", "aacx", "aaacx", "aaad"}, []string{"a", "axc"}},
		chain.String(): {[]string{"xaxbxc", strings.Repeat("xa", 40) + "y"}, []string{"x", "xay"}},
	} {
		g := mustParse(t, src)
		for _, s := range c.yes {
			if !accepts(g, s) {
				t.Errorf("%.80s refuses %q", src, s)
			}
		}
		for _, s := range c.no {
			if accepts(g, s) {
				t.Errorf("%.80s accepts %q", src, s)
			}
		}
		if size := g.Size(); size > 8<<20 {
			t.Errorf("%.80s takes %d bytes", src, size)
		}
	}
}

// A text that can be read in more ways with every byte is looked ahead in no further than is
// cheap; what is read in one way, to the limit.
func TestForced_ofManyReadingsIsCutShort(t *testing.T) {
	for src, short := range map[string]bool{
		`root ::= "b"{6000}`: false,
		"root ::= r \"x\"\nr ::= \"b\" r \"b\" | \"b\" r | \"b\"{6000}": true,
	} {
		m := mustParse(t, src).Matcher(nil)
		forced := len(m.Forced())
		if forced == 0 || (forced < 1024) != short {
			t.Errorf("%s: %d bytes are forced", src, forced)
		}
	}
}

// From each part that may be left out a step leads to all behind it: most ways of reading on are
// alike.
func TestParse_rowOfPartsThatMayBeLeftOut(t *testing.T) {
	g, err := Parse("root ::= "+strings.Repeat(`"a"? `, 300), Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := g.Matcher(nil)
	if err := m.AcceptBytes([]byte("aaa")); err != nil || !m.Done() {
		t.Errorf("%v, done %v", err, m.Done())
	}
	if m.AcceptBytes([]byte("b")) == nil {
		t.Error("a letter of no part is accepted")
	}
}

// TestParse_loopsOverNothing: a terminal that may be empty can be repeated, as anything else that
// may be.
func TestParse_loopsOverNothing(t *testing.T) {
	v := walkVocab(t)
	for _, terminal := range []string{`%regex "a*"`, `%quoted "a*"`, `%until("b")`, `%plain{"type":"string","pattern":"^a*$"}`, `%each("," | "a"?)`, `("a"? %regex "(ab)*")`, `x:( %regex "a*" )`} {
		for _, loop := range []string{`root ::= (T)* "b"`, `root ::= (T)+ "b"`, `root ::= (T){2,5} "b"`, `root ::= ((T)* (T)*)* "b"`, "root ::= r+ \"b\"\nr ::= T"} {
			g := mustParse(t, strings.ReplaceAll(loop, "T", terminal))
			for text, want := range map[string]bool{"b": true, "ab": true, "": false, "a": false, "ba": false} {
				if accepts(g, text) != want {
					t.Errorf("%s: %q is accepted: %v", g.Text(), text, !want)
				}
			}
			m := g.Matcher(v)
			m.Mask()
			if m.Distance() > 1 {
				t.Errorf("%s: distance %d", g.Text(), m.Distance())
			}
			p := g.Parser()
			if err := p.Feed([]byte("aab")); err != nil && accepts(g, "aab") {
				t.Errorf("%s: %v", g.Text(), err)
			}
		}
	}
}
