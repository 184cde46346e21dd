package schema

import "slices"

// normalize gives an inhabited alternative the form that a walker relies on. Elements that no
// value satisfies are cut off, the keys of finite languages get names, and an obligation that only
// named keys can meet becomes a choice between them.
func (s *Schema) normalize(a *Alt) []*Alt {
	switch {
	case a == s.anyOf(a.Kind):
	case a.Kind == Array:
		return s.normalizeArray(*a.Array)
	case a.Kind == Object:
		return s.normalizeObject(*a.Object)
	}
	return []*Alt{a}
}

func (s *Schema) normalizeArray(a ArrayAlt) []*Alt {
	for i, n := range a.Prefix {
		if n.Empty() {
			a.Max = minBound(a.Max, i)
			break
		}
	}
	if a.Rest.Empty() {
		a.Rest = s.never
	}
	bounded := 0
	for i, c := range a.Contains {
		if s.boundContain(&a, c); !s.anyMeets(&a, c) {
			return s.choosePlace(a, i)
		}
		if c.Max != Unbounded || a.Max != Unbounded {
			bounded++
		}
	}
	if bounded > 0 && len(a.Contains) > 1 {
		s.unsupported(nil, "several contains in an array of bounded length")
	}
	if a.Unique {
		s.boundUnique(&a)
	}
	a.evaluated = nil
	return present(s.arrayAlt(&a))
}

// anyMeets reports whether every element from c.From on can count for c. Then a walker needs to
// know only how many elements may still come.
func (s *Schema) anyMeets(a *ArrayAlt, c Contain) bool {
	if c.Min == 0 {
		return true
	}
	if a.Max != Unbounded && slices.ContainsFunc(a.Prefix[min(c.From, len(a.Prefix)):], func(n *Node) bool { return s.and(n, c.Node).Empty() }) {
		return false
	}
	return !s.and(a.Rest, c.Node).Empty()
}

// choosePlace replaces a Contain for which not every element from its From on can count: by an
// alternative for each element that can.
func (s *Schema) choosePlace(a ArrayAlt, i int) (alts []*Alt) {
	c := a.Contains[i]
	if c.Min > 1 || c.Max != Unbounded {
		s.unsupported(nil, "contains beside a prefix that cannot meet it")
		return nil
	}
	a.Contains = slices.Delete(slices.Clone(a.Contains), i, i+1)
	for place := c.From; place <= max(c.From, len(a.Prefix)); place++ {
		with := a
		if place < len(a.Prefix) {
			with.Prefix = slices.Clone(a.Prefix)
			with.Prefix[place], with.Min = s.and(a.Prefix[place], c.Node), max(a.Min, place+1)
		} else { // any element behind the prefix
			with.Contains = append(slices.Clone(a.Contains), Contain{Node: c.Node, From: place, Min: 1, Max: Unbounded})
		}
		if alt := s.arrayAlt(&with); alt != nil && s.inhabited(alt) {
			alts = append(alts, s.normalizeArray(*alt.Array)...)
		}
	}
	return alts
}

// boundContain limits the length of an array if c counts every element behind the prefix.
func (s *Schema) boundContain(a *ArrayAlt, c Contain) {
	if c.Max == Unbounded {
		return
	}
	if len(a.Prefix) > c.From { // an early element could use up Max, which a later one needs
		s.unsupported(nil, "maxContains beside a prefix")
	}
	if s.and(a.Rest, s.not(c.Node)).Empty() {
		a.Max = minBound(a.Max, c.From+c.Max)
	}
}

// maxDistinct is the number of values from which elements count as unlimited.
const maxDistinct = 200

// boundUnique limits the length of an array of distinct elements to the number of their values.
func (s *Schema) boundUnique(a *ArrayAlt) {
	least := a.Min
	for _, c := range a.Contains {
		if c.Min > 0 { // it may be met by the last element only
			least = max(least, len(a.Prefix))
		}
	}
	few := len(a.Prefix) > 0 && a.Min > len(a.Prefix) && s.count(a.Rest, a.Min) < a.Min
	for i := 1; i < min(least, len(a.Prefix)); i++ {
		// those before it could take all its values
		few = few || s.count(a.Prefix[i], i+1) <= i
	}
	if few {
		s.unsupported(nil, "uniqueItems and minItems over elements of few values")
	}
	if n := s.count(a.Rest, maxDistinct); n < maxDistinct {
		a.Max = minBound(a.Max, len(a.Prefix)+n)
	}
}

func (s *Schema) normalizeObject(o ObjectAlt) []*Alt {
	o.Props = slices.Clone(o.Props)
	o.borrowed, o.unnamed, o.evaluated = true, nil, nil
	if !o.imply((*Node).Empty) {
		return nil
	}
	if o.MaxProps != Unbounded && len(o.Implications) > 0 {
		s.unsupported(nil, "maxProperties beside keys that require others")
	}
	s.nameFinite(&o)
	o.normalized = true
	if len(o.Exists) == 0 {
		return present(s.objectAlt(&o))
	}
	return s.chooseNames(&o)
}

// maxNamed is up to how many words a finite language of unnamed keys becomes named keys.
const maxNamed = 64

// nameFinite names the keys of small classes of unnamed keys, and the unnamed keys that can meet
// an obligation if they are few. Every class that remains has infinitely many keys.
func (s *Schema) nameFinite(o *ObjectAlt) {
	named := false
	for _, c := range o.UnnamedKeys() {
		words, ok := s.words(c.Keys, maxNamed)
		if !ok {
			continue
		}
		for _, w := range words {
			o.mention(w)
			named = true
		}
	}
	for _, e := range o.Exists {
		for _, c := range o.UnnamedKeys() {
			words, _ := s.words(s.unnamed(o, s.arena.Intersect(c.Keys, e.Keys)), maxNamed)
			for _, w := range words {
				o.mention(w)
				named = true
			}
		}
	}
	if named {
		o.unnamed = nil
	}
}

// chooseNames replaces an obligation that a walker could fail to meet by alternatives, one for
// each named key that can meet it. The obligation stays if some unnamed key can meet it, or if a
// named key meets it by being present. If the number of keys is bounded, both happen: an
// obligation that stays then takes one unnamed key.
func (s *Schema) chooseNames(o *ObjectAlt) []*Alt {
	bounded := o.MaxProps != Unbounded
	plain := *o // no obligations yet
	plain.Exists, plain.borrowed = nil, true
	alts := []*Alt{{Kind: Object, Object: &plain}}
	for _, e := range o.Exists {
		var choices []*Alt
		unnamed := s.unnamedMeets(o, e)
		if unnamed || !bounded && s.presenceMeets(o, e) {
			choices = append(choices, s.unnamedChoices(e, o.Exists, bounded)...)
			unnamed = true
		}
		for _, p := range o.Props {
			if (!unnamed || bounded) && s.accepts(e.Keys, p.Name) {
				choices = append(choices, present(s.oneProp(p.Name, e.Value, true))...)
			}
		}
		alts = s.product(alts, choices, s.never)
	}
	return slices.DeleteFunc(alts, func(a *Alt) bool {
		a.Object.normalized = true
		return bounded && a.Object.required()+len(a.Object.Exists) > a.Object.MaxProps || !s.inhabited(a)
	})
}

// unnamedChoices returns the ways in which an unnamed key may meet e: alone or, where the number
// of keys is bounded, together with another obligation.
func (s *Schema) unnamedChoices(e Exist, all []Exist, bounded bool) []*Alt {
	with := func(e Exist) *Alt {
		return &Alt{Kind: Object, Object: &ObjectAlt{schema: s, MaxProps: Unbounded, Exists: []Exist{e}}}
	}
	out := []*Alt{with(e)}
	if !bounded {
		return out
	}
	if len(all) > 2 {
		s.unsupported(nil, "three negations of unnamed properties beside maxProperties")
	}
	for _, f := range all {
		if f != e {
			// the choices of f hold the same pair, so that both together ask for one
			// key
			keys, value := s.arena.Intersect(e.Keys, f.Keys), s.and(e.Value, f.Value)
			if !s.isEmpty(keys) && !value.Empty() {
				out = append(out, with(Exist{Keys: keys, Value: value}))
			}
		}
	}
	return out
}

// presenceMeets reports whether every named key in e.Keys meets e if it is present.
func (s *Schema) presenceMeets(o *ObjectAlt, e Exist) bool {
	return !slices.ContainsFunc(o.Props, func(p Prop) bool {
		return e.Value != s.any && s.accepts(e.Keys, p.Name) && !s.and(p.Value, s.not(e.Value)).Empty()
	})
}

// unnamedMeets reports whether some unnamed key can meet e.
func (s *Schema) unnamedMeets(o *ObjectAlt, e Exist) bool {
	for _, c := range o.UnnamedKeys() {
		keys := s.unnamed(o, s.arena.Intersect(c.Keys, e.Keys))
		if !s.isEmpty(keys) && !s.and(c.Value, e.Value).Empty() {
			return true
		}
	}
	return false
}
