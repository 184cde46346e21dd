package machine

import (
	"slices"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// Keys that are not named must differ from those that are, and from each other. The shortest that
// are still free are listed. Further ones are taken to be two characters longer, which is enough
// for thousands, if a key may be any text.
const (
	maxListedKeys = 8
	fartherKey    = 2
)

// otherCosts is the least that count more keys cost, with their values, colons and commas. It
// takes the cheapest keys, named or not; names in without do not count.
func (m *Machine) otherCosts(o *object, reg *register, without []uint64, count int) int32 {
	if count <= 0 || rareUnnamedEnds.off() {
		return 0
	}
	costs, next := m.unnamedCosts(o, reg, count)
	for rank := range o.names {
		if hasBit(o.present, rank) && !hasBit(without, rank) && !hasBit(reg.seen, rank) {
			costs = append(costs, m.optionalCost(o, reg, rank, without))
		}
	}
	slices.Sort(costs)
	costs = costs[:min(count, len(costs))]
	n := int32(min(int64(next)*int64(count-len(costs)), unreachable))
	for _, c := range costs {
		n = add(n, c)
	}
	return n
}

// unnamedCosts lists what the cheapest unnamed keys cost: count of them, or as many as there are,
// maxListedKeys of a class at most. next is what each further one costs.
func (m *Machine) unnamedCosts(o *object, reg *register, count int) (costs []int32, next int32) {
	next = unreachable
	for _, c := range o.classes {
		value := add(m.valueDistance(m.valueIndex(o.unit, m.classes[c].node)), 2)
		n := int32(0)
		keys := m.freeTexts(o, reg.keys, "", m.classes[c].keys, min(count, maxListedKeys))
		for _, key := range keys {
			n = 2 + quotedLength(key)
			costs = append(costs, add(value, n))
		}
		if len(keys) == maxListedKeys {
			next = min(next, add(value, n+fartherKey))
		}
	}
	return costs, next
}

// freeTexts are ways to end a key of which read has been read: the shortest texts of e, count at
// most, that make it a key which the object neither names nor has.
func (m *Machine) freeTexts(o *object, has keysID, read string, e lex.Expr, count int) []string {
	a := o.unit.arena
	var free, met []string
	for len(free) < count {
		s := a.StartString(a.Intersect(e, a.Complement(a.Literals(met...))), o.unit.escapes)
		if s == lex.StringDead {
			break
		}
		text := string(decodeString(a.ShortestString(s)))
		met = append(met, text)
		if _, named := o.rank(read + text); !named && (has == noKeys || !m.keys.has(has, m.texts.of([]byte(read+text)))) {
			free = append(free, text)
		}
	}
	return free
}

// optionalCost is what a named key costs that is not required, with the keys that it requires in
// turn. Those that are owed anyway do not count.
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

// fits says whether a name may still come, with those that are owed then, in the declared order.
// maxProperties is not looked at.
func (o *object) fits(r *register, rank int, owed []uint64) bool {
	setBit(owed, rank)
	for i := range o.names {
		if o.unit.declared && hasBit(owed, i) && o.order[i] < r.last {
			return false
		}
	}
	return true
}

// existenceCost is what the cheapest member costs that meets an obligation, be its key named or
// not.
func (m *Machine) existenceCost(o *object, reg *register, x *existence) int32 {
	a := o.unit.arena
	best := int32(unreachable)
	cost := func(key int32, node *schema.Node) {
		if both := m.intersection(o, node, x.node); both != nil {
			best = min(best, add(m.valueDistance(m.valueIndex(o.unit, both)), key+2))
		}
	}
	for rank, name := range o.names {
		if hasBit(o.present, rank) && !hasBit(reg.seen, rank) && a.Accepting(a.Walk(x.keys, name)) {
			cost(m.keyLength(o, rank), m.values[o.values[rank]].node)
		}
	}
	for _, c := range o.classes {
		for _, key := range m.freeTexts(o, reg.keys, "", a.Intersect(m.classes[c].keys, a.Expr(x.keys)), 1) {
			cost(2+quotedLength(key), m.classes[c].node)
		}
	}
	return best
}

// unnamedKeyDistance is the distance of a thread in a key that is not named: the key ends as the
// shortest does, or as the shortest that meets an obligation.
func (m *Machine) unnamedKeyDistance(t thread) int32 {
	c := &m.classes[t.def.index()]
	anyKey := c.unit.arena.Start(c.unit.anyText)
	best := int32(unreachable)
	for _, e := range m.stacks.of(t.stack) {
		o := m.objects[e.def.index()]
		reg := o.at(e.st, e.aux)
		m.remaining(o, &reg)
		rest, key := m.endOfKey(t, o, reg.keys, anyKey)
		d := reg.knownDues()
		if !o.duesApart(&reg) {
			after := m.withUnnamed(o, &reg, key)
			d = m.remaining(o, &after)
		}
		d = add(d, m.valueDistance(m.valueIndex(o.unit, c.node)))
		best = min(best, add(add(d, m.below(e.below)), rest))
		for i, x := range o.exists {
			node := m.intersection(o, c.node, x.node)
			if reg.counts[i] >= x.least || node == nil {
				continue
			}
			if rest, key = m.endOfKey(t, o, reg.keys, x.keys); rest < unreachable {
				d := m.afterMeeting(o, m.withUnnamed(o, &reg, key), i, node)
				best = min(best, add(add(d, m.below(e.below)), rest))
			}
		}
	}
	return best
}

// endOfKey ends the key that a thread is in: the shortest way to a key of a language that the
// object neither names nor has. It returns the bytes that are missing, with the quote and the
// colon, and the key. A code point or an escape that has begun ends as in the shortest key.
func (m *Machine) endOfKey(t thread, o *object, has keysID, of lex.State) (rest int32, key string) {
	a, s := m.classes[t.def.index()].unit.arena, lex.StringState(t.st)
	spelled := m.texts.appendSince(nil, max(textID(t.aux), noText), t.rec)
	for !between(a, s) {
		ahead := a.ShortestString(s)
		if len(ahead) == 0 {
			return unreachable, "" // the limit on work was hit
		}
		s, spelled, rest = a.StepString(s, ahead[0]), append(spelled, ahead[0]), rest+1
	}
	inner, _ := a.Decoded(s)
	read := string(decodeString(spelled))
	for _, text := range m.freeTexts(o, has, read, a.Intersect(a.Expr(inner), a.Expr(a.Walk(of, read))), 1) {
		return rest + quotedLength(text) + 2, read + text
	}
	return unreachable, ""
}

// withUnnamed is the register with one more key that is not named.
func (m *Machine) withUnnamed(o *object, reg *register, key string) register {
	keys, ok := m.keys.with(reg.keys, m.texts.of([]byte(key)))
	if !ok {
		keys = reg.keys
	}
	return o.withOther(reg, keys)
}

// afterMeeting is what is missing behind the key of a member that meets obligation i: its value,
// and what the object needs then. after is the register with that key.
func (m *Machine) afterMeeting(o *object, after register, i int, node *schema.Node) int32 {
	after.counts = slices.Clone(after.counts)
	after.counts[i]++
	after.known = nil
	d := m.remaining(o, &after)
	return add(d, m.valueDistance(m.valueIndex(o.unit, node)))
}

// intersection is n and other, or nil if that is empty.
func (m *Machine) intersection(o *object, n, other *schema.Node) (both *schema.Node) {
	o.unit.locked(func() {
		if both = n.And(other); both.Empty() {
			both = nil
		}
	})
	return both
}
