package schema

import "slices"

// evaluatedProps says which keys of an object the schemas that it met have evaluated.
type evaluatedProps struct {
	all   bool
	names []string
	keys  []Expr // languages of further keys
}

// union returns what either has seen.
func (a *evaluatedProps) union(b *evaluatedProps) *evaluatedProps {
	switch {
	case a == nil || b != nil && b.all:
		return b
	case b == nil || a.all:
		return a
	}
	return &evaluatedProps{names: slices.Concat(a.names, b.names), keys: slices.Concat(a.keys, b.keys)}
}

// evaluatedItems says which elements of an array the schemas that it met have evaluated.
type evaluatedItems struct {
	all      bool
	prefix   int
	contains []*Node // elements that belong to one of these, too
}

func (a *evaluatedItems) union(b *evaluatedItems) *evaluatedItems {
	switch {
	case a == nil || b != nil && b.all:
		return b
	case b == nil || a.all:
		return a
	}
	return &evaluatedItems{prefix: max(a.prefix, b.prefix), contains: slices.Concat(a.contains, b.contains)}
}

// annotated reports whether a has evaluated anything.
func (a *Alt) annotated() bool {
	return a.Array != nil && a.Array.seen != nil || a.Object != nil && a.Object.seen != nil
}

// unseen returns a without annotations.
func (a *Alt) unseen() *Alt {
	switch {
	case a.Array != nil && a.Array.seen != nil:
		c := *a.Array
		c.seen = nil
		return &Alt{Kind: Array, Array: &c}
	case a.Object != nil && a.Object.seen != nil:
		c := *a.Object
		c.seen = nil
		return &Alt{Kind: Object, Object: &c}
	}
	return a
}

// closeUnevaluated applies unevaluatedItems or unevaluatedProperties to what a has not evaluated;
// then all is evaluated.
func (s *Schema) closeUnevaluated(a *Alt, f *form) *Alt {
	if a.Kind == Array {
		return s.closeItems(a.Array, f.unevaluatedItems)
	}
	return s.closeProps(a.Object, f.unevaluatedProps)
}

func (s *Schema) closeItems(a *ArrayAlt, rest *Node) *Alt {
	limit := &ArrayAlt{Rest: s.any, Max: Unbounded, seen: &evaluatedItems{all: true}}
	switch seen := a.seen; {
	case seen == nil:
		limit.Rest = rest
	case !seen.all:
		limit.Rest = s.or(nil, append([]*Node{rest}, seen.contains...)...)
		for range seen.prefix {
			limit.Prefix = append(limit.Prefix, s.any)
		}
	}
	return s.intersectArrays(a, limit)
}

func (s *Schema) closeProps(a *ObjectAlt, rest *Node) *Alt {
	limit := &ObjectAlt{schema: s, MaxProps: Unbounded, seen: &evaluatedProps{all: true}}
	seen := a.seen
	if seen == nil {
		seen = &evaluatedProps{}
	}
	if !seen.all {
		for _, name := range seen.names {
			if limit.Find(name) < 0 {
				limit.add(Prop{Name: name, Value: s.any})
			}
		}
		others := s.arena.AnyText()
		if len(seen.keys) > 0 {
			others = s.arena.Complement(s.arena.Union(seen.keys...))
		}
		limit.Rules = []Rule{{Keys: others, Value: rest}}
	}
	return s.intersectObjects(a, limit)
}

// allSeen returns all values of kind k with everything in them evaluated.
func (s *Schema) allSeen(k Kind) *Alt {
	switch k {
	case Array:
		return &Alt{Kind: Array, Array: &ArrayAlt{Rest: s.any, Max: Unbounded, seen: &evaluatedItems{all: true}}}
	case Object:
		return &Alt{Kind: Object, Object: &ObjectAlt{schema: s, MaxProps: Unbounded, seen: &evaluatedProps{all: true}}}
	}
	return s.anyOf(k)
}
