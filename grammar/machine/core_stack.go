package machine

import "slices"

// stackID is a set of stacks of frames, interned: equal sets have equal ids, so that comparing,
// copying and rolling back are free. Almost always the set holds one stack; ambiguous grammars
// give more, and the sets share their tails, so that their number stays small where that of stacks
// would explode.
type stackID int32

// noStack is the set that holds only the empty stack.
const noStack stackID = 0

// frame is what waits for an automaton to end: the automaton that entered it, and the state in
// which it goes on.
type frame struct {
	def kindDef
	st  int32
	aux int32
}

// entry is one stack of a set: its top frame, and what lies below.
type entry struct {
	frame
	below stackID
}

// stacks holds all sets that a machine has met.
type stacks struct {
	entries pile[entry]
	sets    []listID // by stackID: its entries
	table   idTable
	unions  map[[2]stackID]stackID
	scratch []entry
}

func newStacks() *stacks {
	return &stacks{sets: make([]listID, 1, 256), table: newIDTable(), unions: map[[2]stackID]stackID{}}
}

// of lists the stacks of a set.
func (s *stacks) of(id stackID) []entry { return s.entries.list(s.sets[id]) }

// push gives the set in which every stack has one more frame.
func (s *stacks) push(below stackID, f frame) stackID {
	e := [1]entry{{f, below}}
	return s.intern(e[:])
}

func hashEntries(list []entry) uint32 {
	h := uint64(14695981039346656037)
	for i := range list {
		e := &list[i]
		h = (h ^ uint64(uint32(e.def)) ^ uint64(uint32(e.st))<<32) * 0x9E3779B97F4A7C15
		h = (h ^ h>>29 ^ uint64(uint32(e.aux)) ^ uint64(uint32(e.below))<<32) * 0xBF58476D1CE4E5B9
	}
	return uint32(h ^ h>>32)
}

// intern returns the id of a set whose entries are sorted and distinct.
func (s *stacks) intern(list []entry) stackID {
	h := hashEntries(list)
	part := s.table.part(h)
	mask := uint32(len(part.slots) - 1)
	for i := h & mask; part.slots[i].id != 0; i = (i + 1) & mask {
		if x := part.slots[i]; x.hash == h && slices.Equal(s.of(stackID(x.id)), list) {
			return stackID(x.id)
		}
	}
	id := int32(len(s.sets))
	s.sets = append(s.sets, s.entries.add(list...))
	part.put(h, id)
	return stackID(id)
}

// ofMembers gives the set of the stacks of members, which are sorted by their frames.
func (s *stacks) ofMembers(list []member) stackID {
	base := len(s.scratch)
	for _, x := range list {
		if last := len(s.scratch) - 1; last >= base && s.scratch[last].frame == x.frame {
			below := s.union(s.scratch[last].below, x.below)
			s.scratch[last].below = below
			continue
		}
		s.scratch = append(s.scratch, x.entry)
	}
	id := s.intern(s.scratch[base:])
	s.scratch = s.scratch[:base]
	return id
}

// union joins two sets. Stacks with equal top frames become one entry over the union of what lies
// below.
func (s *stacks) union(a, b stackID) stackID {
	if a == b {
		return a
	}
	if a > b {
		a, b = b, a
	}
	if id, ok := s.unions[[2]stackID{a, b}]; ok {
		return id
	}
	id := s.merge(a, b)
	s.unions[[2]stackID{a, b}] = id
	return id
}

func (s *stacks) merge(a, b stackID) stackID {
	base := len(s.scratch)
	x, y := s.withEmpty(a), s.withEmpty(b)
	for len(x) > 0 || len(y) > 0 {
		switch c := compareHeads(x, y); {
		case c < 0:
			s.scratch = append(s.scratch, x[0])
			x = x[1:]
		case c > 0:
			s.scratch = append(s.scratch, y[0])
			y = y[1:]
		default:
			below := s.union(x[0].below, y[0].below)
			s.scratch = append(s.scratch, entry{x[0].frame, below})
			x, y = x[1:], y[1:]
		}
	}
	id := s.intern(s.scratch[base:])
	s.scratch = s.scratch[:base]
	return id
}

// withEmpty lists the stacks of a set, the empty stack as an entry of its own: only in a union
// does it need one.
func (s *stacks) withEmpty(id stackID) []entry {
	if id == noStack {
		return []entry{{frame: frame{def: defEnd}}}
	}
	return s.of(id)
}

func compareHeads(x, y []entry) int {
	if len(x) == 0 {
		return 1
	}
	if len(y) == 0 {
		return -1
	}
	return compareFrames(x[0].frame, y[0].frame)
}

func compareFrames(a, b frame) int {
	if a.def != b.def {
		return int(a.def) - int(b.def)
	}
	if a.st != b.st {
		return int(a.st) - int(b.st)
	}
	return int(a.aux) - int(b.aux)
}
