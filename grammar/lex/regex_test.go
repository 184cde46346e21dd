package lex

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/dlclark/regexp2"

	"tenon/grammar/lex/ecma"
)

// patterns cover the syntax; each is compared with an independent engine on texts made of its own
// letters.
var patterns = []string{
	``, `a`, `^a`, `a$`, `^a$`, `^$`, `^`, `$`, `a|b`, `^a|b$`, `^(a|b)*$`, `^a*b+c?$`, `(ab|a)(bc|c)?`, `^(?:a{2,3}|b{2})c{0,2}$`, `a{2}`, `a{2,}b`, `^a{0}b$`,
	`[abc]`, `[^abc]`, `^[a-c]+$`, `^[^a-c]+$`, `[]`, `[^]`, `^[\d\-a]+$`, `^[a\-c]+$`, `^[a-]+$`, `^[-a]+$`, `^[\w.]+$`, `^\d+$`, `^\D+$`, `^\w+$`, `^\W+$`, `^\s*$`, `^\S+$`,
	`^.*$`, `^.+b$`, `^.{2,4}$`, `^(a+)+$`, `^(a|a)*b$`, `^(a*)*$`, `^(a?b?)*$`, `^(?:a|ab)(?:c|bcd)$`, `^a+?b*?$`, `^(?<name>a)b$`, `^(a)(b)$`,
	`\ba`, `a\b`, `\bab\b`, `^\b`, `\b$`, `\Ba`, `a\B`, `^\w+\b\W*$`, `^a\b.b`, `\b\w{2}\b`, `^(a|-)*\b`, `^(\w+\b ?)b`, `\b`, `\B`, `^\B$`, `^[-a-c]{1,3}\b([-a.]*)$`,
	`^(?=a)`, `^(?!a)`, `(?=ab)a`, `a(?=b)`, `a(?!b)`, `^(?=.*b)a`, `^(?!.*ab).*$`, `^(?!a|b)[abc]+$`, `^(?=.*a)(?=.*b).{2,5}$`, `^((?=[ab])[a-c]){4}$`, `^(?:(?!ab).)*$`, `^((?!a)(?!b).)*$`, `^a(?!bc)b?c*$`,
	`^((?!b)\w){1,3}$`, `^(a?(b{2}|c*)($|\/))+$`, `^(a?(b|c*)($|-))*$`, `^(?:(?:^\*|a|b)\.)*a$`, `(^a|b$|c)*d?`, `(?:(^|-)[ab]+)*$`, `^(?:a$|^b|c)+`, `(?:^|b)a`, `a(?:b|$)`, `^(?:a(?=b)|b(?=a|$))(?:a|b)?$`, `x*`, `^(?!$)`, `^(?!\s+$)(.|\n)+$`, `(?!)`, `(?=)`,
	`^[1-9]\d*$`, `^\/a$`, `^\x61\u0062$`, `^\u{63}$`, `^\t\n?$`, `^a{,2}$`, `^{a}$`, `a]`, `^\.\*\+\?\(\)\[\]\{\}\|\^\$$`, `^\cJ$`, `^\0$`, `[\b]`, `^[^\s]+$`, `^[\S\s]$`,
	`^é+$`, `^[à-ý]+$`, `^\u00e9$`, `😀`, `^[😀-😂]$`, `^\uD83D\uDE00$`, `^.$`, `^([0-9a-fA-F]{2}:){2}[0-9a-fA-F]{2}$`, `^[\da-z](?:(?!.*--)[\da-z-]*[\da-z])?$`,
}

var textLetters = []string{"a", "b", "c", "ab", "d", "A", "1", "0", " ", "\n", "-", ".", ",", "_", "é", "ê", "😀", "😁", ":", "a{,2}", "{a}", "\t", "\\", "/", "]", "\u2028", "\u00a0", "\x00", "\b", ".*+?()[]{}|^$"}

func randomText(r *rand.Rand) string {
	s := ""
	for range r.IntN(6) {
		if r.IntN(3) > 0 {
			s += textLetters[r.IntN(4)]
		} else {
			s += textLetters[r.IntN(len(textLetters))]
		}
	}
	return s
}

func TestRegex_agreesWithBacktracking(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	texts := []string{"", "\n", "a\n"}
	for range 1500 {
		texts = append(texts, randomText(r))
	}
	for _, pattern := range patterns {
		a := NewArena(Limits{})
		e, err := a.Regex(pattern)
		if err != nil {
			t.Errorf("%q: %v", pattern, err)
			continue
		}
		oracle := backtrack(t, pattern)
		start := a.Start(e)
		for _, text := range texts {
			want := oracle(text)
			if got := a.Accepting(a.Walk(start, text)); got != want {
				t.Errorf("%q on %q: %v, want %v", pattern, text, got, want)
				break
			}
		}
		if a.Err() != nil {
			t.Errorf("%q: %v", pattern, a.Err())
		}
	}
}

// backtrack adapts regexp2 to what ECMA-262 says and its ECMAScript mode does not do.
func backtrack(t *testing.T, pattern string) func(string) bool {
	t.Helper()
	adapted := regexp.MustCompile(`\\u\{([0-9a-f]+)\}`).ReplaceAllString(pattern, `\u00$1`)
	adapted = regexp.MustCompile(`\\uD83D\\uDE00`).ReplaceAllString(adapted, `😀`)
	adapted = regexp.MustCompile(`\.([*+{$]|b\$|b$|\)|\|)`).ReplaceAllString(adapted, `[^\n\r\u2028\u2029]$1`)
	adapted = regexp.MustCompile(`(^|[^\[])\\b`).ReplaceAllString(adapted, `$1(?:(?<=\w)(?!\w)|(?<!\w)(?=\w))`)
	adapted = regexp.MustCompile(`\\B`).ReplaceAllString(adapted, `(?:(?<=\w)(?=\w)|(?<!\w)(?!\w))`)
	re, err := regexp2.Compile(adapted, regexp2.ECMAScript)
	if err != nil {
		t.Fatalf("oracle refuses %q: %v", pattern, err)
	}
	return func(text string) bool {
		ok, err := re.MatchString(text)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
}

func TestRegex_refusals(t *testing.T) {
	for _, c := range []struct {
		pattern string
		kind    ecma.ErrorKind
		offset  int
	}{
		{`(a`, ecma.Invalid, 0}, {`a)`, ecma.Invalid, 1}, {`a**`, ecma.Invalid, 2}, {`*a`, ecma.Invalid, 0}, {`[b-a]`, ecma.Invalid, 1}, {`[a`, ecma.Invalid, 0}, {`a{2,1}`, ecma.Invalid, 1}, {`\`, ecma.Invalid, 0},
		{`x\a`, ecma.Invalid, 1}, {`\Z`, ecma.Invalid, 0}, {`(?i)a`, ecma.Invalid, 0}, {`(?P<n>a)`, ecma.Invalid, 0}, {`(?i:a)`, ecma.Invalid, 0}, {`(?<>a)`, ecma.Invalid, 0}, {`{2}`, ecma.Invalid, 0}, {`\pL`, ecma.Invalid, 0}, {`\u12`, ecma.Invalid, 0}, {`\u{110000}`, ecma.Invalid, 0}, {`^*`, ecma.Invalid, 1},
		{`(a)\1`, ecma.Unsupported, 3}, {`(?<n>a)\k<n>`, ecma.Unsupported, 7}, {`\p{Emoji}`, ecma.Unsupported, 0}, {`^(\ba|b)*c`, ecma.Unsupported, 2}, {`(^a)*\bc`, ecma.Unsupported, 1}, {`((?!a)b?)*c`, ecma.Unsupported, 1}, {`^((?!^a)[a-c])*$`, ecma.Unsupported, 2}, {`a(?<=ab)c`, ecma.Unsupported, 1}, {`(?<!a)b`, ecma.Unsupported, 0},
	} {
		_, err := NewArena(Limits{}).Regex(c.pattern)
		var re *ecma.Error
		if !errors.As(err, &re) {
			t.Errorf("%q: %v, want a ecma.Error", c.pattern, err)
			continue
		}
		if re.Kind != c.kind || re.Offset != c.offset {
			t.Errorf("%q: kind %d at %d, want %d at %d (%v)", c.pattern, re.Kind, re.Offset, c.kind, c.offset, err)
		}
	}
}
