package lex

import (
	"tenon/grammar/partition"

	"tenon/grammar/lex/ecma"
)

// DFA is a whole automaton over code points, minimal, for printers: each state reads as a
// right-linear rule.
type DFA struct {
	Start  int
	States []DFAState // reachable from Start, and each with a word before it
}

// DFAState is one state of a DFA.
type DFAState struct {
	Accept bool
	Edges  []DFAEdge // with distinct targets
}

// DFAEdge leads on by any code point of the ranges, which are sorted, disjoint and not adjacent.
type DFAEdge struct {
	Ranges []ecma.Range
	To     int
}

// Automaton returns the minimal automaton of the texts in e; what is not valid UTF-8 is left out.
// It has no states if there are none. The error is a *LimitError if more than maxStates states are
// visited, often five times as many as the result has.
func (a *Arena) Automaton(e Expr, maxStates int) (*DFA, error) {
	earlier := a.Err()
	a.setErr(nil) // an earlier limit does not matter
	d, err := a.automaton(e, maxStates)
	if earlier != nil {
		a.setErr(earlier)
	}
	return d, err
}

func (a *Arena) setErr(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = err
}

func (a *Arena) automaton(e Expr, maxStates int) (*DFA, error) {
	start := a.Start(a.Intersect(e, a.anyText))
	if err := a.Err(); err != nil {
		return nil, err
	}
	if start == Dead {
		return &DFA{}, nil
	}
	states, err := a.reachable(start, maxStates)
	if err != nil {
		return nil, err
	}
	m := newMinimizer(a, states)
	m.class = partition.Coarsest(len(m.states), m.signature, m.before)
	return m.quotient(), nil
}

// reachable returns start and all states after it, in breadth-first order.
func (a *Arena) reachable(start State, limit int) ([]State, error) {
	seen := map[State]bool{start: true}
	states := []State{start}
	for i := 0; i < len(states); i++ {
		last := Dead
		for _, t := range a.Row(states[i]) {
			if t == last || t == Dead || seen[t] {
				continue
			}
			last, seen[t] = t, true
			states = append(states, t)
		}
		if len(states) > limit {
			return nil, &LimitError{What: "states of a whole automaton", Limit: limit}
		}
	}
	return states, a.Err()
}

// minimizer merges the states of an automaton that accept the same.
type minimizer struct {
	*Arena
	states []State // the first is the start
	index  map[State]int32
	moves  [][]move  // by state
	before [][]int32 // by state: its predecessors
	class  []int32   // by state: the number of its equivalence class
}

// move leads on by the bytes from first up to that of the next move; to is -1 for Dead.
type move struct {
	first byte
	to    int32
}

func newMinimizer(a *Arena, states []State) *minimizer {
	m := &minimizer{Arena: a, states: states, index: map[State]int32{}, moves: make([][]move, len(states)), before: make([][]int32, len(states))}
	for i, s := range states {
		m.index[s] = int32(i)
	}
	for i, s := range states {
		last := Dead
		for b, t := range a.Row(s) {
			if b > 0 && t == last {
				continue
			}
			last = t
			to := int32(-1)
			if t != Dead {
				to = m.index[t]
				m.before[to] = append(m.before[to], int32(i))
			}
			m.moves[i] = append(m.moves[i], move{byte(b), to})
		}
	}
	return m
}

// signature appends whether the state accepts and, range by range, the class of its successor.
// Adjacent ranges of one class are one: otherwise equivalent states would have different
// signatures.
func (m *minimizer) signature(buf []byte, i int, class []int32) []byte {
	accept := byte(0)
	if m.Accepting(m.states[i]) {
		accept = 1
	}
	buf = append(buf, accept)
	last := int32(-2)
	for _, x := range m.moves[i] {
		c := int32(-1)
		if x.to >= 0 {
			c = class[x.to]
		}
		if c != last {
			buf = append(buf, x.first, byte(c), byte(c>>8), byte(c>>16))
		}
		last = c
	}
	return buf
}

// quotient keeps one state of each class that is between code points.
func (m *minimizer) quotient() *DFA {
	d := &DFA{}
	index := map[int32]int{m.class[0]: 0}
	members := []State{m.states[0]}
	for i := 0; i < len(members); i++ {
		s := members[i]
		ranges := map[int][]ecma.Range{}
		var order []int
		m.eachRuneRange(s, func(r ecma.Range, t State) {
			c := m.class[m.index[t]]
			j, ok := index[c]
			if !ok {
				j = len(members)
				index[c] = j
				members = append(members, t)
			}
			if ranges[j] == nil {
				order = append(order, j)
			}
			ranges[j] = append(ranges[j], r)
		})
		state := DFAState{Accept: m.Accepting(s)}
		for _, j := range order {
			state.Edges = append(state.Edges, DFAEdge{ecma.NewSet(ranges[j]...), j})
		}
		d.States = append(d.States, state)
	}
	return d
}

// eachRuneRange calls f for ranges of code points and the state that they lead to from s.
func (a *Arena) eachRuneRange(s State, f func(ecma.Range, State)) {
	row := a.Row(s)
	for b := 0; b < 0x80; b++ {
		lo := b
		for b < 0x7F && row[b+1] == row[lo] {
			b++
		}
		if row[lo] != Dead {
			f(ecma.Range{Lo: rune(lo), Hi: rune(b)}, row[lo])
		}
	}
	for b := 0xC2; b <= 0xF4; b++ {
		if t := row[b]; t != Dead {
			switch {
			case b < 0xE0:
				a.eachTail(t, rune(b&0x1F), 1, f)
			case b < 0xF0:
				a.eachTail(t, rune(b&0x0F), 2, f)
			default:
				a.eachTail(t, rune(b&0x07), 3, f)
			}
		}
	}
}

// eachTail is eachRuneRange for the code points whose first bits are prefix, with so many
// continuation bytes left. Blocks that lead to one state are not split.
func (a *Arena) eachTail(s State, prefix rune, left int, f func(ecma.Range, State)) {
	if t, ok := a.blockTarget(s, left); ok {
		f(ecma.Range{Lo: prefix << (6 * left), Hi: (prefix+1)<<(6*left) - 1}, t)
		return
	}
	row := a.Row(s)
	for b := rune(0x80); b <= 0xBF; b++ {
		switch t := row[b]; {
		case t == Dead:
		case left == 1:
			f(ecma.Range{Lo: prefix<<6 | b&0x3F, Hi: prefix<<6 | b&0x3F}, t)
		default:
			a.eachTail(t, prefix<<6|b&0x3F, left-1, f)
		}
	}
}

// blockTarget returns the state that all sequences of so many continuation bytes lead to, if there
// is one.
func (a *Arena) blockTarget(s State, left int) (State, bool) {
	for ; left > 0; left-- {
		row := a.Row(s)
		for b := 0x81; b <= 0xBF; b++ {
			if row[b] != row[0x80] {
				return Dead, false
			}
		}
		s = row[0x80]
	}
	return s, s != Dead
}
