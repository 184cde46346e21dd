package lex

import (
	"fmt"
	"strings"
	"unicode"
)

// regexNesting is how deep groups may nest in a text of format regex.
const regexNesting = 6

// regexRules build format regex. Groups nest, so that no automaton decides ECMA-262's patterns:
// this is a part of those that Regex takes, with what models write. Left out are groups that are
// nested deeper, lookbehind, names of groups, back-references, scripts, and bounds of classes and
// counts that would have to be remembered for long ([\u0400-\u04ff], [à-ý], {100,101}).
func regexRules() []formatRule {
	rules := []formatRule{
		{"re-escape", `\\(?:[dDwWsStnvfr]|[ -/:-@\[-\x60{-~]|c[A-Za-z]|x<hex>{2}|u<hex>{4}|u\{(?:<hex>{1,5}|10<hex>{4})\}|[pP]\{(?:L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?|C[cf]?|ASCII)\})`},
		{"re-range", strings.Join(classRanges(), "|")},
		// A hyphen stands first, last, in a range, or behind a range or a set.
		{"re-class", `\[\^?-?(?:[^\\\-\]]|\\b|<re-escape>|<re-range>-?|\\[dDwWsS]-(?:[^\\\-\]]|<re-escape>))*-?\]`},
		{"re-count", strings.Join(countRanges(), "|")},
		{"re-quantifier", `(?:[*+?]|\{(?:[0-9]+,?|<re-count>)\})\??`},
	}
	for depth := range regexNesting + 1 {
		atom := `[^\^$\\.*+?()\[{|]|\.|<re-escape>|<re-class>`
		if depth > 0 {
			atom += fmt.Sprintf(`|\((?:\?[:=!])?<re-%d>\)`, depth-1)
		}
		rules = append(rules, formatRule{fmt.Sprintf("re-%d", depth), `(?:(?:` + atom + `)<re-quantifier>?|[\^$|]|\\[bB])*`})
	}
	return append(rules, formatRule{"regex", fmt.Sprintf("<re-%d>", regexNesting)})
}

// classRanges are from an ASCII character up, or between escapes whose first digits differ.
func classRanges() []string {
	var all []string
	for lo := ' '; lo < 0x7F; lo++ {
		if strings.ContainsRune(`\-]`, lo) {
			continue
		}
		to := ""
		for _, part := range [][2]rune{{' ', ','}, {'.', '['}, {'^', unicode.MaxRune}} {
			if lo <= part[1] {
				to += fmt.Sprintf(`\u{%x}-\u{%x}`, max(lo, part[0]), part[1])
			}
		}
		all = append(all, fmt.Sprintf(`\u{%x}-[%s]`, lo, to))
	}
	for d := range 15 {
		above := ""
		for e := d + 1; e < 16; e++ {
			above += fmt.Sprintf("%x%X", e, e)
		}
		from := fmt.Sprintf("[%x%X]", d, d)
		all = append(all, `\\u`+from+`<hex>{3}-\\u[`+above+`]<hex>{3}`, `\\x`+from+`<hex>-\\x[`+above+`]<hex>`)
	}
	return all
}

// countRanges are m,n with m ≤ n, for m below 100.
func countRanges() []string {
	var all []string
	for m := range 10 {
		all = append(all, fmt.Sprintf("%d,(?:[%d-9]|[1-9][0-9]+)", m, m))
	}
	for m := 10; m < 100; m++ {
		larger := ""
		if m < 90 {
			larger = fmt.Sprintf("|[%d-9][0-9]", m/10+1)
		}
		all = append(all, fmt.Sprintf("%d,(?:%d[%d-9]%s|[1-9][0-9]{2,})", m, m/10, m%10, larger))
	}
	return all
}
