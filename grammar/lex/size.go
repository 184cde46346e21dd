package lex

import "unsafe"

// Size is how many bytes the arena takes, which grows while automata are walked. It takes
// little time, however large that is, and never waits: while another goroutine has the lock, it
// returns its last result.
func (a *Arena) Size() int {
	if a.mu.TryLock() {
		a.lastSize.Store(int64(a.weigh()))
		a.mu.Unlock()
	}
	return int(a.lastSize.Load())
}

func (a *Arena) weigh() int {
	pages := int(a.stateCount) / pageSize // without the first, which all arenas share
	stringPages := int(a.strings.count) / pageSize
	exprs := cap(a.leaves) + cap(a.headSeen) + cap(a.stack) + cap(a.scratch) + cap(a.sorted)
	for i := range a.shared {
		exprs += cap(a.shared[i].exprs)
	}
	for _, states := range a.strings.texts {
		exprs += cap(states)
	}
	for i := range pages {
		p := a.pages[i].Load()
		for m := range metrics {
			// the last page may not be there yet
			if p != nil && p.distances[m].Load() != nil {
				exprs += pageSize
			}
		}
	}
	return int(unsafe.Sizeof(*a)) + a.lengthBytes +
		cap(a.nodes)*int(unsafe.Sizeof(node{})) + 4*cap(a.args) + 4*exprs +
		cap(a.words.nodes)*int(unsafe.Sizeof(wordNode{})) + cap(a.words.edges)*int(unsafe.Sizeof(edge{})) +
		len(a.index.slots)*int(unsafe.Sizeof(internSlot{})) + len(a.words.index.slots)*int(unsafe.Sizeof(internSlot{})) +
		(len(a.derived.young.slots)+len(a.derived.old.slots))*int(unsafe.Sizeof(derivedSlot(0))) +
		(min(a.rowCount, a.limits.Rows)+len(a.rows.free)+len(a.stringRows.free))*int(unsafe.Sizeof(Row{})) +
		pages*int(unsafe.Sizeof(page{})) + stringPages*int(unsafe.Sizeof(stringPage{})) +
		a.numbers.size() + perMapEntry*(len(a.words.pairs)+len(a.abstracted)+len(a.reaches)+len(a.strings.ids))
}

// perMapEntry is about how many bytes a map takes for a small key and value.
const perMapEntry = 40

// perNumber is about how many bytes the digits of a state take.
const perNumber = 48

// perSet is about how many bytes a set takes, with its bounds and keys in maps.
const perSet = 700

func (t *numberTable) size() int {
	state, key := int(unsafe.Sizeof(numberState{})), int(unsafe.Sizeof(numberKey{}))
	return len(t.states)*(state+perNumber+(key+4)*3/2) + (len(t.sets)+len(t.parts))*perSet
}
