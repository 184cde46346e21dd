package schema

import (
	"slices"

	"tenon/grammar/schema/source"
)

// Without returns the arrays of a except some, given in canonical form, as disjoint alternatives.
// All elements of a must be scalars of one schema.
func (a *ArrayAlt) Without(gone []string) []*ArrayAlt {
	s := a.Rest.schema
	var lists [][]*source.Value
	for _, text := range gone {
		if v, err := source.Decode(text, s.limits.Depth); err == nil {
			lists = append(lists, v.Items)
		}
	}
	return s.without(a, nil, lists)
}

// without returns the arrays of a that begin with begin, except those of gone, which begin so,
// too:
//   - begin itself, unless it is gone;
//   - those that go on with an element which no array of gone has there;
//   - for each element that some of gone have there, what without returns behind it.
func (s *Schema) without(a *ArrayAlt, begin []*source.Value, gone [][]*source.Value) (rest []*ArrayAlt) {
	n, ended := len(begin), false
	var next []*source.Value
	for _, list := range gone {
		if ended = ended || len(list) == n; len(list) > n && !slices.ContainsFunc(next, list[n].Equal) {
			next = append(next, list[n])
		}
	}
	if n >= a.Min && !ended {
		rest = append(rest, s.exact(&source.Value{Kind: Array, Items: begin}).Array)
	}
	if n == a.Max {
		return rest
	}
	item := a.Rest
	if a.Unique {
		item = s.and(item, s.not(s.constant(nil, begin)))
	}
	if other := s.and(item, s.not(s.constant(nil, next))); !other.Empty() {
		x := s.exact(&source.Value{Kind: Array, Items: begin}).Array
		x.Prefix, x.Rest, x.Min, x.Max, x.Unique = append(x.Prefix, other), a.Rest, max(a.Min, n+1), a.Max, a.Unique
		rest = append(rest, x)
	}
	for _, v := range next {
		if !s.and(item, s.constant(nil, []*source.Value{v})).Empty() {
			behind := slices.DeleteFunc(slices.Clone(gone), func(list []*source.Value) bool { return len(list) <= n || !list[n].Equal(v) })
			rest = append(rest, s.without(a, append(slices.Clip(begin), v), behind)...)
		}
	}
	return rest
}
