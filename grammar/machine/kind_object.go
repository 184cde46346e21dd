package machine

import (
	"encoding/binary"
	"slices"
	"sort"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// object is the automaton of a set of JSON objects. What it must know about the keys read so far
// is a register, interned in regs, and a set of those that it does not name; threads hold both
// (see inPhase). A value may be one of many objects, and most of them do not name the key that was
// read: it is the same set that grows for all of these, and their registers stay as they are.
type object struct {
	unit *Unit
	alt  *schema.ObjectAlt
	// of all named keys, sorted; bit i of a set of names is names[i]
	names    []string
	nameList int32             // the index of names in nameLists
	lengths  []int32           // by name: of its shortest spelling, nil until asked for
	values   []int32           // by name: the automaton of its value
	order    []int32           // by name: its place among the declared
	present  []uint64          // names that may be present
	needed   []uint64          // names that are required
	implied  map[int32][]int32 // names that a name requires
	classes  []int32           // classes of other keys
	exists   []existence
	plain    bool // neither bounds on the number of keys, nor an order
	// its rules depend on which unnamed keys there are, not only on their number
	minds bool
	most  int32 // how many of them are counted

	regs  []register
	index map[string]int32
	next  map[[2]int32]int32          // memo of after
	apart map[registerWithKeys]*known // of registers with keys, where the object minds those

	contests map[int32]*contest // by register
	listed   []*listed          // by name: memo of listedOf
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
	others int32   // keys that are not named, counted up to the object's most
	counts []int32 // by existence: keys found
	last   int32   // keys up to this place of the declared order cannot come any more
	keys   keysID  // those that are not named: no part of what is interned, see inPhase
	known  *known  // nil where nothing is to be remembered

	// Of an object that must differ from others: those that it may still equal, the key whose
	// value is being read, and where the record of that begins.
	uniqueSet []textID
	key, from textID
}

// known is what has been found out about a register.
type known struct {
	rules *rules
	dues  int32 // memo of dues, 0 if not known
}

// registerWithKeys is a register and the keys beside it.
type registerWithKeys struct {
	reg  int32
	keys keysID
}

// rules follow from a register.
type rules struct {
	names    []uint64 // that may come next
	extra    []classStart
	complete bool // the object may end
	more     bool // another key may come
}

// classStart is a class of keys with the state in which its keys begin.
type classStart struct {
	class int32
	start lex.StringState
}

// class is a set of keys that are not named, and the value they have. Objects share classes:
// threads in keys that wait for different ones are one thread then.
type class struct {
	unit *Unit
	keys lex.Expr
	node *schema.Node
}

func (m *Machine) classIndex(c class) int32 { return numbered(m.classIDs, &m.classes, c, c) }

func (m *Machine) objectIndex(u *Unit, alt *schema.ObjectAlt) int32 {
	return numbered(m.objectIDs, &m.objects, alt, &object{unit: u, alt: alt})
}

// objectAt returns an object's automaton, built when it is first entered.
func (m *Machine) objectAt(i int) *object {
	o := m.objects[i]
	if o.regs == nil {
		o.unit.locked(func() { m.buildObject(o) })
	}
	return o
}

func (m *Machine) buildObject(o *object) {
	n := len(o.alt.Props)
	o.names = make([]string, n)
	byName := make([]int, n)
	for i, p := range o.alt.Props {
		o.names[i], byName[i] = p.Name, i
	}
	sort.Slice(byName, func(a, b int) bool { return o.names[byName[a]] < o.names[byName[b]] })
	slices.Sort(o.names)
	o.nameList = m.nameListOf(o.names, o.unit.escapes)
	o.names = m.nameLists[o.nameList].names
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
	for _, c := range o.alt.UnnamedKeys() {
		if !c.Value.Empty() {
			o.classes = append(o.classes, m.classIndex(class{o.unit, c.Loose, c.Value}))
			o.minds = o.minds || !o.unit.arena.Endless(c.Loose)
		}
	}
	for _, e := range o.alt.Exists {
		o.exists = append(o.exists, existence{o.unit.arena.Start(e.Keys), e.Value, 1})
	}
	o.buildImplied()
	o.plain = o.alt.MaxProps == schema.Unbounded && !o.unit.declared
	o.minds = o.minds || len(o.exists) > 0 || o.alt.MinProps > countBits(o.needed)
	if o.most = int32(o.alt.MaxProps); o.alt.MaxProps == schema.Unbounded {
		o.most = max(1, int32(o.alt.MinProps))
	}
	o.index, o.next, o.apart = map[string]int32{}, map[[2]int32]int32{}, map[registerWithKeys]*known{}
	o.contests = map[int32]*contest{}
	o.intern(register{seen: make([]uint64, words), counts: make([]int32, len(o.exists))})
}

// buildImplied lists what names require. All of it is named, and none impossible: package schema
// has seen to that.
func (o *object) buildImplied() {
	for _, x := range o.alt.Implications {
		key, _ := o.rank(x.Key)
		if o.implied == nil {
			o.implied = map[int32][]int32{}
		}
		for _, r := range x.Required {
			rank, _ := o.rank(r)
			o.implied[key] = append(o.implied[key], rank)
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

// count is how many keys there are.
func (r *register) count() int { return countBits(r.seen) + int(r.others) }

// at is a register with the keys of an object's state.
func (o *object) at(st, reg int32) register {
	r := o.regs[reg]
	r.keys, r.known = keysOf(st), o.knownOf(st, reg)
	return r
}

// knownOf is what is known of a register beside the keys of an object's state.
func (o *object) knownOf(st, reg int32) *known {
	keys := keysOf(st)
	if keys == noKeys || !o.minds {
		return o.regs[reg].known
	}
	x := registerWithKeys{reg, keys}
	k := o.apart[x]
	if k == nil {
		k = new(known)
		o.apart[x] = k
	}
	return k
}

// intern returns the index of a register.
func (o *object) intern(r register) int32 {
	key := make([]byte, 0, 64)
	for _, w := range r.seen {
		key = binary.LittleEndian.AppendUint64(key, w)
	}
	for _, x := range r.counts {
		key = binary.LittleEndian.AppendUint32(key, uint32(x))
	}
	key = binary.LittleEndian.AppendUint32(key, uint32(r.others))
	key = binary.LittleEndian.AppendUint32(key, uint32(r.last))
	if len(r.uniqueSet) > 0 {
		for _, x := range append([]textID{r.key, r.from}, r.uniqueSet...) {
			key = binary.LittleEndian.AppendUint32(key, uint32(x))
		}
		key = binary.LittleEndian.AppendUint32(key, uint32(len(r.uniqueSet)))
		key = append(key, 1) // no other key has such a length
	}
	i, ok := o.index[string(key)]
	if !ok {
		i = int32(len(o.regs))
		r.keys, r.known = noKeys, new(known)
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
	case b == '}' && phase != phaseComma && m.rulesOf(o, t.st, t.aux).complete:
		t.rec = m.texts.add(t.rec, b)
		return m.resume(dst, t)
	case b == ',' && phase == phaseAfter && m.rulesOf(o, t.st, t.aux).more:
		t.st, t.rec = inPhase(phaseComma, keysOf(t.st)), m.texts.add(t.rec, b)
		return append(dst, t)
	}
	return dst
}

// beginKey reads the opening quote of a key: a named one, or one of each class of others. The
// object waits with its register for the key to end.
func (m *Machine) beginKey(dst []thread, t thread, o *object) []thread {
	r := m.rulesOf(o, t.st, t.aux)
	t.rec = m.texts.add(t.rec, '"')
	t.stack = m.stacks.push(t.stack, frame{def: t.def, st: inPhase(phaseAfter, keysOf(t.st)), aux: t.aux})
	if n := min(len(o.names), maxNames); anyBit(r.names, 0, n) {
		u := t
		u.def, u.st, u.aux = def(kindNamedKey, int(o.nameList)), nameRange(0, n), 0
		dst = append(dst, u)
	}
	for _, c := range r.extra {
		u := t
		u.def, u.st, u.aux = def(kindUnnamedKey, int(c.class)), int32(c.start), int32(t.rec)
		if u.rec == 0 {
			u.rec = noText
		}
		dst = append(dst, u)
	}
	return dst
}

// anyBit says whether a set holds something in [lo, hi).
func anyBit(set []uint64, lo, hi int) bool {
	for ; lo < hi; lo = lo&^63 + 64 {
		if set[lo>>6]>>(lo&63)&(uint64(1)<<min(hi-lo, 64)-1) != 0 {
			return true
		}
	}
	return false
}
