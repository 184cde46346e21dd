package schema

import "slices"

// maxKeyClasses bounds how finely overlapping rules may divide the extra keys.
const maxKeyClasses = 64

// UnnamedKeys returns the classes of extra keys that may be present: disjoint languages of
// decoded text, none of them empty, each with the set that values of its keys must belong to. The
// caller checks with Empty whether such a value exists.
func (o *ObjectAlt) UnnamedKeys() []KeyClass {
	if o.extra == nil {
		o.extra = o.divide()
	}
	return o.extra
}

// divide splits all keys that are not named by every rule in turn. The result is not nil.
func (o *ObjectAlt) divide() []KeyClass {
	s := o.schema
	all, found := s.arena.AnyText(), []KeyClass{}
	if o.closed() {
		all = o.ruledKeys()
	}
	classes := []KeyClass{{Keys: all, Value: s.any}}
	for _, r := range o.Rules {
		var next []KeyClass
		for _, c := range classes {
			in := s.arena.Intersect(c.Keys, r.Keys)
			if in == c.Keys {
				next = append(next, KeyClass{Keys: in, Value: s.and(c.Value, r.Value)})
				continue
			}
			if out := s.arena.Intersect(c.Keys, s.arena.Complement(r.Keys)); !s.vacant(out) {
				next = append(next, KeyClass{Keys: out, Value: c.Value})
			}
			if !s.vacant(in) {
				next = append(next, KeyClass{Keys: in, Value: s.and(c.Value, r.Value)})
			}
		}
		if classes = next; len(classes) > maxKeyClasses {
			s.unsupported(nil, "too many overlapping patterns")
			return found
		}
	}
	for _, c := range classes {
		if c.Value == s.never {
			continue
		}
		if c.Loose = c.Keys; c.Keys != s.arena.AnyText() {
			c.Keys = s.unnamed(o, c.Keys)
			if s.vacant(c.Keys) {
				continue
			}
			if !s.arena.Endless(c.Loose) {
				c.Loose = c.Keys
			}
		}
		found = append(found, c)
	}
	return found
}

// closed reports whether keys without a rule of their own are left out. They stay where they may
// be needed, and where some keys are forbidden, as by propertyNames: then others are expected.
func (o *ObjectAlt) closed() bool {
	required := 0
	for _, p := range o.Props {
		if p.Required {
			required++
		}
	}
	return o.declares && len(o.Exists) == 0 && o.MinProps <= required &&
		!slices.ContainsFunc(o.Rules, func(r Rule) bool { return r.Value == o.schema.never })
}

// ruledKeys returns the keys of which some rule speaks.
func (o *ObjectAlt) ruledKeys() Expr {
	parts := []Expr{o.schema.arena.Empty()}
	for _, r := range o.Rules {
		if r.Keys == o.schema.arena.AnyText() {
			return r.Keys
		}
		parts = append(parts, r.Keys)
	}
	return o.schema.arena.Union(parts...)
}
