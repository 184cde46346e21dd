package machine

import (
	"encoding/binary"
	"slices"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// keysID is an interned set of keys.
type keysID int32

const noKeys keysID = 0

// maxKeySets is how many fit into the state of an object.
const maxKeySets = 1 << (31 - keysShift)

// keySets holds all sets of keys that objects have and do not name.
type keySets struct {
	lists [][]textID // sorted
	index map[string]keysID
	after map[[2]int32]keysID // memo of with
	items int
}

func newKeySets() *keySets {
	return &keySets{lists: make([][]textID, 1), index: map[string]keysID{}, after: map[[2]int32]keysID{}}
}

func (s *keySets) has(keys keysID, key textID) bool {
	_, has := slices.BinarySearch(s.lists[keys], key)
	return has
}

// with is a set with one more key; false if there are too many sets.
func (s *keySets) with(keys keysID, key textID) (keysID, bool) {
	memo := [2]int32{int32(keys), int32(key)}
	if id, ok := s.after[memo]; ok {
		return id, true
	}
	i, _ := slices.BinarySearch(s.lists[keys], key)
	list := slices.Insert(slices.Clone(s.lists[keys]), i, key)
	text := make([]byte, 0, 4*len(list))
	for _, x := range list {
		text = binary.LittleEndian.AppendUint32(text, uint32(x))
	}
	id, ok := s.index[string(text)]
	if !ok {
		if len(s.lists) == maxKeySets {
			return noKeys, false
		}
		id = keysID(len(s.lists))
		s.lists = append(s.lists, list)
		s.index[string(text)] = id
		s.items += len(list)
	}
	s.after[memo] = id
	return id, true
}

// ended is a key that has just been read: the object that waits for it, with the
// register that the key is already part of, and the set its value belongs to.
type ended struct {
	object *object
	entry  entry
	reg    register
	node   *schema.Node
	key    string
}

// member is a way to go on behind a key: what its value is, and the object that
// waits for that, with the key.
type member struct {
	value int32
	entry
}

// endKey adds the members of a key that may meet obligations: one for each choice of
// those that its value meets; next is the first obligation not yet decided, 0 for
// callers.
func (m *Machine) endKey(k ended, next int) {
	o := k.object
	if next == len(o.exists) {
		if o.alt.MaxProps == schema.Unbounded || o.room(&k.reg) >= countBits(o.owed(k.reg.seen, -1))+o.unmet(&k.reg) {
			m.addMember(o, k.entry, k.reg, m.valueIndex(o.unit, k.node))
		}
		return
	}
	m.endKey(k, next+1)
	x := o.exists[next]
	if k.reg.counts[next] >= x.least || !o.unit.arena.Accepting(o.unit.arena.Walk(x.keys, k.key)) {
		return
	}
	empty := true
	o.unit.locked(func() {
		k.node = k.node.And(x.node)
		empty = k.node.Empty()
	})
	if empty {
		return
	}
	k.reg.counts = slices.Clone(k.reg.counts)
	k.reg.counts[next]++
	m.endKey(k, next+1)
}

func (m *Machine) addMember(o *object, e entry, r register, value int32) {
	m.addInterned(o, e, o.intern(r), r.keys, value)
}

func (m *Machine) addInterned(o *object, e entry, reg int32, keys keysID, value int32) {
	phase := int32(phaseAfter)
	if o.regs[reg].key != 0 {
		phase = phaseElement
	}
	e.st, e.aux = inPhase(phase, keys), reg
	m.behind = append(m.behind, member{value, e})
}

// awaitMembers appends the threads behind a key: one for each set that its value may
// be of, whatever waits for it.
func (m *Machine) awaitMembers(dst []thread, t thread) []thread {
	list := m.behind
	slices.SortFunc(list, func(a, b member) int {
		if a.value != b.value {
			return int(a.value - b.value)
		}
		return compareFrames(a.frame, b.frame)
	})
	t.st, t.aux = phaseColon, 0
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].value == list[from].value {
			to++
		}
		t.def, t.stack = def(kindValue, int(list[from].value)), m.stacks.ofMembers(list[from:to])
		dst = append(dst, t)
		from = to
	}
	m.behind = list[:0]
	return dst
}

// nameList is the named keys of objects, sorted, and how they may be spelled.
type nameList struct {
	names   []string
	escapes lex.Escapes
}

// nameListOf numbers lists of names.
func (m *Machine) nameListOf(names []string, escapes lex.Escapes) int32 {
	key := binary.AppendUvarint(nil, uint64(escapes))
	for _, name := range names {
		key = append(binary.AppendUvarint(key, uint64(len(name))), name...)
	}
	i, ok := m.nameListIDs[string(key)]
	if !ok {
		i = int32(len(m.nameLists))
		m.nameLists = append(m.nameLists, nameList{names, escapes})
		m.nameListIDs[string(key)] = i
	}
	return i
}

// has says whether a key is named.
func (x *nameList) has(key []byte) bool {
	_, named := slices.BinarySearchFunc(x.names, key, func(name string, key []byte) int {
		switch {
		case name < string(key):
			return -1
		case name > string(key):
			return 1
		}
		return 0
	})
	return named
}
