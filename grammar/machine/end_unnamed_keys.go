package machine

import (
	"slices"
	"strings"
	"unicode/utf8"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// Keys that are not named must differ from those that are, and from each other.

// longKey is what a key is taken to cost beyond the shortest one that is free, so that it differs
// from others to come: two characters tell thousands apart.
const longKey = 2

// otherCosts is what so many more keys cost that are none of some names, with their values, colons
// and commas: the cheapest of the other names, and of keys that are not named.
func (m *Machine) otherCosts(o *object, reg *register, without []uint64, count int) int32 {
	if count <= 0 {
		return 0
	}
	var costs []int32
	for rank := range o.names {
		if hasBit(o.present, rank) && !hasBit(without, rank) && !hasBit(reg.seen, rank) {
			costs = append(costs, m.optionalCost(o, reg, rank, without))
		}
	}
	beyond := int32(unreachable) // what a key costs of which there are always more
	for _, c := range o.classes {
		if key := m.shortestFree(o, reg, m.classes[c].keys); key < unreachable {
			first := add(m.valueDistance(m.valueIndex(o.unit, m.classes[c].node)), key+2)
			costs = append(costs, first)
			beyond = min(beyond, first+longKey)
		}
	}
	slices.Sort(costs)
	n := int32(0)
	for _, c := range costs[:min(count, len(costs))] {
		n = add(n, min(c, beyond))
	}
	more := max(0, count-len(costs))
	return add(n, int32(min(int64(beyond)*int64(more), unreachable)))
}

// optionalCost is what a named key costs that nothing asks for, with those that it requires beside
// the owed ones.
func (m *Machine) optionalCost(o *object, reg *register, rank int, owed []uint64) int32 {
	if o.plain && len(o.implied) == 0 {
		return m.memberLength(o, rank)
	}
	n := m.memberLength(o, rank)
	after := o.owed(reg.seen, int32(rank))
	for other := range o.names {
		if hasBit(after, other) && !hasBit(owed, other) {
			n = add(n, m.memberLength(o, other))
		}
	}
	if !o.fits(reg, rank, after, o.room(reg)-1) {
		return unreachable
	}
	return n
}

// shortestFree is the length, with quotes, of the shortest key of a language that an object
// neither names nor has.
func (m *Machine) shortestFree(o *object, reg *register, keys lex.Expr) int32 {
	a := o.unit.arena
	s := a.StartString(a.Intersect(keys, a.Complement(a.Literals(m.takenKeys(o, reg, "")...))), o.unit.escapes)
	if s == lex.StringDead {
		return unreachable
	}
	return 1 + int32(a.StringDistance(s))
}

// takenKeys are what is missing, behind a prefix, of the keys that an object names or has.
func (m *Machine) takenKeys(o *object, reg *register, prefix string) []string {
	var rests []string
	for _, key := range append(m.decodedTexts(m.keys.appendKeys(nil, reg.keys)), o.names...) {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			rests = append(rests, rest)
		}
	}
	return rests
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
		if key := m.shortestFree(o, reg, a.Intersect(m.classes[c].keys, a.Expr(x.keys))); key < unreachable {
			cost(key, m.classes[c].node)
		}
	}
	return best
}

// unnamedKeyDistance is the distance of a thread in a key that is not named: the key ends as the
// shortest that is free, or as one that meets an obligation.
func (m *Machine) unnamedKeyDistance(t thread) int32 {
	c := &m.classes[t.def.index()]
	best := int32(unreachable)
	for _, e := range m.stacks.of(t.stack) {
		o := m.objects[e.def.index()]
		before := o.at(e.st, e.aux)
		after := o.withOther(&before, before.keys)
		if rest := m.restOfKey(t, o, &before, nil); rest < unreachable {
			d := add(m.remaining(o, &after), m.valueDistance(m.valueIndex(o.unit, c.node)))
			best = min(best, add(add(d, m.below(e.below)), rest+1))
		}
		for i, x := range o.exists {
			if before.counts[i] >= x.least {
				continue
			}
			if node := m.meeting(o, c.node, x.node); node != nil {
				if rest := m.restOfKey(t, o, &before, &x); rest < unreachable {
					d := m.afterMeeting(o, after, i, node)
					best = min(best, add(add(d, m.below(e.below)), rest+1))
				}
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

// restOfKey is how far a thread in a key that is not named is from the quote behind one that is
// free, and that meets an obligation if one is given. Within an escape or a code point, what is
// free is not looked at.
func (m *Machine) restOfKey(t thread, o *object, reg *register, x *existence) int32 {
	a, s := o.unit.arena, lex.StringState(t.st)
	inner, raw := a.Decoded(s)
	read := string(decodeString(m.texts.appendSince(nil, max(textID(t.aux), noText), t.rec)))
	if !raw || !utf8.ValidString(read) {
		if x != nil {
			return unreachable
		}
		return int32(a.StringDistance(s))
	}
	rests := a.Expr(inner)
	if x != nil {
		rests = a.Intersect(rests, a.Expr(a.Walk(x.keys, read)))
	}
	if s = a.StartString(rests, o.unit.escapes); s == lex.StringDead {
		return unreachable
	}
	inner, _ = a.Decoded(s)
	rest := string(a.Shortest(inner))
	if d := int32(a.StringDistance(s)); d == quotedLength(rest)+1 && !m.isUsed(o, reg, read+rest) {
		return d // mostly the shortest of all is free
	}
	if taken := m.takenKeys(o, reg, read); len(taken) > 0 {
		s = a.StartString(a.Intersect(rests, a.Complement(a.Literals(taken...))), o.unit.escapes)
	}
	if s == lex.StringDead {
		return unreachable
	}
	return int32(a.StringDistance(s))
}

// isUsed says whether an object names or has a key.
func (m *Machine) isUsed(o *object, reg *register, key string) bool {
	if _, named := o.rank(key); named {
		return true
	}
	return m.keys.has(reg.keys, m.texts.of([]byte(key)))
}
