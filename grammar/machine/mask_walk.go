package machine

import (
	"slices"
	"unsafe"

	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// walker runs threads down a tree of token texts. What the threads have become at a node is a
// state, interned, and the successors of a state that is met again are kept: tokens are full of
// runs of blanks and digits, in which a walk comes back to the same few states thousands of times.
type walker struct {
	// by depth: the state behind the path's first bytes
	at         [vocab.MaxPiece + 2]walkState
	walkStates            // those among which the walk's first one is
	others     walkStates // those among which it is not: see choose
	buf        []thread
	stepped    int // threads, by the way
}

// walkStates is the states of walks, and what is known of each.
type walkStates struct {
	threads pile[thread]   // of all states
	spans   []listID       // by state: its threads
	rows    []*walkRow     // by state: nil unless it has been met twice
	met     []bool         // by state
	expects []*lex.ByteSet // by state: bytes worth trying, nil for all
	table   idTable        // of states
	free    []*walkRow     // rows of states that have been forgotten
	bytes   int            // that rows and expects take
	served  bool           // a walk has come back to them since the others were forgotten
}

// walkState is a set of threads; walkRow is a state's successor for every byte.
type (
	walkState int32
	walkRow   [256]walkState
)

const (
	walkUnknown walkState = 0 // a successor not yet computed
	walkDead    walkState = 1 // no threads
)

// maxWalkStates is the number of states to which no walk adds its first one. Most take 50 bytes
// beside their threads, those with a row 1 KiB.
const maxWalkStates = 1 << 11

// maxWalkThreads is the number of threads in them, likewise. Tests lower it.
var maxWalkThreads = 1 << 16

// run adds every token of a tree that the threads can read.
func (w *walker) run(k *collector, tree *vocab.Trie, start []thread) {
	if len(start) == 0 {
		return
	}
	w.begin(k, 0, start)
	w.walk(k, tree.Nodes)
}

// runBelow adds the tokens of the subtree of node i, whose own text the threads have read.
func (w *walker) runBelow(k *collector, tree *vocab.Trie, i int, start []thread) {
	if len(start) == 0 {
		return
	}
	n := &tree.Nodes[i]
	if n.Token >= 0 {
		k.add(n.Token)
	}
	w.begin(k, int(n.Depth), start)
	w.walk(k, tree.Nodes[i+1:i+int(n.Size)])
}

// begin sets the threads that have read the path's first d bytes.
func (w *walker) begin(k *collector, d int, start []thread) {
	w.choose(start)
	w.at[d] = w.intern(start)
	w.meet(k.m, w.at[d], manyTried)
}

// choose takes the one of two halves that has the walk's first state, or else one that has space
// for another walk. Where neither has, it forgets the half that no walk has come back to.
func (w *walker) choose(start []thread) {
	h := hashThreads(start)
	switch {
	case w.knows(h, start):
	case w.others.knows(h, start):
		w.walkStates, w.others = w.others, w.walkStates
		w.served = true
	case !w.fitsAnother():
		if w.others.fitsAnother() || !w.others.served {
			w.walkStates, w.others = w.others, w.walkStates
		}
		if !w.fitsAnother() {
			w.forget()
			w.others.served = false
		}
	}
}

// fitsAnother says whether another walk may begin among the states.
func (w *walkStates) fitsAnother() bool { return len(w.spans) > 0 && w.within(1) }

// within says whether the states are at most so many times as many as begin a new walk.
func (w *walkStates) within(times int) bool {
	return len(w.spans) <= times*maxWalkStates && w.threads.items <= times*maxWalkThreads
}

// knows says whether some threads are among the states, which walks that go on from one to the
// next have not made too many.
func (w *walkStates) knows(h uint32, list []thread) bool {
	return w.within(2) && w.find(h, list) != walkUnknown
}

// tidy lets go of states that one walk has made far more of than another may add to.
func (w *walker) tidy() {
	for _, half := range []*walkStates{&w.walkStates, &w.others} {
		if !half.within(4) {
			*half = walkStates{}
		}
	}
}

// forget begins with no states. Rows are used again: that costs less than to make thousands, and
// to collect them.
func (w *walkStates) forget() {
	for _, row := range w.rows {
		if row != nil {
			w.free = append(w.free, row)
		}
	}
	if len(w.spans) == 0 {
		w.table = newIDTable()
	}
	w.table.clear()
	clear(w.rows)
	clear(w.expects)
	w.bytes = len(w.free) * int(unsafe.Sizeof(walkRow{}))
	w.threads = pile[thread]{}
	w.spans = append(w.spans[:0], listID{}, listID{})
	w.met, w.rows, w.expects = append(w.met[:0], false, false), append(w.rows[:0], nil, nil), append(w.expects[:0], nil, nil)
}

// newRow returns a row that knows nothing.
func (w *walkStates) newRow() *walkRow {
	if n := len(w.free); n > 0 {
		row := w.free[n-1]
		w.free = w.free[:n-1]
		*row = walkRow{}
		return row
	}
	w.bytes += int(unsafe.Sizeof(walkRow{}))
	return new(walkRow)
}

func (w *walker) walk(k *collector, nodes []vocab.Node) {
	visited, from := 0, 0
	for i := 0; i < len(nodes); visited++ {
		if visited-from+w.stepped*threadWork >= walkBlock {
			k.visit(visited-from, w.stepped*threadWork)
			from, w.stepped = visited, 0
		}
		n := &nodes[i]
		above := w.at[n.Depth-1] // a first byte has depth 1
		s := walkDead
		if x := w.expects[above]; x == nil || x.Has(n.Byte) {
			s = w.next(k.m, above, n.Byte)
		}
		if s == walkDead {
			i += int(n.Size)
			continue
		}
		w.at[n.Depth] = s
		if n.Token >= 0 {
			k.add(n.Token)
		}
		if n.Size > 1 {
			w.meet(k.m, s, n.Size)
		}
		i++
	}
	k.visit(visited-from, 0)
}

// walkBlock is the work after which a walk counts it.
const walkBlock = 1 << 10

// manyTried is the size of a subtree from which it pays to know what to try.
const manyTried = 24

// meet prepares a state for what is below it: a row the second time it is met, and what is worth
// trying where there is much.
func (w *walkStates) meet(m *Machine, s walkState, size uint32) {
	if !w.met[s] {
		w.met[s] = true
	} else if w.rows[s] == nil {
		w.rows[s] = w.newRow()
	}
	if size >= manyTried && w.expects[s] == nil && w.rows[s] == nil {
		w.expects[s] = m.expectAny(w.threadsOf(s))
		w.bytes += int(unsafe.Sizeof(lex.ByteSet{}))
	}
}

// manyThreads is the number of threads in one state from which merging pays.
const manyThreads = 8

func (w *walker) next(m *Machine, s walkState, b byte) walkState {
	row := w.rows[s]
	if row != nil && row[b] != walkUnknown {
		return row[b]
	}
	w.buf = w.buf[:0]
	w.stepped += int(w.spans[s].n)
	for _, t := range w.threadsOf(s) {
		w.buf = m.step(w.buf, t, int(b))
	}
	if len(w.buf) > manyThreads {
		w.buf = m.normalise(w.buf)
	}
	next := walkDead
	if len(w.buf) > 0 {
		next = w.intern(w.buf)
	}
	if row != nil {
		row[b] = next
	}
	return next
}

func (w *walkStates) intern(list []thread) walkState {
	h := hashThreads(list)
	if s := w.find(h, list); s != walkUnknown {
		return s
	}
	s := walkState(len(w.spans))
	w.spans = append(w.spans, w.threads.add(list...))
	w.rows, w.met, w.expects = append(w.rows, nil), append(w.met, false), append(w.expects, nil)
	w.table.part(h).put(h, int32(s))
	return s
}

// find is the state that is some threads, walkUnknown if there is none.
func (w *walkStates) find(h uint32, list []thread) walkState {
	if len(w.spans) == 0 {
		return walkUnknown
	}
	part := w.table.part(h)
	mask := uint32(len(part.slots) - 1)
	for i := h & mask; part.slots[i].id != 0; i = (i + 1) & mask {
		if x := part.slots[i]; x.hash == h && slices.Equal(w.threadsOf(walkState(x.id)), list) {
			return walkState(x.id)
		}
	}
	return walkUnknown
}

func (w *walkStates) threadsOf(s walkState) []thread { return w.threads.list(w.spans[s]) }
