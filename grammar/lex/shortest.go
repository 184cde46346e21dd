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

// MinBytes returns the length of the shortest accepted continuation, 0 for Dead. Where the limit
// on work is hit it is a lower bound.
func (a *Arena) MinBytes(s State) int { return a.minimum(s, inBytes) }

// MinRunes returns the least number of code points that an accepted continuation begins.
func (a *Arena) MinRunes(s State) int { return a.minimum(s, inRunes) }

// Fewest is MinRunes for an expression that has a word. The error is a *LimitError when it could
// not be found out with half of the work that is spent on a state: then it is not to be expected
// of the states either.
func (a *Arena) Fewest(e Expr) (runes int, err error) {
	work := a.limits.Work / fewestShare
	err = a.attempt(work, func() {
		a.hasty = true
		d, ok := a.nearest(e, inRunes)
		if a.hasty = false; !ok {
			a.fail(&LimitError{What: "derivatives for the shortest word", Limit: work, Spent: true})
		}
		runes = int(d)
	})
	return runes, err
}

// fewestShare is the part of the work for one question that is spent on a shortest word before
// there are states.
const fewestShare = 5

// minimum takes the lock only for states that it was not asked about before.
func (a *Arena) minimum(s State, m metric) int {
	memo := a.page(s).distances[m].Load()
	if memo != nil {
		if d := memo[s%pageSize].Load(); d > 0 {
			return int(d - 1)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.work, a.hasty = 2*a.limits.Work/fewestShare>>min(a.missed[m], 4), true
	d, ok := a.nearest(a.Expr(s), m)
	if a.hasty = false; !ok {
		a.missed[m]++ // and others will be
	}
	slot := &a.page(s).distances[m]
	if slot.Load() == nil {
		slot.Store(new([pageSize]atomic.Int32))
	}
	slot.Load()[s%pageSize].Store(d + 1)
	return int(d)
}

// Shortest returns a shortest accepted continuation, nil for Dead.
func (a *Arena) Shortest(s State) []byte {
	if s == Dead {
		return nil
	}
	out := []byte{}
	for !a.Accepting(s) {
		row, want := a.Row(s), a.MinBytes(s)-1
		next := -1
		for b, t := range row {
			if t != Dead && (next < 0 || t != row[next]) && a.MinBytes(t) <= want {
				next = b
				break
			}
		}
		if next < 0 {
			return nil // the limit on work was hit
		}
		out = append(out, byte(next))
		s = row[next]
	}
	return out
}

// Longest returns how many code points the longest accepted continuation begins, if continuations
// are listed words.
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

// nearest returns the exact distance from e to its nearest word, by A* over derivatives: spans are
// admissible estimates, and exact for plain expressions, where the search stops. When the work
// runs out it returns the estimate and false.
func (a *Arena) nearest(e Expr, m metric) (int32, bool) {
	if d, ok := a.atOnce(e, m); ok {
		return d, true
	} else if n := a.at(e); n.kind == kindShared {
		return int32(a.sharedOf(n).arena.minimum(State(n.a), m)), true
	}
	saved := a.err
	a.err = nil
	var d int32
	var ok bool
	a.ask(func() { d, ok = a.findNearest(e, m) })
	a.err = saved // which words there are does not change
	if !ok {
		return a.at(e).least(m), false
	}
	return d, true
}

// atOnce is nearest where that takes no search.
func (a *Arena) atOnce(e Expr, m metric) (int32, bool) {
	switch n := a.at(e); {
	case n.nullable:
		return 0, true
	case n.plain:
		return n.least(m), true
	case n.distance[m] > 0:
		return n.distance[m] - 1, true
	}
	s := a.lengthsOf(e)
	return s.next(0), s.exact && s.bits.Sign() > 0 && (m == inRunes || s.frugal)
}

func (a *Arena) findNearest(start Expr, m metric) (int32, bool) {
	best := map[Expr]int32{start: 0}
	from := map[Expr]Expr{}
	open := frontier{{start, 0, a.at(start).least(m)}}
	for len(open) > 0 {
		v := open.pop()
		if v.cost > best[v.expr] {
			continue
		}
		if rest, ok := a.atOnce(v.expr, m); ok {
			if v.cost+rest > v.estimate {
				open.push(vertex{v.expr, v.cost, v.cost + rest})
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
				open.push(vertex{d, cost, cost + a.at(d).least(m)})
			}
		}
	}
	return 0, false
}

// rememberPath stores the exact distances of the expressions on the way to the goal.
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
