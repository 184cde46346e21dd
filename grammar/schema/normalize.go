package schema

import "slices"

// normalize gives an inhabited alternative the form that consumers rely on: what cannot be is cut
// off, keys of a finite language have names, and an obligation that only named keys can meet
// becomes a choice between them.
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
	a.seen = nil
	return present(s.arrayAlt(&a))
}

// anyMeets reports whether any element from c.From on can meet c, so that a walker needs to count
// only how many may still come.
func (s *Schema) anyMeets(a *ArrayAlt, c Contain) bool {
	if c.Min == 0 {
		return true
	}
	if a.Max != Unbounded && slices.ContainsFunc(a.Prefix[min(c.From, len(a.Prefix)):], func(n *Node) bool { return s.and(n, c.Node).Empty() }) {
		return false
	}
	return !s.and(a.Rest, c.Node).Empty()
}

// choosePlace replaces a Contain that not every element from its From on can meet by a choice of
// the element that does.
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
		} else { // one of those behind the prefix, which are alike
			with.Contains = append(slices.Clone(a.Contains), Contain{Node: c.Node, From: place, Min: 1, Max: Unbounded})
		}
		if alt := s.arrayAlt(&with); alt != nil && s.inhabited(alt) {
			alts = append(alts, s.normalizeArray(*alt.Array)...)
		}
	}
	return alts
}

// boundContain limits an array whose further elements can only be ones that c counts.
func (s *Schema) boundContain(a *ArrayAlt, c Contain) {
	if c.Max == Unbounded {
		return
	}
	if len(a.Prefix) > c.From { // an element could use up what a later one needs
		s.unsupported(nil, "maxContains beside a prefix")
	}
	if s.and(a.Rest, s.not(c.Node)).Empty() {
		a.Max = minBound(a.Max, c.From+c.Max)
	}
}

// maxDistinct is the number of values from which elements count as boundless.
const maxDistinct = 200

// boundUnique limits an array of distinct elements to as many as there are distinct values.
func (s *Schema) boundUnique(a *ArrayAlt) {
	least := a.Min
	for _, c := range a.Contains {
		if c.Min > 0 { // an array that cannot go on might lack it
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
	o.borrowed, o.extra, o.seen = true, nil, nil
	if !o.imply((*Node).Empty) {
		return nil
	}
	// a key must fit with all that it requires
	if o.MaxProps != Unbounded && len(o.Implications) > 0 {
		s.unsupported(nil, "maxProperties beside keys that require others")
	}
	s.nameFinite(&o)
	o.settled = true
	if len(o.Exists) == 0 {
		return present(s.objectAlt(&o))
	}
	return s.chooseNames(&o)
}

// maxNamed is the number of words up to which a finite language of extra keys is replaced by
// names.
const maxNamed = 64

// nameFinite turns classes of extra keys that hold few keys into named keys, and so the few extra
// keys that can meet an obligation. The keys that stay extra are infinitely many in every class.
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
		o.extra = nil
	}
}

// chooseNames replaces an obligation that a walker could fail to meet by a choice between the
// named keys that can meet it. It may stay as long as some extra key can still meet it, or if the
// mere presence of a named key does. Where the number of keys is bounded it is replaced in any
// case, so that what remains takes one extra key each.
func (s *Schema) chooseNames(o *ObjectAlt) []*Alt {
	bounded := o.MaxProps != Unbounded
	plain := *o // no obligation yet
	plain.Exists, plain.borrowed = nil, true
	alts := []*Alt{{Kind: Object, Object: &plain}}
	for _, e := range o.Exists {
		var choices []*Alt
		extra := s.extraMeets(o, e)
		if extra || !bounded && s.presenceMeets(o, e) {
			choices = append(choices, s.extraChoices(e, o.Exists, bounded)...)
			extra = true
		}
		for _, p := range o.Props {
			if (!extra || bounded) && s.holds(e.Keys, p.Name) {
				choices = append(choices, present(s.oneProp(p.Name, e.Value, true))...)
			}
		}
		alts = s.product(alts, choices, s.never)
	}
	return slices.DeleteFunc(alts, func(a *Alt) bool {
		a.Object.settled = true
		required := len(a.Object.Exists)
		for _, p := range a.Object.Props {
			if p.Required {
				required++
			}
		}
		return bounded && required > a.Object.MaxProps || !s.inhabited(a)
	})
}

// extraChoices are the ways in which an extra key may meet e: alone, or where keys are scarce
// together with another obligation.
func (s *Schema) extraChoices(e Exist, all []Exist, bounded bool) []*Alt {
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
			// The other obligation adds the same pair, so that both together ask for
			// one key.
			keys, value := s.arena.Intersect(e.Keys, f.Keys), s.and(e.Value, f.Value)
			if !s.vacant(keys) && !value.Empty() {
				out = append(out, with(Exist{Keys: keys, Value: value}))
			}
		}
	}
	return out
}

// presenceMeets reports whether every named key in e.Keys meets e if it is there at all.
func (s *Schema) presenceMeets(o *ObjectAlt, e Exist) bool {
	return !slices.ContainsFunc(o.Props, func(p Prop) bool {
		return e.Value != s.any && s.holds(e.Keys, p.Name) && !s.and(p.Value, s.not(e.Value)).Empty()
	})
}

func (s *Schema) extraMeets(o *ObjectAlt, e Exist) bool {
	for _, c := range o.UnnamedKeys() {
		keys := s.unnamed(o, s.arena.Intersect(c.Keys, e.Keys))
		if !s.vacant(keys) && !s.and(c.Value, e.Value).Empty() {
			return true
		}
	}
	return false
}
