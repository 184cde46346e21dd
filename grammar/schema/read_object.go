package schema

// readObjects reads the keywords on objects.
func (r *reader) readObjects() {
	f := &objectForm{min: r.count("minProperties", 0), max: r.count("maxProperties", Unbounded)}
	if v := r.get("properties"); v != nil {
		f.props = make([]Prop, 0, len(v.members))
		for i := range v.members {
			m := &v.members[i]
			f.props = append(f.props, Prop{Name: m.key, Value: r.node(m.val)})
			if q := m.val.get("required"); q != nil && q.kind == Bool && q.truth && r.leaf.res.draft == Draft3 {
				f.required = append(f.required, m.key)
			}
		}
	}
	if v := r.get("patternProperties"); v != nil {
		r.patterns(f, v)
	}
	f.closes = len(f.props) > 0 && !r.gaveUp("patternProperties") && !r.gaveUp("additionalProperties")
	if v := r.get("additionalProperties"); v != nil && !r.gaveUp("patternProperties") {
		f.additional = r.node(v)
	}
	if v := r.get("propertyNames"); v != nil {
		f.names = r.node(v)
	}
	if v := r.get("required"); v != nil && v.kind == Array {
		for _, e := range v.items {
			f.required = append(f.required, e.text)
		}
	}
	r.dependencies(f)
	if f.present() {
		r.f.object = f
	}
	if v := r.get("unevaluatedProperties"); v != nil {
		r.f.unevaluatedProps = r.node(v)
	}
}

func (f *objectForm) present() bool {
	return f.props != nil || f.patterns != nil || f.additional != nil || f.names != nil || f.required != nil ||
		f.min > 0 || f.max != Unbounded || f.dependent != nil
}

func (r *reader) patterns(f *objectForm, v *value) {
	for i := range v.members {
		m := &v.members[i]
		keys, ok := r.regex("patternProperties", m.key)
		if !ok {
			f.patterns = nil // which keys are additional cannot be told any more
			return
		}
		f.patterns = append(f.patterns, Rule{Keys: keys, Value: r.node(m.val)})
	}
}

// dependencies reads dependencies, dependentRequired and dependentSchemas. A schema that depends
// on a key becomes a choice: the key is absent, or it is present and the schema applies.
func (r *reader) dependencies(f *objectForm) {
	for _, keyword := range [...]string{"dependencies", "dependentRequired", "dependentSchemas"} {
		v := r.get(keyword)
		if v == nil {
			continue
		}
		for i := range v.members {
			m := &v.members[i]
			switch m.val.kind {
			case Array:
				f.dependent = append(f.dependent, Implication{m.key, texts(m.val.items)})
			case String:
				f.dependent = append(f.dependent, Implication{m.key, []string{m.val.text}})
			default:
				r.dependentSchema(keyword, m)
			}
		}
	}
}

func (r *reader) dependentSchema(keyword string, m *member) {
	n := r.node(m.val)
	if n.Any() {
		return
	}
	absent, present := r.s.keyNodes(m.key)
	r.sub(r.s.choice(r.blame(keyword), absent, r.s.and(present, n)))
}

func texts(list []*value) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = v.text
	}
	return out
}
