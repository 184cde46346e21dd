package lex

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tenon/grammar/lex/ecma"
	"tenon/grammar/lex/number"
)

// regexNesting is how deep groups may nest in a text of format regex.
const regexNesting = 12

// regexGrammar builds format regex. Groups nest, so that no automaton decides ECMA-262's patterns;
// this is a subset of those that Regex does not call invalid. Left out are: groups nested deeper
// than regexNesting, group names, \k and \0, literal braces before digits, classes and counts
// whose bounds would have to be remembered for long ({1000,1001}, [à-ý]).
type regexGrammar struct {
	a                       *Arena
	literal, class, escaped Expr
	quantifier              Expr
	cuts                    ByteSet // of a disjunction
}

func (a *Arena) regexFormat() Expr {
	g := &regexGrammar{a: a}
	syntax := ecma.SetOf(`^$\.*+?()[{|`)
	g.literal = g.set(syntax.Complement())
	g.escaped = g.escapes()
	g.class = g.classes()
	g.quantifier = g.quantifiers()
	g.cuts = a.at(g.sequence(0)).bounds.Union(BytesOf("()*|}"))
	return g.disjunction(regexNesting)
}

func (g *regexGrammar) set(s ecma.Set) Expr { return g.a.leaf(g.a.words.ofRunes(s)) }

func (g *regexGrammar) bytes(chars string) Expr { return g.a.leaf(g.a.words.ofBytes(BytesOf(chars))) }

func (g *regexGrammar) star(e Expr) Expr { return g.a.repeat(e, 0, unbounded) }

func (g *regexGrammar) plus(e Expr) Expr { return g.a.repeat(e, 1, unbounded) }

func (g *regexGrammar) disjunction(depth int) Expr {
	one := g.sequence(depth)
	return g.a.concat(one, g.star(g.a.concat(g.a.literal("|"), one)))
}

func (g *regexGrammar) sequence(depth int) Expr {
	a := g.a
	atoms := []Expr{g.literal, a.literal("."), g.escaped, g.class}
	asserted := []Expr{g.bytes("^$"), a.literal(`\b`), a.literal(`\B`), g.literalBrace()}
	if depth > 0 {
		// The shortest disjunction is empty, which later does not allow: the closing parenthesis
		// goes with it.
		body := a.later(g.cuts, span{1, 1, 1, unbounded}, func() Expr { return a.concat(g.disjunction(depth-1), a.literal(")")) })
		atoms = append(atoms, a.concat(a.leaf(a.words.ofSorted([]string{"(", "(?!", "(?:", "(?="})), body))
		asserted = append(asserted, a.concat(a.leaf(a.words.ofSorted([]string{"(?<!", "(?<="})), body))
	}
	term := a.concat(a.union(atoms...), a.optional(g.quantifier))
	return g.star(a.union(append(asserted, term)...))
}

// literalBrace is a brace that cannot be taken for a quantifier, because what follows is no digit.
func (g *regexGrammar) literalBrace() Expr {
	follow := ecma.SetOf(`^$\.*+?()[]{}|0123456789`).Complement()
	return g.a.concat(g.a.literal("{"), g.set(follow))
}

// escapes are those outside of classes, save assertions.
func (g *regexGrammar) escapes() Expr {
	a := g.a
	return a.concat(a.literal(`\`), a.union(g.bytes("123456789"), g.sharedEscapes()))
}

// sharedEscapes may follow a backslash anywhere.
func (g *regexGrammar) sharedEscapes() Expr {
	a := g.a
	// No name is longer than 64, and around it the language has no bound anyway.
	property := a.later(BytesOf("{|"), span{3, 3, 3, 64}, func() Expr { return a.leaf(a.words.ofSorted(bracedProperties())) })
	return a.union(g.bytes("dDwWsS"), g.singleEscapes(), a.concat(g.bytes("pP"), property))
}

// bracedProperties are {L} and the like, sorted.
var bracedProperties = sync.OnceValue(func() []string {
	names := ecma.PropertyNames()
	for i, name := range names {
		names[i] = "{" + name + "}"
	}
	slices.Sort(names)
	return names
})

// singleEscapes stand for one code point, which may bound a range.
func (g *regexGrammar) singleEscapes() Expr {
	a := g.a
	hex := g.bytes(anyHex)
	braced := a.concat(a.literal("{"), g.star(a.literal("0")), a.union(a.repeat(hex, 1, 5), a.concat(a.literal("10"), a.repeat(hex, 4, 4))), a.literal("}"))
	return a.union(
		g.bytes("tnvfr"), g.bytes(regexPunctuation),
		a.concat(a.literal("c"), g.bytes(asciiLetters)),
		a.concat(a.literal("x"), hex, hex),
		a.concat(a.literal("u"), a.union(a.repeat(hex, 4, 4), braced)))
}

const (
	regexPunctuation = " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
	asciiLetters     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// classes: a hyphen stands first, last, in a range, or after a range or a set.
func (g *regexGrammar) classes() Expr {
	a := g.a
	single := a.union(g.set(ecma.SetOf(`\-]`).Complement()), a.concat(a.literal(`\`), a.union(a.literal("b"), g.sharedEscapes())))
	hyphen := a.optional(a.literal("-"))
	afterSet := a.concat(a.literal(`\`), g.bytes("dDwWsS"), a.literal("-"), single)
	members := g.star(a.union(single, a.concat(g.ranges(), hyphen), afterSet))
	return a.concat(a.literal("["), a.optional(a.literal("^")), hyphen, members, hyphen, a.literal("]"))
}

// ranges from an ASCII character up, or between \u escapes.
func (g *regexGrammar) ranges() Expr {
	a := g.a
	var all []Expr
	for lo := byte(' '); lo < 0x7F; lo++ {
		raw := string(rune(lo))
		from := []string{raw}
		if strings.Contains(`\-]`, raw) {
			from = nil
		}
		if strings.Contains(regexPunctuation, raw) {
			from = append(from, `\`+raw)
			slices.Sort(from)
		}
		// The hyphen that makes it a range comes with it, so that the many continuations are
		// built only when walked.
		upper := a.later(BytesOf("-."), span{2, 2, 2, 10}, func() Expr { return a.concat(a.literal("-"), g.upperBound(rune(lo))) })
		all = append(all, a.concat(a.leaf(a.words.ofSorted(from)), upper))
	}
	all = append(all, a.concat(a.literal(`\u`), g.hexRange(4, 0, 0)), a.concat(a.literal(`\x`), g.hexRange(2, 0, 0)))
	return a.union(all...)
}

// upperBound is a code point from lo up, as it may be written after the hyphen.
func (g *regexGrammar) upperBound(lo rune) Expr {
	a := g.a
	raw := ecma.NewSet(ecma.Range{Lo: lo, Hi: 0x10FFFF}).Intersect(ecma.SetOf(`\-]`).Complement())
	var escaped string
	for _, c := range regexPunctuation {
		if c >= lo {
			escaped += string(c)
		}
	}
	return a.union(g.set(raw), a.concat(a.literal(`\`), a.union(g.bytes(escaped), a.concat(a.literal("u"), g.hexFrom(0x80, 4)))))
}

// hexRange is what follows \u (or \x) and the first of its four (or two) digits in a range
// between two such escapes.
func (g *regexGrammar) hexRange(size, digits int, value rune) Expr {
	a := g.a
	if digits == size {
		return a.concat(a.literal(map[int]string{2: `-\x`, 4: `-\u`}[size]), g.hexFrom(value, size))
	}
	length := int32(size - digits + 3 + size)
	return a.later(BytesOf("0123456789:ABCDEFGabcdefg"), span{length, length, length + 1, length}, func() Expr {
		var parts []Expr
		for d := range rune(16) {
			parts = append(parts, a.concat(g.hexDigit(d, d), g.hexRange(size, digits+1, value<<4|d)))
		}
		return a.union(parts...)
	})
}

func (g *regexGrammar) hexDigit(lo, hi rune) Expr {
	var chars string
	for d := lo; d <= hi; d++ {
		chars += fmt.Sprintf("%x%X", d, d)
	}
	return g.bytes(chars)
}

// hexFrom is the hexadecimal numbers of so many digits from least up.
func (g *regexGrammar) hexFrom(least rune, digits int) Expr {
	if digits == 0 {
		return epsilon
	}
	a := g.a
	shift := 4 * (digits - 1)
	first := least >> shift
	greater := a.concat(g.hexDigit(first+1, 15), a.repeat(g.hexDigit(0, 15), int32(digits-1), int32(digits-1)))
	return a.union(a.concat(g.hexDigit(first, first), g.hexFrom(least&(1<<shift-1), digits-1)), greater)
}

// quantifiers: *, +, ?, {m}, {m,} and {m,n} with m ≤ n, lazy or not.
func (g *regexGrammar) quantifiers() Expr {
	a := g.a
	counts := a.later(BytesOf("0123456789:"), span{2, 2, 2, unbounded}, func() Expr { return a.concat(g.counts(), a.literal("}")) })
	return a.concat(a.union(g.bytes("*+?"), a.concat(a.literal("{"), counts)), a.optional(a.literal("?")))
}

func (g *regexGrammar) counts() Expr {
	a := g.a
	digit := a.digitsBetween('0', '9')
	all := []Expr{a.concat(g.plus(digit), a.optional(a.literal(",")))}
	for m := range 100 {
		length := int32(1 + len(strconv.Itoa(m)))
		more := a.later(BytesOf(",-"), span{length, length, length, unbounded}, func() Expr { return a.concat(a.literal(","), a.padded(m, number.Highest)) })
		all = append(all, a.concat(a.literal(strconv.Itoa(m)), more))
	}
	// Three digits: an upper bound of more digits, or of a greater first digit.
	leading := a.digitsBetween('1', '9')
	all = append(all, a.concat(leading, digit, digit, a.literal(","), leading, a.repeat(digit, 3, unbounded)))
	for first := byte('1'); first <= '9'; first++ {
		above := a.concat(a.digitsBetween(first+1, '9'), digit, digit)
		hundreds := a.concat(a.literal("00,"+string(rune(first))), digit, digit)
		all = append(all, a.concat(a.literal(string(rune(first))), a.union(a.concat(digit, digit, a.literal(","), above), hundreds)))
	}
	return a.union(all...)
}
