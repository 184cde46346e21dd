package machine

import (
	"slices"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// collectUnnamedKey adds the tokens of a thread inside of a key that is not named. What follows
// such a key does not depend on which it is, except where it becomes one that is named or has
// been.
func (k *collector) collectUnnamedKey(t thread) bool {
	m, x := k.m, k.textOf(t)
	if x == nil {
		return false
	}
	if !slices.ContainsFunc(k.together, t.sameKey) {
		k.addInside(t, x, schema.Unbounded)
	}
	switch {
	case !k.closes(x):
	case t.aux != 0 || m.anyExists(t):
		k.walk.run(k, &x.whole, []thread{t})
	default:
		k.ends.extra = append(k.ends.extra, extraEnd{t, x})
	}
	return true
}

// addTogether adds the tokens that stay inside of a key, for all classes of keys at once, if one
// of others is in the same key as t. Classes are made of patterns and their complements: their
// union is often any text, which is found at once, while each class alone takes long.
func (k *collector) addTogether(t thread, others []thread) {
	m := k.m
	u := m.classes[t.def.index()].unit
	x := k.textOf(t)
	if x == nil || !slices.ContainsFunc(others, t.sameKey) || slices.ContainsFunc(k.together, t.sameKey) {
		return
	}
	s := m.othersOf(t)
	m.buf = m.texts.appendSince(m.buf[:0], max(textID(t.aux), noText), t.rec)
	for _, b := range m.buf {
		s = u.arena.StepString(s, b)
	}
	if s == lex.StringDead { // not known
		return
	}
	if x = k.stringSliceOf(u, s); x == nil {
		return
	}
	k.together = append(k.together, t)
	if x.open {
		k.addWhole(x)
		return
	}
	k.addInside(t, x, schema.Unbounded)
}

// othersOf is where the keys of any class begin, if that is known and the same for all objects
// that wait for a key.
func (m *Machine) othersOf(t thread) lex.StringState {
	s := lex.StringDead
	for i, e := range m.stacks.of(t.stack) {
		others := m.rulesOf(m.objects[e.def.index()], e.st, e.aux).others
		if i > 0 && others != s {
			return lex.StringDead
		}
		s = others
	}
	return s
}

// anyExists says whether an object that waits for a key has obligations that the key may meet.
func (m *Machine) anyExists(t thread) bool {
	return slices.ContainsFunc(m.stacks.of(t.stack), func(e entry) bool { return len(m.objects[e.def.index()].exists) > 0 })
}

// sameKey says whether two threads are in one key, maybe in different classes of keys.
func (t thread) sameKey(u thread) bool {
	return u.def.kind() == kindUnnamedKey && t.stack == u.stack && t.aux == u.aux && t.rec == u.rec
}
