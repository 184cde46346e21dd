package gbnf

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tenon/grammar/lex/ecma"
)

// Quote writes a literal. Bytes that are no UTF-8 cannot be written in GBNF and become U+FFFD.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, x := range s {
		b.WriteString(quoteRune(x, `"\`))
	}
	b.WriteByte('"')
	return b.String()
}

// quoteRune escapes what special names, control characters, and what people could not see.
func quoteRune(x rune, special string) string {
	switch {
	case x == '\n':
		return `\n`
	case x == '\r':
		return `\r`
	case x == '\t':
		return `\t`
	case strings.ContainsRune(special, x):
		return `\` + string(x)
	case x < 0x20 || x >= 0x7F && x < 0xA1:
		// \x takes two digits in llama.cpp, and any number of them in XGrammar
		return fmt.Sprintf(`\u%04X`, x)
	case x > 0xFFFF:
		return fmt.Sprintf(`\U%08X`, x)
	case !strconv.IsPrint(x) || x == utf8.RuneError:
		return fmt.Sprintf(`\u%04X`, x)
	}
	return string(x)
}

// NameRoot gives the start the name root, which Read wants it to have.
func NameRoot(g *Grammar) {
	for i := range g.Rules {
		if g.Rules[i].Name == "root" {
			g.Rules[i].Name = "root-"
		}
	}
	g.Rules[g.Root].Name = "root"
}

// Write writes a grammar as Read reads it.
func Write(g *Grammar) string {
	w := writer{name: func(rule int) string { return g.Rules[rule].Name }}
	for i := range g.Rules {
		w.b.WriteString(g.Rules[i].Name)
		w.b.WriteString(" ::= ")
		w.node(g.Rules[i].Node, inAlt)
		w.b.WriteByte('\n')
	}
	return w.b.String()
}

// Identity is a text that is equal for equal nodes of one grammar. It names rules by number.
func Identity(n *Node) string {
	w := writer{name: func(rule int) string { return "$" + strconv.Itoa(rule) }}
	w.node(n, inRepeat)
	return w.b.String()
}

// Shape is a text that is equal for nodes that differ in nothing but the rules they name, and
// these rules in the order of the text.
func Shape(n *Node) (text string, rules []int) {
	w := writer{name: func(rule int) string {
		rules = append(rules, rule)
		return "$"
	}}
	w.node(n, inRepeat)
	return w.b.String(), rules
}

// The places a node can stand in, from the loosest binding to the tightest.
const (
	inAlt = iota
	inSeq
	inRepeat
)

type writer struct {
	name func(rule int) string
	b    strings.Builder
}

func (w *writer) node(n *Node, place int) {
	switch n.Op {
	case Empty:
		w.b.WriteString(`""`)
	case Literal:
		w.b.WriteString(Quote(n.Text))
	case Class:
		w.b.WriteString(QuoteClass(n.Ranges))
	case Seq:
		w.list(n.Kids, " ", inSeq, place)
	case Alt:
		w.list(n.Kids, " | ", inAlt, place)
	case Repeat:
		w.node(n.Kids[0], inRepeat)
		w.b.WriteString(bounds(n))
	case Ref:
		w.b.WriteString(w.name(n.Rule))
	case Each:
		w.each(n)
	case Capture:
		w.b.WriteString(n.Text + ":( ")
		w.node(n.Kids[0], inAlt)
		w.b.WriteString(" )")
	default:
		w.b.WriteString(terminalText(n))
	}
}

// list writes nodes with something between them, in parentheses where others stand beside them.
func (w *writer) list(kids []*Node, sep string, op, place int) {
	if place > op {
		w.b.WriteByte('(')
	}
	for i, k := range kids {
		if i > 0 {
			w.b.WriteString(sep)
		}
		w.node(k, op+1)
	}
	if place > op {
		w.b.WriteByte(')')
	}
}

// bounds writes what stands behind the body of a Repeat.
func bounds(n *Node) string {
	switch {
	case n.Min == 0 && n.Max == Unbounded:
		return "*"
	case n.Min == 1 && n.Max == Unbounded:
		return "+"
	case n.Min == 0 && n.Max == 1:
		return "?"
	case n.Max == Unbounded:
		return fmt.Sprintf("{%d,}", n.Min)
	case n.Min == n.Max:
		return fmt.Sprintf("{%d}", n.Min)
	}
	return fmt.Sprintf("{%d,%d}", n.Min, n.Max)
}

// SchemaText writes a schema behind the name of its terminal. A blank keeps true and false apart
// from the name; options follow without one.
func SchemaText(schema string) string {
	schema = strings.TrimSpace(schema)
	if strings.HasPrefix(schema, "{") {
		return schema
	}
	return " " + schema
}

func terminalText(n *Node) string {
	switch n.Op {
	case Symbol:
		return symbolText(n)
	case Until:
		return untilText(n.Markers)
	case JSON:
		return "%json" + SchemaText(n.Text) + n.Options.String()
	case Regex:
		return "%regex " + Quote(n.Text)
	case Quoted:
		return "%quoted " + Quote(n.Text)
	case Plain:
		return plainText(n)
	default:
		return "%check"
	}
}

func symbolText(n *Node) string {
	not := ""
	if n.Not {
		not = "!"
	}
	if n.Text == "" {
		return fmt.Sprintf("%s<[%d]>", not, n.ID)
	}
	if PlainSymbol(n.Text) {
		return not + n.Text
	}
	return not + "<[" + n.Text + "]>"
}

// PlainSymbol says whether a token's text can stand for itself, which is the only way that
// llama.cpp knows.
func PlainSymbol(text string) bool {
	return len(text) > 2 && text[0] == '<' && text[1] != '[' && strings.IndexAny(text, ">\n") == len(text)-1
}

func untilText(markers []string) string {
	if len(markers) == 0 {
		return "%text"
	}
	quoted := make([]string, len(markers))
	for i, m := range markers {
		quoted[i] = Quote(m)
	}
	return "%until(" + strings.Join(quoted, " | ") + ")"
}

// QuoteClass writes a class of code points, negated where that is shorter.
func QuoteClass(ranges ecma.Set) string {
	if len(ranges) == 1 && ranges[0] == (ecma.Range{Lo: 0, Hi: maxRune}) {
		return "."
	}
	open := "["
	if ranges[len(ranges)-1].Hi == maxRune {
		if c := ecma.Set(ranges).Complement(); len(c) > 0 {
			open, ranges = "[^", c
		}
	}
	ranges = slices.Clone(ranges)
	slices.SortStableFunc(ranges, func(a, b ecma.Range) int { return cmp.Compare(byNumber(a.Hi), byNumber(b.Hi)) })
	parts, next := []string{"]"}, "]" // from the last to the first
	put := func(part string) { parts, next = append(parts, part), part }
	for _, x := range slices.Backward(ranges) {
		if x.Hi > x.Lo {
			put(quoteClassRune(x.Hi, next))
		}
		if x.Hi > x.Lo+1 {
			put("-")
		}
		put(quoteClassRune(x.Lo, next))
	}
	put(open)
	slices.Reverse(parts)
	return strings.Join(parts, "")
}

// byNumber is 1 for code points that a class spells as \x and two digits: control characters, and
// - and ^, which llama.cpp cannot escape otherwise. They come last, where no digit follows.
func byNumber(x rune) int {
	if x == '-' || x == '^' || x < 0x20 && x != '\t' && x != '\n' && x != '\r' || x >= 0x7F && x < 0xA1 {
		return 1
	}
	return 0
}

// quoteClassRune writes a code point of a class, before others. XGrammar takes any number of
// digits behind \x, and llguidance takes the zeros away behind \u.
func quoteClassRune(x rune, next string) string {
	switch {
	case byNumber(x) == 0:
		return quoteRune(x, `\]["`)
	case strings.ContainsAny(next[:1], "0123456789abcdefABCDEF"):
		return fmt.Sprintf(`\u%04X`, x)
	}
	return fmt.Sprintf(`\x%02X`, x)
}
