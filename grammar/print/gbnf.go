package print

import (
	"fmt"
	"slices"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/lex/ecma"
	"tenon/grammar/machine"
)

// Units are the compiled schemas of a grammar's %json terminals.
type Units map[*gbnf.Node]*machine.Unit

// Result is a grammar in plain GBNF.
type Result struct {
	Grammar  *gbnf.Grammar
	Loosened []string // what makes it accept more than the grammar
	Narrowed []string // what makes it accept less
}

// rule is one that only a test leaves out, to show what it is for (ablation_test.go).
type rule string

const (
	ruleNumbers  rule = "sets of numbers"   // number.go
	rulePatterns rule = "patterns"          // language.go
	ruleLengths  rule = "bounds on lengths" // json.go
	ruleApart    rule = "other keys apart"  // object.go
	ruleMarkers  rule = "markers"           // gbnf.go
	ruleShare    rule = "sharing"           // share.go
	ruleInline   rule = "inlining"          // inline.go
)

// withoutRule is what a test has left out: nothing in a program.
var withoutRule rule

// printer writes the rules of the result.
type printer struct {
	units Units
	out   gbnf.Grammar
	names map[string]int
	// how many rules are those of the grammar: they come first, under their names
	given int
	parts map[string]int // rules of our own that many places refer to, by word and variant
	arena *lex.Arena
	texts map[language]*gbnf.Node // written before; nil if they take too many states

	loosened, narrowed []string
	err                error // the first of a rule
	keep               bool  // symbols stay symbols
}

// Plain gives a grammar with nothing in it but GBNF. With symbols, special tokens stay terminals,
// as llama.cpp knows them; else they become their texts.
func Plain(g *gbnf.Grammar, units Units, symbols bool) (*Result, error) {
	p := newPrinter(g, units, symbols)
	if err := p.rules(g); err != nil {
		return nil, err
	}
	p.shape()
	if withoutRule != ruleShare {
		p.share()
	}
	if withoutRule != ruleInline {
		p.inline()
	}
	return &Result{&p.out, p.loosened, p.narrowed}, nil
}

func newPrinter(g *gbnf.Grammar, units Units, symbols bool) *printer {
	p := &printer{units: units, names: map[string]int{}, parts: map[string]int{}, arena: lex.NewArena(lex.Limits{}), texts: map[language]*gbnf.Node{}, keep: symbols}
	for _, r := range g.Rules {
		p.rule(r.Name)
	}
	p.out.Root, p.given = g.Root, len(g.Rules)
	return p
}

// rules prints all rules of g.
func (p *printer) rules(g *gbnf.Grammar) error {
	for i, r := range g.Rules {
		n := p.node(r.Node)
		if p.err != nil {
			return fmt.Errorf("rule %s: %w", r.Name, p.err)
		}
		p.out.Rules[i].Node = n // whose place may be another by now
	}
	return nil
}

// rule returns the index of a new rule.
func (p *printer) rule(name string) int {
	i := len(p.out.Rules)
	p.names[name] = i
	p.out.Rules = append(p.out.Rules, gbnf.Rule{Name: name})
	return i
}

// fresh returns the index of a new rule whose name begins with a word.
func (p *printer) fresh(word string) int {
	for n := len(p.out.Rules); ; n++ {
		name := fmt.Sprintf("%s-%d", word, n)
		if _, taken := p.names[name]; !taken {
			return p.rule(name)
		}
	}
}

// part is the rule of something that is written the same everywhere, such as an escape. The
// caller gives the rule its node, which is the same each time for one word and variant.
func (p *printer) part(word, variant string) int {
	key := word + " " + variant
	i, ok := p.parts[key]
	if !ok {
		if _, taken := p.names[word]; taken {
			i = p.fresh(word)
		} else {
			i = p.rule(word)
		}
		p.parts[key] = i
	}
	return i
}

// loosen notes that more is accepted than the grammar says.
func (p *printer) loosen(format string, args ...any) {
	p.loosened = addNote(p.loosened, fmt.Sprintf(format, args...))
}

// narrow notes that less is accepted than the grammar says.
func (p *printer) narrow(format string, args ...any) {
	p.narrowed = addNote(p.narrowed, fmt.Sprintf(format, args...))
}

func addNote(notes []string, text string) []string {
	if slices.Contains(notes, text) {
		return notes
	}
	return append(notes, text)
}

func (p *printer) node(n *gbnf.Node) *gbnf.Node {
	switch n.Op {
	case gbnf.Capture:
		return p.node(n.Kids[0])
	case gbnf.Check:
		return literal("")
	case gbnf.Symbol:
		return p.symbol(n)
	case gbnf.Until:
		return p.until(n.Markers)
	case gbnf.Regex:
		return p.regex(n.Text, "regex", func(c ecma.Set) *gbnf.Node { return class(c...) })
	case gbnf.Quoted:
		return p.regex(n.Text, "quoted", p.spellRanges)
	case gbnf.JSON:
		return p.json(n)
	case gbnf.Plain:
		return p.plain(n)
	case gbnf.Each:
		return p.each(n)
	}
	m := n.WithKids(p.node)
	if m.Op == gbnf.Seq {
		return gbnf.Sequence(m.Kids...)
	}
	return m
}

// regex is what a regular expression matches from end to end, each character as spell writes it.
func (p *printer) regex(text, word string, spell func(ecma.Set) *gbnf.Node) *gbnf.Node {
	e, err := p.arena.Regex("^(?:" + text + ")$")
	if err != nil {
		p.err = fmt.Errorf("regular expression %q: %w", text, err)
		return literal("")
	}
	x, ok := p.automaton(p.arena, e, word, spell)
	if !ok {
		p.loosen("a regular expression has too many states to be written as rules: any text is accepted in its place")
		x = star(spell(ecma.Set{{Lo: 0, Hi: 0x10FFFF}}))
	}
	return x
}

func (p *printer) symbol(n *gbnf.Node) *gbnf.Node {
	if p.keep && (n.Text == "" || gbnf.PlainSymbol(n.Text)) {
		return n
	}
	if n.Not || n.Text == "" {
		p.loosen("a token is named by its id, or negated: any character is accepted in its place")
		return anyRune()
	}
	p.loosen("the special token %s is accepted when it is spelled by ordinary tokens, too", n.Text)
	return literal(n.Text)
}

// until is text in which no marker is complete, as one rule for each state of the automaton that
// looks for them.
func (p *printer) until(markers []string) *gbnf.Node {
	if len(markers) == 0 || withoutRule == ruleMarkers {
		return star(anyRune())
	}
	words := make([]lex.Expr, len(markers))
	a := p.arena
	for i, m := range markers {
		words[i] = a.Concat(a.AnyText(), a.Literal(m), a.AnyText())
	}
	x, ok := p.language(a, a.Intersect(a.AnyText(), a.Complement(a.Union(words...))), "until")
	if !ok {
		p.loosen("markers are too long to be looked for by rules: the text before them may hold them")
		return star(anyRune())
	}
	return x
}

func literal(s string) *gbnf.Node {
	if s == "" {
		return &gbnf.Node{Op: gbnf.Empty}
	}
	return &gbnf.Node{Op: gbnf.Literal, Text: s}
}

func repeat(n *gbnf.Node, least, most int) *gbnf.Node {
	if most == 0 {
		return &gbnf.Node{Op: gbnf.Empty}
	}
	if least == 1 && most == 1 {
		return n
	}
	return &gbnf.Node{Op: gbnf.Repeat, Kids: []*gbnf.Node{n}, Min: least, Max: most}
}

func star(n *gbnf.Node) *gbnf.Node { return repeat(n, 0, gbnf.Unbounded) }

func ref(rule int) *gbnf.Node { return &gbnf.Node{Op: gbnf.Ref, Rule: rule} }

func class(ranges ...ecma.Range) *gbnf.Node { return &gbnf.Node{Op: gbnf.Class, Ranges: ranges} }

func anyRune() *gbnf.Node { return class(ecma.Range{Lo: 0, Hi: 0x10FFFF}) }
