package machine

import (
	"slices"

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
	k.addInside(t, x, schema.Unbounded)
	switch {
	case !k.closes(x):
	case m.anyExists(t):
		k.walk.run(k, &x.whole, []thread{t})
	default:
		k.ends.unnamed = append(k.ends.unnamed, unnamedKeyEnd{t, x})
	}
	return true
}

// anyExists says whether an object that waits for a key has obligations that the key may meet.
func (m *Machine) anyExists(t thread) bool {
	return slices.ContainsFunc(m.stacks.of(t.stack), func(e entry) bool { return len(m.objects[e.def.index()].exists) > 0 })
}
