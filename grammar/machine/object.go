package machine

import (
	"encoding/binary"
	"slices"
	"sort"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// object is the automaton of a set of JSON objects. What it must know about the
// keys read so far is a register, interned in regs; threads hold its index.
type object struct {
	unit     *Unit
	alt      *schema.ObjectAlt
	names    []string          // of all named keys, sorted; bit i of a set of names is names[i]
	nameList int32             // the same for objects with the same names
	lengths  []int32           // by name: of its shortest spelling, nil until asked for
	values   []int32           // by name: the automaton of its value
	order    []int32           // by name: its place among the declared
	present  []uint64          // names that may be present
	needed   []uint64          // names that are required
	implied  map[int32][]int32 // names that a name requires
	classes  []int32           // classes of other keys
	shortest []*shortKeys      // of each class, as far as they were asked for
	others   lex.Expr          // the keys of all of them, where there are several
	exists   []existence
	plain    bool // neither bounds on the number of keys, nor an order

	regs  []register
	index map[string]int32
	after map[[2]int32]int32 // memo of afterName
	holds map[textID]bool    // memo of belonging

	contests map[int32]*contest // by register
}

// existence is an obligation to have keys of a kind.
type existence struct {
	keys  lex.State
	node  *schema.Node
	least int32
}

// register is what has been read of an object.
type register struct {
	seen   []uint64
	extras []textID // decoded keys that are not named, sorted
	counts []int32  // by existence: keys found
	count  int32
	last   int32 // keys up to this place of the declared order cannot come any more
	rules  *rules
	dues   int32 // memo of dues, 0 if not known

	// Of an object that must differ from others: those that it may still equal, the
	// key whose value is being read, and where the record of that begins.
	rivals    []textID
	key, from textID
}

// rules follow from a register.
type rules struct {
	names    []uint64 // that may come next
	extra    []classStart
	complete bool            // the object may end
	more     bool            // another key may come
	others   lex.StringState // where a key of any class begins; StringDead if not known
}

// classStart is a class of keys with the state in which its keys begin.
type classStart struct {
	class int32
	start lex.StringState
}

// class is a set of keys that are not named, and the value they have.
type class struct {
	object int32
	keys   lex.Expr
	node   *schema.Node
}

func (m *Machine) objectIndex(u *Unit, alt *schema.ObjectAlt) int32 {
	if i, ok := m.objectIDs[alt]; ok {
		return i
	}
	i := int32(len(m.objects))
	m.objectIDs[alt] = i
	m.objects = append(m.objects, &object{unit: u, alt: alt})
	return i
}

// objectAt returns an object's automaton, built when it is first entered.
func (m *Machine) objectAt(i int) *object {
	o := m.objects[i]
	if o.regs == nil {
		o.unit.locked(func() { m.buildObject(o, int32(i)) })
	}
	return o
}

// nameListOf numbers lists of names.
func (m *Machine) nameListOf(names []string) int32 {
	var key []byte
	for _, name := range names {
		key = append(binary.AppendUvarint(key, uint64(len(name))), name...)
	}
	i, ok := m.nameLists[string(key)]
	if !ok {
		i = int32(len(m.nameLists))
		m.nameLists[string(key)] = i
	}
	return i
}

func (m *Machine) buildObject(o *object, self int32) {
	n := len(o.alt.Props)
	o.names = make([]string, n)
	byName := make([]int, n)
	for i, p := range o.alt.Props {
		o.names[i], byName[i] = p.Name, i
	}
	sort.Slice(byName, func(a, b int) bool { return o.names[byName[a]] < o.names[byName[b]] })
	slices.Sort(o.names)
	o.nameList = m.nameListOf(o.names)
	words := (n + 63) / 64
	o.present, o.needed = make([]uint64, words), make([]uint64, words)
	o.values, o.order = make([]int32, n), make([]int32, n)
	for rank, i := range byName {
		p := &o.alt.Props[i]
		o.order[rank] = int32(i)
		o.values[rank] = m.valueIndex(o.unit, p.Value)
		if !p.Value.Empty() && rank < maxNames && len(p.Name) < maxNames {
			setBit(o.present, rank)
		}
		if p.Required {
			setBit(o.needed, rank)
		}
	}
	for _, c := range o.alt.Extra() {
		if !c.Value.Empty() {
			o.classes = append(o.classes, int32(len(m.classes)))
			m.classes = append(m.classes, class{object: self, keys: c.Loose, node: c.Value})
		}
	}
	if len(o.classes) > 1 {
		o.others = o.alt.ExtraKeys()
	}
	for _, e := range o.alt.Exists {
		o.exists = append(o.exists, existence{o.unit.arena.Start(e.Keys), e.Value, 1})
	}
	o.buildImplied()
	o.plain = o.alt.MaxProps == schema.Unbounded && !o.unit.declared
	o.index, o.after, o.holds, o.contests = map[string]int32{}, map[[2]int32]int32{}, map[textID]bool{}, map[int32]*contest{}
	o.intern(register{seen: make([]uint64, words), counts: make([]int32, len(o.exists))})
}

func (o *object) buildImplied() {
	for _, x := range o.alt.Implications {
		key, ok := o.rank(x.Key)
		if !ok {
			continue
		}
		if o.implied == nil {
			o.implied = map[int32][]int32{}
		}
		for _, r := range x.Required {
			if rank, ok := o.rank(r); ok {
				o.implied[key] = append(o.implied[key], rank)
			}
		}
	}
	o.forbidWhatImpliesTheForbidden()
}

// forbidWhatImpliesTheForbidden leaves out of present the names that lead to one which is not in it.
func (o *object) forbidWhatImpliesTheForbidden() {
	implying := make([][]int32, len(o.names))
	for key, list := range o.implied {
		for _, r := range list {
			implying[r] = append(implying[r], key)
		}
	}
	var work []int32
	for rank := range o.names {
		if !hasBit(o.present, rank) {
			work = append(work, int32(rank))
		}
	}
	for len(work) > 0 {
		rank := work[len(work)-1]
		work = work[:len(work)-1]
		for _, key := range implying[rank] {
			if hasBit(o.present, int(key)) {
				o.present[key>>6] &^= 1 << (key & 63)
				work = append(work, key)
			}
		}
	}
}

// rank finds a named key.
func (o *object) rank(name string) (int32, bool) {
	i, ok := slices.BinarySearch(o.names, name)
	return int32(i), ok
}

func setBit(set []uint64, i int)      { set[i>>6] |= 1 << (i & 63) }
func hasBit(set []uint64, i int) bool { return set[i>>6]>>(i&63)&1 != 0 }

// forget drops what is known of a register, which is about to change.
func (r *register) forget() { r.rules, r.dues = nil, 0 }

// intern returns the index of a register.
func (o *object) intern(r register) int32 {
	key := make([]byte, 0, 64)
	for _, w := range r.seen {
		key = binary.LittleEndian.AppendUint64(key, w)
	}
	for _, x := range r.extras {
		key = binary.LittleEndian.AppendUint32(key, uint32(x))
	}
	for _, x := range r.counts {
		key = binary.LittleEndian.AppendUint32(key, uint32(x))
	}
	key = binary.LittleEndian.AppendUint32(key, uint32(r.last))
	if len(r.rivals) > 0 {
		for _, x := range append([]textID{r.key, r.from}, r.rivals...) {
			key = binary.LittleEndian.AppendUint32(key, uint32(x))
		}
		key = binary.LittleEndian.AppendUint32(key, uint32(len(r.rivals)))
		key = append(key, 1) // no other key has such a length
	}
	i, ok := o.index[string(key)]
	if !ok {
		i = int32(len(o.regs))
		o.regs = append(o.regs, r)
		o.index[string(key)] = i
	}
	return i
}

// stepObject reads a byte between the parts of an object.
func (m *Machine) stepObject(dst []thread, t thread, b byte) []thread {
	o := m.objectAt(t.def.index())
	if isSpace(b) {
		return m.stepSpace(dst, t, o.unit, b)
	}
	phase := phaseOf(t.st)
	switch {
	case b == '"' && phase != phaseAfter:
		return m.beginKey(dst, t, o)
	case b == '}' && phase != phaseComma && m.rulesOf(o, t.aux).complete:
		t.rec = m.texts.add(t.rec, b)
		return m.resume(dst, t)
	case b == ',' && phase == phaseAfter && m.rulesOf(o, t.aux).more:
		t.st, t.rec = phaseComma, m.texts.add(t.rec, b)
		return append(dst, t)
	}
	return dst
}

// beginKey reads the opening quote of a key: a named one, or one of each class
// of others. The object waits with its register for the key to end.
func (m *Machine) beginKey(dst []thread, t thread, o *object) []thread {
	r := m.rulesOf(o, t.aux)
	if !r.more {
		return dst
	}
	t.rec = m.texts.add(t.rec, '"')
	t.stack = m.stacks.push(t.stack, frame{def: t.def, st: phaseAfter, aux: t.aux})
	if n := min(len(o.names), maxNames); anyBit(r.names, 0, n) {
		u := t
		u.def, u.st, u.aux = def(kindName, t.def.index()), nameRange(0, n), 0
		dst = append(dst, u)
	}
	for _, c := range r.extra {
		u := t
		u.def, u.st, u.aux = def(kindExtra, int(c.class)), int32(c.start), int32(t.rec)
		if u.rec == 0 {
			u.rec = noText
		}
		dst = append(dst, u)
	}
	return dst
}

// anyBit says whether a set holds something in [lo, hi).
func anyBit(set []uint64, lo, hi int) bool {
	for lo < hi {
		if lo&63 == 0 && hi-lo >= 64 {
			if set[lo>>6] != 0 {
				return true
			}
			lo += 64
			continue
		}
		if hasBit(set, lo) {
			return true
		}
		lo++
	}
	return false
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

// endKey appends the threads behind a key. Where the key may meet obligations,
// there is a thread for each choice of those that its value meets; next is the
// first obligation not yet decided, 0 for callers.
func (m *Machine) endKey(dst []thread, t thread, k ended, next int) []thread {
	o := k.object
	if next == len(o.exists) {
		if o.alt.MaxProps != schema.Unbounded && o.room(&k.reg) < countBits(o.owed(k.reg.seen, -1))+o.unmet(&k.reg) {
			return dst
		}
		return m.awaitValue(dst, t, k)
	}
	dst = m.endKey(dst, t, k, next+1)
	x := o.exists[next]
	if k.reg.counts[next] >= x.least || !o.unit.arena.Accepting(o.unit.arena.Walk(x.keys, k.key)) {
		return dst
	}
	empty := true
	o.unit.locked(func() {
		k.node = k.node.And(x.node)
		empty = k.node.Empty()
	})
	if empty {
		return dst
	}
	k.reg.counts = slices.Clone(k.reg.counts)
	k.reg.counts[next]++
	return m.endKey(dst, t, k, next+1)
}

func (m *Machine) awaitValue(dst []thread, t thread, k ended) []thread {
	o := k.object
	return m.awaitMember(dst, t, k.entry, member{o.intern(k.reg), m.valueIndex(o.unit, k.node)})
}

// member is a key that has been read: the register of its object with it, and the
// automaton of its value.
type member struct{ reg, value int32 }

func (m *Machine) awaitMember(dst []thread, t thread, e entry, x member) []thread {
	st := e.st
	if m.objects[e.def.index()].regs[x.reg].key != 0 {
		st = phaseElement
	}
	t.stack = m.stacks.push(e.below, frame{def: e.def, st: st, aux: x.reg})
	t.def, t.st, t.aux = def(kindValue, int(x.value)), phaseColon, 0
	return append(dst, t)
}
