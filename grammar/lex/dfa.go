package lex

import "slices"

// DFA is a whole automaton over code points, minimal, for printers: each state reads as a right-linear rule.
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
	Ranges []RuneRange
	To     int
}

// Automaton returns the minimal automaton of the texts in e; what is not valid UTF-8 is left out. It has no states if there are none.
// The error is a *LimitError when more than maxStates states are met on the way (some five times what the result needs are common).
func (a *Arena) Automaton(e Expr, maxStates int) (*DFA, error) {
	earlier := a.Err()
	a.setErr(nil) // what was met before does not matter
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
	return a.quotient(states, a.classes(states)), nil
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

// classes numbers the states so that equivalent ones, and only those, have one number (Moore's refinement).
func (a *Arena) classes(states []State) map[State]int {
	class := map[State]int{}
	for _, s := range states {
		class[s] = boolInt(a.Accepting(s))
	}
	for count := 0; ; {
		ids := map[string]int{}
		next := map[State]int{}
		for _, s := range states {
			key := a.signature(s, class)
			if _, ok := ids[key]; !ok {
				ids[key] = len(ids)
			}
			next[s] = ids[key]
		}
		class = next
		if len(ids) == count {
			return class
		}
		count = len(ids)
	}
}

// signature spells the state's class and, range by range, those of its successors.
func (a *Arena) signature(s State, class map[State]int) string {
	key := []byte{byte(boolInt(a.Accepting(s)))}
	row := a.Row(s)
	for b := 0; b < 256; b++ {
		if b > 0 && row[b] == row[b-1] {
			continue
		}
		c := -1
		if row[b] != Dead {
			c = class[row[b]]
		}
		key = append(key, byte(b), byte(c), byte(c>>8), byte(c>>16))
	}
	// Ranges that differ in state but not in class would make equivalent states look different.
	return string(mergeSignature(key))
}

// mergeSignature drops ranges whose class is that of the range before.
func mergeSignature(key []byte) []byte {
	out := key[:1]
	for i := 1; i < len(key); i += 4 {
		if n := len(out); n > 1 && slices.Equal(out[n-3:], key[i+1:i+4]) {
			continue
		}
		out = append(out, key[i:i+4]...)
	}
	return out
}

// quotient keeps one state of each class that is between code points.
func (a *Arena) quotient(states []State, class map[State]int) *DFA {
	d := &DFA{}
	index := map[int]int{class[states[0]]: 0}
	members := []State{states[0]}
	for i := 0; i < len(members); i++ {
		s := members[i]
		ranges := map[int][]RuneRange{}
		var order []int
		a.eachRuneRange(s, func(r RuneRange, t State) {
			j, ok := index[class[t]]
			if !ok {
				j = len(members)
				index[class[t]] = j
				members = append(members, t)
			}
			if ranges[j] == nil {
				order = append(order, j)
			}
			ranges[j] = append(ranges[j], r)
		})
		state := DFAState{Accept: a.Accepting(s)}
		for _, j := range order {
			state.Edges = append(state.Edges, DFAEdge{newRuneSet(ranges[j]...), j})
		}
		d.States = append(d.States, state)
	}
	return d
}

// eachRuneRange calls f for ranges of code points and the state that they lead to from s.
func (a *Arena) eachRuneRange(s State, f func(RuneRange, State)) {
	row := a.Row(s)
	for b := 0; b < 0x80; b++ {
		lo := b
		for b < 0x7F && row[b+1] == row[lo] {
			b++
		}
		if row[lo] != Dead {
			f(RuneRange{rune(lo), rune(b)}, row[lo])
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

// eachTail reads the continuation bytes that are left after the bits of prefix; blocks that lead to one state are not split.
func (a *Arena) eachTail(s State, prefix rune, left int, f func(RuneRange, State)) {
	if t, ok := a.blockTarget(s, left); ok {
		f(RuneRange{prefix << (6 * left), (prefix+1)<<(6*left) - 1}, t)
		return
	}
	row := a.Row(s)
	for b := rune(0x80); b <= 0xBF; b++ {
		switch t := row[b]; {
		case t == Dead:
		case left == 1:
			f(RuneRange{prefix<<6 | b&0x3F, prefix<<6 | b&0x3F}, t)
		default:
			a.eachTail(t, prefix<<6|b&0x3F, left-1, f)
		}
	}
}

// blockTarget returns the state that all sequences of left continuation bytes lead to, if it is one.
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
