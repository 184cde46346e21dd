package machine

import (
	"unsafe"

	"tenon/grammar/lex"
)

// Size is how many bytes the machine takes beside its program and its units, which it shares with
// others. It grows with what is matched: texts of keys, registers, configurations, states of its
// own automata.
func (m *Machine) Size() int {
	n := int(unsafe.Sizeof(*m)) + m.arenas[0].Size() + m.configs.size() + m.stacks.size() + m.texts.nodes.size() + m.texts.table.size()
	n += 8*len(m.closures) + m.closed + int(unsafe.Sizeof(thread{}))*(len(m.entries)+cap(m.work))
	for _, u := range m.untils {
		n += len(u.next) * int(unsafe.Sizeof(u.next[0]))
	}
	for _, o := range m.objects {
		n += o.size()
	}
	for _, a := range m.arrays {
		n += a.size()
	}
	n += cap(m.values)*int(unsafe.Sizeof(value{})) + cap(m.strings)*int(unsafe.Sizeof(jsonString{})) + cap(m.classes)*int(unsafe.Sizeof(class{}))
	n += mapSize(len(m.valueIDs)+len(m.objectIDs)+len(m.arrayIDs), 12) + mapSize(len(m.stringIDs), int(unsafe.Sizeof(stringKey{}))+4)
	n += cap(m.keys.nodes)*int(unsafe.Sizeof(keyNode{})) + mapSize(len(m.keys.ids), int(unsafe.Sizeof(keyNode{}))+4)
	return n + mapSize(len(m.escapeNeeds), int(unsafe.Sizeof(stringState{}))+8) + mapSize(len(m.dist.stacks), 8)
}

// mapSize is about what a map of so many entries takes, each of so many bytes: it is two thirds
// full.
func mapSize(entries, bytes int) int { return entries * (bytes + 1) * 3 / 2 }

func (c *configs) size() int {
	return c.threads*int(unsafe.Sizeof(thread{})) + cap(c.lists)*int(unsafe.Sizeof([]thread{})) + c.table.size()
}

func (s *stacks) size() int {
	return s.entries.size() + cap(s.sets)*int(unsafe.Sizeof(listID{})) + s.table.size() + mapSize(len(s.unions), 12)
}

func (t *idTable) size() (n int) {
	for i := range t.parts {
		n += len(t.parts[i].slots) * int(unsafe.Sizeof(idSlot{}))
	}
	return n
}

func (p *pile[T]) size() (n int) {
	for _, c := range p.chunks {
		n += cap(c) * int(unsafe.Sizeof(*new(T)))
	}
	return n
}

// size is in bytes. Registers, and what is known of each, are most of it.
func (o *object) size() int {
	words := 8 * len(o.present)
	n := int(unsafe.Sizeof(*o)) + len(o.names)*(16+4+4+4) + 2*words
	perReg := int(unsafe.Sizeof(register{})) + words + int(unsafe.Sizeof(known{}))
	perRules := int(unsafe.Sizeof(rules{})) + words + len(o.classes)*int(unsafe.Sizeof(classStart{}))
	n += len(o.regs)*perReg + mapSize(len(o.index), 20) + len(o.index)*(words+16) + mapSize(len(o.next), 12)
	for i := range o.regs {
		if k := o.regs[i].known; k != nil && k.rules != nil {
			n += perRules
		}
		n += 4 * (len(o.regs[i].counts) + len(o.regs[i].uniqueSet))
	}
	return n + len(o.apart)*(int(unsafe.Sizeof(known{}))+perRules) + mapSize(len(o.apart), 16)
}

func (a *array) size() int {
	n := int(unsafe.Sizeof(*a)) + mapSize(len(a.index), 20)
	for i := range a.regs {
		r := &a.regs[i]
		n += int(unsafe.Sizeof(*r)) + 8*(len(r.counts)+len(r.seen)) + len(r.options)*int(unsafe.Sizeof(option{}))
	}
	return n
}

// Size is roughly how many bytes the masks take beside the machine and the vocabulary: no more
// than their limits, and what they are collected in.
func (k *Masks) Size() int {
	n := k.size + k.kept
	if c := k.idle; c != nil {
		n += int(unsafe.Sizeof(*c)) + 4*cap(c.ids) + 4*cap(c.found) + 8*cap(c.set) + 8*cap(c.gone) + c.walk.size() + c.walk.others.size() + c.slicing.size()
	}
	return n
}

// size is asked for after every mask, hence counts little.
func (w *walkStates) size() int {
	return w.table.size() + w.threads.items*int(unsafe.Sizeof(thread{})) + len(w.spans)*(int(unsafe.Sizeof(listID{}))+41) + w.bytes
}

func (w *sliceWalk) size() int {
	return 8*(cap(w.rows)+cap(w.lookaheads)) + 4*cap(w.index) + w.lookaheadSize + mapSize(len(w.tails), 12)
}

func (c *closure) size() int {
	n := int(unsafe.Sizeof(*c))
	for i := range c.items {
		n += int(unsafe.Sizeof(item{})) + 4*len(c.items[i].frames) + int(unsafe.Sizeof(edge{}))*len(c.items[i].marks)
	}
	return n
}

// Size is roughly how many bytes the program takes.
func (p *Program) Size() int {
	n := len(p.classes) * int(unsafe.Sizeof(lex.ByteSet{}))
	for i := range p.states {
		n += int(unsafe.Sizeof(state{})) + cap(p.states[i].edges)*int(unsafe.Sizeof(edge{}))
	}
	return n
}

// Size is roughly how many bytes the unit takes. It grows while its values are matched.
func (u *Unit) Size() int { return u.text*perSchemaByte + u.arena.Size() }

// Full says whether the unit's automata are as large as they may be: it is to be compiled anew.
func (u *Unit) Full() bool { return u.arena.Full() }

// perSchemaByte is about what is made of a byte of a schema's text, beside the automata.
const perSchemaByte = 16
