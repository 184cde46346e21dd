package schema

import "slices"

// maxKeyClasses bounds into how many classes overlapping rules may divide the unnamed keys.
const maxKeyClasses = 64

// UnnamedKeys returns the classes of unnamed keys that may be present: disjoint, non-empty
// languages of decoded text, each with the set that the values of its keys must belong to. That
// set may be empty; the caller asks Empty.
func (o *ObjectAlt) UnnamedKeys() []KeyClass {
	if o.unnamed == nil {
		o.unnamed = o.divide()
	}
	return o.unnamed
}

// divide splits the unnamed keys by one rule after the other. The result is not nil.
func (o *ObjectAlt) divide() []KeyClass {
	s := o.schema
	all, found := s.arena.AnyText(), []KeyClass{}
	if o.closed() {
		all = o.keysOfRules()
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
			if out := s.arena.Intersect(c.Keys, s.arena.Complement(r.Keys)); !s.isEmpty(out) {
				next = append(next, KeyClass{Keys: out, Value: c.Value})
			}
			if !s.isEmpty(in) {
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
			if s.isEmpty(c.Keys) {
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

// closed reports whether Options.CloseObjects forbids the keys that no rule speaks of. It does not
// where such a key may be needed, or where some keys are forbidden, as by propertyNames: then
// others are expected.
func (o *ObjectAlt) closed() bool {
	return o.declares && len(o.Exists) == 0 && o.MinProps <= o.required() &&
		!slices.ContainsFunc(o.Rules, func(r Rule) bool { return r.Value == o.schema.never })
}

// keysOfRules returns the keys that some rule speaks of.
func (o *ObjectAlt) keysOfRules() Expr {
	parts := []Expr{o.schema.arena.Empty()}
	for _, r := range o.Rules {
		if r.Keys == o.schema.arena.AnyText() {
			return r.Keys
		}
		parts = append(parts, r.Keys)
	}
	return o.schema.arena.Union(parts...)
}
