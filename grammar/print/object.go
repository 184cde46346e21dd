package print

import (
	"math/bits"
	"slices"
	"strings"

	"tenon/grammar/gbnf"
	"tenon/grammar/schema"
)

// maxAnyOrder is the number of keys up to which every order is written out: it takes a rule for
// each set of keys that may have come.
const maxAnyOrder = 5

// objectWriter writes the rules of one set of objects. A rule reads the rest of an object, given
// which keys there have been.
type objectWriter struct {
	*valueWriter
	o     *schema.ObjectAlt
	props []schema.Prop
	extra []*gbnf.Node // other keys with their values, and the space behind
	pairs []*gbnf.Node // by property: the same; nil until it is written
	rules map[int]int  // by state
}

func (w *valueWriter) object(o *schema.ObjectAlt) *gbnf.Node {
	x := &objectWriter{valueWriter: w, o: o, rules: map[int]int{}}
	for _, p := range o.Props {
		if !p.Value.Empty() {
			x.props = append(x.props, p)
		}
	}
	x.pairs = make([]*gbnf.Node, len(x.props))
	x.addExtra()
	if len(o.Exists) > 0 {
		w.loosen("that some key must be present, which follows from a negation, is not enforced")
	}
	var inner *gbnf.Node
	if len(x.props) <= maxAnyOrder && !w.Declared {
		inner = x.afterSet(0, 0)
	} else {
		inner = x.chain()
	}
	return gbnf.Sequence(literal("{"), w.space, inner, literal("}"))
}

// addExtra writes what keys that are not named may be.
func (x *objectWriter) addExtra() {
	var names []string
	for _, p := range x.o.Props {
		names = append(names, p.Name)
	}
	for _, c := range x.o.UnnamedKeys() {
		if c.Value.Empty() {
			continue
		}
		x.loosen("other keys than the named may come twice")
		key, keys := star(x.char()), c.Keys
		if len(names) > 0 { // a class of all keys holds the named ones
			keys = x.Arena.Intersect(keys, x.Arena.Complement(x.Arena.Literals(names...)))
		}
		if keys != x.any {
			key = x.text(keys)
		}
		i := x.fresh("other")
		x.out.Rules[i].Node = gbnf.Sequence(literal(`"`), key, literal(`"`), x.space, literal(":"), x.space, x.value(c.Value), x.space)
		x.extra = append(x.extra, ref(i))
	}
}

// pair is a named key with its value, and the space behind.
func (x *objectWriter) pair(i int) *gbnf.Node {
	if x.pairs[i] == nil {
		pair := x.fresh("pair")
		x.pairs[i] = ref(pair)
		x.out.Rules[pair].Node = gbnf.Sequence(literal(x.key(x.props[i])), x.space, literal(":"), x.space, x.value(x.props[i].Value), x.space)
	}
	return x.pairs[i]
}

// key is a named key in quotes.
func (x *objectWriter) key(p schema.Prop) string {
	var quoted []byte
	for _, r := range p.Name {
		switch {
		case r == '"' || r == '\\':
			quoted = append(quoted, '\\', byte(r))
		case r < 0x20:
			quoted = append(quoted, shortEscape(r)...)
		default:
			quoted = append(quoted, string(r)...)
		}
	}
	if strings.ContainsFunc(p.Name, x.spelledAnew) {
		x.narrow("named keys are accepted without superfluous escapes only")
	}
	return `"` + string(quoted) + `"`
}

// afterSet reads the rest of an object in any order, where the bits of seen are the named keys
// there have been, and count is how many keys, up to where it stops to matter.
func (x *objectWriter) afterSet(seen, count int) *gbnf.Node {
	limit := max(x.o.MinProps, x.o.MaxProps, 1) // the count stops to matter beyond
	if limit > maxAnyOrder+3 && len(x.extra) > 0 {
		limit = 1
		x.loosen("minProperties and maxProperties are not enforced where they are large")
	}
	key := seen<<8 | min(count, limit)
	if i, ok := x.rules[key]; ok {
		return ref(i)
	}
	i := x.fresh("object")
	x.rules[key] = i
	var ways []*gbnf.Node
	next := min(count+1, limit)
	if x.o.MaxProps == schema.Unbounded || count < x.o.MaxProps || limit == 1 && x.o.MaxProps > 1 {
		for b := range x.props {
			if seen>>b&1 == 0 && x.canEnd(seen|1<<b, next, limit) {
				ways = append(ways, gbnf.Sequence(x.pair(b), x.afterSet(seen|1<<b, next)))
			}
		}
		for _, e := range x.extra {
			if x.canEnd(seen, next, limit) {
				ways = append(ways, gbnf.Sequence(e, x.afterSet(seen, next)))
			}
		}
	}
	x.out.Rules[i].Node = x.rest(ways, count > 0, x.mayEnd(seen, count, limit))
	return ref(i)
}

// rest is the ways in which an object can go on, after a comma if there were some keys, or end.
func (x *objectWriter) rest(ways []*gbnf.Node, some, mayEnd bool) *gbnf.Node {
	var kids []*gbnf.Node
	switch {
	case len(ways) > 0 && some:
		kids = append(kids, gbnf.Sequence(literal(","), x.space, gbnf.Choice(ways...)))
	default:
		kids = append(kids, ways...)
	}
	if mayEnd {
		kids = append(kids, literal(""))
	}
	if len(kids) == 0 {
		kids = append(kids, never()) // of the whole object: nothing else leads here
	}
	return gbnf.Choice(kids...)
}

// mayEnd says whether an object may end with these keys.
func (x *objectWriter) mayEnd(seen, count, limit int) bool {
	return x.complete(seen) && (count >= x.o.MinProps || limit == 1 && count >= min(1, x.o.MinProps))
}

// canEnd says whether some keys can follow these so that the object may end.
func (x *objectWriter) canEnd(seen, count, limit int) bool {
	if x.mayEnd(seen, count, limit) {
		return true
	}
	if x.o.MaxProps != schema.Unbounded && count >= x.o.MaxProps && !(limit == 1 && x.o.MaxProps > 1) {
		return false
	}
	next := min(count+1, limit)
	for b := range x.props {
		if seen>>b&1 == 0 && x.canEnd(seen|1<<b, next, limit) {
			return true
		}
	}
	return len(x.extra) > 0 && next > count && x.canEnd(seen, next, limit)
}

func (x *objectWriter) complete(seen int) bool {
	has := func(name string) bool {
		i := slices.IndexFunc(x.props, func(p schema.Prop) bool { return p.Name == name })
		return i >= 0 && seen>>i&1 != 0
	}
	for b, p := range x.props {
		if p.Required && seen>>b&1 == 0 {
			return false
		}
	}
	for _, im := range x.o.Implications {
		for _, r := range im.Required {
			if has(im.Key) && !has(r) {
				return false
			}
		}
	}
	return bits.OnesCount(uint(seen)) <= len(x.props)
}

// chain reads the named keys in declared order, then others.
func (x *objectWriter) chain() *gbnf.Node {
	if !x.Declared {
		x.narrow("keys are accepted in declared order only where they are more than %d", maxAnyOrder)
	}
	if x.o.MinProps > x.required() || x.o.MaxProps != schema.Unbounded && (len(x.extra) > 0 || x.o.MaxProps < len(x.props)) {
		x.loosen("minProperties and maxProperties are not enforced")
	}
	if len(x.o.Implications) > 0 {
		x.loosen("dependencies between keys are not enforced")
	}
	return x.link(0, false)
}

func (x *objectWriter) required() int {
	n := 0
	for _, p := range x.props {
		if p.Required {
			n++
		}
	}
	return n
}

// link reads the keys from index i on; some says that a comma must come first.
func (x *objectWriter) link(i int, some bool) *gbnf.Node {
	state := i<<1 | boolInt(some)
	if r, ok := x.rules[state]; ok {
		return ref(r)
	}
	r := x.fresh("object")
	x.rules[state] = r
	var ways []*gbnf.Node
	if i == len(x.props) {
		for _, e := range x.extra {
			ways = append(ways, gbnf.Sequence(e, x.link(i, true)))
		}
		x.out.Rules[r].Node = x.rest(ways, some, true)
		return ref(r)
	}
	ways = append(ways, gbnf.Sequence(x.pair(i), x.link(i+1, true)))
	n := x.rest(ways, some, false)
	if !x.props[i].Required {
		n = gbnf.Choice(n, x.link(i+1, some))
	}
	x.out.Rules[r].Node = n
	return ref(r)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
