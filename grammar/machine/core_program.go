package machine

import (
	"fmt"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
)

// op says what an edge of a Program consumes or does.
type op uint8

const (
	opNone  op = iota // nothing
	opBytes           // one byte of classes[arg]
	opSym             // the symbol symbols[arg]
	opOther           // any symbol but symbols[arg]
	opCall            // the rule arg
	opSub             // the terminal subs[arg], which has an automaton of its own
	opBegin           // nothing; the capture names[arg] begins
	opEnd             // nothing; the capture names[arg] ends
	opCheck           // nothing; a %check mark
)

type edge struct {
	op  op
	arg int32
	to  int32
}

// state is a state of a rule's automaton. Edges are in order of preference.
type state struct {
	edges []edge
	final bool // the rule may end here
}

type rule struct {
	name     string
	start    int32
	nullable bool
}

// Program is a grammar as a network of automata, one per rule, that call each other. It is
// immutable.
type Program struct {
	states  []state
	rules   []rule
	root    int32
	classes []lex.ByteSet
	subs    []*gbnf.Node
	names   []string
	symbols []SymbolRef
	eaches  map[*gbnf.Node]*anyOrder
}

// SymbolRef names a special token by its text, or by its id where Text is empty.
type SymbolRef struct {
	Text string
	ID   int32
}

// maxStates bounds what repetitions may expand to.
const maxStates = 1_000_000

// Compile makes the program of a grammar, whose schemas are in units. Without captures, the marks
// of captures are left out, which is all that masks need and gives fewer states.
func Compile(g *gbnf.Grammar, units map[*gbnf.Node]*Unit, captures bool) (*Program, error) {
	b := &builder{
		p:        &Program{root: int32(g.Root), eaches: map[*gbnf.Node]*anyOrder{}},
		captures: captures,
		units:    units,
		classIDs: map[lex.ByteSet]int32{},
		subIDs:   map[string]int32{},
		subNodes: map[*gbnf.Node]int32{},
		nameIDs:  map[string]int32{},
		symIDs:   map[SymbolRef]int32{},
		hoisted:  map[string]int32{},
		g:        g,
	}
	for _, r := range g.Rules {
		b.newRule(r.Name)
	}
	for i := range g.Rules {
		b.rule(int32(i), g.Rules[i].Node.WithoutLeftRecursion(i))
	}
	if b.err != nil {
		return nil, b.err
	}
	for i, nullable := range gbnf.NullableRules(b.trees, b.mayBeEmpty) {
		b.p.rules[i].nullable = nullable
	}
	if err := b.p.checkEaches(); err != nil {
		return nil, err
	}
	if err := b.p.checkLeftRecursion(); err != nil {
		return nil, err
	}
	b.p.skipEmpty()
	return b.p, nil
}

// consumesNothing says whether an edge can be passed without input. Terminals with automata of
// their own always count as consuming: those that match the empty text are followed by an edge
// around them.
func (p *Program) consumesNothing(e edge) bool {
	switch e.op {
	case opNone, opBegin, opEnd, opCheck:
		return true
	case opCall:
		return p.rules[e.arg].nullable
	}
	return false
}

// checkLeftRecursion refuses rules that call themselves before they have consumed anything: a
// matcher would never leave them.
func (p *Program) checkLeftRecursion() error {
	const inProgress, finished = 1, 2
	mark := make([]uint8, len(p.rules))
	var visit func(r int32) error
	visit = func(r int32) error {
		mark[r] = inProgress
		for _, called := range p.leftCalls(p.rules[r].start) {
			switch mark[called] {
			case inProgress:
				return fmt.Errorf("rule %q is left recursive through %q: rewrite it so that something is read before it calls itself", p.rules[called].name, p.rules[r].name)
			case 0:
				if err := visit(called); err != nil {
					return err
				}
			}
		}
		mark[r] = finished
		return nil
	}
	for r := range p.rules {
		if mark[r] == 0 {
			if err := visit(int32(r)); err != nil {
				return err
			}
		}
	}
	return nil
}

// leftCalls lists the rules that can be called from s before anything is consumed.
func (p *Program) leftCalls(s int32) []int32 {
	var calls []int32
	seen := map[int32]bool{s: true}
	work := []int32{s}
	for len(work) > 0 {
		s = work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range p.states[s].edges {
			switch e.op {
			case opCall:
				calls = append(calls, e.arg)
			case opSub:
				calls = append(calls, p.leftParts(e.arg)...)
			}
			if p.consumesNothing(e) && !seen[e.to] {
				seen[e.to] = true
				work = append(work, e.to)
			}
		}
	}
	return calls
}

// skipEmpty lets edges lead past states that do nothing but go on, so that equal situations are
// equal states.
func (p *Program) skipEmpty() {
	target := func(s int32) int32 {
		for range 100 {
			x := &p.states[s]
			if x.final || len(x.edges) != 1 || x.edges[0].op != opNone {
				break
			}
			s = x.edges[0].to
		}
		return s
	}
	for i := range p.states {
		for j := range p.states[i].edges {
			e := &p.states[i].edges[j]
			e.to = target(e.to)
		}
	}
	for i := range p.rules {
		p.rules[i].start = target(p.rules[i].start)
	}
}

// returns says whether the only thing left to do in s is to end the rule.
func (p *Program) returns(s int32) bool {
	return p.states[s].final && len(p.states[s].edges) == 0
}
