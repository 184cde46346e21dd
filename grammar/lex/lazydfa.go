package lex

import "sync/atomic"

// State is a state of the deterministic automaton over all expressions of an [Arena]. States with
// the same language are mostly, but not always, equal.
type State int32

// Dead is the state from which nothing is accepted. All others have an accepted continuation.
const Dead State = 0

// Row is a state's successor for every byte.
type Row [256]State

const (
	pageSize = 512
	maxPages = 512
)

// page holds the data of pageSize states. Once readers know a state, only its row and distances
// may still be added.
type page struct {
	rows      [pageSize]atomic.Pointer[Row]
	exprs     [pageSize]Expr
	accept    [pageSize]bool
	distances [metrics]atomic.Pointer[[pageSize]atomic.Int32] // memo of stateDistance, plus 1
}

type pagePointer = atomic.Pointer[page]

// deadRow is shared by all arenas.
var deadRow Row

// Start returns the state before the first byte of e; Dead if e is empty.
func (a *Arena) Start(e Expr) State {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.work = a.limits.Work
	return a.stateOf(e)
}

// Step returns the state after b. It takes no lock and does not allocate when s has been stepped
// from before.
func (a *Arena) Step(s State, b byte) State { return a.Row(s)[b] }

// Walk steps over all of text.
func (a *Arena) Walk(s State, text string) State {
	for i := 0; i < len(text); i++ {
		s = a.Row(s)[text[i]]
	}
	return s
}

// Row returns the successors of s, for inner loops; the result is shared and must not be written.
func (a *Arena) Row(s State) *Row {
	if row := a.page(s).rows[uint32(s)%pageSize].Load(); row != nil {
		return row
	}
	return a.expand(s)
}

func (a *Arena) page(s State) *page { return a.pages[uint32(s)/pageSize].Load() }

// Accepting reports whether the bytes so far are a word.
func (a *Arena) Accepting(s State) bool { return a.page(s).accept[uint32(s)%pageSize] }

// Live reports whether some continuation is accepted: whether s is not Dead.
func (a *Arena) Live(s State) bool { return s != Dead }

// Expr returns the language of the accepted continuations of s.
func (a *Arena) Expr(s State) Expr { return a.page(s).exprs[uint32(s)%pageSize] }

// States returns how many states there are, Dead included; each takes about 1 KiB once stepped
// from.
func (a *Arena) States() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return int(a.stateCount)
}

// expand computes the successors of s, or finds that another goroutine just did.
func (a *Arena) expand(s State) *Row {
	a.mu.Lock()
	defer a.mu.Unlock()
	slot := &a.page(s).rows[s%pageSize]
	if row := slot.Load(); row != nil {
		return row
	}
	if s == Dead {
		slot.Store(&deadRow)
		return &deadRow
	}
	row := a.rows.take()
	e := a.Expr(s)
	if n := *a.at(e); n.kind == kindShared {
		if known := a.sharedRow(&n); known != nil {
			a.expandShared(row, known, &n)
			if a.mayKeepRow() {
				slot.Store(row)
			}
			return row
		}
		e = a.imported(&n)
	}
	a.fillRow(row, e)
	if a.mayKeepRow() {
		slot.Store(row)
	}
	return row
}

// stepOnce returns the successor of s under one byte. ok is false where fillRow might decide
// differently: if it depends on the other successors, or took more work than a row is sure to
// have.
func (a *Arena) stepOnce(s State, b byte) (next State, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if row := a.page(s).rows[s%pageSize].Load(); row != nil {
		return row[b], true
	}
	e := a.Expr(s)
	if n := *a.at(e); n.kind == kindShared {
		if known := a.sharedRow(&n); known != nil {
			return a.stateOf(a.sharedState(int(n.b), known[b])), true
		}
		e = a.imported(&n)
	}
	a.work = a.budget()
	next = a.successor(e, b)
	return next, a.budget()-a.work < a.budget()/16 && (next == Dead || a.knownLive(a.Expr(next)))
}

// fillRow computes the successors of an expression. Those that are not known to be live are left
// out if another one is, or the expression is nullable: a walker must not be led into a dead end
// while it has another way.
func (a *Arena) fillRow(row *Row, e Expr) {
	var buffer [maxRuns]byteRun
	runs := a.runs(e, buffer[:0])
	a.work = a.budget()
	sure, doubtful := a.at(e).nullable, false
	for i, r := range runs {
		t := row[runs[r.class].lo]
		if int(r.class) == i {
			t = a.successor(e, r.lo)
		}
		if t != Dead {
			row.fill(r, t)
			lives := a.knownLive(a.Expr(t))
			sure, doubtful = sure || lives, doubtful || !lives
		}
	}
	if !sure || !doubtful {
		return
	}
	for b, t := range row {
		if t != Dead && !a.knownLive(a.Expr(t)) {
			row[b] = Dead
		}
	}
}

// successor returns the state after b. It is Dead if a limit is met: a complement around what was
// given up would accept too much. Limits met before do not matter, and a hard successor leaves
// some work for the next ones.
func (a *Arena) successor(e Expr, b byte) State {
	saved := a.err
	a.err = nil
	a.work = max(a.work, a.budget()/16)
	d, t := a.derive(e, b), Dead
	if a.checkWords(); a.err == nil {
		t = a.stateOf(d)
		a.checkWords()
	}
	if saved != nil {
		a.err = saved
	}
	return t
}

// maxSlab is how many values a slab makes at once.
const maxSlab = 16

// slab allocates several values at a time: allocating a row alone takes longer than filling it.
type slab[T any] struct {
	free []T
	made int // when last
}

func (s *slab[T]) take() *T {
	if len(s.free) == 0 {
		s.made = min(2*s.made+1, maxSlab)
		s.free = make([]T, s.made)
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

func (row *Row) fill(r byteRun, t State) {
	for b := int(r.lo); b <= int(r.hi); b++ {
		row[b] = t
	}
}

// mayKeepRow counts the rows of states and string states.
func (a *Arena) mayKeepRow() bool {
	a.rowCount++
	return a.rowCount <= a.limits.Rows
}

// stateOf returns the state of an expression, Dead if it is empty.
func (a *Arena) stateOf(e Expr) State {
	e = a.prune(e)
	if e == empty {
		return Dead
	}
	if s := a.nodes[e].state; s != Dead {
		return s
	}
	return a.newState(e)
}

// manyParts is the number of parts from which prune looks for empty ones in a live union, too:
// each part makes steps cost more.
const manyParts = 16

// prune drops the empty parts of a union, and returns ∅ for an empty expression. In a small union
// that is known to be live, it drops only parts known to be empty: to decide each place where a
// lookahead may have begun would take a search each.
func (a *Arena) prune(e Expr) Expr {
	n := a.at(e)
	if n.plain {
		return e
	}
	if n.kind != kindUnion {
		if !a.mayBeLive(e) {
			return empty
		}
		return e
	}
	args, lives := n.args, len(n.args) <= manyParts && a.knownLive(e)
	kept := make([]Expr, 0, len(args))
	for _, x := range args {
		if !lives {
			x = a.prune(x)
		} else if a.at(x).live == no {
			x = empty
		}
		if x != empty {
			kept = append(kept, x)
		}
	}
	if len(kept) == len(args) {
		return e
	}
	return a.union(kept...)
}

func (a *Arena) newState(e Expr) State {
	s := a.stateCount
	if int(s)-pageSize >= a.limits.States { // the first page is not its own
		a.fill("states", a.limits.States)
		return Dead
	}
	if s%pageSize == 0 {
		a.pages[s/pageSize].Store(new(page))
	}
	p := a.page(s)
	p.exprs[s%pageSize] = e
	p.accept[s%pageSize] = a.nodes[e].nullable
	a.nodes[e].state = s
	a.stateCount++
	return s
}
