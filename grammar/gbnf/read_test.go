package gbnf

import (
	"strings"
	"testing"
)

// TestRead_writesBackTheSame reads, writes, reads again and compares the texts: what Write gives
// is Read's normal form.
func TestRead_writesBackTheSame(t *testing.T) {
	for name, src := range map[string]string{
		"literal and class":  `root ::= "a\n\"\u00e4" [a-z^"\\-] [^\]] .`,
		"precedence":         `root ::= ("a" | "b" "c")* "d"+ ("e" "f"){2,3} | ""`,
		"groups over lines":  "root ::= (\n  \"a\" |\n  # comment\n  \"b\"\n)\n",
		"rules over lines":   "root ::=\n  x |\n  \"y\"\nx ::= \"x\"",
		"symbols":            `root ::= <think> !<[</think>]>* <[12]> <[[TOOL_CALLS]]>`,
		"captures":           `root ::= name:("a" | "b") args:( %json{"a":"}"}[tool="x", order=declared, lenient] ) %check`,
		"until":              `root ::= %until("</think>" | "<x>") %text %regex "a+\\d"`,
		"surrogates and hex": `root ::= "\ud83d\ude00\x41\U0001F600"`,
		"repeat of repeat":   `root ::= "a"*?{2}{0,0}`,
		"empty alternative":  `root ::= | "a"`,
	} {
		t.Run(name, func(t *testing.T) {
			g, err := Read(src)
			if err != nil {
				t.Fatal(err)
			}
			text := Write(g)
			again, err := Read(text)
			if err != nil {
				t.Fatalf("reading back %s: %v", text, err)
			}
			if got := Write(again); got != text {
				t.Errorf("written as\n%s\nand then as\n%s", text, got)
			}
		})
	}
}

func TestRead_errorsSayWhere(t *testing.T) {
	for src, want := range map[string]string{
		``:                                     "no rule named root",
		`x ::= "a"`:                            "no rule named root",
		`root ::= y`:                           `line 1, column 10: rule "y" is not defined`,
		"root ::= \"a\nb":                      "line 1, column 10: the literal has no closing quote",
		"root ::= \"a\"\nroot ::= \"b\"":       `line 2, column 1: rule "root" is defined twice`,
		`root ::= ("a"`:                        "expected )",
		`root ::= [`:                           "no closing bracket",
		`root ::= [z-a]`:                       "end is below its start",
		`root ::= [^\u0000-\U0010FFFF]`:        "matches nothing",
		`root ::= "\q"`:                        `unknown escape \q`,
		`root ::= "\ud800"`:                    "does not name a code point",
		`root ::= "a"{3,2}`:                    "wrong way round",
		`root ::= "a"{1000000}`:                "exceeds the limit",
		`root ::= "a"{}`:                       "expected a repetition",
		`root ::= %foo`:                        "unknown terminal %foo",
		`root ::= %json{"a":`:                  "expected a JSON Schema",
		`root ::= %json{}[order=up]`:           "unknown option of %json: order=up",
		`root ::= %until("")`:                  "a marker cannot be empty",
		`root ::= "a" ) "b"`:                   `found ')'`,
		`root = "a"`:                           "expected ::=",
		"root ::= (\"a\"\nx ::= \"b\"":         `a group is still open where the rule "x" begins`,
		strings.Repeat("(", 300):               "expected the name of a rule",
		"root ::= " + strings.Repeat("(", 300): "nested more than 200 deep",
	} {
		_, err := Read(src)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: error %v, want one that says %q", src, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`root ::= "a" [a-z]* name:( %json{"type":"object"}[order=any] ) | <x> %until("b")`)
	f.Add("root ::= x{2,3}\nx ::= ( \"a\" |\n . )? # end")
	f.Fuzz(func(t *testing.T, src string) {
		g, err := Read(src)
		if err != nil {
			return
		}
		text := Write(g)
		again, err := Read(text)
		if err != nil {
			t.Fatalf("%q is written as %q, which is no grammar: %v", src, text, err)
		}
		if got := Write(again); got != text {
			t.Fatalf("%q is written as %q and then as %q", src, text, got)
		}
	})
}

func FuzzReadLark(f *testing.F) {
	f.Add("start: a B? (\"x\"i | /[a-z]+/s)~2..3 -> y\n  | C\n?a: \"1\"..\"2\"\nB.3: \"b\"\nC: /\\//\n%import common.WS\n%ignore WS")
	f.Fuzz(func(t *testing.T, src string) {
		g, err := ReadLark(src)
		if err != nil {
			return
		}
		NameRoot(g)
		if text := Write(g); len(text) < 1<<16 {
			if _, err := Read(text); err != nil {
				t.Fatalf("%q is written as %q, which is no grammar: %v", src, text, err)
			}
		}
	})
}
