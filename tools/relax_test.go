package tools

import (
	"regexp"
	"testing"

	"github.com/dlclark/regexp2"

	"tenon/tools/retry"
)

func TestRelax_referencesBecomeTheirGroups(t *testing.T) {
	for pattern, want := range map[string]string{
		`^(AB|CD)-\1$`:            `^(AB|CD)-(?:AB|CD)?$`,
		`(a)(b)\2\1`:              `(a)(b)(?:b)?(?:a)?`,
		`(?<q>['"]).*\k<q>`:       `(?<q>['"]).*(?:['"])?`,
		`(?:x)(y)\1`:              `(?:x)(y)(?:y)?`,
		`((a)\2)\1`:               `((a)(?:a)?)(?:(a)(?:a)?)?`,
		`[\1](a)\\1\1`:            `[\1](a)\\1(?:a)?`,
		`(\))\1`:                  `(\))(?:\))?`,
		`a\9`:                     `a`,
		`(?=(x))(?!y)(?<!z)(w)\2`: `(?=(x))(?!y)(?<!z)(w)(?:w)?`,
	} {
		if got, ok := retry.Relax(pattern); got != want || !ok {
			t.Errorf("%s became %s, %t; want %s", pattern, got, ok, want)
		}
	}
	for _, pattern := range []string{`^a+$`, `[\1]`, `\\1`, `(a`, `\`, `\d\0`} {
		if got, ok := retry.Relax(pattern); ok {
			t.Errorf("%s became %s", pattern, got)
		}
	}
}

// What matches the pattern matches the weaker one.
func FuzzRelax(f *testing.F) {
	for _, s := range []string{`^(AB|CD)-\1$`, `(a*)(b)\2\1`, `((a)\2|\1)\1`, `\k<q>(?<q>x)`} {
		f.Add(s, "AB-AB")
		f.Add(s, "aabbaa")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		weaker, ok := retry.Relax(pattern)
		if !ok || len(pattern) > 50 || len(text) > 50 {
			return
		}
		strict, err := regexp2.Compile(pattern, regexp2.ECMAScript)
		if err != nil || regexp.MustCompile(`\(\?[^:<]|\\[^1-9k]`).MatchString(pattern) {
			return
		}
		weak, err := regexp2.Compile(weaker, regexp2.ECMAScript)
		if err != nil {
			return // a pattern that one reader of expressions takes and another does not
		}
		if a, _ := strict.MatchString(text); a {
			if b, _ := weak.MatchString(text); !b {
				t.Errorf("%q matches %s, but not %s", text, pattern, weaker)
			}
		}
	})
}
