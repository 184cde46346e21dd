package machine

import (
	"slices"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// Keys that are not named must differ from those that are, and from each other. That is taken to
// cost two characters more where there are others: they tell thousands apart, if a key may be any
// text.

// fartherKey is what such a key costs beyond the shortest.
const fartherKey = 2

// otherCosts is what so many more keys cost that are none of some names, with their values, colons
// and commas: the cheapest of the other names, and of keys that are not named.
func (m *Machine) otherCosts(o *object, reg *register, without []uint64, count int) int32 {
	if count <= 0 {
		return 0
	}
	unnamed := int32(unreachable)
	for _, c := range o.classes {
		unnamed = min(unnamed, add(m.valueDistance(m.valueIndex(o.unit, m.classes[c].node)), keyDistance(o.unit, m.classes[c].keys)+2))
	}
	var costs []int32
	for rank := range o.names {
		if hasBit(o.present, rank) && !hasBit(without, rank) && !hasBit(reg.seen, rank) {
			costs = append(costs, min(m.optionalCost(o, reg, rank, without), add(unnamed, fartherKey)))
		}
	}
	if reg.count() == 0 {
		costs = append(costs, unnamed)
	}
	slices.Sort(costs)
	costs = costs[:min(count, len(costs))]
	n := int32(0)
	for _, c := range costs {
		n = add(n, c)
	}
	return add(n, int32(min(int64(unnamed+fartherKey)*int64(count-len(costs)), unreachable)))
}

// keyDistance is the length of the shortest key of a language, with quotes.
func keyDistance(u *Unit, keys lex.Expr) int32 {
	s := u.arena.StartString(keys, u.escapes)
	if s == lex.StringDead {
		return unreachable
	}
	return 1 + int32(u.arena.StringDistance(s))
}

// optionalCost is what a named key costs that nothing asks for, with those that it requires beside
// the owed ones.
func (m *Machine) optionalCost(o *object, reg *register, rank int, owed []uint64) int32 {
	n := m.memberLength(o, rank)
	if o.plain && len(o.implied) == 0 {
		return n
	}
	after := o.owed(reg.seen, int32(rank))
	for other := range o.names {
		if hasBit(after, other) && !hasBit(owed, other) {
			n = add(n, m.memberLength(o, other))
		}
	}
	if !o.fits(reg, rank, after) {
		return unreachable
	}
	return n
}

// fits says whether a name may still come, with those that are owed then, if there is room.
func (o *object) fits(r *register, rank int, owed []uint64) bool {
	setBit(owed, rank)
	for i := range o.names {
		if o.unit.declared && hasBit(owed, i) && o.order[i] < r.last {
			return false
		}
	}
	return true
}

// existenceCost is what a member costs that meets an obligation, by a name or by another key.
func (m *Machine) existenceCost(o *object, reg *register, x *existence) int32 {
	a := o.unit.arena
	best := int32(unreachable)
	cost := func(key int32, node *schema.Node) {
		if both := m.meeting(o, node, x.node); both != nil {
			best = min(best, add(m.valueDistance(m.valueIndex(o.unit, both)), key+2))
		}
	}
	for rank, name := range o.names {
		if hasBit(o.present, rank) && !hasBit(reg.seen, rank) && a.Accepting(a.Walk(x.keys, name)) {
			cost(m.keyLength(o, rank), m.values[o.values[rank]].node)
		}
	}
	for _, c := range o.classes {
		if key := keyDistance(o.unit, a.Intersect(m.classes[c].keys, a.Expr(x.keys))); key < unreachable {
			cost(key, m.classes[c].node)
		}
	}
	return best
}

// unnamedKeyDistance is the distance of a thread in a key that is not named: the key ends as the
// shortest does, or as the shortest that meets an obligation.
func (m *Machine) unnamedKeyDistance(t thread) int32 {
	c := &m.classes[t.def.index()]
	a, s := c.unit.arena, lex.StringState(t.st)
	inner, raw := a.Decoded(s)
	best := int32(unreachable)
	for _, e := range m.stacks.of(t.stack) {
		o := m.objects[e.def.index()]
		reg := o.at(e.st, e.aux)
		m.remaining(o, &reg)
		d := reg.knownDues()
		if !o.duesApart(&reg) {
			after := o.withOther(&reg, reg.keys)
			d = m.remaining(o, &after)
		}
		d = add(d, m.valueDistance(m.valueIndex(o.unit, c.node)))
		best = min(best, add(add(d, m.below(e.below)), int32(a.StringDistance(s))+1))
		for i, x := range o.exists {
			if reg.counts[i] >= x.least || !raw {
				continue
			}
			node, to := m.meeting(o, c.node, x.node), a.Walk(x.keys, m.readKey(t))
			if node == nil || to == lex.Dead {
				continue
			}
			if rest := keyDistance(c.unit, a.Intersect(a.Expr(inner), a.Expr(to))); rest < unreachable {
				d := m.afterMeeting(o, o.withOther(&reg, reg.keys), i, node)
				best = min(best, add(add(d, m.below(e.below)), rest))
			}
		}
	}
	return best
}

// afterMeeting is what a member that meets an obligation costs behind its key, and what its
// object, whose register holds the key, needs then.
func (m *Machine) afterMeeting(o *object, after register, i int, node *schema.Node) int32 {
	after.counts = slices.Clone(after.counts)
	after.counts[i]++
	after.known = nil
	d := m.remaining(o, &after)
	return add(d, m.valueDistance(m.valueIndex(o.unit, node)))
}

// meeting is the values of one set that are of another, or nil.
func (m *Machine) meeting(o *object, n, other *schema.Node) (both *schema.Node) {
	o.unit.locked(func() {
		if both = n.And(other); both.Empty() {
			both = nil
		}
	})
	return both
}

func (m *Machine) readKey(t thread) string {
	return string(decodeString(m.texts.appendSince(nil, max(textID(t.aux), noText), t.rec)))
}
