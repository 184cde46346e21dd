package machine

import "slices"

// ConfigID is an interned configuration: all threads that have read the same text. Equal
// configurations have equal ids, which makes them keys of the table of masks, and copying and
// rolling back free.
type ConfigID int32

// Stuck is the configuration without threads: the text is not in the language.
const Stuck ConfigID = 0

// configs holds the configurations of a machine without events.
type configs struct {
	lists   [][]thread
	threads int // in all lists
	table   idTable
}

func newConfigs() *configs { return &configs{lists: make([][]thread, 1), table: newIDTable()} }

func hashThreads(list []thread) uint32 {
	h := uint64(14695981039346656037)
	for i := range list {
		t := &list[i]
		h = (h ^ uint64(uint32(t.stack)) ^ uint64(uint32(t.def))<<32) * 0x9E3779B97F4A7C15
		h = (h ^ h>>29 ^ uint64(uint32(t.st)) ^ uint64(uint32(t.aux))<<32) * 0xBF58476D1CE4E5B9
		h = (h ^ h>>31 ^ uint64(uint32(t.rec))) * 0x94D049BB133111EB
	}
	return uint32(h ^ h>>32)
}

func (c *configs) intern(list []thread) ConfigID {
	if len(list) == 0 {
		return Stuck
	}
	h := hashThreads(list)
	part := c.table.part(h)
	mask := uint32(len(part.slots) - 1)
	for i := h & mask; part.slots[i].id != 0; i = (i + 1) & mask {
		if x := part.slots[i]; x.hash == h && slices.Equal(c.lists[x.id], list) {
			return ConfigID(x.id)
		}
	}
	id := int32(len(c.lists))
	c.lists, c.threads = append(c.lists, slices.Clone(list)), c.threads+len(list)
	part.put(h, id)
	return ConfigID(id)
}

// maxMerges bounds how often the threads of one step are merged before it is done: a row of parts
// that may be left out leads from each of them to all behind it, so that most are alike.
const maxMerges = 8

// normalise merges threads that read on alike and puts them in one order.
func (m *Machine) normalise(list []thread) []thread {
	if len(list) < 2 { // nearly always
		return list
	}
	slices.SortFunc(list, compareThreads)
	out := list[:0]
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[from].same(list[to]) {
			to++
		}
		t := list[from]
		t.stack = m.unionOf(list[from:to])
		out = append(out, t)
		from = to
	}
	return out
}

// unionOf joins the stacks of threads, two halves at a time: one after the other, many would be
// copied as often as they are.
func (m *Machine) unionOf(list []thread) stackID {
	if len(list) == 1 {
		return list[0].stack
	}
	half := len(list) / 2
	return m.stacks.union(m.unionOf(list[:half]), m.unionOf(list[half:]))
}

func compareThreads(a, b thread) int {
	switch {
	case a.def != b.def:
		return int(a.def) - int(b.def)
	case a.st != b.st:
		return int(a.st) - int(b.st)
	case a.aux != b.aux:
		return int(a.aux) - int(b.aux)
	case a.rec != b.rec:
		return int(a.rec) - int(b.rec)
	}
	return int(a.stack) - int(b.stack)
}

// Start is the configuration that has read nothing.
func (m *Machine) Start() ConfigID {
	return m.configs.intern([]thread{m.start()})
}

// Step reads one input: a byte, or symbolBase and a symbol's index. Of several inputs, it reads
// any.
func (m *Machine) Step(id ConfigID, inputs ...int) ConfigID {
	m.err = nil
	from, merged := len(m.work), 0
	for _, t := range m.configs.lists[id] {
		for _, in := range inputs {
			m.work = m.step(m.work, t, in)
		}
		n := len(m.work) - from
		if n <= maxThreads {
			continue
		}
		m.work = m.work[:from+len(m.normalise(m.work[from:]))]
		if merged++; merged > maxMerges || len(m.work)-from > n/2 {
			m.err = ErrAmbiguous
			m.work = m.work[:from]
			return Stuck
		}
	}
	next := m.configs.intern(m.normalise(m.work[from:]))
	m.work = m.work[:from]
	return next
}

// Walk reads a text; it returns Stuck where the text leaves the language, and how many bytes were
// read before that.
func (m *Machine) Walk(id ConfigID, text []byte) (ConfigID, int) {
	for i, b := range text {
		if id = m.Step(id, int(b)); id == Stuck {
			return Stuck, i
		}
	}
	return id, len(text)
}

// Done says whether the text may end here.
func (m *Machine) Done(id ConfigID) bool {
	from := len(m.work)
	done := false
	for _, t := range m.configs.lists[id] {
		m.work = m.finish(m.work, t)
		if len(m.work) > from {
			done = true
			break
		}
	}
	m.work = m.work[:from]
	return done
}

// AtCheck says whether a %check mark has just been reached. White space that may still come does
// not count.
func (m *Machine) AtCheck(id ConfigID) bool {
	for _, t := range m.configs.lists[id] {
		if t.def == defRule && m.checks(t.st) {
			return true
		}
		if t.def != defSpace {
			continue
		}
		for _, e := range m.stacks.of(t.stack) {
			if e.def == defRule && m.checks(e.st) {
				return true
			}
		}
	}
	return false
}

func (m *Machine) checks(st int32) bool {
	for _, e := range m.prog.states[st].edges {
		if e.op == opCheck {
			return true
		}
	}
	return false
}

// StepSymbol reads the symbol with this text.
func (m *Machine) StepSymbol(id ConfigID, name string) ConfigID {
	for i, s := range m.prog.symbols {
		if s.Text == name {
			return m.Step(id, symbolBase+i)
		}
	}
	return Stuck
}

// Err is the limit that the last step ran into, if one did.
func (m *Machine) Err() error {
	if m.limit != nil {
		return m.limit
	}
	return m.err
}

// Full says whether automata are as large as they may be, and refuse what they should accept. A
// machine of the same program on units that are not gets further.
func (m *Machine) Full() bool {
	for _, a := range m.arenas {
		if a.Full() {
			return true
		}
	}
	return false
}

// Lost is a limit that some automaton ran into, which then accepts less than it should; nil if
// none did.
func (m *Machine) Lost() error {
	for _, a := range m.arenas {
		if err := a.Err(); err != nil {
			return err
		}
	}
	return nil
}
