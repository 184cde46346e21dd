package machine

import (
	"math/bits"
	"slices"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// rulesOf returns what may follow in an object in a state with a register.
func (m *Machine) rulesOf(o *object, st, reg int32) *rules {
	k := o.knownOf(st, reg)
	if k.rules == nil {
		r := o.at(st, reg)
		k.rules = m.deriveRules(o, &r)
	}
	return k.rules
}

func (m *Machine) deriveRules(o *object, reg *register) *rules {
	owed := o.owed(reg.seen, -1)
	left := o.keysLeft(reg)
	r := &rules{names: make([]uint64, len(reg.seen))}
	for i, w := range o.present {
		r.names[i] = w &^ reg.seen[i]
	}
	if !o.plain {
		o.restrict(r.names, reg, owed, left)
	}
	if len(reg.uniqueSet) > 0 {
		m.refuseTaken(o, reg, r.names)
	}
	if o.mayHaveExtra(owed, left) {
		m.addClasses(o, reg, r)
	}
	if o.alt.MaxProps != schema.Unbounded && len(o.exists) > 0 && left-countBits(owed) <= o.unmet(reg) {
		m.keepForExisting(o, reg, r, owed)
	}
	r.more = anyBit(r.names, 0, len(o.names)) || len(r.extra) > 0
	r.complete = countBits(owed) == 0 && reg.count() >= o.alt.MinProps
	for i, x := range o.exists {
		r.complete = r.complete && reg.counts[i] >= x.least
	}
	return r
}

// unmet is how many obligations to have keys of a kind are not met yet. Each takes a key of its
// own, see schema.ObjectAlt.
func (o *object) unmet(reg *register) int {
	n := 0
	for i, x := range o.exists {
		if reg.counts[i] < x.least {
			n++
		}
	}
	return n
}

// keepForExisting leaves in r the keys that are owed or meet an obligation: under maxProperties
// there may be no others.
func (m *Machine) keepForExisting(o *object, reg *register, r *rules, owed []uint64) {
	a := o.unit.arena
	for rank, name := range o.names {
		if !hasBit(r.names, rank) || hasBit(owed, rank) {
			continue
		}
		value := m.values[o.values[rank]].node
		if !m.meets(o, reg, value, func(keys lex.Expr) bool { return a.Accepting(a.Walk(a.Start(keys), name)) }) {
			r.names[rank>>6] &^= 1 << (rank & 63)
		}
	}
	kept := r.extra[:0]
	for _, x := range r.extra {
		c := &m.classes[x.class]
		meeting := a.Empty()
		m.meets(o, reg, c.node, func(keys lex.Expr) bool {
			meeting = a.Union(meeting, a.Intersect(c.keys, keys))
			return false
		})
		meeting = a.Intersect(meeting, a.Complement(a.Literals(append(m.decodedTexts(m.keys.appendKeys(nil, reg.keys)), o.names...)...)))
		if x.start = a.StartString(meeting, o.unit.escapes); x.start != lex.StringDead {
			kept = append(kept, x)
		}
	}
	r.extra = kept
}

// meets calls f with the keys of every obligation that is not met and that a value of n can meet,
// until f returns true.
func (m *Machine) meets(o *object, reg *register, n *schema.Node, f func(keys lex.Expr) bool) bool {
	for i, x := range o.exists {
		if reg.counts[i] < x.least && m.intersection(o, n, x.node) != nil && f(o.alt.Exists[i].Keys) {
			return true
		}
	}
	return false
}

func countBits(set []uint64) int {
	n := 0
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return n
}

// keysLeft is how many keys may still come.
func (o *object) keysLeft(reg *register) int {
	if o.alt.MaxProps == schema.Unbounded {
		return 1 << 30
	}
	return o.alt.MaxProps - reg.count()
}

// owed is the set of names that must still come after those of seen and, unless it is -1, the name
// also.
func (o *object) owed(seen []uint64, also int32) []uint64 {
	has := slices.Clone(seen)
	if also >= 0 {
		setBit(has, int(also))
	}
	all := slices.Clone(has) // with what is needed, and what those imply in turn
	for i, w := range o.needed {
		all[i] |= w
	}
	var work []int32
	for key := range o.implied {
		if hasBit(all, int(key)) {
			work = append(work, key)
		}
	}
	for len(work) > 0 {
		key := work[len(work)-1]
		work = work[:len(work)-1]
		for _, r := range o.implied[key] {
			if !hasBit(all, int(r)) {
				setBit(all, int(r))
				work = append(work, r)
			}
		}
	}
	for i := range all {
		all[i] &^= has[i]
	}
	return all
}

// restrict takes out of names those after which the object could not be completed: because of
// maxProperties, of what they imply, or of the order. left is how many keys may still come.
func (o *object) restrict(names []uint64, reg *register, owed []uint64, left int) {
	first, count := o.firstPlace(owed), countBits(owed)
	for rank := range o.names {
		var fits bool
		switch {
		case len(o.implied) > 0:
			after := o.owed(reg.seen, int32(rank))
			fits = countBits(after) < left && o.inOrder(reg, rank, o.firstPlace(after))
		case hasBit(owed, rank):
			fits = count <= left && o.inOrder(reg, rank, first)
		default:
			fits = count < left && o.inOrder(reg, rank, first)
		}
		if !fits {
			names[rank>>6] &^= 1 << (rank & 63)
		}
	}
}

// firstPlace is the least place of a set of names in the declared order.
func (o *object) firstPlace(set []uint64) int32 {
	first := int32(len(o.names))
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			first = min(first, o.order[i<<6+bits.TrailingZeros64(w)])
		}
	}
	return first
}

// inOrder says whether a name may come next and the names owed after it later, of which one is
// declared as the first, if only the declared order is admitted.
func (o *object) inOrder(reg *register, rank int, first int32) bool {
	place := o.order[rank]
	return !o.unit.declared || place >= reg.last && first >= place && o.enoughBehind(reg, rank)
}

// enoughBehind says whether a name and those that are declared behind it make as many keys as
// there must be.
func (o *object) enoughBehind(reg *register, rank int) bool {
	left := o.alt.MinProps - reg.count() - 1
	if left <= 0 || len(o.classes) > 0 {
		return true
	}
	place := o.order[rank]
	comes := func(r int32) bool { return int(r) == rank || o.order[r] > place || hasBit(reg.seen, int(r)) }
	for i := range o.names {
		if o.order[i] > place && hasBit(o.present, i) && !slices.ContainsFunc(o.implied[int32(i)], func(r int32) bool { return !comes(r) }) {
			left--
		}
	}
	return left <= 0
}

// mayHaveExtra says whether a key that is not named may come next.
func (o *object) mayHaveExtra(owed []uint64, left int) bool {
	n := countBits(owed)
	return n < left && (n == 0 || !o.unit.declared)
}

// addClasses gives the classes of other keys, without the keys that there are already. Where there
// is always another one, keys are compared when they end instead.
func (m *Machine) addClasses(o *object, reg *register, r *rules) {
	a := o.unit.arena
	without := a.AnyText()
	apart := o.minds && reg.keys != noKeys
	if apart {
		without = a.Complement(a.Literals(m.decodedTexts(m.keys.appendKeys(nil, reg.keys))...))
	}
	for _, c := range o.classes {
		keys := m.classes[c].keys
		if apart && !a.Endless(keys) {
			keys = a.Intersect(keys, without)
		}
		if s := a.StartString(keys, o.unit.escapes); s != lex.StringDead {
			r.extra = append(r.extra, classStart{c, s})
		}
	}
}

// withName is the register with one more named key.
func (o *object) withName(reg *register, rank int) register {
	r := *reg
	r.known = nil
	r.seen = slices.Clone(reg.seen)
	setBit(r.seen, rank)
	if o.unit.declared {
		r.last = o.order[rank] + 1
	}
	return r
}

// withOther is the register with one more key that is not named, which is among keys.
func (o *object) withOther(reg *register, keys keysID) register {
	r := *reg
	r.keys, r.known = keys, nil
	r.others = min(r.others+1, o.most)
	if o.unit.declared {
		r.last = int32(len(o.names))
	}
	return r
}
