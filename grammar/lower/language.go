package lower

import (
	"slices"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
)

// maxStates is how many states an automaton may have to be written as rules.
const maxStates = 500

// move is the code points that lead from a state to another.
type move struct {
	to     lex.State
	ranges []gbnf.Range
}

// language writes the automaton from a state on as right-linear rules, one for
// each state. It fails if there are too many.
func (l *lowering) language(a *lex.Arena, start lex.State, word string) (*gbnf.Node, bool) {
	return l.automaton(a, start, word, func(c []gbnf.Range) *gbnf.Node { return class(c...) })
}

// automaton is language with a choice of how code points are spelled.
func (l *lowering) automaton(a *lex.Arena, start lex.State, word string, spell func([]gbnf.Range) *gbnf.Node) (*gbnf.Node, bool) {
	if start == lex.Dead {
		return nil, false
	}
	states := []lex.State{start}
	moves := map[lex.State][]move{}
	for i := 0; i < len(states); i++ {
		if len(states) > maxStates {
			return nil, false
		}
		list := movesOf(a, states[i])
		moves[states[i]] = list
		for _, m := range list {
			if !slices.Contains(states, m.to) {
				states = append(states, m.to)
			}
		}
	}
	rules := map[lex.State]int{}
	for _, s := range states {
		if len(moves[s]) > 0 {
			rules[s] = l.fresh(word)
		}
	}
	for _, s := range states {
		if len(moves[s]) > 0 {
			l.out.Rules[rules[s]].Node = stateRule(a, s, moves[s], rules, spell)
		}
	}
	if len(moves[start]) == 0 {
		return literal(""), true
	}
	return ref(rules[start]), true
}

func stateRule(a *lex.Arena, s lex.State, moves []move, rules map[lex.State]int, spell func([]gbnf.Range) *gbnf.Node) *gbnf.Node {
	var kids []*gbnf.Node
	for _, m := range moves {
		n := spell(m.ranges)
		if r, ok := rules[m.to]; ok {
			n = seq(n, ref(r))
		}
		kids = append(kids, n)
	}
	if a.Accepting(s) {
		kids = append(kids, literal(""))
	}
	return alt(kids...)
}

// movesOf groups the code points that a state accepts by where they lead.
func movesOf(a *lex.Arena, s lex.State) []move {
	c := coder{a: a, known: map[suffix][]run{}}
	var list []move
	for _, x := range c.runs(s) {
		i := slices.IndexFunc(list, func(m move) bool { return m.to == x.to })
		if i < 0 {
			i = len(list)
			list = append(list, move{to: x.to})
		}
		list[i].ranges = append(list[i].ranges, gbnf.Range{Lo: x.lo, Hi: x.hi})
	}
	for i := range list {
		list[i].ranges = bridge(gbnf.Normalise(list[i].ranges))
	}
	return list
}

// bridge closes the gap that surrogates leave: they are no code points, and a
// class is shorter without the gap.
func bridge(ranges []gbnf.Range) []gbnf.Range {
	for i := 1; i < len(ranges); i++ {
		if ranges[i-1].Hi == 0xD7FF && ranges[i].Lo == 0xE000 {
			ranges[i-1].Hi = ranges[i].Hi
			return slices.Delete(ranges, i, i+1)
		}
	}
	return ranges
}

// run is a range of code points that lead to one state.
type run struct {
	lo, hi rune
	to     lex.State
}

// suffix is a state behind the first bytes of a code point, and how many more are
// to come.
type suffix struct {
	state lex.State
	more  int
}

// coder turns steps over bytes into steps over code points. Most of them lead
// alike behind many first bytes, and are looked at once.
type coder struct {
	a     *lex.Arena
	known map[suffix][]run
}

// runs lists where the code points lead from a state.
func (c *coder) runs(s lex.State) []run {
	var list []run
	row := c.a.Row(s)
	for b := range 0xF5 {
		if row[b] == lex.Dead {
			continue
		}
		switch {
		case b < 0x80:
			list = extend(list, run{rune(b), rune(b), row[b]})
		case b >= 0xF0:
			list = c.behind(list, row[b], 3, rune(b&0x07))
		case b >= 0xE0:
			list = c.behind(list, row[b], 2, rune(b&0x0F))
		case b >= 0xC2:
			list = c.behind(list, row[b], 1, rune(b&0x1F))
		}
	}
	return list
}

// behind adds the code points whose first bytes lead to a state and say prefix.
func (c *coder) behind(list []run, s lex.State, more int, prefix rune) []run {
	base := prefix << (6 * more)
	for _, x := range c.suffixes(suffix{s, more}) {
		list = extend(list, run{base + x.lo, base + x.hi, x.to})
	}
	return list
}

// suffixes lists where the last bytes of code points lead, as if those before them
// were zero.
func (c *coder) suffixes(x suffix) []run {
	if list, ok := c.known[x]; ok {
		return list
	}
	var list []run
	row := c.a.Row(x.state)
	for b := 0x80; b < 0xC0; b++ {
		switch to := row[b]; {
		case to == lex.Dead:
		case x.more == 1:
			list = extend(list, run{rune(b & 0x3F), rune(b & 0x3F), to})
		default:
			list = c.behind(list, to, x.more-1, rune(b&0x3F))
		}
	}
	c.known[x] = list
	return list
}

// extend adds a run, to the last one if it goes on with it.
func extend(list []run, x run) []run {
	if n := len(list); n > 0 && list[n-1].to == x.to && list[n-1].hi+1 == x.lo {
		list[n-1].hi = x.hi
		return list
	}
	return append(list, x)
}
