package schema

import "slices"

// anyOf returns the alternative that holds every value of kind k.
func (s *Schema) anyOf(k Kind) *Alt {
	if a := s.anyAlts[k]; a != nil {
		return a
	}
	a := &Alt{Kind: k}
	switch k {
	case Bool:
		a.False, a.True = true, true
	case Number:
		a = s.numberAlt([]cell{{}})
	case String:
		a.String = StringAlt{Text: s.arena.AnyText(), MaxLen: Unbounded}
	case Array:
		a.Array = &ArrayAlt{Rest: s.any, Max: Unbounded}
	case Object:
		a.Object = &ObjectAlt{schema: s, MaxProps: Unbounded}
	}
	s.anyAlts[k] = a
	return a
}

// baseAlt returns the values of kind k that a schema object's own keywords accept, subschemas that
// apply to the same value aside; nil if the keywords exclude the kind.
func (s *Schema) baseAlt(l *leaf, k Kind) *Alt {
	f := s.formOf(l)
	if !f.kinds.has(k) {
		return nil
	}
	switch {
	case k == Number && f.numbers != nil:
		c := cell{}
		for _, limit := range f.numbers {
			c = c.and(limit)
		}
		return s.numberAlt([]cell{c})
	case k == String && f.strings != nil:
		a := s.anyOf(String)
		for _, limit := range f.strings {
			if a = s.intersect(a, s.limitAlt(limit)); a == nil {
				return nil
			}
		}
		return a
	case k == Array && f.array != nil:
		return s.arrayBase(f.array)
	case k == Object && f.object != nil:
		return s.objectBase(f.object)
	}
	return s.anyOf(k)
}

// objectBase builds the alternative of an object's own keywords. Every name that they mention
// becomes a named key, with the conjunction of all that applies to it.
func (s *Schema) objectBase(f *objectForm) *Alt {
	o := &ObjectAlt{schema: s, MinProps: f.min, MaxProps: f.max, Implications: f.dependent, Rules: slices.Clone(f.patterns), declares: s.closeObjects && f.closes}
	evaluated := &evaluatedProps{}
	for _, p := range f.patterns {
		evaluated.keys = append(evaluated.keys, p.Keys)
	}
	if f.additional != nil {
		evaluated.all = true
		o.Rules = append(o.Rules, Rule{Keys: s.otherKeys(f.patterns), Value: f.additional})
	}
	if f.names != nil {
		o.Rules = append(o.Rules, Rule{Keys: s.arena.Complement(s.textOf(f.names)), Value: s.never})
	}
	declared := f.props
	o.Props = make([]Prop, 0, len(declared)+len(f.required))
	for _, p := range declared {
		evaluated.names = append(evaluated.names, p.Name)
		o.add(Prop{Name: p.Name, Value: s.and(p.Value, s.declaredValue(f, p.Name))})
	}
	for _, name := range f.required {
		o.require(name)
	}
	for _, d := range f.dependent {
		o.mention(d.Key)
		for _, name := range d.Required {
			o.mention(name)
		}
	}
	o.evaluated = evaluated
	return s.objectAlt(o)
}

// declaredValue returns what patterns and propertyNames, but not additionalProperties, say of a
// declared key.
func (s *Schema) declaredValue(f *objectForm, name string) *Node {
	n := s.any
	for _, p := range f.patterns {
		if s.accepts(p.Keys, name) {
			n = s.and(n, p.Value)
		}
	}
	if f.names != nil && !s.accepts(s.textOf(f.names), name) {
		return s.never
	}
	return n
}

// otherKeys returns the keys that match none of the patterns.
func (s *Schema) otherKeys(patterns []Rule) Expr {
	if len(patterns) == 0 {
		return s.arena.AnyText()
	}
	parts := make([]Expr, len(patterns))
	for i, p := range patterns {
		parts[i] = p.Keys
	}
	return s.arena.Complement(s.arena.Union(parts...))
}

// textOf returns the language of the strings in n, with bounds on the length as part of it.
func (s *Schema) textOf(n *Node) Expr {
	parts := []Expr{s.arena.Empty()}
	for _, a := range s.expand(n, String, false) {
		text := a.String.Text
		if a.String.MinLen > 0 || a.String.MaxLen != Unbounded {
			text = s.arena.Intersect(text, s.arena.Repeat(s.arena.AnyRune(), a.String.MinLen, a.String.MaxLen))
		}
		parts = append(parts, text)
	}
	return s.arena.Union(parts...)
}

// accepts reports whether text is a word of e.
func (s *Schema) accepts(e Expr, text string) bool {
	return e == s.arena.AnyText() || s.arena.Holds(e, text)
}

// indexNamesFrom is the number of props from which a map is cheaper than a scan.
const indexNamesFrom = 16

// Find returns the index in Props of a named key, -1 if name is an unnamed key. It makes the index
// when first asked: most alternatives are only intersected with others.
func (o *ObjectAlt) Find(name string) int {
	if len(o.Props)-len(o.names) >= indexNamesFrom {
		o.names, o.borrowed = make(map[string]int, len(o.Props)), false
		for i := range o.Props {
			o.names[o.Props[i].Name] = i
		}
	}
	if i, ok := o.names[name]; ok {
		return i
	}
	for i := len(o.names); i < len(o.Props); i++ {
		if o.Props[i].Name == name {
			return i
		}
	}
	return -1
}

// add appends a key that is not named yet.
func (o *ObjectAlt) add(p Prop) {
	o.Props = append(o.Props, p)
	if o.names != nil && !o.borrowed {
		o.names[p.Name] = len(o.Props) - 1
	}
}

// mention makes name a named key, if it is not, and returns its index.
func (o *ObjectAlt) mention(name string) int {
	if i := o.Find(name); i >= 0 {
		return i
	}
	o.add(Prop{Name: name, Value: o.unnamedValue(name)})
	return len(o.Props) - 1
}

func (o *ObjectAlt) require(name string) {
	o.Props[o.mention(name)].Required = true
}

// unnamedValue returns the set that the value of an unnamed key must belong to, by the rules.
func (o *ObjectAlt) unnamedValue(key string) *Node {
	n := o.schema.any
	for _, r := range o.Rules {
		if o.schema.accepts(r.Keys, key) {
			n = o.schema.and(n, r.Value)
		}
	}
	return n
}

// Value returns the set that the value of key must belong to; it is empty if the key may not be
// present.
func (o *ObjectAlt) Value(key string) *Node {
	if i := o.Find(key); i >= 0 {
		return o.Props[i].Value
	}
	return o.unnamedValue(key)
}

// keyNodes returns two complementary sets: the objects with the key name are present, all other
// values are absent.
func (s *Schema) keyNodes(name string) (absent, present *Node) {
	without := &ObjectAlt{schema: s, MaxProps: Unbounded, Props: []Prop{{Name: name, Value: s.never}}}
	with := &ObjectAlt{schema: s, MaxProps: Unbounded, Props: []Prop{{Name: name, Value: s.any, Required: true}}}
	alts := make([]*Alt, 0, kinds)
	for k := range Object {
		alts = append(alts, s.anyOf(k))
	}
	alts = append(alts, &Alt{Kind: Object, Object: without})
	return s.fixedNode(alts...), s.fixedNode(&Alt{Kind: Object, Object: with})
}

// kindNode returns the values of the given kinds, and the numbers within limits if there are any.
func (s *Schema) kindNode(set kindSet, numbers []cell) *Node {
	var alts []*Alt
	for k := range kinds {
		if set.has(k) {
			alts = append(alts, s.anyOf(k))
		}
	}
	if len(numbers) > 0 {
		alts = append(alts, present(s.numberAlt(numbers))...)
	}
	return s.fixedNode(alts...)
}

// stringAlt, arrayAlt and objectAlt finish an alternative; nil if it is plainly empty.

// stringAlt keeps the upper bound as a counter. The lower bound becomes part of the language,
// unless that is any text.
func (s *Schema) stringAlt(text Expr, low, high int) *Alt {
	if high != Unbounded && low > high {
		return nil
	}
	if text != s.arena.AnyText() {
		if low > 0 {
			text = s.arena.Intersect(text, s.arena.Repeat(s.arena.AnyRune(), low, -1))
			low = 0
		}
		if s.isEmpty(text) || high != Unbounded && s.minRunes(text) > high {
			return nil
		}
	}
	return &Alt{Kind: String, String: StringAlt{Text: text, MinLen: low, MaxLen: high}}
}

func (s *Schema) limitAlt(l stringLimit) *Alt {
	if l.length {
		return s.stringAlt(s.arena.AnyText(), l.min, l.max)
	}
	return s.stringAlt(l.text, 0, Unbounded)
}

// isEmpty reports whether e has no word.
func (s *Schema) isEmpty(e Expr) bool {
	empty, err := s.arena.IsEmpty(e)
	if err != nil {
		s.undecided(nil, err)
	} else if s.building && s.asked+s.arena.Asked() > s.limits.Questions {
		s.unsupported(nil, "too much work on languages")
	}
	return empty
}

// minRunes returns the code points of the shortest text of e.
func (s *Schema) minRunes(e Expr) int {
	n, err := s.arena.MinRunesOf(e)
	if err != nil {
		s.undecided(nil, err)
	}
	return n
}

// objectAlt applies the implications whose outcome is certain, and counts the required keys.
func (s *Schema) objectAlt(o *ObjectAlt) *Alt {
	if !o.imply(func(n *Node) bool { return n == s.never }) {
		return nil
	}
	o.MinProps = max(o.MinProps, o.required())
	if o.MaxProps != Unbounded && o.MinProps > o.MaxProps {
		return nil
	}
	return &Alt{Kind: Object, Object: o}
}

// required returns how many keys are required.
func (o *ObjectAlt) required() (n int) {
	for i := range o.Props {
		if o.Props[i].Required {
			n++
		}
	}
	return n
}

// imply applies the implications whose outcome is certain. A required key makes others required; a
// key that requires an impossible one is impossible. It reports false if a required key is
// impossible.
func (o *ObjectAlt) imply(impossible func(*Node) bool) bool {
	for changed := true; changed; {
		changed = false
		rest := o.Implications[:0:0]
		for _, imp := range o.Implications {
			switch key := o.mention(imp.Key); {
			case o.Props[key].Value == o.schema.never:
			case o.Props[key].Required:
				changed = true
				for _, name := range imp.Required {
					o.require(name)
				}
			case slices.ContainsFunc(imp.Required, func(name string) bool { return impossible(o.Props[o.mention(name)].Value) }):
				changed = true
				o.Props[key].Value = o.schema.never
			default:
				rest = append(rest, imp)
			}
		}
		o.Implications = rest
	}
	return !slices.ContainsFunc(o.Props, func(p Prop) bool { return p.Required && p.Value == o.schema.never })
}

// minBound returns the smaller of two upper bounds: unsigned, Unbounded is the largest number.
func minBound(a, b int) int { return int(min(uint(a), uint(b))) }
