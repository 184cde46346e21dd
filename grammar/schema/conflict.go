package schema

// maxConflictDepth bounds how deep the explanation of an empty schema looks for the innermost
// empty one.
const maxConflictDepth = 64

// conflict explains why the root, which is v, is empty: the innermost schema that must hold and
// cannot, and those of its keywords without any one of which it could.
func (s *Schema) conflict(v *value) error {
	if v.kind == Bool {
		return &UnsatError{Tool: s.tool, Why: "false accepts nothing"}
	}
	for range maxConflictDepth {
		next := s.emptyPart(v)
		if next == nil {
			break
		}
		v = next
	}
	e := &UnsatError{Tool: s.tool, Pointer: s.place(v)}
	if v.kind == Bool {
		e.Why = "false accepts nothing"
		return e
	}
	present := s.presentKeywords(v)
	for _, keyword := range present {
		if s.satisfiableWithout(v, keyword) {
			e.Keywords = append(e.Keywords, keyword)
		}
	}
	if e.Keywords == nil {
		e.Keywords = present
	}
	return e
}

// emptyPart returns a schema that every value of v must meet somewhere and that is empty itself,
// nil if there is none.
func (s *Schema) emptyPart(v *value) *value {
	var parts []*value
	if all := v.get("allOf"); all != nil {
		parts = append(parts, all.items...)
	}
	if required, props := v.get("required"), v.get("properties"); required != nil && props != nil {
		for _, name := range required.items {
			if p := props.get(name.text); p != nil {
				parts = append(parts, p)
			}
		}
	}
	if ref := v.get("$ref"); ref != nil && ref.kind == String {
		if t, why := s.resolve(s.resourceOf(v), ref.text); why == "" {
			parts = append(parts, t.v)
		}
	}
	for _, p := range parts {
		if p != v && (p.kind == Object || p.kind == Bool) && s.alone(p).Empty() {
			return p
		}
	}
	return nil
}

// alone returns the node of a schema as if it were the root.
func (s *Schema) alone(v *value) *Node {
	r := s.resourceOf(v)
	return s.leafNode(v, r, s.enter(s.noScope, r))
}

func (s *Schema) presentKeywords(v *value) []string {
	var out []string
	for i := range v.members {
		key := v.members[i].key
		if k, ok := keywords[key]; ok && k.in(s.resourceOf(v).draft) && k.shape != shapeSchemaMap || key == "properties" {
			out = append(out, key)
		}
	}
	return out
}

// satisfiableWithout reports whether v would hold a value without one of its keywords.
func (s *Schema) satisfiableWithout(v *value, keyword string) bool {
	key := dropKey{v, keyword}
	if s.dropped[key] {
		return false
	}
	s.dropped[key] = true
	s.reset()
	found := !s.alone(v).Empty()
	delete(s.dropped, key)
	s.reset()
	return found && s.err == nil
}
