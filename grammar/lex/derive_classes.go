package lex

// byteRun is a maximal range of bytes on which the derivatives of an expression visibly agree, and
// the first of the runs that share its derivative: those of one class need to be derived only
// once.
type byteRun struct {
	lo, hi byte
	class  uint8 // index of the class's first run
}

// maxRuns fits the runs of nearly all expressions, for buffers on the stack.
const maxRuns = 64

// runs appends the runs of e, which cover all bytes, to buffer. A derivative depends on the byte
// only through the word sets that stand at the beginning of e, so that runs on which all of those
// agree form a class.
func (a *Arena) runs(e Expr, buffer []byteRun) []byteRun {
	heads := headSet{sets: a.headSets[:0], rows: a.headRows[:0]}
	a.headRound++
	a.heads(e, &heads)
	a.headSets, a.headRows = heads.sets, heads.rows
	bounds := a.at(e).bounds
	for lo := 0; lo < 256; {
		run, hi := byteRun{lo: byte(lo)}, bounds.from(lo+1)
		if heads.tables { // derived for every run
			run.class = uint8(len(buffer))
		}
		run.hi = byte(hi - 1)
		buffer = append(buffer, run)
		lo = hi
	}
	if heads.tables {
		return buffer
	}
	var to [256]int32 // by run
	for _, s := range heads.sets {
		edges := a.words.nodes[s].edges
		for i, r := range buffer {
			for len(edges) > 0 && edges[0].hi < r.lo {
				edges = edges[1:]
			}
			if to[i] = int32(noWords); len(edges) > 0 && edges[0].lo <= r.lo {
				to[i] = int32(edges[0].next)
			}
		}
		a.refine(buffer, &to)
	}
	for _, row := range heads.rows {
		for i, r := range buffer {
			to[i] = int32(row[r.lo])
		}
		a.refine(buffer, &to)
	}
	return buffer
}

// refine splits each class into those whose runs lead to the same place; to is where each run
// leads. A run is compared with the first of its class, then with the firsts of the classes that
// were split off.
func (a *Arena) refine(runs []byteRun, to *[256]int32) {
	fresh := a.fresh[:0]
	for i := range runs {
		r := &runs[i]
		if to[i] == to[r.class] {
			continue
		}
		from := r.class
		r.class = uint8(i)
		for _, x := range fresh {
			if x.from == from && to[x.first] == to[i] {
				r.class = x.first
				break
			}
		}
		if int(r.class) == i {
			fresh = append(fresh, freshClass{from, r.class})
		}
	}
	a.fresh = fresh
}

// freshClass is a class that was split off another. Both are named by their first runs.
type freshClass struct{ from, first uint8 }

// headSet is what stands at the beginning of an expression.
type headSet struct {
	sets   []wordSet
	rows   []*Row // of states of formats
	tables bool   // something of which nothing tells where runs agree
}

// heads looks at every part once: parts of parts are often the same.
func (a *Arena) heads(e Expr, h *headSet) {
	if int(e) >= len(a.headSeen) {
		a.headSeen = append(a.headSeen, make([]uint32, cap(a.nodes)-len(a.headSeen))...)
	}
	if a.headSeen[e] == a.headRound {
		return
	}
	a.headSeen[e] = a.headRound
	n := a.at(e)
	switch n.kind {
	case kindWords:
		h.sets = append(h.sets, wordSet(n.a))
	case kindConcat:
		a.heads(Expr(n.a), h)
		if a.at(Expr(n.a)).nullable {
			a.heads(Expr(n.b), h)
		}
	case kindUnion, kindIntersect:
		for _, x := range n.args {
			a.heads(x, h)
		}
	case kindNot, kindRepeat:
		a.heads(Expr(n.a), h)
	case kindShared:
		if row := a.sharedRow(n); row != nil {
			h.rows = append(h.rows, row)
		} else {
			a.heads(a.imported(n), h)
		}
	case kindNumber:
		h.tables = true
	}
}
