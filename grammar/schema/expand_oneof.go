package schema

import (
	"slices"

	"tenon/grammar/schema/source"
)

// expandOneOf returns, within context, the values of each branch that are in no other branch. If
// the branches are disjoint, which is the usual intent of oneOf, nothing is subtracted.
func (s *Schema) expandOneOf(n *Node, context *Alt, track bool) []*Alt {
	parts := make([][]*Alt, len(n.kids))
	live := 0
	var texts []Expr // of the branches that are strings without bounds on the length
	for i, kid := range n.kids {
		parts[i] = s.intersectEach(nil, context, s.expand(kid, context.Kind, track), true)
		if p := parts[i]; len(p) == 1 && p[0].Kind == String && p[0].String.MinLen == 0 && p[0].String.MaxLen == Unbounded {
			texts = append(texts, p[0].String.Text)
		}
		if len(parts[i]) > 0 {
			live++
		}
	}
	if len(texts) > 1 && len(texts) == live {
		one, _ := s.exactlyOneText(texts)
		return present(s.stringAlt(one, 0, Unbounded))
	}
	var out []*Alt
	overlapping := s.overlapping(parts)
	for i, part := range parts {
		if live < 2 {
			out = append(out, part...)
			continue
		}
		for _, a := range part {
			out = append(out, s.minusOthers(n, a, parts, overlapping(i, a))...)
		}
		if len(out) > s.limits.Alternatives {
			s.unsupported(n.blame, "too many alternatives")
			return nil
		}
	}
	return out
}

// exactlyOneText returns what is in exactly one of some languages, and what is in any. It divides
// and conquers: the derivatives of halves are shared, those of a complement of all other languages
// beside each would not be.
func (s *Schema) exactlyOneText(texts []Expr) (one, any Expr) {
	if len(texts) == 1 {
		return texts[0], texts[0]
	}
	a, half := s.arena, len(texts)/2
	left, anyLeft := s.exactlyOneText(texts[:half])
	right, anyRight := s.exactlyOneText(texts[half:])
	if any = a.Union(anyLeft, anyRight); s.isEmpty(a.Intersect(anyLeft, anyRight)) {
		return a.Union(left, right), any
	}
	return a.Union(a.Intersect(left, a.Complement(anyRight)), a.Intersect(right, a.Complement(anyLeft))), any
}

// overlapping returns a function that lists the other branches with which an alternative may share
// values. If all branches have a discriminator, a required key of few values, those are the
// branches that share one of its values; otherwise they are all branches.
func (s *Schema) overlapping(parts [][]*Alt) func(branch int, a *Alt) []int {
	first := slices.IndexFunc(parts, func(part []*Alt) bool { return len(part) > 0 })
	if first >= 0 && parts[first][0].Kind == Object {
		for _, p := range parts[first][0].Object.Props {
			name := p.Name
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
	all := make([]int, len(parts))
	for i := range all {
		all[i] = i
	}
	return func(branch int, _ *Alt) []int { return slices.Delete(slices.Clone(all), branch, branch+1) }
}

// byTag returns the branches by the values of a key, in canonical form; nil if the key is no
// discriminator.
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

// tags returns the values of a required key; nil if it is not required, or they are not listed.
func (o *ObjectAlt) tags(name string) []*source.Value {
	i := o.Find(name)
	if i < 0 || !o.Props[i].Required {
		return nil
	}
	in, _ := o.Props[i].Value.lists()
	return in
}

// minusOthers returns the values of a, an alternative of a branch, that are in none of the others.
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
			if x.Kind == Number && disjointCells(x.cells, y.cells) {
				continue
			}
			if m := s.intersect(x, y); m != nil && s.plausible(m) {
				return true
			}
		}
	}
	return false
}
