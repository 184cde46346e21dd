package machine

import (
	"slices"
	"strings"
	"unicode/utf8"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// Keys that are not named must differ from those that are, and from each other.

// maxExtras is how many such keys are told apart; those beyond cost a little more
// than the last.
const maxExtras = 24

// extraCosts is what so many more keys that are not named cost with their values,
// colons and commas.
func (m *Machine) extraCosts(o *object, reg *register, count int) int32 {
	if count <= 0 {
		return 0
	}
	var costs []int32
	for i, c := range o.classes {
		value := m.valueDistance(m.valueIndex(o.unit, m.classes[c].node))
		for _, key := range m.freeKeys(o, reg, i, min(count, maxExtras)) {
			costs = append(costs, add(value, key+2))
		}
	}
	slices.Sort(costs)
	n, last := int32(0), int32(unreachable)
	for _, c := range costs[:min(count, len(costs))] {
		n, last = add(n, c), c
	}
	if more := count - len(costs); more > 0 {
		each := int64(add(last, 1)) // of so many, keys a little longer tell hundreds apart
		n = add(n, int32(min(each*int64(more), unreachable)))
	}
	return n
}

// freeKeys are the lengths of the keys of a class that an object neither names nor
// has, the shortest of them.
func (m *Machine) freeKeys(o *object, reg *register, class, count int) []int32 {
	if reg.free == nil {
		reg.free = make([][]int32, len(o.classes))
	}
	if len(reg.free[class]) < count {
		reg.free[class] = m.keyLengths(o, reg, m.classes[o.classes[class]].keys, count)
	}
	return reg.free[class][:min(count, len(reg.free[class]))]
}

// keyLengths are the lengths, with quotes, of the shortest keys of a language that an
// object neither names nor has.
func (m *Machine) keyLengths(o *object, reg *register, keys lex.Expr, count int) []int32 {
	a := o.unit.arena
	left := a.Intersect(keys, a.Complement(a.Literals(m.takenKeys(o, reg, "")...)))
	var lengths []int32
	for range count {
		s := a.StartString(left, o.unit.escapes)
		if s == lex.StringDead {
			break
		}
		lengths = append(lengths, 1+int32(a.StringDistance(s)))
		if len(lengths) < count {
			inner, _ := a.Decoded(s)
			left = a.Intersect(left, a.Complement(a.Literal(string(a.Shortest(inner)))))
		}
	}
	return lengths
}

// takenKeys are what is missing, behind a prefix, of the keys that an object names or
// has.
func (m *Machine) takenKeys(o *object, reg *register, prefix string) []string {
	var rests []string
	for _, key := range append(m.decodedTexts(reg.extras), o.names...) {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			rests = append(rests, rest)
		}
	}
	return rests
}

// existenceCost is what a member costs that meets an obligation, by a name or by
// another key.
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
		for _, key := range m.keyLengths(o, reg, a.Intersect(m.classes[c].keys, a.Expr(x.keys)), 1) {
			cost(key, m.classes[c].node)
		}
	}
	return best
}

// extraDistance is the distance of a thread in a key that is not named: the key ends
// as the shortest that is free, or as one that meets an obligation.
func (m *Machine) extraDistance(t thread) int32 {
	c := &m.classes[t.def.index()]
	o := m.objects[c.object]
	best := int32(unreachable)
	for _, e := range m.stacks.of(t.stack) {
		before := o.regs[e.aux]
		if rest, key := m.restOfExtra(t, o, &before, 0); rest < unreachable {
			best = min(best, add(m.extraMember(o, e, m.texts.of([]byte(key)), c.node), rest+1))
		}
		for i, x := range o.exists {
			if before.counts[i] >= x.least {
				continue
			}
			if node := m.meeting(o, c.node, x.node); node != nil {
				if rest, key := m.restMeeting(t, o, &before, &x); rest < unreachable {
					after := o.withExtra(&before, m.texts.of([]byte(key)))
					d := m.afterMeeting(o, after, i, node)
					best = min(best, add(add(d, m.below(e.below)), rest+1))
				}
			}
		}
	}
	return best
}

// extraMember is what a member costs behind its key, and what its object needs then.
func (m *Machine) extraMember(o *object, e entry, key textID, node *schema.Node) int32 {
	reg := o.afterExtra(e.aux, key)
	d := m.remaining(o, &o.regs[reg])
	return add(add(d, m.valueDistance(m.valueIndex(o.unit, node))), m.below(e.below))
}

// afterMeeting is what a member that meets an obligation costs behind its key, and
// what its object, whose register holds the key, needs then.
func (m *Machine) afterMeeting(o *object, after register, i int, node *schema.Node) int32 {
	after.counts = slices.Clone(after.counts)
	after.counts[i]++
	d := m.remaining(o, &o.regs[o.intern(after)])
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

// restOfExtra is how far a thread in such a key is from the quote behind one that is
// free, and that key. Within an escape or a code point, the byte is taken that leads
// to the nearest: that may be the only one which is as near as it was before.
func (m *Machine) restOfExtra(t thread, o *object, reg *register, depth int) (int32, string) {
	a := o.unit.arena
	s := lex.StringState(t.st)
	if inner, raw := a.Decoded(s); raw && utf8.ValidString(m.readKey(t)) {
		return m.restIn(t, o, reg, a.Expr(inner))
	}
	if depth > maxEscape {
		return unreachable, ""
	}
	least, to := int(unreachable), t
	for b, next := range a.StringRow(s) {
		if next == lex.StringDead {
			continue
		}
		if d := a.StringDistance(next); d < least {
			least = d
			to.st, to.rec = int32(next), m.texts.add(t.rec, byte(b))
		}
	}
	if least == unreachable {
		return unreachable, ""
	}
	d, key := m.restOfExtra(to, o, reg, depth+1)
	return add(d, 1), key
}

// restMeeting is restOfExtra for keys that meet an obligation.
func (m *Machine) restMeeting(t thread, o *object, reg *register, x *existence) (int32, string) {
	a := o.unit.arena
	inner, raw := a.Decoded(lex.StringState(t.st))
	read := m.readKey(t)
	s := a.Walk(x.keys, read)
	if !raw || s == lex.Dead || !utf8.ValidString(read) {
		return unreachable, ""
	}
	return m.restIn(t, o, reg, a.Intersect(a.Expr(inner), a.Expr(s)))
}

func (m *Machine) readKey(t thread) string {
	return string(decodeString(m.texts.appendSince(nil, max(textID(t.aux), noText), t.rec)))
}

// restIn is the length of the shortest rest of a key in a language of rests, with the
// quote, so that the key is free.
func (m *Machine) restIn(t thread, o *object, reg *register, rests lex.Expr) (int32, string) {
	a, read := o.unit.arena, m.readKey(t)
	if taken := m.takenKeys(o, reg, read); len(taken) > 0 {
		rests = a.Intersect(rests, a.Complement(a.Literals(taken...)))
	}
	s := a.StartString(rests, o.unit.escapes)
	if s == lex.StringDead {
		return unreachable, ""
	}
	inner, _ := a.Decoded(s)
	return int32(a.StringDistance(s)), read + string(a.Shortest(inner))
}
