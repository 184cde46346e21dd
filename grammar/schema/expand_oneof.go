package schema

import (
	"slices"

	"tenon/grammar/schema/source"
)

// expandOneOf keeps of each branch what no other branch takes, all within context. Where two
// branches share no value, which is the usual intent of oneOf, there is nothing to take away.
func (s *Schema) expandOneOf(n *Node, context *Alt, track bool) []*Alt {
	parts := make([][]*Alt, len(n.kids))
	live := 0
	for i, kid := range n.kids {
		parts[i] = s.share(nil, context, s.expand(kid, context.Kind, track), true)
		if len(parts[i]) > 0 {
			live++
		}
	}
	if texts := sameLengths(parts); len(texts) > 1 {
		one, _ := s.exactlyOneText(texts)
		first := firstOf(parts).String
		return present(s.stringAlt(one, first.MinLen, first.MaxLen))
	}
	var out []*Alt
	rivals := s.rivals(parts)
	for i, part := range parts {
		if live < 2 {
			out = append(out, part...)
			continue
		}
		for _, a := range part {
			out = append(out, s.minusOthers(n, a, parts, rivals(i, a))...)
		}
		if len(out) > s.limits.Alternatives {
			s.unsupported(n.blame, "too many alternatives")
			return nil
		}
	}
	return out
}

func firstOf(parts [][]*Alt) *Alt {
	for _, part := range parts {
		if len(part) > 0 {
			return part[0]
		}
	}
	return nil
}

// sameLengths returns the texts of branches that are strings of the same lengths, nil if they are
// not.
func sameLengths(parts [][]*Alt) (texts []Expr) {
	first := firstOf(parts)
	for _, part := range parts {
		for _, a := range part {
			if len(part) > 1 || a.Kind != String || a.String.MinLen != first.String.MinLen || a.String.MaxLen != first.String.MaxLen {
				return nil
			}
			texts = append(texts, a.String.Text)
		}
	}
	return texts
}

// exactlyOneText returns what is in exactly one of some languages, and what is in any. Halves share
// what their words have become, which the complements of all others beside each would not.
func (s *Schema) exactlyOneText(texts []Expr) (one, any Expr) {
	if len(texts) == 1 {
		return texts[0], texts[0]
	}
	a, half := s.arena, len(texts)/2
	left, anyLeft := s.exactlyOneText(texts[:half])
	right, anyRight := s.exactlyOneText(texts[half:])
	if any = a.Union(anyLeft, anyRight); s.vacant(a.Intersect(anyLeft, anyRight)) {
		return a.Union(left, right), any
	}
	return a.Union(a.Intersect(left, a.Complement(anyRight)), a.Intersect(right, a.Complement(anyLeft))), any
}

// rivals returns with which other branches an alternative of one may share values: all, or where a
// key that all objects must have tells them apart, those in which it has a value that it has here.
func (s *Schema) rivals(parts [][]*Alt) func(branch int, a *Alt) []int {
	if first := firstOf(parts); first != nil && first.Kind == Object {
		for i := range first.Object.Props {
			name := first.Object.Props[i].Name
			if by := s.byTag(parts, name); by != nil {
				return func(branch int, a *Alt) []int {
					var list []int
					for _, tag := range a.Object.tags(name) {
						list = append(list, by[tag.Canonical()]...)
					}
					slices.Sort(list)
					return slices.DeleteFunc(slices.Compact(list), func(i int) bool { return i == branch })
				}
			}
		}
	}
	return func(branch int, _ *Alt) []int {
		list := make([]int, 0, len(parts))
		for i := range parts {
			if i != branch {
				list = append(list, i)
			}
		}
		return list
	}
}

// byTag returns the branches by the values of a key, in canonical form; nil if an object may lack
// it, or have any value there.
func (s *Schema) byTag(parts [][]*Alt, name string) map[string][]int {
	by := map[string][]int{}
	for i, part := range parts {
		for _, a := range part {
			tags := a.Object.tags(name)
			if tags == nil {
				return nil
			}
			s.spend(len(tags))
			for _, tag := range tags {
				if list := by[tag.Canonical()]; len(list) == 0 || list[len(list)-1] != i {
					by[tag.Canonical()] = append(list, i)
				}
			}
		}
	}
	return by
}

// tags returns the values of a key that every object has, nil if it is not known to have few.
func (o *ObjectAlt) tags(name string) []*source.Value {
	i := o.Find(name)
	if i < 0 || !o.Props[i].Required {
		return nil
	}
	in, _ := o.Props[i].Value.lists()
	return in
}

// minusOthers returns what of a, an alternative of a branch, lies in no other branch.
func (s *Schema) minusOthers(n *Node, a *Alt, parts [][]*Alt, others []int) []*Alt {
	rest := []*Alt{a}
	for _, j := range others {
		if len(rest) == 0 || !s.anyOverlap(rest, parts[j]) {
			continue
		}
		rest = s.product(rest, s.expand(s.not(n.kids[j]), a.Kind, false), n)
	}
	return rest
}

// anyOverlap reports whether some alternative of one list may share a value with one of the other.
func (s *Schema) anyOverlap(xs, ys []*Alt) bool {
	for _, x := range xs {
		for _, y := range ys {
			if x.Kind == Number && apartCells(x.cells, y.cells) {
				continue
			}
			if m := s.intersect(x, y); m != nil && s.plausible(m) {
				return true
			}
		}
	}
	return false
}
