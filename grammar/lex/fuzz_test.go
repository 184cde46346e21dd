package lex

import (
	"encoding/json"
	"errors"
	"math/big"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"tenon/grammar/lex/number"
	"unicode/utf8"

	"tenon/grammar/lex/ecma"
)

// FuzzRegex compares with package regexp on the syntax that both share. Every pattern gives an
// answer or a typed error.
func FuzzRegex(f *testing.F) {
	for _, p := range patterns {
		f.Add(p, "ab c")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 200 || len(text) > 50 {
			return
		}
		a := NewArena(Limits{Exprs: 20_000, Work: 20_000})
		e, err := a.Regex(pattern)
		if err != nil {
			var re *ecma.Error
			var limit *LimitError
			if !errors.As(err, &re) && !errors.As(err, &limit) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		start := a.Start(e)
		got := a.Accepting(a.Walk(start, text))
		if rest := a.shortest(start); a.Err() == nil && start != Dead && !a.Accepting(a.Walk(start, string(rest))) {
			t.Fatalf("%q: shortest word %q is refused", pattern, rest)
		}
		if want, ok := sameInGo(pattern, text); ok && a.Err() == nil && got != want {
			t.Fatalf("%q on %q: %v, want %v", pattern, text, got, want)
		}
	})
}

// sameInGo matches with package regexp if the pattern means the same there: none of \s . [^] (?…,
// braces that are literal, or escapes that differ.
func sameInGo(pattern, text string) (match, ok bool) {
	if !utf8.ValidString(pattern) || !utf8.ValidString(text) || strings.ContainsAny(pattern, `.\`) || strings.Contains(pattern, "(?") || strings.Contains(pattern, "[") || strings.Contains(pattern, "{") {
		return false, false
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return false, false
	}
	re, err := regexp.Compile(tree.String())
	return err == nil && re.MatchString(text), err == nil
}

// FuzzJSONString compares with encoding/json: a string that may be closed decodes to a word, and
// the canonical spelling of a word may be closed.
func FuzzJSONString(f *testing.F) {
	for _, s := range []string{``, `a\n`, `\u00e9`, `\ud83d\ude00`, `\ud800`, "é", "\x80"} {
		f.Add(s)
	}
	a := NewArena(Limits{})
	all := a.StartString(a.AnyText(), EscapesAny)
	f.Fuzz(func(t *testing.T, raw string) {
		closed := walkString(a, all, raw+`"`) == StringClosed
		var text string
		err := json.Unmarshal([]byte(`"`+raw+`"`), &text)
		// encoding/json replaces unpaired surrogates and broken UTF-8, which are refused
		// here.
		strict := err == nil && utf8.ValidString(raw) && (!strings.ContainsRune(text, utf8.RuneError) || strings.Contains(raw, "\ufffd") || strings.Contains(strings.ToLower(raw), `\ufffd`))
		if closed && err != nil || strict && !closed && !strings.ContainsRune(text, utf8.RuneError) {
			t.Fatalf("%q: closed %v, decoded %q (%v)", raw, closed, text, err)
		}
	})
}

// FuzzNumber checks membership against rational arithmetic for arbitrary bounds.
func FuzzNumber(f *testing.F) {
	f.Add("0.1", "1e3", "0.05", uint8(0), "0.15")
	f.Add("-5", "5", "2", uint8(7), "4e0")
	f.Fuzz(func(t *testing.T, lo, hi, divisor string, options uint8, text string) {
		spec := number.Spec{Min: bounded(lo), Max: bounded(hi), ExclusiveMin: options&1 != 0, ExclusiveMax: options&2 != 0,
			Integer: number.Integer(options >> 2 & 3 % 3), Spelling: number.Spelling(options >> 4 & 1)}
		if d := bounded(divisor); d != nil && d.Sign() > 0 {
			spec.MultipleOf = []*big.Rat{d}
		}
		if len(text) > 12 || strings.Contains(text, "e") && len(text) > 6 {
			return
		}
		a := NewArena(Limits{})
		e, err := a.Number(spec)
		if err != nil {
			return
		}
		s := a.Walk(a.Start(e), text)
		if got, want := a.Accepting(s), member(spec, text); got != want && a.Err() == nil {
			t.Fatalf("%s: %q is %v, want %v", describe(spec), text, got, want)
		}
	})
}

// bounded parses a short JSON number, nil for anything else.
func bounded(s string) *big.Rat {
	if len(s) > 8 || !jsonNumber.MatchString(s) || strings.ContainsAny(s, "eE") && len(s) > 5 {
		return nil
	}
	return rat(s)
}
