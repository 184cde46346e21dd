package print

import (
	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/lex/ecma"
)

const (
	maxStates = 500  // how many states an automaton may have to be written as rules
	maxMet    = 6000 // how many may be met on the way to it
)

// language is what rules are written for: an expression, and what its rules are called, on which
// depends how they spell.
type language struct {
	arena *lex.Arena
	expr  lex.Expr
	word  string
}

// language writes the texts of e as right-linear rules, one for each state of their automaton. It
// fails if there are too many.
func (p *printer) language(a *lex.Arena, e lex.Expr, word string) (*gbnf.Node, bool) {
	return p.automaton(a, e, word, func(c ecma.Set) *gbnf.Node { return class(c...) })
}

// automaton is language with a choice of how code points are spelled.
func (p *printer) automaton(a *lex.Arena, e lex.Expr, word string, spell func(ecma.Set) *gbnf.Node) (*gbnf.Node, bool) {
	key := language{a, e, word}
	n, known := p.texts[key]
	if !known {
		n = p.states(a, e, word, spell)
		p.texts[key] = n
	}
	return n, n != nil
}

// states writes the states of an automaton; nil says that there are too many.
func (p *printer) states(a *lex.Arena, e lex.Expr, word string, spell func(ecma.Set) *gbnf.Node) *gbnf.Node {
	d, err := a.Automaton(e, maxMet)
	if err != nil || len(d.States) == 0 || len(d.States) > maxStates {
		return nil
	}
	rules := map[int]int{} // by state; those that only end have none
	for i, s := range d.States {
		if len(s.Edges) > 0 {
			rules[i] = p.fresh(word)
		}
	}
	for i, r := range rules { // in any order: the rules have their places
		p.out.Rules[r].Node = stateRule(d.States[i], rules, spell)
	}
	if r, ok := rules[d.Start]; ok {
		return ref(r)
	}
	return literal("")
}

func stateRule(s lex.DFAState, rules map[int]int, spell func(ecma.Set) *gbnf.Node) *gbnf.Node {
	var kids []*gbnf.Node
	for _, edge := range s.Edges {
		n := spell(bridged(edge.Ranges))
		if r, ok := rules[edge.To]; ok {
			n = gbnf.Sequence(n, ref(r))
		}
		kids = append(kids, n)
	}
	if s.Accept {
		kids = append(kids, literal(""))
	}
	return gbnf.Choice(kids...)
}

// bridged closes the gap that surrogates leave: they are no code points, and a class is shorter
// without the gap.
func bridged(ranges ecma.Set) ecma.Set {
	var out ecma.Set
	for _, x := range ranges {
		if n := len(out); n > 0 && out[n-1].Hi == 0xD7FF && x.Lo == 0xE000 {
			out[n-1].Hi = x.Hi
			continue
		}
		out = append(out, x)
	}
	return out
}
