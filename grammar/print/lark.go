package print

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex/ecma"
)

// Lark is a grammar for llguidance, which has %json and special tokens of its own, and a lexer:
// where several terminals can come, the one that goes on longest is taken, without a way back. So
// terminals are single code points wherever one could be the beginning of another, text up to a
// marker is one terminal with the marker, and regular expressions are rules.
type Lark struct {
	Text               string
	Loosened, Narrowed []string
}

// LarkOf writes a grammar for llguidance.
func LarkOf(g *gbnf.Grammar) (*Lark, error) {
	l := newLowering(g, nil, true)
	l.lark = true
	if err := l.rules(g); err != nil {
		return nil, err
	}
	l.share()
	w := &larkWriter{lowering: l, fused: map[fusion]int{}, terminals: map[string]string{}}
	for i := 0; i < len(l.out.Rules); i++ { // rules are added on the way
		l.out.Rules[i].Node = w.fuse(l.out.Rules[i].Node)
	}
	w.nameRules()
	w.findWhole()
	for i := range l.out.Rules {
		w.b.WriteString(w.names[i] + ": ")
		w.node(l.out.Rules[i].Node, 0)
		w.b.WriteByte('\n')
	}
	for _, t := range w.defined {
		w.b.WriteString(t + "\n")
	}
	return &Lark{w.b.String(), l.loosened, l.narrowed}, nil
}

type larkWriter struct {
	*lowering
	fused     map[fusion]int
	names     []string // of rules
	b         strings.Builder
	terminals map[string]string // name by body
	defined   []string          // terminals, written
	split     [256]bool         // first bytes of literals that are written one by one
}

// fusion is text up to a marker and a rule that follows it.
type fusion struct {
	markers string
	rule    int
}

// fuse joins text up to a marker with what follows it.
func (w *larkWriter) fuse(n *gbnf.Node) *gbnf.Node {
	m := n.WithKids(w.fuse)
	if m.Op != gbnf.Seq {
		return m
	}
	for i := len(m.Kids) - 2; i >= 0; i-- {
		if k := m.Kids[i]; k.Op == gbnf.Until && len(k.Markers) > 0 {
			joined := w.join(k, m.Kids[i+1:])
			m.Kids = append(m.Kids[:i:i], joined)
		}
	}
	return gbnf.Sequence(m.Kids...)
}

// join is text u and then a sequence.
func (w *larkWriter) join(u *gbnf.Node, rest []*gbnf.Node) *gbnf.Node {
	if len(rest) == 0 {
		return u
	}
	first := rest[0]
	if first.Op == gbnf.Literal && first.Text == "" {
		return w.join(u, rest[1:])
	}
	switch first.Op {
	case gbnf.Empty:
		return w.join(u, rest[1:])
	case gbnf.Literal:
		for _, marker := range u.Markers {
			if after, ok := strings.CutPrefix(first.Text, marker); ok {
				n := *u
				n.Text = marker // Until with Text is the text with this marker behind it
				return gbnf.Sequence(append([]*gbnf.Node{&n, literal(after)}, rest[1:]...)...)
			}
		}
	case gbnf.Alt:
		ways := make([]*gbnf.Node, len(first.Kids))
		for i, k := range first.Kids {
			ways[i] = w.join(u, append([]*gbnf.Node{k}, rest[1:]...))
		}
		return gbnf.Choice(ways...)
	case gbnf.Seq:
		return w.join(u, append(append([]*gbnf.Node{}, first.Kids...), rest[1:]...))
	case gbnf.Repeat:
		return w.joinRepeat(u, first, rest[1:])
	case gbnf.Ref:
		return gbnf.Sequence(append([]*gbnf.Node{w.joinRule(u, first.Rule)}, rest[1:]...)...)
	case gbnf.Symbol:
		return gbnf.Sequence(append([]*gbnf.Node{u}, rest...)...)
	}
	// What follows is not a marker: the text ends where the rules say.
	return gbnf.Sequence(append([]*gbnf.Node{w.until(u.Markers)}, rest...)...)
}

func (w *larkWriter) joinRepeat(u, n *gbnf.Node, rest []*gbnf.Node) *gbnf.Node {
	if n.Max == 0 {
		return w.join(u, rest)
	}
	more := append([]*gbnf.Node{repeat(n.Kids[0], max(0, n.Min-1), lessUnlessUnbounded(n.Max, 1))}, rest...)
	some := w.join(u, append([]*gbnf.Node{n.Kids[0]}, more...))
	if n.Min > 0 {
		return some
	}
	return gbnf.Choice(w.join(u, rest), some)
}

// joinRule is text u and then a rule, as a rule.
func (w *larkWriter) joinRule(u *gbnf.Node, rule int) *gbnf.Node {
	key := fusion{strings.Join(u.Markers, "\x00"), rule}
	i, ok := w.fused[key]
	if !ok {
		i = w.fresh("text")
		w.fused[key] = i
		w.out.Rules[i].Node = w.join(u, []*gbnf.Node{w.out.Rules[rule].Node})
	}
	return ref(i)
}

// nameRules makes Lark's names of rules.
func (w *larkWriter) nameRules() {
	used := map[string]bool{"start": true}
	for i, r := range w.out.Rules {
		name := "start"
		if i != w.out.Root {
			for name = larkName(r.Name); used[name]; {
				name += "_"
			}
		}
		used[name] = true
		w.names = append(w.names, name)
	}
}

func larkName(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		name = "r_" + name
	}
	return name
}

// findWhole finds which literals must be written one code point at a time: those that some other
// terminal is the beginning of, or begins.
func (w *larkWriter) findWhole() {
	var literals []string
	each(&w.out, func(n *gbnf.Node) {
		if n.Op == gbnf.Literal && n.Text != "" {
			literals = append(literals, n.Text)
		}
	})
	each(&w.out, func(n *gbnf.Node) {
		switch n.Op {
		case gbnf.Class:
			for _, x := range n.Ranges {
				for _, s := range literals {
					if r := []rune(s); len(r) > 1 && r[0] >= x.Lo && r[0] <= x.Hi {
						w.split[s[0]] = true
					}
				}
			}
		case gbnf.JSON:
			for _, c := range []byte(`{["-0123456789tfn`) {
				w.split[c] = true
			}
		case gbnf.Until:
			for c := range w.split {
				w.split[c] = true
			}
		}
	})
	for i, a := range literals {
		for _, b := range literals[i+1:] {
			if a != b && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
				w.split[a[0]] = true
			}
		}
	}
}

// each calls f for every node of a grammar.
func each(g *gbnf.Grammar, f func(*gbnf.Node)) {
	var visit func(n *gbnf.Node)
	visit = func(n *gbnf.Node) {
		f(n)
		for _, k := range n.Kids {
			visit(k)
		}
	}
	for _, r := range g.Rules {
		visit(r.Node)
	}
}

// node writes a node; place is 0 in an alternative, 1 for one of several, 2 in a sequence, 3
// before a repetition.
func (w *larkWriter) node(n *gbnf.Node, place int) {
	switch n.Op {
	case gbnf.Alt:
		w.list(n.Kids, " | ", 0, place)
	case gbnf.Seq:
		w.list(n.Kids, " ", 1, place)
	case gbnf.Repeat:
		w.node(n.Kids[0], 3)
		w.b.WriteString(gbnf.Bounds(n))
	case gbnf.Ref:
		w.b.WriteString(w.names[n.Rule])
	case gbnf.Literal:
		w.literal(n.Text, place)
	default:
		w.b.WriteString(w.terminal(n))
	}
}

func (w *larkWriter) list(kids []*gbnf.Node, sep string, op, place int) {
	gbnf.List(&w.b, kids, sep, place > op, func(k *gbnf.Node) { w.node(k, op+1) })
}

func (w *larkWriter) literal(text string, place int) {
	if len(text) < 2 || !w.split[text[0]] {
		w.b.WriteString(larkQuote(text))
		return
	}
	var kids []*gbnf.Node
	for _, r := range text {
		kids = append(kids, &gbnf.Node{Op: gbnf.Class, Ranges: ecma.Set{{Lo: r, Hi: r}}})
	}
	w.list(kids, " ", 2, place)
}

func (w *larkWriter) terminal(n *gbnf.Node) string {
	switch n.Op {
	case gbnf.Class:
		return larkClass(n.Ranges)
	case gbnf.Symbol:
		return w.larkSymbol(n)
	case gbnf.JSON:
		return w.define("json", "%json "+w.larkSchema(n))
	case gbnf.Until:
		return w.text(n)
	}
	return `""`
}

// define gives a terminal or rule of its own to what may not stand inside of another.
func (w *larkWriter) define(word, body string) string {
	name, ok := w.terminals[body]
	if !ok {
		name = fmt.Sprintf("%s_%d", word, len(w.terminals))
		w.terminals[body] = name
		w.defined = append(w.defined, name+": "+body)
	}
	return name
}

func (w *larkWriter) larkSymbol(n *gbnf.Node) string {
	switch {
	case n.Not:
		w.loosen("a negated special token is any character")
		return `/(?s:.)/`
	case n.Text == "":
		return fmt.Sprintf("<[%d]>", n.ID)
	case gbnf.PlainSymbol(n.Text):
		return n.Text
	}
	w.loosen("the special token %s is accepted as text only", n.Text)
	w.narrow("the special token %s is accepted as text only", n.Text)
	return larkQuote(n.Text)
}

// text is text in which no marker is complete, or, if the node has a Text, text whose first marker
// is at its end and is this one.
func (w *larkWriter) text(n *gbnf.Node) string {
	const any = `(?s:.*)`
	if len(n.Markers) == 0 {
		return "/" + any + "/"
	}
	body := "/" + any + "/"
	behind := any
	if n.Text != "" {
		body = "/" + any + regexQuote(n.Text) + "/"
		behind = `(?s:.+)`
	}
	markers := make([]string, len(n.Markers))
	for i, m := range n.Markers {
		markers[i] = regexQuote(m)
	}
	return w.define("TEXT", body+" & ~/"+any+"(?:"+strings.Join(markers, "|")+")"+behind+"/") // one complement: each is costly
}

func larkClass(ranges ecma.Set) string {
	if len(ranges) == 1 && ranges[0].Lo == ranges[0].Hi {
		return larkQuote(string(ranges[0].Lo))
	}
	if len(ranges) == 1 && ranges[0] == (ecma.Range{Lo: 0, Hi: unicode.MaxRune}) {
		return `/(?s:.)/`
	}
	var b strings.Builder
	b.WriteString("/[")
	for _, x := range ranges {
		b.WriteString(larkRune(x.Lo))
		if x.Hi > x.Lo {
			b.WriteString("-" + larkRune(x.Hi))
		}
	}
	return b.String() + "]/"
}

// larkRune writes a code point of a class by number, unless it is a letter or a digit: nothing has
// to be escaped then.
func larkRune(r rune) string {
	if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
		return string(r)
	}
	return fmt.Sprintf(`\x{%X}`, r)
}

func regexQuote(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteString(larkRune(r))
	}
	return b.String()
}

// larkQuote writes a literal; Lark's escapes are those of JSON.
func larkQuote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""` // a string always can be encoded
	}
	return strings.TrimSpace(b.String())
}
