package machine

import (
	"math"
	"slices"

	"tenon/grammar/vocab"
)

// unreachable is the distance to an end that does not exist.
const unreachable = math.MaxInt32 / 4

// distances memoises the least number of bytes to an end.
type distances struct {
	states []int32 // by state of the program, to the end of its rule
	stacks map[stackID]int32
}

// Distance returns the least number of bytes to a legal end. A symbol counts as one byte.
func (m *Machine) Distance(id ConfigID) int {
	best := int32(unreachable)
	for _, t := range m.configs.lists[id] {
		best = min(best, m.distanceOf(t))
	}
	return int(best)
}

// distanceOf is how far a thread is from the end. A key is looked at together with the object that
// waits for it, which will know that it is there.
func (m *Machine) distanceOf(t thread) int32 {
	switch t.def.kind() {
	case kindNamedKey:
		return m.nameDistance(t)
	case kindUnnamedKey:
		return m.unnamedKeyDistance(t)
	}
	return add(m.ownDistance(t.def, t.st, t.aux), m.below(t.stack))
}

func add(a, b int32) int32 { return min(a+b, unreachable) }

// below is the distance of what waits in a set of stacks.
func (m *Machine) below(id stackID) int32 {
	if id == noStack {
		return 0
	}
	if d, ok := m.dist.stacks[id]; ok {
		return d
	}
	best := int32(unreachable)
	for _, e := range m.stacks.of(id) {
		best = min(best, add(m.ownDistance(e.def, e.st, e.aux), m.below(e.below)))
	}
	m.dist.stacks[id] = best
	return best
}

// ownDistance is how far an automaton is from its own end.
func (m *Machine) ownDistance(d kindDef, st, aux int32) int32 {
	if distance := kinds[d.kind()].distance; distance != nil {
		return distance(m, d, st, aux)
	}
	return 0
}

// ruleDistance is how far a state is from the end of its rule.
func (m *Machine) ruleDistance(st int32) int32 {
	if m.dist.states == nil {
		m.computeDistances()
	}
	return m.dist.states[st]
}

// maxRelaxed bounds the states looked at for distances; beyond it some are taken to be out of
// reach.
const maxRelaxed = 100_000_000

// computeDistances relaxes all edges until nothing changes. Going through the states backwards
// makes that two or three rounds for most grammars.
func (m *Machine) computeDistances() {
	p := m.prog
	states := make([]int32, len(p.states))
	for i := range states {
		states[i] = unreachable
	}
	m.dist.states = states
	left := maxRelaxed
	for changed := true; changed && left > 0; left -= len(states) {
		changed = false
		for i := len(p.states) - 1; i >= 0; i-- {
			best := states[i]
			if p.states[i].final {
				best = 0
			}
			for _, e := range p.states[i].edges {
				best = min(best, add(m.edgeDistance(e, best), states[e.to]))
			}
			if best < states[i] {
				states[i], changed = best, true
			}
		}
	}
}

// edgeDistance is what passing an edge costs; nothing above limit matters.
func (m *Machine) edgeDistance(e edge, limit int32) int32 {
	switch e.op {
	case opBytes, opSym, opOther:
		return 1
	case opCall:
		return m.dist.states[m.prog.rules[e.arg].start]
	case opSub:
		if limit == 0 || m.dist.states[e.to] >= limit {
			return unreachable
		}
		t := m.enter(e.arg)
		return max(1, m.ownDistance(t.def, t.st, t.aux))
	}
	return 0
}

// Within returns the tokens of Mask after which the shortest end fits into the rest of the budget.
// Where there are none, it returns those that come closest to an end.
//
// Of a large mask not all tokens are looked at: in a text that may be anything each has a state of
// its own. Tokens of one byte always are, for one of them is the next step on the shortest way.
// White space counts only if it comes closer to the end. Distances are upper bounds, so that it
// may seem to come no farther, again and again.
func (k *Masks) Within(id ConfigID, budget int) vocab.Mask {
	mask := k.Mask(id, nil)
	here := k.m.Distance(id)
	if here+2*vocab.MaxPiece < budget {
		return mask // no token is long enough to lead out of reach
	}
	threads := k.m.nearestThreads(id)
	var fit, nearest []int32
	least := math.MaxInt
	looked, derived := 0, k.m.derived()
	each(mask, k.v.Len(), func(token int32) {
		if k.v.Text(token) && len(k.v.Piece(token)) > 1 {
			if looked += len(threads); looked > maxLooked || k.m.derived() > derived+maxSearched {
				return
			}
		}
		d := 0
		if !k.v.IsEOG(token) {
			d = k.distanceAfter(threads, token)
		}
		switch {
		case d <= budget-1:
			fit = append(fit, token)
		case d >= here && isBlank(k.v.Piece(token)):
		case d < least:
			least, nearest = d, append(nearest[:0], token)
		case d == least:
			nearest = append(nearest, token)
		}
	})
	switch {
	case len(fit) > 0:
		return vocab.SparseMask(fit, k.v.Len())
	case len(nearest) > 0:
		return vocab.SparseMask(nearest, k.v.Len())
	}
	return mask
}

// nearestThreads are the threads of a configuration from which the end is nearest, maxNearest at
// most. The shortest way to an end begins in one of them.
func (m *Machine) nearestThreads(id ConfigID) []thread {
	type far struct {
		thread
		distance int32
	}
	all := m.apart(m.configs.lists[id])
	if len(all) <= maxNearest {
		return all
	}
	list := make([]far, len(all))
	for i, t := range all {
		list[i] = far{t, m.distanceOf(t)}
	}
	slices.SortStableFunc(list, func(a, b far) int { return int(a.distance) - int(b.distance) })
	first := make([]thread, maxNearest)
	for i := range first {
		first[i] = list[i].thread
	}
	return first
}

// apart splits threads in keys, so that each waits for one object: distances differ between
// objects.
func (m *Machine) apart(list []thread) []thread {
	var all []thread
	for _, t := range list {
		waiting := m.stacks.of(t.stack)
		if kind := t.def.kind(); kind != kindNamedKey && kind != kindUnnamedKey || len(waiting) == 1 {
			all = append(all, t)
			continue
		}
		for i := range waiting {
			t.stack = m.stacks.intern(waiting[i : i+1 : i+1])
			all = append(all, t)
		}
	}
	return all
}

// distanceAfter is the distance to an end behind a token that some of the threads may read. No
// configuration is kept of it: nearly none of those that are tried is ever entered.
func (k *Masks) distanceAfter(threads []thread, token int32) int {
	m := k.m
	from := len(m.work)
	m.work = append(m.work, threads...)
	inputs := k.symbols[token]
	if inputs == nil {
		for _, b := range k.v.Piece(token) {
			m.stepAll(from, int(b))
		}
	} else {
		m.stepAll(from, inputs...)
	}
	best := int32(unreachable)
	for i := from; i < len(m.work); i++ {
		best = min(best, m.distanceOf(m.work[i]))
	}
	m.work = m.work[:from]
	return int(best)
}

// maxLooked is how often a thread is led through a token of several bytes, those with the lowest
// ids first: the most frequent ones, in most vocabularies.
const maxLooked = 4_096

// maxSearched is how many derivatives are taken to do so: of multiples of a large number each has
// a way to its end that is its own.
const maxSearched = 1 << 13

// maxNearest is how many threads are led through tokens.
const maxNearest = 16

// isBlank says whether a text is white space alone.
func isBlank(text []byte) bool {
	for _, b := range text {
		if !isSpace(b) {
			return false
		}
	}
	return len(text) > 0
}

// each calls f for every token of a mask.
func each(mask vocab.Mask, size int, f func(token int32)) {
	if mask.Kind() == vocab.Sparse {
		for _, id := range mask.IDs() {
			f(id)
		}
		return
	}
	for id := range int32(size) {
		if mask.Allows(id) {
			f(id)
		}
	}
}
