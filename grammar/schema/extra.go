package schema

import "slices"

// extraKeys memoises ObjectAlt.Extra.
type extraKeys struct{ classes []KeyClass }

// maxKeyClasses bounds how finely overlapping rules may divide the extra keys.
const maxKeyClasses = 64

// Extra returns the classes of extra keys that may be present: disjoint languages of decoded text, none of them empty, each
// with the set that values of its keys must belong to. The caller checks with Empty whether such a value exists.
func (o *ObjectAlt) Extra() []KeyClass {
	if o.extra == nil {
		o.extra = &extraKeys{classes: o.divide()}
	}
	return o.extra.classes
}

// divide splits all keys that are not named by every rule in turn.
func (o *ObjectAlt) divide() []KeyClass {
	s := o.schema
	classes := []KeyClass{{Keys: s.arena.AnyText(), Value: s.any}}
	if o.closed() {
		classes[0].Keys = o.ruledKeys()
	}
	for _, r := range o.Rules {
		var next []KeyClass
		for _, c := range classes {
			in := s.arena.Intersect(c.Keys, r.Keys)
			if in == c.Keys {
				next = append(next, KeyClass{in, s.and(c.Value, r.Value)})
				continue
			}
			if out := s.arena.Intersect(c.Keys, s.arena.Complement(r.Keys)); !s.vacant(out) {
				next = append(next, KeyClass{out, c.Value})
			}
			if !s.vacant(in) {
				next = append(next, KeyClass{in, s.and(c.Value, r.Value)})
			}
		}
		if classes = next; len(classes) > maxKeyClasses {
			s.unsupported(nil, "too many overlapping patterns")
			return nil
		}
	}
	live := classes[:0]
	for _, c := range classes {
		if c.Value == s.never {
			continue
		}
		if c.Keys != s.arena.AnyText() {
			c.Keys = s.unnamed(o, c.Keys)
			if s.vacant(c.Keys) {
				continue
			}
		}
		live = append(live, c)
	}
	return live
}

// closed reports whether extra keys of which no rule speaks are left out. They are not where they may be needed, nor where
// some keys are forbidden, as by propertyNames: that says that there may be others.
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

// KeyLang returns the language of all keys, named or extra, that may be present.
func (o *ObjectAlt) KeyLang() Expr {
	s := o.schema
	var names []string
	for _, p := range o.Props {
		if !p.Value.Empty() {
			names = append(names, p.Name)
		}
	}
	parts := []Expr{s.arena.Literals(names...)}
	for _, c := range o.Extra() {
		if !c.Value.Empty() {
			parts = append(parts, s.unnamed(o, c.Keys))
		}
	}
	return s.arena.Union(parts...)
}
