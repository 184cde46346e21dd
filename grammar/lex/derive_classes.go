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
		hi := bounds.from(lo + 1)
		buffer = append(buffer, byteRun{byte(lo), byte(hi - 1), uint8(len(buffer))})
		lo = hi
	}
	if heads.tables {
		return buffer // derived for every run
	}
	marks := a.marks(&heads, buffer)
	firsts := a.firsts[:0]
	for i := range buffer {
		for _, j := range firsts {
			if marks[i] == marks[j] && a.sameHeads(&heads, buffer[i].lo, buffer[j].lo) {
				buffer[i].class = j
				break
			}
		}
		if int(buffer[i].class) == i {
			firsts = append(firsts, uint8(i))
		}
	}
	a.firsts = firsts
	return buffer
}

// marks hashes, for each run, what the word sets become under its bytes: runs that agree have
// equal marks. Comparing each run with each class instead takes most of the time of languages with
// many alternatives.
func (a *Arena) marks(h *headSet, runs []byteRun) []uint64 {
	marks := a.runMarks[:len(runs)]
	clear(marks)
	for _, s := range h.sets {
		edges := a.words.nodes[s].edges
		for i, r := range runs {
			for len(edges) > 0 && edges[0].hi < r.lo {
				edges = edges[1:]
			}
			if len(edges) > 0 && edges[0].lo <= r.lo {
				marks[i] = mix(marks[i], uint64(edges[0].next))
			} else {
				marks[i] = mix(marks[i], uint64(noWords))
			}
		}
	}
	for _, row := range h.rows {
		for i, r := range runs {
			marks[i] = mix(marks[i], uint64(row[r.lo]))
		}
	}
	return marks
}

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

func (a *Arena) sameHeads(h *headSet, x, y byte) bool {
	for _, s := range h.sets {
		if a.words.after(s, x) != a.words.after(s, y) {
			return false
		}
	}
	for _, row := range h.rows {
		if row[x] != row[y] {
			return false
		}
	}
	return true
}
