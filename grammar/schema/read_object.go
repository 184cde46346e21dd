package schema

import "tenon/grammar/schema/source"

// readObjects reads the keywords on objects.
func (r *reader) readObjects() {
	f := &objectForm{min: r.count("minProperties", 0), max: r.count("maxProperties", Unbounded)}
	if v := r.get("properties"); v != nil {
		f.props = make([]Prop, 0, len(v.Members))
		for i := range v.Members {
			m := &v.Members[i]
			f.props = append(f.props, Prop{Name: m.Key, Value: r.node(m.Val)})
			if q := m.Val.Get("required"); q != nil && q.Kind == Bool && q.Truth && r.leaf.res.Draft == source.Draft3 {
				f.required = append(f.required, m.Key)
			}
		}
	}
	if v := r.get("patternProperties"); v != nil {
		r.patterns(f, v)
	}
	f.closes = len(f.props) > 0 && !r.isDropped("patternProperties") && !r.isDropped("additionalProperties")
	if v := r.get("additionalProperties"); v != nil && !r.isDropped("patternProperties") {
		f.additional = r.node(v)
	}
	if v := r.get("propertyNames"); v != nil {
		f.names = r.node(v)
	}
	if v := r.get("required"); v != nil && v.Kind == Array {
		for _, e := range v.Items {
			f.required = append(f.required, e.Text)
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

func (r *reader) patterns(f *objectForm, v *source.Value) {
	for i := range v.Members {
		m := &v.Members[i]
		keys, ok := r.regex("patternProperties", m.Key)
		if !ok {
			f.patterns = nil // it is unknown now which keys are additional
			return
		}
		f.patterns = append(f.patterns, Rule{Keys: keys, Value: r.node(m.Val)})
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
		for i := range v.Members {
			m := &v.Members[i]
			switch m.Val.Kind {
			case Array:
				f.dependent = append(f.dependent, Implication{m.Key, texts(m.Val.Items)})
			case String:
				f.dependent = append(f.dependent, Implication{m.Key, []string{m.Val.Text}})
			default:
				r.dependentSchema(keyword, m)
			}
		}
	}
}

func (r *reader) dependentSchema(keyword string, m *source.Member) {
	n := r.node(m.Val)
	if n.Any() {
		return
	}
	absent, present := r.s.keyNodes(m.Key)
	r.sub(r.s.choice(r.blame(keyword), absent, r.s.and(present, n)))
}

func texts(list []*source.Value) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = v.Text
	}
	return out
}
