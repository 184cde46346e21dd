package lex

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tenon/grammar/lex/ecma"
	"tenon/grammar/lex/number"
)

// regexNesting is how deep groups may nest in a text of format regex.
const regexNesting = 12

// regexFormat builds format regex. Groups nest, so that no automaton decides ECMA-262's patterns;
// this is a subset of those that Regex does not call invalid. Left out are: groups nested deeper
// than regexNesting, group names, \k and \0, literal braces before digits, classes and counts
// whose bounds would have to be remembered for long ({1000,1001}, [à-ý], [\u0401-\u040f]).
func (a *Arena) regexFormat() Expr {
	escapes := a.concat(a.literal(`\`), a.union(a.rule("regex-escape"), a.regexProperties()))
	atoms := []Expr{a.rule("regex-atom"), escapes, a.regexClasses(escapes)}
	asserted := []Expr{a.rule("regex-assertion")}
	quantifier := a.optional(a.concat(a.union(a.rule("regex-repeat"), a.regexCounts()), a.optional(a.literal("?"))))
	var disjunction Expr
	for range regexNesting + 1 {
		one := a.repeat(a.union(append(asserted, a.concat(a.union(atoms...), quantifier))...), 0, unbounded)
		disjunction = a.concat(one, a.repeat(a.concat(a.literal("|"), one), 0, unbounded))
		atoms = append(atoms[:3:3], a.concat(a.rule("regex-group"), disjunction, a.literal(")")))
		asserted = append(asserted[:1:1], a.concat(a.rule("regex-lookbehind"), disjunction, a.literal(")")))
	}
	return disjunction
}

// regexProperties are what may follow the backslash of \p and \P.
func (a *Arena) regexProperties() Expr {
	names := slices.Collect(maps.Keys(unicode.Categories))
	for name := range unicode.Scripts {
		names = append(names, "Script="+name)
	}
	slices.Sort(names)
	return a.concat(a.rule("regex-property"), a.literal("{"), a.leaf(a.words.ofSorted(names)), a.literal("}"))
}

// regexClasses: a hyphen stands first, last, in a range, or after a range or a set. Ranges go from
// an ASCII character up, or between escapes of which the first digit tells that they do.
func (a *Arena) regexClasses(escapes Expr) Expr {
	single := a.union(a.rule("regex-member"), escapes)
	ranges := []Expr{a.escapeRanges("x", 2), a.escapeRanges("u", 4)}
	for lo := ' '; lo < 0x7F; lo++ {
		if !strings.ContainsRune(`\-]`, lo) {
			above := ecma.NewSet(ecma.Range{Lo: lo, Hi: unicode.MaxRune}).Intersect(ecma.SetOf(`\-]`).Complement())
			ranges = append(ranges, a.concat(a.literal(string(lo)+"-"), a.union(a.leaf(a.words.ofRunes(above)), a.rule("regex-beyond"))))
		}
	}
	hyphen := a.optional(a.literal("-"))
	members := a.union(single, a.concat(a.union(ranges...), hyphen), a.concat(a.rule("regex-set"), a.literal("-"), single))
	return a.concat(a.rule("regex-open"), hyphen, a.repeat(members, 0, unbounded), hyphen, a.literal("]"))
}

// escapeRanges are those between two escapes of so many digits, the first of which grows.
func (a *Arena) escapeRanges(letter string, digits int32) Expr {
	const hex = "0123456789abcdef"
	one := func(digits string) Expr { return a.leaf(a.words.ofBytes(BytesOf(digits + strings.ToUpper(digits)))) }
	rest, all := a.repeat(a.rule("hex"), digits-1, digits-1), empty
	for i := range len(hex) - 1 {
		all = a.union(all, a.concat(a.literal(`\`+letter), one(hex[i:i+1]), rest, a.literal(`-\`+letter), one(hex[i+1:]), rest))
	}
	return all
}

// regexCounts are {m,n} with m ≤ n, where that is seen at once.
func (a *Arena) regexCounts() Expr {
	all := []Expr{a.rule("regex-counts")}
	for m := range 100 {
		all = append(all, a.concat(a.literal("{"+strconv.Itoa(m)+","), a.padded(m, number.Highest), a.literal("}")))
	}
	return a.union(all...)
}
