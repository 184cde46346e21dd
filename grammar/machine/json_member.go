package machine

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// keysID is an interned set of keys.
type keysID int32

const noKeys keysID = 0

// maxKeySets is how many fit into the state of an object.
const maxKeySets = 1 << (31 - keysShift)

// keySets holds all sets of keys that objects have and do not name. They are binary tries of the
// keys' ids: sets with the same keys are the same node, whatever came first, and one with a key
// more shares all but the way to that key.
type keySets struct {
	nodes []keyNode // the first is the empty set
	ids   map[keyNode]int32
}

// keyNode is one key, or keys that agree in all bits above one of their ids, by that bit.
type keyNode struct {
	least textID
	bit   textID // 0 where there is one key
	by    [2]keysID
}

func newKeySets() *keySets {
	return &keySets{nodes: make([]keyNode, 1), ids: map[keyNode]int32{}}
}

// side is which of a node's halves a key belongs to.
func (n *keyNode) side(key textID) int {
	if key&n.bit == 0 {
		return 0
	}
	return 1
}

func (s *keySets) has(keys keysID, key textID) bool {
	n := &s.nodes[keys]
	for n.bit != 0 {
		n = &s.nodes[n.by[n.side(key)]]
	}
	return keys != noKeys && n.least == key
}

// appendKeys adds the keys of a set to a list.
func (s *keySets) appendKeys(list []textID, keys keysID) []textID {
	n := &s.nodes[keys]
	switch {
	case keys == noKeys:
		return list
	case n.bit == 0:
		return append(list, n.least)
	}
	return s.appendKeys(s.appendKeys(list, n.by[0]), n.by[1])
}

// with is a set with one more key; false if there are too many sets.
func (s *keySets) with(keys keysID, key textID) (keysID, bool) {
	if len(s.nodes) > maxKeySets-64 { // it takes less than two for each bit
		return noKeys, false
	}
	return s.add(keys, key), true
}

func (s *keySets) add(keys keysID, key textID) keysID {
	n := s.nodes[keys]
	apart := n.least ^ key
	switch {
	case keys == noKeys:
		return s.intern(keyNode{least: key})
	case apart == 0:
		return keys
	case n.bit == 0 || apart >= n.bit<<1:
		up := keyNode{bit: 1 << (bits.Len32(uint32(apart)) - 1)}
		side := up.side(key)
		up.by[side], up.by[1-side] = s.intern(keyNode{least: key}), keys
		up.least = min(n.least, key)
		return s.intern(up)
	}
	side := n.side(key)
	n.by[side] = s.add(n.by[side], key)
	n.least = min(n.least, key)
	return s.intern(n)
}

func (s *keySets) intern(n keyNode) keysID { return keysID(numbered(s.ids, &s.nodes, n, n)) }

// member is a way to go on behind a key: what its value is, and the object that waits for that,
// with the key.
type member struct {
	value int32
	entry
}

// endKey adds the members of a key that has just been read, for an object that waits for it. A
// named key has a rank, and key is not looked at; another has the rank unnamed, and key is its
// text. keys are the object's unnamed keys after it.
func (m *Machine) endKey(o *object, e entry, rank int, keys keysID, key, rec textID, value int32) {
	if len(o.regs[e.aux].uniqueSet) == 0 && len(o.exists) == 0 {
		m.addMember(o, e, o.after(e.aux, rank), keys, value)
		return
	}
	if rank != unnamed { // most objects do not ask for the text of a name
		key = m.texts.of([]byte(o.names[rank]))
	}
	before := o.at(e.st, e.aux)
	r := o.withKey(&before, rank, keys)
	if len(r.uniqueSet) > 0 {
		r, value = m.withUniqueSet(o, r, key, rec, value)
		m.addMember(o, e, o.intern(r), keys, value)
		return
	}
	m.addMeeting(ended{o, e, r, m.values[value].node, string(m.texts.appendSince(nil, noText, key))}, 0)
}

// unnamed stands for the rank of a key that is not named.
const unnamed = -1

func (o *object) withKey(reg *register, rank int, keys keysID) register {
	if rank == unnamed {
		return o.withOther(reg, keys)
	}
	return o.withName(reg, rank)
}

// after is the index of the register with one more key.
func (o *object) after(reg int32, rank int) int32 {
	memo := [2]int32{reg, int32(rank)}
	next, ok := o.next[memo]
	if !ok {
		next = o.intern(o.withKey(&o.regs[reg], rank, noKeys))
		o.next[memo] = next
	}
	return next
}

// ended is a key of an object with obligations that the key's value may meet.
type ended struct {
	object *object
	entry  entry
	reg    register
	node   *schema.Node
	key    string
}

// addMeeting adds a member for each choice of the obligations that the value meets; next is the
// first one not yet decided.
func (m *Machine) addMeeting(k ended, next int) {
	o := k.object
	if next == len(o.exists) {
		if o.alt.MaxProps == schema.Unbounded || o.keysLeft(&k.reg) >= countBits(o.owed(k.reg.seen, -1))+o.unmet(&k.reg) {
			m.addMember(o, k.entry, o.intern(k.reg), k.reg.keys, m.valueIndex(o.unit, k.node))
		}
		return
	}
	m.addMeeting(k, next+1)
	x := o.exists[next]
	if k.reg.counts[next] >= x.least || !o.unit.arena.Accepting(o.unit.arena.Walk(x.keys, k.key)) {
		return
	}
	if k.node = m.intersection(o, k.node, x.node); k.node == nil {
		return
	}
	k.reg.counts = slices.Clone(k.reg.counts)
	k.reg.counts[next]++
	m.addMeeting(k, next+1)
}

func (m *Machine) addMember(o *object, e entry, reg int32, keys keysID, value int32) {
	phase := int32(phaseAfter)
	if o.regs[reg].key != 0 {
		phase = phaseElement
	}
	e.st, e.aux = inPhase(phase, keys), reg
	m.behind = append(m.behind, member{value, e})
}

// awaitMembers appends the threads behind a key: one for each set that its value may be of,
// whatever waits for it.
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
	if rareNameEscapes.off() {
		escapes = lex.EscapesCanonical
	}
	key := binary.AppendUvarint(nil, uint64(escapes))
	for _, name := range names {
		key = append(binary.AppendUvarint(key, uint64(len(name))), name...)
	}
	return numbered(m.nameListIDs, &m.nameLists, string(key), nameList{names, escapes})
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
