package schema

import (
	"cmp"
	"slices"
)

// evaluatedProps says which keys of an object its schemas have evaluated.
type evaluatedProps struct {
	all   bool
	names []string
	keys  []Expr // languages of more keys
}

// union returns the keys that a or b has; nil stands for none.
func (a *evaluatedProps) union(b *evaluatedProps) *evaluatedProps {
	switch {
	case a == nil || b != nil && b.all:
		return b
	case b == nil || a.all:
		return a
	}
	return &evaluatedProps{names: slices.Concat(a.names, b.names), keys: slices.Concat(a.keys, b.keys)}
}

// evaluatedItems says which elements of an array its schemas have evaluated.
type evaluatedItems struct {
	all      bool
	prefix   int     // so many at the beginning
	contains []*Node // and elements that belong to one of these
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

// annotated reports whether a knows what has been evaluated.
func (a *Alt) annotated() bool {
	return a.Array != nil && a.Array.evaluated != nil || a.Object != nil && a.Object.evaluated != nil
}

// withoutAnnotations returns a without what it knows of that.
func (a *Alt) withoutAnnotations() *Alt {
	switch {
	case a.Array != nil && a.Array.evaluated != nil:
		c := *a.Array
		c.evaluated = nil
		return &Alt{Kind: Array, Array: &c}
	case a.Object != nil && a.Object.evaluated != nil:
		c := *a.Object
		c.evaluated = nil
		return &Alt{Kind: Object, Object: &c}
	}
	return a
}

// closeUnevaluated applies unevaluatedItems or unevaluatedProperties to what a has not evaluated.
// After that, all is evaluated.
func (s *Schema) closeUnevaluated(a *Alt, f *form) *Alt {
	if a.Kind == Array {
		return s.closeItems(a.Array, f.unevaluatedItems)
	}
	return s.closeProps(a.Object, f.unevaluatedProps)
}

func (s *Schema) closeItems(a *ArrayAlt, rest *Node) *Alt {
	limit, evaluated := s.allEvaluated(Array).Array, cmp.Or(a.evaluated, &evaluatedItems{})
	if !evaluated.all {
		limit.Rest = s.or(nil, append([]*Node{rest}, evaluated.contains...)...)
		limit.Prefix = s.anyPrefix(evaluated.prefix)
	}
	return s.intersectArrays(a, limit)
}

func (s *Schema) closeProps(a *ObjectAlt, rest *Node) *Alt {
	limit, evaluated := s.allEvaluated(Object).Object, cmp.Or(a.evaluated, &evaluatedProps{})
	if !evaluated.all {
		for _, name := range evaluated.names {
			limit.mention(name)
		}
		others := s.arena.AnyText()
		if len(evaluated.keys) > 0 {
			others = s.arena.Complement(s.arena.Union(evaluated.keys...))
		}
		limit.Rules = []Rule{{Keys: others, Value: rest}}
	}
	return s.intersectObjects(a, limit)
}

// allEvaluated returns all values of kind k, with all of their keys or elements evaluated.
func (s *Schema) allEvaluated(k Kind) *Alt {
	switch k {
	case Array:
		return &Alt{Kind: Array, Array: &ArrayAlt{Rest: s.any, Max: Unbounded, evaluated: &evaluatedItems{all: true}}}
	case Object:
		return &Alt{Kind: Object, Object: &ObjectAlt{schema: s, MaxProps: Unbounded, evaluated: &evaluatedProps{all: true}}}
	}
	return s.anyOf(k)
}
