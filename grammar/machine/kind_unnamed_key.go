package machine

import "tenon/grammar/lex"

// stepUnnamedKey reads a byte of a key that is not named. The key is recorded from the thread's
// aux on.
func (m *Machine) stepUnnamedKey(dst []thread, t thread, b byte) []thread {
	c := &m.classes[t.def.index()]
	next := c.unit.arena.StepString(lex.StringState(t.st), b)
	switch next {
	case lex.StringDead:
		return dst
	case lex.StringClosed:
		m.buf = m.texts.appendSince(m.buf[:0], max(textID(t.aux), noText), t.rec)
		return m.endUnnamedKey(dst, t, c, decodeString(m.buf))
	}
	t.st, t.rec = int32(next), m.texts.add(t.rec, b)
	return append(dst, t)
}

// endUnnamedKey appends the threads behind a key of a class, for the objects that neither name it
// nor have it.
func (m *Machine) endUnnamedKey(dst []thread, t thread, c *class, text []byte) []thread {
	if t.aux == 0 {
		t.rec = 0
	} else {
		t.rec = m.texts.add(t.rec, '"')
	}
	key, value := m.texts.of(text), m.valueIndex(c.unit, c.node)
	x := newKey{text: text, id: key, list: -1, before: -1}
	for _, e := range m.stacks.of(t.stack) {
		o := m.objects[e.def.index()]
		if m.isTaken(&x, o, keysOf(e.st)) {
			continue
		}
		m.endKey(o, e, unnamed, x.after, x.id, t.rec, value)
	}
	return m.awaitMembers(dst, t)
}

// newKey is an unnamed key that has been read. Many objects may wait for it, and most name the
// same keys and have the same others: so it remembers what was found for the last.
type newKey struct {
	text          []byte
	id            textID
	list          int32 // of names
	named         bool  // is it among those
	before, after keysID
	had           bool // is it among those before
}

// isTaken says whether an object names a key or has it. If not, the keys with it are in after.
func (m *Machine) isTaken(x *newKey, o *object, keys keysID) bool {
	if o.nameList != x.list {
		x.list, x.named = o.nameList, m.nameLists[o.nameList].has(x.text)
	}
	if rareKeysApart.off() {
		keys = noKeys
	}
	if keys != x.before {
		x.before, x.had = keys, m.keys.has(keys, x.id)
		if !x.had {
			var ok bool
			if x.after, ok = m.keys.with(keys, x.id); !ok {
				m.limit, x.had = ErrTooComplex, true
			}
		}
	}
	return x.named || x.had
}
