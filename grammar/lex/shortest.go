package lex

import "sync/atomic"

// metric is what a distance counts.
type metric int

const (
	inBytes metric = iota
	inRunes
	inJSON // bytes inside a JSON string literal
	metrics
)

// MinBytes returns the length of the shortest accepted continuation, 0 for Dead. If a limit on
// work is met, it is a lower bound.
func (a *Arena) MinBytes(s State) int { return a.stateDistance(s, inBytes) }

// MinRunes returns the least number of code points that an accepted continuation begins.
func (a *Arena) MinRunes(s State) int { return a.stateDistance(s, inRunes) }

// MinRunesOf is MinRunes for an expression that has a word. It has half of the work that
// stateDistance has; the error is a *LimitError if that is too little. MinRunes of the states is
// then likely to fail, too.
func (a *Arena) MinRunesOf(e Expr) (runes int, err error) {
	work := a.limits.Work / distanceShare
	err = a.attempt(work, func() {
		a.retriable = true
		d, ok := a.distance(e, inRunes)
		if a.retriable = false; !ok {
			a.fail(&LimitError{What: "derivatives for the shortest word", Limit: work, Spent: true})
		}
		runes = int(d)
	})
	return runes, err
}

// distanceShare is the part of Limits.Work that MinRunesOf may take: one in so many.
const distanceShare = 5

// stateDistance is the distance of a state. It takes no lock for one that is memoised.
func (a *Arena) stateDistance(s State, m metric) int {
	memo := a.page(s).distances[m].Load()
	if memo != nil {
		if d := memo[s%pageSize].Load(); d > 0 {
			return int(d - 1)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.work, a.retriable = 2*a.limits.Work/distanceShare>>min(a.missedDistances[m], 4), true
	d, ok := a.distance(a.Expr(s), m)
	if a.retriable = false; !ok {
		a.missedDistances[m]++ // and similar ones will be
	}
	slot := &a.page(s).distances[m]
	if slot.Load() == nil {
		slot.Store(new([pageSize]atomic.Int32))
	}
	slot.Load()[s%pageSize].Store(d + 1)
	return int(d)
}

// Longest returns the number of code points in the longest accepted continuation, if continuations
// are a finite set of words.
func (a *Arena) Longest(s State) (runes int, listed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.at(a.Expr(s))
	return int(n.span.maxRunes), n.kind == kindWords
}

func (n *node) least(m metric) int32 {
	switch m {
	case inRunes:
		return n.span.minRunes
	case inJSON:
		return n.span.minJSON
	}
	return n.span.minBytes
}

func (m metric) cost(b byte) int32 {
	switch m {
	case inRunes:
		return runeCost(b)
	case inJSON:
		return jsonCost(b)
	}
	return 1
}

// cheapest returns the least cost of the bytes of a class.
func (m metric) cheapest(runs []byteRun, class int) int32 {
	least := int32(huge)
	for _, r := range runs {
		if int(r.class) != class {
			continue
		}
		for b := int(r.lo); b <= int(r.hi); b++ {
			least = min(least, m.cost(byte(b)))
		}
	}
	return least
}

// distance returns the cost of the shortest word of e, by A* over derivatives. Spans are
// admissible estimates. They are exact for plain expressions, where the search stops. If the work
// runs out, it returns the estimate and false.
func (a *Arena) distance(e Expr, m metric) (int32, bool) {
	if d, ok := a.knownDistance(e, m); ok {
		return d, true
	} else if n := a.at(e); n.kind == kindShared {
		return int32(a.sharedOf(n).arena.stateDistance(State(n.a), m)), true
	}
	saved := a.err
	a.err = nil
	var d int32
	var ok bool
	a.ask(func() { d, ok = a.searchDistance(e, m) })
	a.err = saved // a failed search takes no words away
	if !ok {
		return a.at(e).least(m), false
	}
	return d, true
}

// knownDistance is distance where that takes no search; otherwise its second result is false.
func (a *Arena) knownDistance(e Expr, m metric) (int32, bool) {
	switch n := a.at(e); {
	case n.nullable:
		return 0, true
	case n.plain:
		return n.least(m), true
	case n.distance[m] > 0:
		return n.distance[m] - 1, true
	}
	s := a.lengthsOf(e)
	return s.next(0), s.exact && s.bits.Sign() > 0 && (m == inRunes || s.cheap)
}

func (a *Arena) searchDistance(start Expr, m metric) (int32, bool) {
	best := map[Expr]int32{start: 0}
	from := map[Expr]Expr{}
	queue := frontier{{start, 0, a.at(start).least(m)}}
	for len(queue) > 0 {
		v := queue.pop()
		if v.cost > best[v.expr] {
			continue
		}
		if rest, ok := a.knownDistance(v.expr, m); ok {
			if v.cost+rest > v.estimate {
				queue.push(vertex{v.expr, v.cost, v.cost + rest})
				continue
			}
			a.rememberPath(from, best, v, m)
			return v.estimate, true
		}
		var buffer [maxRuns]byteRun
		runs := a.runs(v.expr, buffer[:0])
		for i, r := range runs {
			if int(r.class) != i {
				continue
			}
			d := a.prune(a.derive(v.expr, r.lo))
			if a.err != nil {
				return 0, false
			}
			cost := v.cost + m.cheapest(runs, i)
			if old, seen := best[d]; d != empty && (!seen || cost < old) {
				best[d], from[d] = cost, v.expr
				queue.push(vertex{d, cost, cost + a.at(d).least(m)})
			}
		}
	}
	return 0, false
}

// rememberPath stores the exact distances of the expressions on the shortest path to the goal.
func (a *Arena) rememberPath(from map[Expr]Expr, best map[Expr]int32, goal vertex, m metric) {
	for e := goal.expr; ; {
		if a.at(e).distance[m] == 0 {
			a.nodes[e].distance[m] = goal.estimate - best[e] + 1
		}
		prev, ok := from[e]
		if !ok {
			return
		}
		e = prev
	}
}
