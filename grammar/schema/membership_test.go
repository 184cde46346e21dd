package schema

import (
	"slices"
	"unicode/utf8"
)

// accepts decides membership with numbers as they are spelled, as a matcher would.
func accepts(n *Node, v *value) bool {
	return membership{n.schema, func(s *Schema, a *Alt, v *value) bool { return s.holds(a.Number, v.text) }}.node(n, v)
}

// membership decides whether values belong to nodes, by a walk over alternatives as a matcher's.
type membership struct {
	s      *Schema
	number func(s *Schema, a *Alt, v *value) bool
}

func (b membership) node(n *Node, v *value) bool {
	return slices.ContainsFunc(n.Alts(), func(a *Alt) bool { return a.Kind == v.kind && b.alt(a, v) })
}

func (b membership) alt(a *Alt, v *value) bool {
	switch a.Kind {
	case Bool:
		return v.truth && a.True || !v.truth && a.False
	case Number:
		return b.number(b.s, a, v)
	case String:
		n := utf8.RuneCountInString(v.text)
		return n >= a.String.MinLen && (a.String.MaxLen == Unbounded || n <= a.String.MaxLen) && b.s.holds(a.String.Text, v.text)
	case Array:
		return b.array(a.Array, v)
	case Object:
		return b.object(a.Object, v)
	}
	return true
}

func (b membership) array(a *ArrayAlt, v *value) bool {
	if len(v.items) < a.Min || a.Max != Unbounded && len(v.items) > a.Max {
		return false
	}
	distinct := make(map[string]bool)
	for i, e := range v.items {
		if !b.node(a.Item(i), e) {
			return false
		}
		distinct[e.canonical()] = true
	}
	for _, c := range a.Contains {
		n := 0
		for _, e := range v.items[min(c.From, len(v.items)):] {
			if b.node(c.Node, e) {
				n++
			}
		}
		if n < c.Min || c.Max != Unbounded && n > c.Max {
			return false
		}
	}
	return !a.Unique || len(distinct) == len(v.items)
}

func (b membership) object(o *ObjectAlt, v *value) bool {
	if len(v.members) < o.MinProps || o.MaxProps != Unbounded && len(v.members) > o.MaxProps {
		return false
	}
	lacks := func(key string) bool { return v.get(key) == nil }
	switch {
	case slices.ContainsFunc(o.Props, func(p Prop) bool { return p.Required && lacks(p.Name) }),
		slices.ContainsFunc(v.members, func(m member) bool { return !b.node(o.Value(m.key), m.val) }),
		slices.ContainsFunc(o.Implications, func(i Implication) bool { return !lacks(i.Key) && slices.ContainsFunc(i.Required, lacks) }):
		return false
	}
	return !slices.ContainsFunc(o.Exists, func(e Exist) bool {
		return !slices.ContainsFunc(v.members, func(m member) bool { return b.s.holds(e.Keys, m.key) && b.node(e.Value, m.val) })
	})
}
