package print

import (
	"strings"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// objectWriter writes the rules of one set of objects. A rule reads the rest of an object behind
// some of its named keys, which come in declared order, and before the others.
type objectWriter struct {
	*valueWriter
	o     *schema.ObjectAlt
	props []schema.Prop
	pairs []*gbnf.Node // by property: key, value, and the space behind
	extra []*gbnf.Node // the same of other keys
	rules map[int]int  // by state
}

func (w *valueWriter) object(o *schema.ObjectAlt) *gbnf.Node {
	x := &objectWriter{valueWriter: w, o: o, rules: map[int]int{}}
	required := 0
	for _, p := range o.Props {
		if !p.Value.Empty() {
			pair := w.fresh("pair")
			w.out.Rules[pair].Node = gbnf.Sequence(literal(x.key(p.Name)), w.space, literal(":"), w.space, w.value(p.Value), w.space)
			x.props, x.pairs = append(x.props, p), append(x.pairs, ref(pair))
			required += boolInt(p.Required)
		}
	}
	x.addExtra()
	if !w.Declared && len(x.props)+len(x.extra) > 1 {
		w.narrow("keys are accepted in declared order only")
	}
	if o.MinProps > required || o.MaxProps != schema.Unbounded && (len(x.extra) > 0 || o.MaxProps < len(x.props)) {
		w.loosen("minProperties and maxProperties are not enforced")
	}
	if len(o.Implications) > 0 {
		w.loosen("dependencies between keys are not enforced")
	}
	if len(o.Exists) > 0 {
		w.loosen("that some key must be present, which follows from a negation, is not enforced")
	}
	return gbnf.Sequence(literal("{"), w.space, x.link(0, false), literal("}"))
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
		// a class of all keys holds the named ones
		if len(names) > 0 && withoutRule != ruleApart {
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

// link reads the keys from index i on; some says that a comma must come first.
func (x *objectWriter) link(i int, some bool) *gbnf.Node {
	state := i<<1 | boolInt(some)
	if r, ok := x.rules[state]; ok {
		return ref(r)
	}
	r := x.fresh("object")
	x.rules[state] = r
	var ways []*gbnf.Node // to go on, to leave a key out, or to end
	if i < len(x.props) {
		ways = append(ways, x.behind(some, x.pairs[i], x.link(i+1, true)))
		if !x.props[i].Required {
			ways = append(ways, x.link(i+1, some))
		}
	} else {
		for _, e := range x.extra {
			ways = append(ways, x.behind(some, e, x.link(i, true)))
		}
		ways = append(ways, literal(""))
	}
	x.out.Rules[r].Node = gbnf.Choice(ways...)
	return ref(r)
}

// behind puts a comma before something, if a key came before.
func (x *objectWriter) behind(some bool, parts ...*gbnf.Node) *gbnf.Node {
	if some {
		parts = append([]*gbnf.Node{literal(","), x.space}, parts...)
	}
	return gbnf.Sequence(parts...)
}

// key is a named key in quotes.
func (x *objectWriter) key(name string) string {
	var quoted strings.Builder
	for _, r := range name {
		switch {
		case r == '"' || r == '\\':
			quoted.WriteString(`\` + string(r))
		case r < 0x20:
			quoted.WriteString(shortEscape(r))
		default:
			quoted.WriteRune(r)
		}
	}
	if x.Escapes != lex.EscapesCanonical {
		x.narrow("named keys are accepted without superfluous escapes only")
	}
	return `"` + quoted.String() + `"`
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
