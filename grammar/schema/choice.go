package schema

import "slices"

// A schema often asks for one of many keys, whatever else an object has. As alternatives these would be as many objects that differ in nothing
// else; one object with an obligation says the same.

// anyOfKeys makes one alternative of all that do nothing but require a key, where those are many: that one of the keys must be there.
func (s *Schema) anyOfKeys(alts []*Alt) []*Alt {
	one := &ObjectAlt{schema: s, MaxProps: Unbounded}
	var names []string
	var others []*Alt
	for _, a := range alts {
		name, ok := a.Object.onlyRequires()
		if !ok {
			others = append(others, a)
		} else if one.Find(name) < 0 {
			names = append(names, name)
			one.add(Prop{Name: name, Value: s.any})
		}
	}
	if len(names) <= fewNames {
		return alts
	}
	one.Exists = []Exist{{Keys: s.arena.Literals(names...), Value: s.any, Named: true}}
	return append(others, &Alt{Kind: Object, Object: one})
}

// onlyRequires reports whether all that o says is that it has a key, and which.
func (o *ObjectAlt) onlyRequires() (name string, ok bool) {
	if len(o.Props) != 1 || len(o.Rules)+len(o.Exists)+len(o.Implications) > 0 || o.MinProps > 1 || o.MaxProps != Unbounded || o.seen != nil || o.declares {
		return "", false
	}
	p := &o.Props[0]
	return p.Name, p.Required && p.Value == o.schema.any
}

// oneKeyOf returns the alternatives of exactly one of some nodes if all that each of these says of objects is that a key must be there.
func (s *Schema) oneKeyOf(nodes []*Node, track bool) (alts []*Alt) {
	times := make(map[string]int, len(nodes))
	absent := make([]Prop, 0, len(nodes))
	for _, n := range nodes {
		list := s.expand(n, Object, track)
		if len(list) != 1 {
			return nil
		}
		name, ok := list[0].Object.onlyRequires()
		if !ok {
			return nil
		}
		if times[name]++; times[name] == 1 {
			absent = append(absent, Prop{Name: name, Value: s.never})
		}
	}
	for i, p := range absent {
		if s.spend(len(absent)); s.err != nil {
			return nil
		}
		if times[p.Name] == 1 {
			o := &ObjectAlt{schema: s, MinProps: 1, MaxProps: Unbounded, Props: slices.Clone(absent)}
			o.Props[i] = Prop{Name: p.Name, Value: s.any, Required: true}
			alts = append(alts, &Alt{Kind: Object, Object: o})
		}
	}
	return alts
}

// withoutKeys returns the objects that have none of those names of a that belong to keys.
func (s *Schema) withoutKeys(a *ObjectAlt, keys Expr) *Alt {
	o := &ObjectAlt{schema: s, MaxProps: Unbounded}
	for _, p := range a.Props {
		if s.holds(keys, p.Name) {
			o.add(Prop{Name: p.Name, Value: s.never})
		}
	}
	return s.objectAlt(o)
}

// maxChosen is up to how many choices Chosen returns.
const maxChosen = 256

// Chosen returns objects whose union is o and that have no obligation which is Named; nil if those are too many.
func (o *ObjectAlt) Chosen() []*Alt {
	s, rest, n := o.schema, *o, 1
	rest.Exists, rest.borrowed = nil, true
	alts := []*Alt{{Kind: Object, Object: &rest}}
	s.work = 0
	for _, e := range o.Exists {
		if !e.Named {
			rest.Exists = append(rest.Exists, e)
			continue
		}
		var choices []*Alt
		for _, p := range o.Props {
			if s.holds(e.Keys, p.Name) && !p.Value.Empty() {
				choices = append(choices, present(s.oneProp(p.Name, s.any, true))...)
			}
		}
		if n *= len(choices); n > maxChosen {
			return nil
		}
		alts = s.product(alts, choices, s.never)
	}
	return alts
}
