package lex

import "slices"

// IsEmpty reports whether e has no word. The error is a *LimitError if that could not be decided.
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

// Holds reports whether text is a word of e. In sets of words, and in what is combined of them, it
// is looked up: states that nobody walks again are not made.
func (a *Arena) Holds(e Expr, text string) bool {
	a.mu.Lock()
	n, rest := *a.at(e), noWords
	if n.kind == kindWords {
		rest = wordSet(n.a)
		for i := range len(text) {
			rest = a.words.after(rest, text[i])
		}
	}
	final := a.words.nodes[rest].final
	a.mu.Unlock()
	switch n.kind {
	case kindWords:
		return final
	case kindNot:
		return !a.Holds(Expr(n.a), text)
	case kindUnion:
		return slices.ContainsFunc(n.args, func(x Expr) bool { return a.Holds(x, text) })
	case kindIntersect:
		return !slices.ContainsFunc(n.args, func(x Expr) bool { return !a.Holds(x, text) })
	}
	return a.Accepting(a.Walk(a.Start(e), text))
}

// live reports whether e has a word. If the work runs out, it fails and answers false, and does so
// at once when asked again.
//
// Only intersections and complements need a search. It asks live only of parts of smaller depth,
// and therefore ends.
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
		live = a.live(Expr(n.a)) // min is above 0: it is not nullable
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
		a.ask(func() { live = a.tryLiveByte(e) || a.search(e) })
	}
	switch {
	case a.err == nil || live:
		a.setLive(e, live)
	case a.work < 0 && !a.retriable:
		a.nodes[e].live = undecided
		a.undecidedCount++
	}
	if saved != nil {
		a.err = saved
	}
	return live
}

// mayBeLive is live for successors of states. A question that is too hard counts as yes; fillRow
// then decides.
func (a *Arena) mayBeLive(e Expr) bool { return a.live(e) || a.at(e).live == undecided }

// budget is how many derivatives a question about a state may take. Each question given up halves
// it, five times at most: similar ones are as hard.
func (a *Arena) budget() int { return a.limits.Work >> min(a.undecidedCount, 5) }

func (a *Arena) setLive(e Expr, live bool) {
	a.nodes[e].live = no
	if live {
		a.nodes[e].live = yes
	}
}

// KnownLive reports whether e is known to have a word without a search.
func (a *Arena) KnownLive(e Expr) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.knownLive(e)
}

func (a *Arena) knownLive(e Expr) bool {
	n := a.at(e)
	switch {
	case n.live != unknown:
		return n.live == yes
	case n.kind == kindConcat:
		return a.knownLive(Expr(n.a)) && a.knownLive(Expr(n.b))
	case n.kind == kindRepeat:
		return a.knownLive(Expr(n.a))
	case n.kind == kindUnion:
		return slices.ContainsFunc(n.args, a.knownLive)
	}
	return false
}

// search explores the derivatives of an intersection or complement, best estimate first, until it
// reaches a live one. If it finds none, all explored ones are empty; if it finds one, every
// explored one that leads to it is live.
func (a *Arena) search(start Expr) bool {
	depth := a.at(start).depth
	seen := map[Expr]int{start: 0}
	found := []Expr{start}
	var edges [][2]int // predecessor, successor in found
	goal := -1
	queue := frontier{{expr: start}}
	for len(queue) > 0 && goal < 0 && a.err == nil {
		v := queue.pop()
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
				// on equal estimates, breadth first
				queue.push(vertex{d, v.cost - 1, a.estimate(d)})
			}
			edges = append(edges, [2]int{i, j})
			if !ok && a.decideLive(d, depth) {
				goal, a.liveByte = j, by
			}
			return goal < 0
		})
	}
	switch {
	case a.err != nil:
		return false
	case goal >= 0:
		a.setPredecessorsLive(found, edges, goal)
		return true
	}
	for _, e := range found {
		a.setLive(e, false)
	}
	return false
}

// tryLiveByte reports whether e is live by the last byte that led a search to a live expression:
// that often works for other states of the automaton, too. If a limit is met, it does not know: a
// complement around what was given up would accept too much.
func (a *Arena) tryLiveByte(e Expr) bool {
	d := a.derive(e, a.liveByte)
	return a.err == nil && a.knownLive(d)
}

// estimate orders a search: by the least number of bytes that are missing, and then by the number
// of languages that an intersection excludes. With fewer of those, words are more likely.
func (a *Arena) estimate(e Expr) int32 {
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

// decideLive decides d at once, or by a search of smaller depth. If it does not know, the search
// explores d.
func (a *Arena) decideLive(d Expr, depth int32) bool {
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
		a.setLive(d, false)
	}
	return false
}

// eachSuccessor calls f for the derivatives of e that are not known to be empty, each with a byte
// that leads to it, until f returns false. For a union it calls f for the parts.
func (a *Arena) eachSuccessor(e Expr, f func(d Expr, by byte) bool) {
	n := a.at(e)
	if n.live == no {
		return
	}
	if n.kind == kindUnion {
		for _, x := range n.args {
			if !f(x, a.liveByte) {
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

// setPredecessorsLive marks live everything from which found[goal] is reached over the edges.
func (a *Arena) setPredecessorsLive(found []Expr, edges [][2]int, goal int) {
	into := make([][]int, len(found))
	for _, e := range edges {
		into[e[1]] = append(into[e[1]], e[0])
	}
	a.setLive(found[goal], true)
	marked := make([]bool, len(found))
	marked[goal] = true
	for stack := []int{goal}; len(stack) > 0; {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, p := range into[i] {
			if !marked[p] {
				marked[p] = true
				a.setLive(found[p], true)
				stack = append(stack, p)
			}
		}
	}
}
