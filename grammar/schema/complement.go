package schema

import (
	"slices"
)

// complement returns the values of kind k outside n. Nodes that Schema.not takes apart do not get
// here.
func (s *Schema) complement(n *Node, k Kind) []*Alt {
	switch n.op {
	case opLeaf:
		return s.complementLeaf(n, k)
	case opOneOf:
		return s.complementOneOf(n, k)
	}
	return s.complementAll(s.expand(n, k, false), k, n)
}

// complementLeaf applies De Morgan to a schema object: a value fails its own keywords, or meets
// them and fails one of its subschemas.
func (s *Schema) complementLeaf(n *Node, k Kind) []*Alt {
	f := s.formOf(n.leaf)
	if f.relaxed {
		return []*Alt{s.anyOf(k)}
	}
	if k == Array && f.unevaluatedItems != nil || k == Object && f.unevaluatedProps != nil {
		return s.complementAll(s.expand(n, k, false), k, n)
	}
	base := s.baseAlt(n.leaf, k)
	if base == nil {
		return []*Alt{s.anyOf(k)}
	}
	if k == String && slices.ContainsFunc(f.strings, func(l stringLimit) bool { return l.superset != nil }) {
		base = s.anyOf(String)
		for _, l := range f.strings {
			if l.superset != nil {
				l.text = l.superset()
			}
			base = s.intersect(base, s.limitAlt(l)) // no less than before
		}
	}
	out := s.complementAlt(base)
	for _, sub := range f.subs {
		out = append(out, s.product(s.expand(s.not(sub), k, false), []*Alt{base.withoutAnnotations()}, n)...)
	}
	return out
}

// complementOneOf returns the values that belong to none of the kids, or to at least two.
func (s *Schema) complementOneOf(n *Node, k Kind) []*Alt {
	out := s.expandAnd([]*Alt{s.anyOf(k)}, s.notAll(n.kids), k, false)
	for i, a := range n.kids {
		for _, b := range n.kids[i+1:] {
			out = append(out, s.product(s.expand(a, k, false), s.expand(b, k, false), n)...)
		}
	}
	return out
}

// complementAll returns the values of kind k that belong to none of alts.
func (s *Schema) complementAll(alts []*Alt, k Kind, n *Node) []*Alt {
	out := []*Alt{s.anyOf(k)}
	for _, a := range alts {
		out = s.product(out, s.complementAlt(a), n)
	}
	return out
}

// complementAlt returns the values of a's kind outside a.
func (s *Schema) complementAlt(a *Alt) []*Alt {
	if a == s.anyOf(a.Kind) {
		return nil
	}
	switch a.Kind {
	case Bool:
		if a.False && a.True {
			return nil
		}
		return []*Alt{{Kind: Bool, False: !a.False, True: !a.True}}
	case Number:
		return present(s.complementNumber(a))
	case String:
		return s.complementString(a.String)
	case Array:
		return s.complementArray(a.Array)
	case Object:
		return s.complementObject(a.Object)
	}
	return nil
}

// present drops the nil alternatives, which stand for plainly empty ones.
func present(alts ...*Alt) []*Alt {
	out := alts[:0]
	for _, a := range alts {
		if a != nil {
			out = append(out, a)
		}
	}
	return out
}

func (s *Schema) complementString(a StringAlt) []*Alt {
	anyText := s.arena.AnyText()
	var out []*Alt
	if a.Text != anyText {
		out = append(out, s.stringAlt(s.arena.Complement(a.Text), 0, Unbounded))
	}
	if a.MinLen > 0 {
		out = append(out, s.stringAlt(anyText, 0, a.MinLen-1))
	}
	if a.MaxLen != Unbounded {
		out = append(out, s.stringAlt(anyText, a.MaxLen+1, Unbounded))
	}
	return present(out...)
}

// complementArray and complementObject negate one facet after the other. Each negation is
// intersected with the facets before it, so that the results are disjoint. Intersected with other
// alternatives, most of them are then plainly empty.
func (s *Schema) complementArray(a *ArrayAlt) []*Alt {
	d := &division{s: s, before: s.anyOf(Array)}
	array := func(m ArrayAlt) *Alt {
		if m.Rest == nil {
			m.Rest = s.any
		}
		return s.arrayAlt(&m)
	}
	if a.Min > 0 {
		d.add(array(ArrayAlt{Max: a.Min - 1}), array(ArrayAlt{Min: a.Min, Max: Unbounded}))
	}
	if a.Max != Unbounded {
		d.add(array(ArrayAlt{Min: a.Max + 1, Max: Unbounded}), array(ArrayAlt{Max: a.Max}))
	}
	for i, n := range a.Prefix {
		if n == s.any {
			continue
		}
		yes, no := s.anyPrefix(i+1), s.anyPrefix(i+1)
		yes[i], no[i] = n, s.not(n)
		d.add(array(ArrayAlt{Prefix: no, Min: i + 1, Max: Unbounded}), array(ArrayAlt{Prefix: yes, Max: Unbounded}))
	}
	if a.Rest != s.any && (a.Max == Unbounded || a.Max > len(a.Prefix)) {
		bad := Contain{Node: s.not(a.Rest), From: len(a.Prefix), Min: 1, Max: Unbounded}
		d.add(array(ArrayAlt{Max: Unbounded, Contains: []Contain{bad}}),
			array(ArrayAlt{Prefix: s.anyPrefix(len(a.Prefix)), Rest: a.Rest, Max: Unbounded}))
	}
	for _, c := range a.Contains {
		counted := func(low, high int) {
			d.add(array(ArrayAlt{Max: Unbounded, Contains: []Contain{{c.Node, c.From, low, high}}}), s.anyOf(Array))
		}
		if c.Min > 0 {
			counted(0, c.Min-1)
		}
		if c.Max != Unbounded {
			counted(c.Max+1, Unbounded)
		}
	}
	if a.Unique {
		s.unsupported(nil, "the negation of uniqueItems")
	}
	return d.out
}

func (s *Schema) anyPrefix(n int) []*Node { return slices.Repeat([]*Node{s.any}, n) }

// division collects the parts of a complement.
type division struct {
	s      *Schema
	before *Alt // the values that have all facets negated so far
	out    []*Alt
}

// add negates a facet, given the values that lack it (no) and those that have it (yes). Either is
// nil if it is empty.
func (d *division) add(no, yes *Alt) {
	if m := d.s.intersect(d.before, no); m != nil {
		d.out = append(d.out, m)
	}
	d.before = d.s.intersect(d.before, yes)
}

// fewNames is up to how many keys "one of these must be present" becomes an alternative for each.
const fewNames = 4

func (s *Schema) complementObject(a *ObjectAlt) []*Alt {
	d := &division{s: s, before: s.anyOf(Object)}
	for _, scalars := range [...]bool{true, false} { // discriminators first
		for _, p := range a.Props {
			if (p.Value != s.any || p.Required) && p.Value.scalarEnum() == scalars {
				// absent, or present with another value: one alternative
				d.add(s.oneProp(p.Name, s.not(p.Value), !p.Required), s.oneProp(p.Name, p.Value, p.Required))
			}
		}
	}
	object := func(m ObjectAlt) *Alt {
		m.schema = s
		return s.objectAlt(&m)
	}
	if a.MinProps > a.required() {
		d.add(object(ObjectAlt{MaxProps: a.MinProps - 1}), object(ObjectAlt{MinProps: a.MinProps, MaxProps: Unbounded}))
	}
	if a.MaxProps != Unbounded {
		d.add(object(ObjectAlt{MinProps: a.MaxProps + 1, MaxProps: Unbounded}), object(ObjectAlt{MaxProps: a.MaxProps}))
	}
	for _, i := range a.Implications {
		for _, name := range i.Required {
			if name != i.Key {
				both := ObjectAlt{MaxProps: Unbounded, Props: []Prop{{i.Key, s.any, true}, {name, s.never, false}}}
				d.add(object(both), s.anyOf(Object))
			}
		}
	}
	for _, e := range s.brokenRules(a) {
		if names, finite := s.words(e.Keys, fewNames); finite {
			for _, name := range names {
				d.add(s.oneProp(name, e.Value, true), s.anyOf(Object))
			}
			continue
		}
		d.add(object(ObjectAlt{MaxProps: Unbounded, Exists: []Exist{e}}), s.anyOf(Object))
	}
	for _, e := range a.Exists {
		d.add(object(ObjectAlt{MaxProps: Unbounded, Rules: []Rule{{Keys: e.Keys, Value: s.not(e.Value)}}}), s.anyOf(Object))
	}
	return d.out
}

// brokenRules returns the negations of a's rules.
func (s *Schema) brokenRules(a *ObjectAlt) []Exist {
	var out []Exist
	for _, r := range a.Rules {
		if r.Value != s.any {
			out = append(out, Exist{Keys: s.unnamed(a, r.Keys), Value: s.not(r.Value)})
		}
	}
	return out
}

// oneProp returns the objects in which the key name, if present, has a value in n.
func (s *Schema) oneProp(name string, n *Node, required bool) *Alt {
	return s.objectAlt(&ObjectAlt{schema: s, MaxProps: Unbounded, Props: []Prop{{name, n, required}}})
}

// unnamed returns keys without the named keys of a.
func (s *Schema) unnamed(a *ObjectAlt, keys Expr) Expr {
	if len(a.Props) == 0 {
		return keys
	}
	var names []string
	for _, p := range a.Props {
		if s.accepts(keys, p.Name) {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return keys
	}
	return s.arena.Intersect(keys, s.arena.Complement(s.arena.Literals(names...)))
}
