package schema

import (
	"slices"
	"unicode/utf8"

	"tenon/grammar/schema/source"
)

// accepts decides membership with numbers as they are spelled, as a matcher would.
func accepts(n *Node, v *source.Value) bool {
	return membership{n.schema, func(s *Schema, a *Alt, v *source.Value) bool { return s.accepts(a.Number, v.Text) }}.node(n, v)
}

// membership decides whether values belong to nodes, by a walk over alternatives as a matcher's.
type membership struct {
	s      *Schema
	number func(s *Schema, a *Alt, v *source.Value) bool
}

func (b membership) node(n *Node, v *source.Value) bool {
	return slices.ContainsFunc(n.Alts(), func(a *Alt) bool { return a.Kind == v.Kind && b.alt(a, v) })
}

func (b membership) alt(a *Alt, v *source.Value) bool {
	switch a.Kind {
	case Bool:
		return v.Truth && a.True || !v.Truth && a.False
	case Number:
		return b.number(b.s, a, v)
	case String:
		n := utf8.RuneCountInString(v.Text)
		return n >= a.String.MinLen && (a.String.MaxLen == Unbounded || n <= a.String.MaxLen) && b.s.accepts(a.String.Text, v.Text)
	case Array:
		return b.array(a.Array, v)
	case Object:
		return b.object(a.Object, v)
	}
	return true
}

func (b membership) array(a *ArrayAlt, v *source.Value) bool {
	if len(v.Items) < a.Min || a.Max != Unbounded && len(v.Items) > a.Max {
		return false
	}
	distinct := make(map[string]bool)
	for i, e := range v.Items {
		if !b.node(a.Item(i), e) {
			return false
		}
		distinct[e.Canonical()] = true
	}
	for _, c := range a.Contains {
		n := 0
		for _, e := range v.Items[min(c.From, len(v.Items)):] {
			if b.node(c.Node, e) {
				n++
			}
		}
		if n < c.Min || c.Max != Unbounded && n > c.Max {
			return false
		}
	}
	return !a.Unique || len(distinct) == len(v.Items)
}

func (b membership) object(o *ObjectAlt, v *source.Value) bool {
	if len(v.Members) < o.MinProps || o.MaxProps != Unbounded && len(v.Members) > o.MaxProps {
		return false
	}
	lacks := func(key string) bool { return v.Get(key) == nil }
	switch {
	case slices.ContainsFunc(o.Props, func(p Prop) bool { return p.Required && lacks(p.Name) }),
		slices.ContainsFunc(v.Members, func(m source.Member) bool { return !b.node(o.Value(m.Key), m.Val) }),
		slices.ContainsFunc(o.Implications, func(i Implication) bool { return !lacks(i.Key) && slices.ContainsFunc(i.Required, lacks) }):
		return false
	}
	return !slices.ContainsFunc(o.Exists, func(e Exist) bool {
		return !slices.ContainsFunc(v.Members, func(m source.Member) bool { return b.s.accepts(e.Keys, m.Key) && b.node(e.Value, m.Val) })
	})
}
