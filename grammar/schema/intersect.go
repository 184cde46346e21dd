package schema

import (
	"cmp"
	"slices"

	"tenon/grammar/schema/source"
)

// intersect returns the intersection of two alternatives; nil if it is plainly empty.
func (s *Schema) intersect(a, b *Alt) *Alt {
	switch {
	case a == nil || b == nil || a.Kind != b.Kind:
		return nil
	case a == b || b == s.anyOf(b.Kind):
		return a
	case a == s.anyOf(a.Kind):
		return b
	}
	switch a.Kind {
	case Bool:
		m := &Alt{Kind: Bool, False: a.False && b.False, True: a.True && b.True}
		if !m.False && !m.True {
			return nil
		}
		return m
	case Number:
		return s.numberAlt(intersectCells(a.cells, b.cells))
	case String:
		return s.stringAlt(s.arena.Intersect(a.String.Text, b.String.Text),
			max(a.String.MinLen, b.String.MinLen), minBound(a.String.MaxLen, b.String.MaxLen))
	case Array:
		return s.intersectArrays(a.Array, b.Array)
	case Object:
		return s.intersectObjects(a.Object, b.Object)
	}
	return a
}

func (s *Schema) intersectArrays(a, b *ArrayAlt) *Alt {
	s.spend(1 + len(a.Prefix) + len(b.Prefix))
	if s.err != nil {
		return nil
	}
	m := &ArrayAlt{
		Rest: s.and(a.Rest, b.Rest), Min: max(a.Min, b.Min), Max: minBound(a.Max, b.Max),
		Unique: a.Unique || b.Unique, uniqueAt: cmp.Or(a.uniqueAt, b.uniqueAt), evaluated: a.evaluated.union(b.evaluated),
	}
	if m.Max != Unbounded && m.Min > m.Max {
		return nil
	}
	for i := range max(len(a.Prefix), len(b.Prefix)) {
		m.Prefix = append(m.Prefix, s.and(a.Item(i), b.Item(i)))
	}
	m.Contains = slices.Clone(a.Contains)
	for _, c := range b.Contains {
		if !slices.Contains(m.Contains, c) {
			m.Contains = append(m.Contains, c)
		}
	}
	return s.arrayAlt(m)
}

func (s *Schema) intersectObjects(a, b *ObjectAlt) *Alt {
	s.spend(1)
	if s.err != nil || s.disjointByRequired(a, b) || s.disjointByRequired(b, a) {
		return nil
	}
	s.spend(len(a.Props) + len(b.Props))
	if s.err != nil {
		return nil
	}
	m := &ObjectAlt{
		schema: s, MinProps: max(a.MinProps, b.MinProps), MaxProps: minBound(a.MaxProps, b.MaxProps),
		evaluated: a.evaluated.union(b.evaluated), declares: a.declares || b.declares,
	}
	s.intersectProps(m, a, b)
	m.Rules = appendUnique(a.Rules, b.Rules, func(x, y Rule) bool { return x == y })
	m.Exists = appendUnique(a.Exists, b.Exists, func(x, y Exist) bool { return x == y })
	m.Implications = appendUnique(a.Implications, b.Implications, func(x, y Implication) bool {
		return x.Key == y.Key && slices.Equal(x.Required, y.Required)
	})
	return s.objectAlt(m)
}

// intersectProps fills in the named keys of m, those of a first. Often a is large and b small: it
// copies the keys of a at once, and borrows its index of names.
func (s *Schema) intersectProps(m, a, b *ObjectAlt) {
	m.Props, m.names, m.borrowed = append(make([]Prop, 0, len(a.Props)+len(b.Props)), a.Props...), a.names, true
	if len(b.Rules) > 0 {
		for i := range m.Props {
			if p := &m.Props[i]; b.Find(p.Name) < 0 {
				p.Value = s.and(p.Value, b.unnamedValue(p.Name))
			}
		}
	}
	for _, p := range b.Props {
		if i := a.Find(p.Name); i >= 0 {
			m.Props[i].Value = s.and(m.Props[i].Value, p.Value)
			m.Props[i].Required = m.Props[i].Required || p.Required
		} else {
			m.add(Prop{Name: p.Name, Value: s.and(p.Value, a.unnamedValue(p.Name)), Required: p.Required})
		}
	}
}

// disjointByRequired reports whether a requires a key whose values in a and b are plainly
// disjoint. It decides most pairs of branches of a oneOf before anything is built.
func (s *Schema) disjointByRequired(a, b *ObjectAlt) bool {
	for i := range a.Props {
		p := &a.Props[i]
		if !p.Required {
			continue
		}
		q := b.Value(p.Name)
		if q == s.never || p.Value.disjointFrom(q) {
			return true
		}
	}
	return false
}

// scalarEnum reports whether n is a list of scalars.
func (n *Node) scalarEnum() bool {
	return n.op == opEnum && !slices.ContainsFunc(n.enum, func(v *source.Value) bool { return v.Kind >= Array })
}

// disjointFrom reports whether n and m are disjoint by the lists of values in them.
func (n *Node) disjointFrom(m *Node) bool {
	if n == nil || m == nil {
		return false
	}
	in, _ := n.lists()
	if in == nil {
		return false
	}
	others, out := m.lists()
	return others != nil && len(selected(in, others, true)) == 0 || out != nil && len(selected(in, out, false)) == 0
}

// lists returns a list that holds every value of n, and a list that holds none; nil if unknown.
func (n *Node) lists() (in, out []*source.Value) {
	switch n.op {
	case opEnum:
		return n.enum, nil
	case opNot:
		if n.kids[0].op == opEnum {
			return nil, n.kids[0].enum
		}
	case opAnd:
		for _, k := range n.kids {
			if k.op == opEnum {
				in = k.enum
			} else if k.op == opNot && k.kids[0].op == opEnum {
				out = k.kids[0].enum
			}
		}
	}
	return in, out
}

// subsetOf reports whether o is plainly a subset of p.
func (o *ObjectAlt) subsetOf(p *ObjectAlt) bool {
	if len(p.Rules)+len(p.Exists)+len(p.Implications) > 0 || p.MinProps > o.MinProps || p.MaxProps != Unbounded || p.evaluated != nil || p.declares && !o.declares {
		return false
	}
	for i := range p.Props {
		q := &p.Props[i]
		j := o.Find(q.Name)
		if j < 0 || q.Required && !o.Props[j].Required {
			return false
		}
		if v := o.Props[j].Value; v != q.Value && q.Value.op != opAny && !v.disjointFrom(q.Value.not) {
			return false
		}
	}
	return true
}

func appendUnique[T any](a, b []T, same func(x, y T) bool) []T {
	if len(b) == 0 {
		return a
	}
	out := slices.Clone(a)
	for _, y := range b {
		if !slices.ContainsFunc(a, func(x T) bool { return same(x, y) }) {
			out = append(out, y)
		}
	}
	return out
}

// same reports whether a and b are plainly the same alternative.
func (a *Alt) same(b *Alt) bool {
	if a == b {
		return true
	}
	if a.Kind != b.Kind || a.False != b.False || a.True != b.True || a.Number != b.Number || a.String != b.String {
		return false
	}
	switch a.Kind {
	case Array:
		x, y := a.Array, b.Array
		return x.Rest == y.Rest && x.Min == y.Min && x.Max == y.Max && x.Unique == y.Unique &&
			slices.Equal(x.Prefix, y.Prefix) && slices.Equal(x.Contains, y.Contains) && x.evaluated == y.evaluated
	case Object:
		x, y := a.Object, b.Object
		return x.MinProps == y.MinProps && x.MaxProps == y.MaxProps && slices.Equal(x.Props, y.Props) &&
			slices.Equal(x.Rules, y.Rules) && slices.Equal(x.Exists, y.Exists) &&
			len(x.Implications) == len(y.Implications) && x.evaluated == y.evaluated && x.declares == y.declares
	}
	return true
}

// mergeAlts unites alternatives of kind k where one alternative can say it: scalars, unless their
// bounds on the length differ.
func (s *Schema) mergeAlts(alts []*Alt, k Kind, track bool) []*Alt {
	if len(alts) < 2 {
		return alts
	}
	s.spend(len(alts))
	switch k {
	case Null:
		return alts[:1]
	case Bool:
		m := &Alt{Kind: Bool}
		for _, a := range alts {
			m.False, m.True = m.False || a.False, m.True || a.True
		}
		return []*Alt{m}
	case Number:
		m := &Alt{Kind: Number}
		parts := make([]Expr, len(alts))
		for i, a := range alts {
			parts[i] = a.Number
			m.cells = append(m.cells, a.cells...)
		}
		m.cells = s.distinct(m.cells)
		m.Number = s.arena.Union(parts...)
		return []*Alt{m}
	case String:
		return s.mergeStrings(alts)
	}
	if track {
		return alts
	}
	return s.absorb(alts)
}

// mergeStrings unites the languages of equal length bounds.
func (s *Schema) mergeStrings(alts []*Alt) []*Alt {
	type bounds struct{ min, max int }
	var order []bounds
	texts := make(map[bounds][]Expr)
	for _, a := range alts {
		b := bounds{a.String.MinLen, a.String.MaxLen}
		if texts[b] == nil {
			order = append(order, b)
		}
		texts[b] = append(texts[b], a.String.Text)
	}
	out := make([]*Alt, 0, len(order))
	for _, b := range order {
		if a := s.stringAlt(s.arena.Union(texts[b]...), b.min, b.max); a != nil {
			out = append(out, a)
		}
	}
	return s.absorb(out)
}

// fewAlts is up to how many alternatives a scan is cheaper than a map.
const fewAlts = 32

// absorb removes repeated alternatives. If one holds every value of the kind, it removes the
// others.
func (s *Schema) absorb(alts []*Alt) []*Alt {
	if len(alts) < 2 {
		return alts
	}
	whole := s.anyOf(alts[0].Kind)
	out := make([]*Alt, 0, len(alts))
	var seen map[*Alt]bool
	if len(alts) > fewAlts {
		seen = make(map[*Alt]bool, len(alts))
	}
	for _, a := range alts {
		if a == whole {
			return []*Alt{whole}
		}
		if seen[a] || seen == nil && slices.Contains(out, a) {
			continue
		}
		if seen != nil {
			seen[a] = true
		}
		out = append(out, a)
	}
	return out
}
