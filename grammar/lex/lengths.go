package lex

// Lengths tells, for the states of one expression, how long (in code points) their accepted continuations can be. It is for callers that keep
// count of a text's length themselves, so that a bound of 1,000,000 does not become 1,000,000 states. It is immutable.
type Lengths struct {
	index  map[State]int
	sets   []lengthSet
	prefix int // lengths from here on repeat with the period
	period int
}

// lengthSet has bit k set when a continuation of k code points is accepted, for k < prefix+period.
type lengthSet []uint64

func (l lengthSet) has(k int) bool { return l[k>>6]&(1<<(k&63)) != 0 }

// maxLengthRounds bounds how far lengths are followed before they must repeat.
const maxLengthRounds = 20_000

// Lengths analyses all states that s leads to, which is to be a state of valid UTF-8 text. The error is a *LimitError when there are
// more than maxStates or no period shows itself.
func (a *Arena) Lengths(s State, maxStates int) (*Lengths, error) {
	states, err := a.reachable(s, maxStates)
	if err != nil {
		return nil, err
	}
	g := newLengthGraph(a, states)
	seen := map[string]int{}
	var rounds []lengthSet // round k: the states that accept with exactly k code points
	for set := g.accepting(); ; set = g.before(set) {
		key := string(set.bytes())
		if at, ok := seen[key]; ok {
			return g.lengths(rounds, at), nil
		}
		if len(rounds) >= maxLengthRounds {
			return nil, &LimitError{What: "rounds to find the period of lengths", Limit: maxLengthRounds}
		}
		seen[key] = len(rounds)
		rounds = append(rounds, set)
	}
}

// Has reports whether s has an accepted continuation of lo to hi code points, hi < 0 for no upper bound. A state that the analysis did not
// meet has none.
func (l *Lengths) Has(s State, lo, hi int) bool {
	i, ok := l.index[s]
	if !ok || hi >= 0 && lo > hi {
		return false
	}
	set, lo := l.sets[i], max(lo, 0)
	if end := l.prefix + l.period; lo < end {
		for k := lo; k < end && (hi < 0 || k <= hi); k++ {
			if set.has(k) {
				return true
			}
		}
		lo = end
	}
	for k := lo; k < lo+l.period && (hi < 0 || k <= hi); k++ {
		if set.has(l.prefix + (k-l.prefix)%l.period) {
			return true
		}
	}
	return false
}

// Max returns the greatest length, -1 if there is none because there is no bound or the state was not met.
func (l *Lengths) Max(s State) int {
	i, ok := l.index[s]
	if !ok || l.Has(s, l.prefix, -1) {
		return -1
	}
	most := -1
	for k := range l.prefix {
		if l.sets[i].has(k) {
			most = k
		}
	}
	return most
}

// MaxRunes returns the greatest number of code points that an accepted continuation begins: -1 if there is no bound, or none could be
// found within the limits, 0 for Dead.
func (a *Arena) MaxRunes(s State) int {
	if s == Dead {
		return 0
	}
	a.mu.Lock()
	n := *a.at(a.Expr(s))
	work := a.limits.Work
	a.mu.Unlock()
	if n.plain || n.span.maxRunes == 0 {
		return int(n.span.maxRunes)
	}
	l, err := a.Lengths(s, work/100)
	if err != nil {
		return int(n.span.maxRunes)
	}
	return l.Max(s)
}

// lengthGraph has an edge for every byte range that leads from a state to another; leads counts the code point that the byte begins.
type lengthGraph struct {
	a      *Arena
	states []State
	index  map[State]int
	leads  [][]int // targets by a byte that begins a code point
	tails  [][]int // targets by a continuation byte
}

func newLengthGraph(a *Arena, states []State) *lengthGraph {
	g := &lengthGraph{a: a, states: states, index: map[State]int{}}
	for i, s := range states {
		g.index[s] = i
	}
	for _, s := range states {
		var leads, tails []int
		row := a.Row(s)
		for b := 0; b < 256; b++ {
			if row[b] == Dead || b > 0 && row[b] == row[b-1] && b != 0x80 && b != 0xC0 {
				continue
			}
			if runeCost(byte(b)) == 1 {
				leads = append(leads, g.index[row[b]])
			} else {
				tails = append(tails, g.index[row[b]])
			}
		}
		g.leads, g.tails = append(g.leads, leads), append(g.tails, tails)
	}
	return g
}

func (g *lengthGraph) accepting() lengthSet {
	set := make(lengthSet, (len(g.states)+63)/64)
	for i, s := range g.states {
		if g.a.Accepting(s) {
			set[i>>6] |= 1 << (i & 63)
		}
	}
	return g.closeTails(set)
}

// before returns the states from which one more code point leads into set.
func (g *lengthGraph) before(set lengthSet) lengthSet {
	out := make(lengthSet, len(set))
	for i, targets := range g.leads {
		for _, t := range targets {
			if set.has(t) {
				out[i>>6] |= 1 << (i & 63)
				break
			}
		}
	}
	return g.closeTails(out)
}

// closeTails adds the states inside a code point that lead into set; there are at most three on the way.
func (g *lengthGraph) closeTails(set lengthSet) lengthSet {
	for range 3 {
		for i, targets := range g.tails {
			for _, t := range targets {
				if set.has(t) {
					set[i>>6] |= 1 << (i & 63)
				}
			}
		}
	}
	return set
}

func (l lengthSet) bytes() []byte {
	out := make([]byte, 0, 8*len(l))
	for _, w := range l {
		for shift := 0; shift < 64; shift += 8 {
			out = append(out, byte(w>>shift))
		}
	}
	return out
}

// lengths turns the rounds, of which the last leads back to the one at, into a set for each state.
func (g *lengthGraph) lengths(rounds []lengthSet, at int) *Lengths {
	l := &Lengths{index: g.index, prefix: at, period: len(rounds) - at}
	for i := range g.states {
		set := make(lengthSet, (len(rounds)+63)/64)
		for k, round := range rounds {
			if round.has(i) {
				set[k>>6] |= 1 << (k & 63)
			}
		}
		l.sets = append(l.sets, set)
	}
	return l
}
