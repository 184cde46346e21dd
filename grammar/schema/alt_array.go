package schema

import "slices"

func (s *Schema) arrayBase(f *arrayForm) *Alt {
	a := &ArrayAlt{Prefix: f.prefix, Rest: f.rest, Min: f.min, Max: f.max, Unique: f.unique != nil, uniqueAt: f.unique}
	evaluated := &evaluatedItems{prefix: len(f.prefix), all: f.rest != nil}
	if a.Rest == nil {
		a.Rest = s.any
	}
	if c := f.contains; c != nil {
		if c.Min > 0 || c.Max != Unbounded {
			a.Contains = []Contain{*c}
		}
		if f.evaluatesContains {
			evaluated.contains = []*Node{c.Node}
		}
	}
	a.evaluated = evaluated
	return s.arrayAlt(a)
}

// arrayAlt finishes an array. A Contain with Max 0 becomes a constraint on the elements, one
// without effect is dropped, and the array ends before the first element that no value satisfies.
func (s *Schema) arrayAlt(a *ArrayAlt) *Alt {
	for i := 0; i < len(a.Contains); i++ {
		c := a.Contains[i]
		if c.Max != Unbounded && c.Min > c.Max {
			return nil
		}
		if c.Max == 0 || c.Min == 0 && c.Node == s.never {
			s.exclude(a, c)
			a.Contains = slices.Delete(slices.Clone(a.Contains), i, i+1)
			i--
		}
	}
	for i, n := range a.Prefix {
		if n == s.never {
			a.Max = minBound(a.Max, i)
		}
	}
	if a.Rest == s.never {
		a.Max = minBound(a.Max, len(a.Prefix))
	}
	if a.Max != Unbounded && a.Max <= len(a.Prefix) {
		a.Prefix, a.Rest = a.Prefix[:a.Max], s.never
	}
	if a.Max != Unbounded && a.Min > a.Max {
		return nil
	}
	return &Alt{Kind: Array, Array: a}
}

// exclude takes the elements that c counts out of a.
func (s *Schema) exclude(a *ArrayAlt, c Contain) {
	not := s.not(c.Node)
	prefix := make([]*Node, max(len(a.Prefix), c.From))
	for i := range prefix {
		prefix[i] = a.Item(i)
		if i >= c.From {
			prefix[i] = s.and(prefix[i], not)
		}
	}
	a.Rest = s.and(a.Rest, not)
	a.Prefix = prefix
}
