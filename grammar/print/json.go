package print

import (
	"fmt"
	"strings"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/lex/ecma"
	"tenon/grammar/machine"
	"tenon/grammar/schema"
)

// valueWriter writes the values of one schema as rules.
type valueWriter struct {
	*printer
	machine.View
	rules map[*schema.Node]int
	space *gbnf.Node // between the parts of a text
	any   lex.Expr
	asked bool // numbers without exponent are what was asked for
}

func (p *printer) json(n *gbnf.Node) *gbnf.Node {
	var out *gbnf.Node
	p.plainNumbers(n).View(func(v machine.View) {
		w := &valueWriter{printer: p, View: v, rules: map[*schema.Node]int{}, any: v.Arena.AnyText(), asked: n.Options.Numbers != "" && n.Options.Numbers != "any"}
		w.space = w.spaceRule()
		out = w.value(v.Root)
		if v.AnySpace {
			out = gbnf.Sequence(w.space, out, w.space)
		}
	})
	return out
}

// plainNumbers is the unit of a terminal with numbers that have finite automata: those of bounded
// numbers with exponents have none.
func (p *printer) plainNumbers(n *gbnf.Node) *machine.Unit {
	if n.Options.Numbers != "" && n.Options.Numbers != "any" {
		return p.units[n]
	}
	plain := *n
	plain.Options.Numbers = "plain"
	u, err := machine.NewUnit(&plain, true, lex.Limits{}, nil)
	if err != nil {
		return p.units[n]
	}
	return u
}

func (w *valueWriter) spaceRule() *gbnf.Node {
	switch {
	case w.NoSpace:
		return literal("")
	case w.AnySpace:
		i := w.part("ws", "")
		w.out.Rules[i].Node = star(class(ecma.Range{Lo: '\t', Hi: '\n'}, ecma.Range{Lo: '\r', Hi: '\r'}, ecma.Range{Lo: ' ', Hi: ' '}))
		return ref(i)
	}
	i := w.part("sp", "")
	indent := repeat(class(ecma.Range{Lo: '\t', Hi: '\t'}, ecma.Range{Lo: ' ', Hi: ' '}), 0, w.Indent)
	w.out.Rules[i].Node = gbnf.Choice(literal(""), literal(" "), gbnf.Sequence(literal("\n"), indent))
	return ref(i)
}

// value is a reference to the rule of a node.
func (w *valueWriter) value(n *schema.Node) *gbnf.Node {
	i, ok := w.rules[n]
	if !ok {
		i = w.fresh("value")
		w.rules[n] = i
		var kids []*gbnf.Node
		for _, a := range n.Alts() {
			kids = append(kids, w.alternative(a))
		}
		w.out.Rules[i].Node = gbnf.Choice(kids...)
	}
	return ref(i)
}

func (w *valueWriter) alternative(a *schema.Alt) *gbnf.Node {
	switch a.Kind {
	case schema.Null:
		return literal("null")
	case schema.Bool:
		var words []*gbnf.Node
		if a.True {
			words = append(words, literal("true"))
		}
		if a.False {
			words = append(words, literal("false"))
		}
		return gbnf.Choice(words...)
	case schema.Number:
		return w.number(a.Number)
	case schema.String:
		return w.str(a.String)
	case schema.Array:
		return w.array(a.Array)
	}
	return w.object(a.Object)
}

// maxBound is the largest bound of a repetition that llama.cpp accepts.
const maxBound = 2000

// maxBlocks is how many blocks of maxBound a longer repetition is written as.
const maxBlocks = 5

// bounded repeats n between two bounds, in blocks where llama.cpp would refuse them. What is
// repeated should be a rule, because llama.cpp counts the rules made for what is written in place.
func (p *printer) bounded(n *gbnf.Node, least, most int) *gbnf.Node {
	if withoutRule == ruleLengths {
		return star(n)
	}
	if least > maxBound {
		return gbnf.Sequence(repeat(n, maxBound, maxBound), p.bounded(n, least-maxBound, lessUnlessUnbounded(most, maxBound)))
	}
	if most <= maxBound {
		return repeat(n, least, most)
	}
	if most > maxBound*maxBlocks {
		p.loosen("bounds above %d on the length of texts and arrays are not enforced", maxBound*maxBlocks)
		return repeat(n, least, gbnf.Unbounded)
	}
	// Either fewer than a block, or a block and then the rest: the two do not overlap.
	whole := gbnf.Sequence(repeat(n, maxBound, maxBound), p.bounded(n, 0, most-maxBound))
	return gbnf.Choice(repeat(n, least, maxBound-1), whole)
}

func lessUnlessUnbounded(n, by int) int {
	if n == gbnf.Unbounded {
		return n
	}
	return n - by
}

// str writes a set of strings.
func (w *valueWriter) str(s schema.StringAlt) *gbnf.Node {
	if s.Text == w.any {
		return gbnf.Sequence(literal(`"`), w.bounded(w.char(), s.MinLen, s.MaxLen), literal(`"`))
	}
	if s.MaxLen == schema.Unbounded {
		return gbnf.Sequence(literal(`"`), w.text(s.Text), literal(`"`))
	}
	x, ok := w.fewStates(w.Arena.Intersect(s.Text, w.Arena.Repeat(w.Arena.AnyRune(), 0, s.MaxLen)))
	if !ok {
		w.loosen("maxLength is not enforced beside a pattern or format, where both together take too many states")
		x = w.text(s.Text)
	}
	return gbnf.Sequence(literal(`"`), x, literal(`"`))
}

// text writes the inside of strings of a language.
func (w *valueWriter) text(e lex.Expr) *gbnf.Node {
	x, ok := w.fewStates(e)
	if !ok {
		w.loosen("a pattern or format has too many states to be written as rules: any text is accepted in its place")
		return star(w.char())
	}
	return x
}

// fewStates writes the inside of strings of a language, if that takes few states.
func (w *valueWriter) fewStates(e lex.Expr) (*gbnf.Node, bool) {
	if withoutRule == rulePatterns {
		return nil, false
	}
	x, ok := w.automaton(w.Arena, w.Arena.Intersect(e, w.any), "text", w.spellRanges)
	if ok && w.Escapes != lex.EscapesCanonical {
		w.narrow("strings that a schema restricts are accepted without superfluous escapes only")
	}
	return x, ok
}

// char is one character of a string, escaped or not.
func (w *valueWriter) char() *gbnf.Node {
	i := w.part("char", fmt.Sprint(w.Escapes == lex.EscapesAny))
	if w.Escapes == lex.EscapesCommon {
		w.narrow("characters are accepted without superfluous escapes only")
	}
	if w.Escapes != lex.EscapesAny {
		w.out.Rules[i].Node = w.spellRanges(ecma.All)
		return ref(i)
	}
	digit := func(ranges ...ecma.Range) *gbnf.Node { return class(ranges...) }
	hex := digit(ecma.Range{Lo: '0', Hi: '9'}, ecma.Range{Lo: 'A', Hi: 'F'}, ecma.Range{Lo: 'a', Hi: 'f'})
	d := digit(ecma.Range{Lo: 'D', Hi: 'D'}, ecma.Range{Lo: 'd', Hi: 'd'})
	basic := gbnf.Choice(
		gbnf.Sequence(digit(ecma.Range{Lo: '0', Hi: '9'}, ecma.Range{Lo: 'A', Hi: 'C'}, ecma.Range{Lo: 'E', Hi: 'F'}, ecma.Range{Lo: 'a', Hi: 'c'}, ecma.Range{Lo: 'e', Hi: 'f'}), hex, hex, hex),
		gbnf.Sequence(d, digit(ecma.Range{Lo: '0', Hi: '7'}), hex, hex))
	pair := gbnf.Sequence(d, class(ecma.SetOf("89ABab")...), hex, hex, literal(`\u`), d, digit(ecma.Range{Lo: 'C', Hi: 'F'}, ecma.Range{Lo: 'c', Hi: 'f'}), hex, hex)
	long := gbnf.Sequence(literal("u"), gbnf.Choice(basic, pair))
	raw := class(ecma.Set{{Lo: 0, Hi: 0x1F}, {Lo: '"', Hi: '"'}, {Lo: '\\', Hi: '\\'}}.Complement()...)
	w.out.Rules[i].Node = gbnf.Choice(raw, gbnf.Sequence(literal(`\`), gbnf.Choice(class(ecma.SetOf(`"\/bfnrt`)...), long)))
	return ref(i)
}

// spellRanges writes code points as they stand in a string in their shortest form.
func (p *printer) spellRanges(ranges ecma.Set) *gbnf.Node {
	var raw, short ecma.Set
	var kids []*gbnf.Node
	// all control characters
	all := len(ranges) > 0 && ranges[0].Lo == 0 && ranges[0].Hi >= 0x1F
	for _, x := range ranges {
		for c := x.Lo; c <= min(x.Hi, '\\'); c++ {
			switch {
			case c < 0x20 && !all:
				kids = append(kids, literal(shortEscape(c)))
			case c < 0x20:
			case c == '"' || c == '\\':
				short = append(short, ecma.Range{Lo: c, Hi: c})
			default:
				raw = append(raw, ecma.Range{Lo: c, Hi: c})
			}
		}
		if x.Hi > '\\' {
			raw = append(raw, ecma.Range{Lo: max(x.Lo, '\\'+1), Hi: x.Hi})
		}
	}
	switch {
	case all:
		kids = append([]*gbnf.Node{p.escape(short)}, kids...)
	case short != nil:
		kids = append([]*gbnf.Node{gbnf.Sequence(literal(`\`), class(ecma.NewSet(short...)...))}, kids...)
	}
	if raw != nil {
		kids = append([]*gbnf.Node{class(ecma.NewSet(raw...)...)}, kids...)
	}
	return gbnf.Choice(kids...)
}

// escape is a control character in its shortest form, or one of some others, quotes and
// backslashes, behind a backslash. It is a rule where it is both, as in almost all states of an
// automaton that looks for some words.
func (p *printer) escape(others ecma.Set) *gbnf.Node {
	if len(others) < 2 {
		return control(others)
	}
	i := p.part("escape", "")
	p.out.Rules[i].Node = control(others)
	return ref(i)
}

func control(others ecma.Set) *gbnf.Node {
	long := gbnf.Choice(gbnf.Sequence(literal("0"), class(ecma.SetOf("01234567bef")...)), gbnf.Sequence(literal("1"), class(ecma.SetOf("0123456789abcdef")...)))
	return gbnf.Sequence(literal(`\`), gbnf.Choice(class(ecma.SetOf("bfnrt").Union(others)...), gbnf.Sequence(literal("u00"), long)))
}

func shortEscape(c rune) string {
	if i := strings.IndexRune("\b\f\n\r\t", c); i >= 0 {
		return `\` + "bfnrt"[i:i+1]
	}
	return fmt.Sprintf(`\u%04x`, c)
}

// array writes a set of arrays.
func (w *valueWriter) array(a *schema.ArrayAlt) *gbnf.Node {
	if a.Unique {
		w.loosen("uniqueItems is not enforced")
	}
	if len(a.Contains) > 0 {
		w.loosen("contains is not enforced")
	}
	comma := gbnf.Sequence(w.space, literal(","), w.space)
	n := len(a.Prefix)
	var tail *gbnf.Node // what follows the prefix
	if a.Max == schema.Unbounded || a.Max > n {
		item := w.fresh("item")
		w.out.Rules[item].Node = gbnf.Sequence(comma, w.value(a.Rest))
		tail = w.bounded(ref(item), max(0, a.Min-n), lessUnlessUnbounded(a.Max, n))
		if n == 0 {
			inner := gbnf.Sequence(w.value(a.Rest), w.bounded(ref(item), max(0, a.Min-1), lessUnlessUnbounded(a.Max, 1)))
			return w.brackets(inner, a.Min == 0)
		}
	}
	for i := n - 1; i >= 0; i-- {
		var item *gbnf.Node
		if item = w.value(a.Prefix[i]); i > 0 {
			item = gbnf.Sequence(comma, item)
		}
		if item = gbnf.Sequence(item, tail); i >= a.Min && i > 0 {
			item = repeat(item, 0, 1)
		}
		tail = item
	}
	if n == 0 {
		return gbnf.Sequence(literal("["), w.space, literal("]"))
	}
	return w.brackets(tail, a.Min == 0)
}

func (w *valueWriter) brackets(inner *gbnf.Node, mayBeEmpty bool) *gbnf.Node {
	inner = gbnf.Sequence(inner, w.space)
	if mayBeEmpty {
		inner = repeat(inner, 0, 1)
	}
	return gbnf.Sequence(literal("["), w.space, inner, literal("]"))
}
