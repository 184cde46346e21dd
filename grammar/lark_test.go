package grammar

import (
	"errors"
	"strings"
	"testing"

	"tenon/grammar/gbnf"
)

// patchGrammar is written after the form of the grammars that coding agents send for editing
// files.
const patchGrammar = `
// a patch of several files
start: head part+ tail
head: "*** Begin" LF
tail: "*** End" LF?
?part: add | "*** Delete: " path LF -> gone
     | update
add: "*** Add: " path LF added+
update: "*** Update: " path LF [moved] (context | changed)+ ending?
path: /(.+)/
added: "+" /(.*)/ LF -> line
moved: "*** To: " path LF
context: ("@@" | "@@ " /(.+)/) LF
changed: ("+" | "-" | " ") /(.*)/ LF
ending: "*** End of File" LF
%import common.LF
`

func TestFromLark_languages(t *testing.T) {
	for name, c := range map[string]struct {
		src     string
		yes, no []string
	}{
		"patch": {patchGrammar, []string{"*** Begin\n*** Add: a/b.go\n+x\n+\n*** Delete: c\n*** End", "*** Begin\n*** Update: a\n*** To: b\n@@ f()\n-x\n+y/z\n z\n*** End of File\n*** End\n"},
			[]string{"*** Begin\n*** End", "*** Begin\n*** Add: \n+x\n*** End", "*** Begin\n*** Add: a\nx\n*** End"}},
		"arithmetic with ignored blanks": {"start: sum\nsum: product | sum \"+\" product\nproduct: atom | product \"*\" atom\natom: NUMBER | \"(\" sum \")\"\n%import common (NUMBER, WS)\n%ignore WS\n",
			[]string{"1+2*3", " ( 1 +2.5e3 )\n* 4 "}, []string{"1+", "", "1 2"}},
		"terminals":                              {"start: A B~2 C~1..3 D{2,3} \"x\"i\nA: \"a\"..\"c\" | /[xy]\\/z/\nB.2: \"b\"\nC: \"c\"\nD: /./s\n", []string{"abbcd\nX", "x/zbbccc12x"}, []string{"dbbcddx", "abcddx"}},
		"blanks before operators":                {"start: (\"a\" \"b\") ~ 1 .. 2 \"c\" * \"x\" .. \"z\"", []string{"abx", "ababccz"}, []string{"x", "abababx", "abxx"}},
		"lines that go on, and both comments":    {"# one\nstart: \"a\" \\\n \"b\" # two\n // three\n | \"#\" \\  \r\n /#/", []string{"ab", "##"}, []string{"a", "#"}},
		"an alias with no blank before it":       {"start: a->one\n | b-> two\na: \"a\"\nb: \"b\"", []string{"a", "b"}, []string{"ab"}},
		"priorities below nothing":               {"start.-1: A | b\nA.-2: \"a\"\nb.+3: \"b\"", []string{"a", "b"}, nil},
		"a rule named as what is ignored":        {"start: ignored \"a\"\nignored: \"b\"\n%ignore \" \"", []string{"ba", " b a "}, []string{"a", " a"}},
		"a rule named root":                      {"start: root \"a\"\nroot: \"b\"", []string{"ba"}, []string{"b", "a"}},
		"a backslash before the end of a regex":  {`start: /[^\\]+\\/ /\\\//`, []string{`ab\\/`}, []string{`ab\/`, `\\/`}},
		"a dot is all but the end of a line":     {`start: /a.b/`, []string{"a\rb", "a\u2028b"}, []string{"a\nb", "ab"}},
		"a bracket that begins a class":          {`start: /[^]x]+/ /[]-]/ /[^].\]\\]/s`, []string{"ab]\n", "[--"}, []string{"]]a", "ax]a", "a]]", "a]\\"}},
		"a letter with a case beside its two":    {`start: "ßk"i`, []string{"ßk", "ẞK", "ß\u212A"}, []string{"ßß"}},
		"a regular expression with notes":        {"start: / a b [ ]\\ c # \" note/x \"d\"", []string{"ab  cd"}, []string{" a b [ ] cd", "abcd"}},
		"a group with Python's name":             {`start: /(?P<n>ab)+/`, []string{"abab"}, []string{"a"}},
		"parts of the library's strings":         {"start: \"<\" _STRING_ESC_INNER \">\" \"e\" _EXP\n%import common._STRING_ESC_INNER\n%import common._EXP", []string{`<a\>>eE-1`, "<>ee5"}, []string{`<\>ee5`, "<>e5"}},
		"a terminal that may be empty, repeated": {"start: (/[^b]*/ B*)* \"b\"\nB: /x*/", []string{"b", "aab", "xab"}, []string{"", "a"}},
		"a repetition with no lower bound":       {`start: /xa{,2}b[{,2}]/`, []string{"xb2", "xaab,"}, []string{"xaaab2", "xa{,2}b2", "xab"}},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := FromLark(c.src)
			if err != nil {
				t.Fatal(err)
			}
			again := mustParse(t, g.Text())
			for _, g := range []*Grammar{g, again, mustParse(t, `root ::= %lark `+Quote(c.src))} {
				for _, s := range c.yes {
					if !accepts(g, s) {
						t.Errorf("%q is refused: %v", s, g.Matcher(nil).AcceptBytes([]byte(s)))
					}
				}
				for _, s := range c.no {
					if accepts(g, s) {
						t.Errorf("%q is accepted", s)
					}
				}
			}
		})
	}
}

func TestFromLark_errorsSayWhere(t *testing.T) {
	for src, want := range map[string]string{
		"a: \"x\"":                           "no rule named start",
		"start: b":                           "line 1, column 8: b is not defined",
		"start: \"x\"\nstart: \"y\"":         "line 2, column 1: start is defined twice",
		"start: /x":                          "no closing /",
		"start: /x/l":                        "flag l",
		"start: /x/i":                        "flag i",
		"start: (\"a\"":                      "expected the end of a group",
		"start: t{\"a\"}\nt{x}: x":           "templates are not supported",
		"%declare A\nstart: A":               "only %import and %ignore",
		"%import other.X\nstart: X":          "only common",
		"%import common.NOPE\nstart: \"\"":   `no terminal "NOPE"`,
		"start \"x\"":                        "expected :",
		"start: \"b\"..\"a\"":                "expected a range",
		"start: " + strings.Repeat("(", 300): "nested more than",
		"%what A\nstart: A":                  "no such directive",
		"start: /a(/":                        "missing closing )",
		"start: \"a\"~3..2":                  "wrong way round",
	} {
		_, err := FromLark(src)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: error %v, want one that says %q", src, err, want)
		}
	}
}

// A grammar that cannot be served is no mistake of whoever wrote it, and told from one that is.
func TestFromLark_tellsUnsupportedFromWrong(t *testing.T) {
	for src, isWrong := range map[string]bool{
		"start: b":                                true,
		"start: (":                                true,
		"start: /[a/":                             true,
		"start: /a)/":                             true,
		"start: /x/l":                             false,
		"start: /(?P<a>x)(?P=a)/":                 false,
		"start: /\\Ax\\Z/":                        false,
		"start: /(?m:x)/":                         false,
		"start: t{\"a\"}\nt{x}: x":                false,
		"t{x}: x\nstart: t{\"a\"}":                false,
		"%declare A\nstart: A":                    false,
		"%import other.X\nstart: X":               false,
		"start: \"a\"~3..999999":                  false,
		"start: " + strings.Repeat("(\"a\"", 300): false,
	} {
		_, err := FromLark(src)
		var wrong *gbnf.SyntaxError
		var unsupported *gbnf.UnsupportedError
		if err == nil || errors.As(err, &wrong) != isWrong || errors.As(err, &unsupported) == isWrong {
			t.Errorf("%.40q: %v; want wrong: %v", src, err, isWrong)
		}
	}
}
