package machine

import "unsafe"

// Size is roughly how many bytes the machine takes beside its program and its units, which it
// shares with others. It grows with what is matched: texts of keys, registers, configurations,
// states of its own automata.
func (m *Machine) Size() int {
	n := m.arenas[0].Size() + 80*len(m.configs.lists) + 24*m.stacks.entries.items + 32*len(m.stacks.sets) + 32*m.texts.nodes.items
	n += 8*len(m.closures) + m.closed
	for _, u := range m.untils {
		n += len(u.next) * int(unsafe.Sizeof(u.next[0]))
	}
	for _, o := range m.objects {
		n += 200*len(o.regs) + 60*len(o.apart)
	}
	n += perKeyNode * len(m.keys.nodes)
	for _, a := range m.arrays {
		n += 100 * len(a.regs)
	}
	return n
}

// Size is roughly how many bytes the masks take beside the machine and the vocabulary: no more
// than their limits, and what they are collected in.
func (k *Masks) Size() int {
	scratch := 4*cap(k.ids) + 4*cap(k.found) + 8*cap(k.set) + 8*cap(k.gone)
	return k.size + k.kept + scratch + k.walk.size()
}

// size is asked for after every mask, hence counts nothing.
func (w *walker) size() int {
	return w.threads.items*int(unsafe.Sizeof(thread{})) + len(w.spans)*(int(unsafe.Sizeof(listID{}))+41) + w.bytes
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
	n := len(p.classes) * int(unsafe.Sizeof(byteClass{}))
	for i := range p.states {
		n += int(unsafe.Sizeof(state{})) + cap(p.states[i].edges)*int(unsafe.Sizeof(edge{}))
	}
	return n
}

// Size is roughly how many bytes the unit takes. It grows while its values are matched.
func (u *Unit) Size() int { return u.text*perSchemaByte + u.arena.Size() }

// Full says whether the unit's automata are as large as they may be: it is to be compiled anew.
func (u *Unit) Full() bool { return u.arena.Full() }

// perKeyNode is what a node of the sets of keys takes, with its place among them.
const perKeyNode = 2*int(unsafe.Sizeof(keyNode{})) + 8

// perSchemaByte is about what is made of a byte of a schema's text, beside the automata.
const perSchemaByte = 16
