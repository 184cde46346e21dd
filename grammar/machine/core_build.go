package machine

import (
	"fmt"
	"slices"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/lex/ecma"
)

// builder turns rule trees into automata. Alternatives that begin alike share that beginning, so
// that a choice between 500 tool names is a trie and not 500 threads.
type builder struct {
	p        *Program
	g        *gbnf.Grammar
	captures bool
	units    map[*gbnf.Node]*Unit
	trees    []*gbnf.Node // of the program's rules
	err      error

	classIDs map[lex.ByteSet]int32
	subIDs   map[string]int32
	subNodes map[*gbnf.Node]int32
	nameIDs  map[string]int32
	symIDs   map[SymbolRef]int32
	// rules made for repeated groups, by text
	hoisted map[string]int32
	// what is built stands in this rule, which is written out; nil if in none
	within *writtenOut
	// how many rules were written out within others, in choices of their own
	nested int
}

func (b *builder) newRule(name string) int32 {
	b.p.rules, b.trees = append(b.p.rules, rule{name: name}), append(b.trees, nil)
	return int32(len(b.p.rules) - 1)
}

func (b *builder) rule(i int32, n *gbnf.Node) {
	b.trees[i] = n
	start := b.state()
	b.p.rules[i].start = start
	end := b.node(n, start)
	b.p.states[end].final = true
}

func (b *builder) state() int32 {
	if len(b.p.states) >= maxStates {
		b.fail(fmt.Errorf("grammar is too large: its repetitions expand to more than %d states", maxStates))
		return 0
	}
	b.p.states = append(b.p.states, state{})
	return int32(len(b.p.states) - 1)
}

func (b *builder) edge(from int32, o op, arg, to int32) {
	s := &b.p.states[from]
	s.edges = append(s.edges, edge{o, arg, to})
}

// step adds an edge to a new state.
func (b *builder) step(from int32, o op, arg int32) int32 {
	to := b.state()
	b.edge(from, o, arg, to)
	return to
}

// node builds n from the state from on and returns the state where it ends. Nothing leads into
// that state from elsewhere, unless it is from itself.
func (b *builder) node(n *gbnf.Node, from int32) int32 {
	if b.err != nil {
		return from
	}
	switch n.Op {
	case gbnf.Literal:
		for i := range len(n.Text) {
			from = b.step(from, opBytes, b.byte(n.Text[i]))
		}
		return from
	case gbnf.Class:
		return b.runes(n.Ranges, from)
	case gbnf.Seq:
		for _, k := range n.Kids {
			from = b.node(k, from)
		}
		return from
	case gbnf.Alt:
		return b.choice(n.Kids, from)
	case gbnf.Repeat:
		return b.repeat(n, from)
	case gbnf.Capture:
		return b.capture(n, from)
	case gbnf.Empty:
		return from
	}
	return b.terminal(n, from)
}

func (b *builder) terminal(n *gbnf.Node, from int32) int32 {
	switch n.Op {
	case gbnf.Ref:
		return b.step(from, opCall, int32(n.Rule))
	case gbnf.Check:
		return b.step(from, opCheck, 0)
	case gbnf.Symbol:
		return b.symbol(n, from)
	default:
		return b.sub(n, from)
	}
}

func (b *builder) class(c lex.ByteSet) int32 { return numbered(b.classIDs, &b.p.classes, c, c) }

func (b *builder) byte(x byte) int32 {
	var c lex.ByteSet
	c.Add(x)
	return b.class(c)
}

// runes splits a class into its ASCII part, one edge, and the rest, whose UTF-8 is an automaton of
// package lex.
func (b *builder) runes(ranges ecma.Set, from int32) int32 {
	var ascii lex.ByteSet
	var rest ecma.Set
	for _, x := range ranges {
		for c := x.Lo; c <= min(x.Hi, 0x7F); c++ {
			ascii.Add(byte(c))
		}
		if x.Hi > 0x7F {
			rest = append(rest, ecma.Range{Lo: max(x.Lo, 0x80), Hi: x.Hi})
		}
	}
	to := b.state()
	if ascii != (lex.ByteSet{}) {
		b.edge(from, opBytes, b.class(ascii), to)
	}
	if rest != nil {
		b.edge(from, opSub, b.subID(&gbnf.Node{Op: gbnf.Class, Ranges: rest}), to)
	}
	return to
}

func (b *builder) symbol(n *gbnf.Node, from int32) int32 {
	ref := SymbolRef{Text: n.Text, ID: n.ID}
	id := numbered(b.symIDs, &b.p.symbols, ref, ref)
	if !n.Not {
		return b.step(from, opSym, id)
	}
	to := b.step(from, opOther, id)
	b.edge(from, opBytes, b.class(lex.ByteRange(0, 255)), to)
	return to
}

func (b *builder) sub(n *gbnf.Node, from int32) int32 {
	to := b.step(from, opSub, b.subID(n))
	if b.mayBeEmpty(n) {
		b.edge(from, opNone, 0, to)
	}
	return to
}

// mayBeEmpty says whether a terminal matches the empty text.
func (b *builder) mayBeEmpty(n *gbnf.Node) bool {
	switch n.Op {
	case gbnf.Until:
		return true
	case gbnf.Regex, gbnf.Quoted:
		return b.matchesEmpty(n.Text)
	case gbnf.Plain:
		return b.units[n].plainMayBeEmpty(n)
	case gbnf.Each:
		return !slices.ContainsFunc(n.Kids, func(k *gbnf.Node) bool { return !k.IsOptional() })
	}
	return false
}

func (b *builder) subID(n *gbnf.Node) int32 {
	if id, ok := b.subNodes[n]; ok {
		return id
	}
	id := b.newSubID(n)
	b.subNodes[n] = id
	return id
}

func (b *builder) newSubID(n *gbnf.Node) int32 {
	key := gbnf.Identity(n)
	id, ok := b.subIDs[key]
	if !ok {
		id = int32(len(b.p.subs))
		b.subIDs[key] = id
		b.p.subs = append(b.p.subs, n)
		if n.Op == gbnf.Each {
			b.p.eaches[n] = b.each(n)
		}
	}
	return id
}

func (b *builder) capture(n *gbnf.Node, from int32) int32 {
	if !b.captures {
		return b.node(n.Kids[0], from)
	}
	id := b.name(n.Text)
	from = b.step(from, opBegin, id)
	return b.step(b.node(n.Kids[0], from), opEnd, id)
}

func (b *builder) name(s string) int32 { return numbered(b.nameIDs, &b.p.names, s, s) }

// matchesEmpty says whether a regular expression matches the empty text, and reports patterns that
// cannot be compiled.
func (b *builder) matchesEmpty(pattern string) bool {
	a := lex.NewArena(lex.Limits{})
	// anchors make (a)|(b) of a)|(b, and change nothing of the empty text
	e, err := a.Regex(pattern)
	if err != nil {
		b.fail(fmt.Errorf("regular expression %q: %w", pattern, err))
		return false
	}
	return a.Accepting(a.Start(e))
}

// anchored makes a pattern match from end to end: package lex searches, as JSON Schema does.
func anchored(pattern string) string { return "^(?:" + pattern + ")$" }

func (b *builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}
