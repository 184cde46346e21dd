package lex

import "slices"

// IsEmpty reports whether e has no word. The error is a *LimitError when that could not be found
// out.
func (a *Arena) IsEmpty(e Expr) (bool, error) {
	var live bool
	err := a.attempt(a.limits.Work, func() { live = a.live(e) })
	return !live && err == nil, err
}

// Subset reports whether every word of x is one of y.
func (a *Arena) Subset(x, y Expr) (bool, error) {
	var live bool
	err := a.attempt(a.limits.Work, func() { live = a.live(a.intersect(x, a.not(y))) })
	return !live && err == nil, err
}

// live reports whether e has a word. When the work runs out it fails and answers false, at once if
// asked again.
//
// Only intersections and complements need a search; it recurses into parts of smaller depth only,
// hence ends.
func (a *Arena) live(e Expr) bool {
	n := a.at(e)
	switch n.live {
	case yes:
		return true
	case no:
		return false
	case undecided:
		a.fail(&LimitError{What: "derivatives for one question", Limit: a.limits.Work, Spent: true})
		return false
	}
	saved := a.err
	a.err = nil
	var live bool
	switch n.kind {
	case kindConcat:
		l, r := Expr(n.a), Expr(n.b)
		live = a.live(l) && a.live(r)
	case kindRepeat:
		live = a.live(Expr(n.a)) // min is not 0, or it were nullable
	case kindUnion:
		for _, x := range n.args {
			if live = a.live(x); live {
				break
			}
		}
	default:
		if v := a.byLength(e); v != unknown {
			live = v == yes
			break
		}
		if live = a.goesOn(e); !live {
			a.ask(func() { live = a.search(e) })
		}
	}
	switch {
	case a.err == nil || live:
		a.settle(e, live)
	case a.work < 0 && !a.hasty:
		a.nodes[e].live = undecided
		a.given++
	}
	if saved != nil {
		a.err = saved
	}
	return live
}

// possible is live for states that are reached, where a question too hard to answer counts as yes,
// unless there is something better: see fillRow.
func (a *Arena) possible(e Expr) bool { return a.live(e) || a.at(e).live == undecided }

// budget is how many derivatives a question about a state may take. Each question that was given
// up halves it, five times at most: others like it are as hard.
func (a *Arena) budget() int { return a.limits.Work >> min(a.given, 5) }

func (a *Arena) settle(e Expr, live bool) {
	a.nodes[e].live = no
	if live {
		a.nodes[e].live = yes
	}
}

// Plain reports whether e is seen to have a word without a search. Where it takes a search to see,
// the answer is no.
func (a *Arena) Plain(e Expr) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.plainlyLive(e)
}

func (a *Arena) plainlyLive(e Expr) bool {
	n := a.at(e)
	switch {
	case n.live != unknown:
		return n.live == yes
	case n.kind == kindConcat:
		return a.plainlyLive(Expr(n.a)) && a.plainlyLive(Expr(n.b))
	case n.kind == kindRepeat:
		return a.plainlyLive(Expr(n.a))
	case n.kind == kindUnion:
		return slices.ContainsFunc(n.args, a.plainlyLive)
	}
	return false
}

// search explores the derivatives of an intersection or complement, those first that seem nearest
// to acceptance, until it meets a live one. Finding none proves all explored ones empty; finding
// one proves every explored one that leads to it live.
func (a *Arena) search(start Expr) bool {
	depth := a.at(start).depth
	seen := map[Expr]int{start: 0}
	found := []Expr{start}
	var edges [][2]int // predecessor, successor in found
	goal := -1
	open := frontier{{expr: start}}
	for len(open) > 0 && goal < 0 && a.err == nil {
		v := open.pop()
		i := seen[v.expr]
		a.eachSuccessor(v.expr, func(d Expr, by byte) bool {
			if a.err != nil {
				return false
			}
			j, ok := seen[d]
			if !ok {
				j = len(found)
				seen[d] = j
				found = append(found, d)
				open.push(vertex{d, v.cost - 1, a.outlook(d)}) // near before far
			}
			edges = append(edges, [2]int{i, j})
			if !ok && a.knownLive(d, depth) {
				goal, a.onward = j, by
			}
			return goal < 0
		})
	}
	switch {
	case a.err != nil:
		return false
	case goal >= 0:
		a.settlePredecessors(found, edges, goal)
		return true
	}
	for _, e := range found {
		a.settle(e, false)
	}
	return false
}

// goesOn tries the last byte by which a search came to what was known to be live: it often leads
// there from other states of the automaton, too. Where a limit is met nothing is known: what was
// given up inside of a complement would hold more than it should.
func (a *Arena) goesOn(e Expr) bool {
	d := a.derive(e, a.onward)
	return a.err == nil && a.plainlyLive(d)
}

// outlook orders what a search looks at: by the bytes that are missing at least, and then by how
// many languages an intersection leaves out. What begins as few of those do has the most room to
// differ from all.
func (a *Arena) outlook(e Expr) int32 {
	n := a.at(e)
	bytes, excluded := min(n.span.minBytes, 1<<14), 0
	if n.kind == kindIntersect {
		for _, x := range n.args {
			switch n := a.at(x); {
			case n.kind == kindNot:
				excluded += 1 + len(a.at(Expr(n.a)).args)
			case !n.nullable:
				excluded++
			}
		}
	}
	return bytes<<16 + int32(min(excluded, 1<<16-1))
}

// knownLive decides d at once, or by a smaller search; an undecided one of the same depth is
// explored instead.
func (a *Arena) knownLive(d Expr, depth int32) bool {
	n := a.at(d)
	if n.live == yes || n.live == no {
		return n.live == yes
	}
	if n.depth < depth && a.live(d) {
		return true
	}
	switch a.byLength(d) {
	case yes:
		return true
	case no:
		a.settle(d, false)
	}
	return false
}

// eachSuccessor calls f for the derivatives of e that are not known to be empty, each with a byte
// that it is by, for a union for its parts, until f returns false.
func (a *Arena) eachSuccessor(e Expr, f func(d Expr, by byte) bool) {
	n := a.at(e)
	if n.live == no {
		return
	}
	if n.kind == kindUnion {
		for _, x := range n.args {
			if !f(x, a.onward) {
				return
			}
		}
		return
	}
	var buffer [maxRuns]byteRun
	for i, r := range a.runs(e, buffer[:0]) {
		if int(r.class) != i {
			continue
		}
		if d := a.derive(e, r.lo); a.at(d).live != no && !f(d, r.lo) {
			return
		}
	}
}

// settlePredecessors marks live everything from which found[goal] is reached over the edges.
func (a *Arena) settlePredecessors(found []Expr, edges [][2]int, goal int) {
	into := make([][]int, len(found))
	for _, e := range edges {
		into[e[1]] = append(into[e[1]], e[0])
	}
	a.settle(found[goal], true)
	marked := make([]bool, len(found))
	marked[goal] = true
	for stack := []int{goal}; len(stack) > 0; {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, p := range into[i] {
			if !marked[p] {
				marked[p] = true
				a.settle(found[p], true)
				stack = append(stack, p)
			}
		}
	}
}
