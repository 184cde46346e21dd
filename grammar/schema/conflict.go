package schema

import "tenon/grammar/schema/source"

// maxConflictDepth bounds how deep conflict looks for the innermost empty schema.
const maxConflictDepth = 64

// conflict explains why the root, v, is empty. It names the innermost schema that every value must
// satisfy and none can, and the keywords of it that conflict: without any one of them, some value
// satisfies it.
func (s *Schema) conflict(v *source.Value) error {
	for range maxConflictDepth {
		next := s.emptyPart(v)
		if next == nil {
			break
		}
		v = next
	}
	e := &UnsatError{Tool: s.tool, Pointer: s.source.Place(v)}
	if v.Kind == Bool {
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

// emptyPart returns an empty schema that v applies to every value, or to a required property; nil
// if there is none.
func (s *Schema) emptyPart(v *source.Value) *source.Value {
	var parts []*source.Value
	if all := v.Get("allOf"); all != nil {
		parts = append(parts, all.Items...)
	}
	if required, props := v.Get("required"), v.Get("properties"); required != nil && props != nil {
		for _, name := range required.Items {
			if p := props.Get(name.Text); p != nil {
				parts = append(parts, p)
			}
		}
	}
	if ref := v.Get("$ref"); ref != nil && ref.Kind == String {
		if t, why := s.source.Resolve(s.source.ResourceOf(v), ref.Text); why == "" {
			parts = append(parts, t.Value)
		}
	}
	for _, p := range parts {
		if p != v && (p.Kind == Object || p.Kind == Bool) && s.alone(p).Empty() {
			return p
		}
	}
	return nil
}

// alone returns the node that a schema has as a root.
func (s *Schema) alone(v *source.Value) *Node {
	r := s.source.ResourceOf(v)
	return s.leafNode(v, r, s.source.Enter(s.source.NoScope, r))
}

func (s *Schema) presentKeywords(v *source.Value) []string {
	var out []string
	for i := range v.Members {
		key := v.Members[i].Key
		if k, ok := source.Keywords[key]; ok && k.In(s.source.ResourceOf(v).Draft) && k.Shape != source.ShapeSchemaMap || key == "properties" {
			out = append(out, key)
		}
	}
	return out
}

// satisfiableWithout reports whether v would hold a value without one of its keywords.
func (s *Schema) satisfiableWithout(v *source.Value, keyword string) bool {
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
