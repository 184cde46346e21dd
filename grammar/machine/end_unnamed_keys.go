package machine

import (
	"slices"
	"strings"
	"unicode/utf8"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// Keys that are not named must differ from those that are, and from each other.

// maxExtras is how many such keys are told apart; those beyond cost a little more than the last.
const maxExtras = 24

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
	beyond := int32(unreachable) // what a key costs of which there are always more: a little longer tells hundreds apart
	for i, c := range o.classes {
		value, last := m.valueDistance(m.valueIndex(o.unit, m.classes[c].node)), int32(unreachable)
		for _, key := range m.freeKeys(o, reg, i, min(count, maxExtras)) {
			last = add(value, key+2)
			costs = append(costs, last)
		}
		beyond = min(beyond, add(last, 1))
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

// shortKeys are the shortest keys of a class that are not named, in the order of their lengths.
type shortKeys struct {
	texts   []textID
	lengths []int32  // with quotes
	left    lex.Expr // the others
}

// freeKeys are the lengths of the keys of a class that an object neither names nor has, the
// shortest of them.
func (m *Machine) freeKeys(o *object, reg *register, class, count int) []int32 {
	if o.shortest == nil {
		o.shortest = make([]*shortKeys, len(o.classes))
	}
	x := o.shortest[class]
	if x == nil {
		a := o.unit.arena
		x = &shortKeys{left: a.Intersect(m.classes[o.classes[class]].keys, a.Complement(a.Literals(o.names...)))}
		o.shortest[class] = x
	}
	var lengths []int32
	for i := 0; len(lengths) < count && (i < len(x.texts) || m.oneMore(o, x)); i++ {
		if !m.keys.has(reg.keys, x.texts[i]) {
			lengths = append(lengths, x.lengths[i])
		}
	}
	return lengths
}

// oneMore finds the next of the shortest keys, if there is one.
func (m *Machine) oneMore(o *object, x *shortKeys) bool {
	a := o.unit.arena
	s := a.StartString(x.left, o.unit.escapes)
	if s == lex.StringDead {
		return false
	}
	text := decodeString(shortestString(a, s))
	x.texts, x.lengths = append(x.texts, m.texts.of(text)), append(x.lengths, 1+int32(a.StringDistance(s)))
	x.left = a.Intersect(x.left, a.Complement(a.Literal(string(text))))
	return true
}

// shortestString is a shortest way to the end of a string, without the quote.
func shortestString(a *lex.Arena, s lex.StringState) []byte {
	var text []byte
	for {
		least, to := a.StringDistance(s), -1
		row := a.StringRow(s)
		for b, next := range row {
			switch {
			case next == lex.StringClosed && least == 1:
				return text
			case next > lex.StringClosed && to < 0 && a.StringDistance(next) < least:
				to = b
			}
		}
		if to < 0 {
			return text // a limit was met
		}
		text, s = append(text, byte(to)), row[to]
	}
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
		if rest, key := m.restOfUnnamedKey(t, o, &before, 0); rest < unreachable {
			best = min(best, add(m.unnamedMember(o, e, key, c.node), rest+1))
		}
		for i, x := range o.exists {
			if before.counts[i] >= x.least {
				continue
			}
			if node := m.meeting(o, c.node, x.node); node != nil {
				if rest, key := m.restMeeting(t, o, &before, &x); rest < unreachable {
					after := m.withKey(o, &before, key)
					d := m.afterMeeting(o, after, i, node)
					best = min(best, add(add(d, m.below(e.below)), rest+1))
				}
			}
		}
	}
	return best
}

// unnamedMember is what a member costs behind its key, and what its object needs then.
func (m *Machine) unnamedMember(o *object, e entry, key string, node *schema.Node) int32 {
	reg := o.at(e.st, e.aux)
	m.remaining(o, &reg)
	d := reg.knownDues()
	if !o.duesApart(&reg) {
		after := m.withKey(o, &reg, key) // no register of its own: of keys that are tried there are many
		d = m.remaining(o, &after)
	}
	return add(add(d, m.valueDistance(m.valueIndex(o.unit, node))), m.below(e.below))
}

// withKey is the register with one more key that is not named.
func (m *Machine) withKey(o *object, reg *register, key string) register {
	keys := reg.keys
	if o.minds {
		keys, _ = m.keys.with(keys, m.texts.of([]byte(key)))
	}
	return o.withOther(reg, keys)
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

// restOfUnnamedKey is how far a thread in such a key is from the quote behind one that is free, and
// that key. Within an escape or a code point, the byte is taken that leads to the nearest: that
// may be the only one which is as near as it was before.
func (m *Machine) restOfUnnamedKey(t thread, o *object, reg *register, depth int) (int32, string) {
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
	d, key := m.restOfUnnamedKey(to, o, reg, depth+1)
	return add(d, 1), key
}

// restMeeting is restOfUnnamedKey for keys that meet an obligation.
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

// restIn is the length of the shortest rest of a key in a language of rests, with the quote, so
// that the key is free. Mostly the shortest of all is.
func (m *Machine) restIn(t thread, o *object, reg *register, rests lex.Expr) (int32, string) {
	a, read := o.unit.arena, m.readKey(t)
	s := a.StartString(rests, o.unit.escapes)
	if s != lex.StringDead {
		inner, _ := a.Decoded(s)
		rest := string(a.Shortest(inner))
		if d := int32(a.StringDistance(s)); d == quotedLength(rest)+1 && !m.isUsed(o, reg, read+rest) {
			return d, read + rest
		}
	}
	if taken := m.takenKeys(o, reg, read); len(taken) > 0 {
		s = a.StartString(a.Intersect(rests, a.Complement(a.Literals(taken...))), o.unit.escapes)
	}
	if s == lex.StringDead {
		return unreachable, ""
	}
	inner, _ := a.Decoded(s)
	return int32(a.StringDistance(s)), read + string(a.Shortest(inner))
}

// isUsed says whether an object names or has a key.
func (m *Machine) isUsed(o *object, reg *register, key string) bool {
	if _, named := o.rank(key); named {
		return true
	}
	return m.keys.has(reg.keys, m.texts.of([]byte(key)))
}
