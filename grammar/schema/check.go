package schema

import "slices"

// check walks every schema below v once, before anything is expanded: it finds what JSON Schema
// forbids, registers the resources and anchors that references may name, and notes what expansion
// will have to be careful about.
func (s *Schema) check(v *value, r *resource) {
	if s.invalid != nil || v.kind == Bool {
		return
	}
	if v.kind != Object {
		s.malformed(v, "a schema is an object or a boolean")
		return
	}
	r = s.identify(v, r)
	if r.draft.refHidesSiblings() && v.get("$ref") != nil {
		s.checkDefinitions(v, r)
		return
	}
	for i := range v.members {
		m := &v.members[i]
		k, known := keywords[m.key]
		if !known || !k.in(r.draft) {
			continue
		}
		if why := s.checkShape(k.shape, m.val, r); why != "" {
			s.malformed(m.val, m.key+" "+why)
		}
		if m.key == "unevaluatedItems" || m.key == "unevaluatedProperties" {
			s.tracks = true
		}
		if s.invalid != nil {
			return
		}
	}
}

// checkDefinitions visits what may be referred to beside a $ref that hides everything else.
func (s *Schema) checkDefinitions(v *value, r *resource) {
	if ref := v.get("$ref"); ref.kind != String {
		s.malformed(ref, "$ref must be a string")
	}
	for _, key := range [...]string{"definitions", "$defs"} {
		if d := v.get(key); d != nil && d.kind == Object {
			s.checkShape(shapeSchemaMap, d, r)
		}
	}
}

func (s *Schema) malformed(v *value, why string) {
	if s.invalid == nil {
		s.invalid = &InvalidError{Tool: s.tool, Pointer: s.place(v), Why: why}
	}
}

// identify opens a resource or records an anchor if v asks for it, and returns the resource that v
// lies in.
func (s *Schema) identify(v *value, r *resource) *resource {
	draft := r.draft
	if d := v.get("$schema"); d != nil && d.kind == String && v != r.root {
		draft = draftOf(d.text, draft)
	}
	if draft.refHidesSiblings() && v.get("$ref") != nil {
		return r
	}
	for _, key := range draft.idKeywords() {
		id := v.get(key)
		if id == nil || id.kind != String {
			continue
		}
		outer := r
		if r = s.identified(v, r, id.text, draft); r != outer && draft == DraftAuto && key == "id" {
			r.outer = outer
		}
		break
	}
	if a := v.get("$anchor"); a != nil && a.kind == String {
		r.anchor(a.text, v, false)
	}
	if a := v.get("$dynamicAnchor"); a != nil && a.kind == String {
		r.anchor(a.text, v, true)
	}
	if a := v.get("$recursiveAnchor"); a != nil && a.kind == Bool && a.truth && v == r.root {
		r.anchor("", v, true)
	}
	return r
}

// identified handles an id. Before 2019-09 one that is only a fragment is an anchor.
func (s *Schema) identified(v *value, r *resource, id string, draft Draft) *resource {
	if len(id) > 0 && id[0] == '#' {
		if len(id) > 1 {
			r.anchor(id[1:], v, false)
		}
		return r
	}
	uri := resolveURI(r.uri, id)
	if v == r.root {
		r.uri = uri
		if _, taken := s.resources[uri]; !taken {
			s.resources[uri] = r
		}
		return r
	}
	return s.open(v, uri, draft)
}

// checkShape returns what is wrong with a keyword's value, after visiting the schemas in it.
func (s *Schema) checkShape(want shape, v *value, r *resource) string {
	switch want {
	case shapeSchema:
		s.check(v, r)
	case shapeSchemas:
		if v.kind != Array {
			return "must be an array of schemas"
		}
		for _, e := range v.items {
			s.check(e, r)
		}
	case shapeItems:
		if v.kind == Array {
			return s.checkShape(shapeSchemas, v, r)
		}
		s.check(v, r)
	case shapeSchemaMap:
		if v.kind != Object {
			return "must be an object of schemas"
		}
		for i := range v.members {
			s.check(v.members[i].val, r)
		}
	case shapeDependencies:
		return s.checkDependencies(v, r)
	case shapeNameLists:
		for i := range v.members {
			if !isStrings(v.members[i].val) {
				return "must list property names"
			}
		}
		if v.kind != Object {
			return "must be an object"
		}
	case shapeType:
		return s.checkType(v, r)
	default:
		return checkScalar(want, v, r.draft)
	}
	return ""
}

func (s *Schema) checkDependencies(v *value, r *resource) string {
	if v.kind != Object {
		return "must be an object"
	}
	for i := range v.members {
		e := v.members[i].val
		switch {
		case e.kind == Array:
			if !isStrings(e) {
				return "must list property names"
			}
		case e.kind == String && (r.draft == Draft3 || r.draft == DraftAuto):
		default:
			s.check(e, r)
		}
	}
	return ""
}

func (s *Schema) checkType(v *value, r *resource) string {
	if v.kind == String {
		return ""
	}
	if v.kind != Array {
		return "must be a type name or an array of them"
	}
	for _, e := range v.items {
		switch {
		case e.kind == String:
		case e.kind == Object && r.draft == Draft3:
			s.check(e, r)
		default:
			return "must be a type name or an array of them"
		}
	}
	return ""
}

// checkScalar returns what is wrong with the value of a keyword that holds no schemas.
func checkScalar(want shape, v *value, d Draft) string {
	switch want {
	case shapeCount:
		if n, ok := countOf(v); !ok || n < 0 {
			return "must be a non-negative integer"
		}
	case shapeNumber:
		if v.kind != Number {
			return "must be a number"
		}
	case shapePositive:
		if r := ratOf(v); r == nil || r.Sign() <= 0 {
			return "must be a number above zero"
		}
	case shapeString:
		if v.kind != String {
			return "must be a string"
		}
	case shapeRequired:
		if !isStrings(v) && !(d == Draft3 && v.kind == Bool) {
			return "must be an array of property names"
		}
	case shapeBool:
		if v.kind != Bool {
			return "must be a boolean"
		}
	case shapeLimit:
		if v.kind != Number && !(v.kind == Bool && d <= Draft4) {
			return "must be a number"
		}
	case shapeList:
		if v.kind != Array {
			return "must be an array"
		}
	}
	return ""
}

func isStrings(v *value) bool {
	return v.kind == Array && !slices.ContainsFunc(v.items, func(e *value) bool { return e.kind != String })
}
