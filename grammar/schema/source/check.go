package source

import "slices"

// check visits v and every schema below it. It finds what JSON Schema forbids, registers the
// resources and anchors that references may name, and sets Tracks.
func (s *Set) check(v *Value, r *Resource) {
	if s.invalid != nil || v.Kind == Bool {
		return
	}
	if v.Kind != Object {
		s.malformed(v, "a schema is an object or a boolean")
		return
	}
	r = s.identify(v, r)
	if r.Draft.RefHidesSiblings() && v.Get("$ref") != nil {
		s.checkDefinitions(v, r)
		return
	}
	for i := range v.Members {
		m := &v.Members[i]
		k, known := Keywords[m.Key]
		if !known || !k.In(r.Draft) {
			continue
		}
		if why := s.checkShape(k.Shape, m.Val, r); why != "" {
			s.malformed(m.Val, m.Key+" "+why)
		}
		if m.Key == "unevaluatedItems" || m.Key == "unevaluatedProperties" {
			s.Tracks = true
		}
		if s.invalid != nil {
			return
		}
	}
}

// checkDefinitions checks a schema in which $ref hides its siblings: references may lead to its
// definitions.
func (s *Set) checkDefinitions(v *Value, r *Resource) {
	if ref := v.Get("$ref"); ref.Kind != String {
		s.malformed(ref, "$ref must be a string")
	}
	for _, key := range [...]string{"definitions", "$defs"} {
		if d := v.Get(key); d != nil && d.Kind == Object {
			s.checkShape(ShapeSchemaMap, d, r)
		}
	}
}

func (s *Set) malformed(v *Value, why string) {
	if s.invalid == nil {
		s.invalid = &Error{Pointer: s.Place(v), Why: why}
	}
}

// identify registers the resource and the anchors that v declares, and returns the resource that v
// lies in.
func (s *Set) identify(v *Value, r *Resource) *Resource {
	draft := r.Draft
	if d := v.Get("$schema"); d != nil && d.Kind == String && v != r.root {
		draft = draftOf(d.Text, draft)
	}
	if draft.RefHidesSiblings() && v.Get("$ref") != nil {
		return r
	}
	for _, key := range draft.idKeywords() {
		id := v.Get(key)
		if id == nil || id.Kind != String {
			continue
		}
		outer := r
		if r = s.identified(v, r, id.Text, draft); r != outer && draft == DraftAuto && key == "id" {
			r.outer = outer
		}
		break
	}
	if a := v.Get("$anchor"); a != nil && a.Kind == String {
		r.anchor(a.Text, v, false)
	}
	if a := v.Get("$dynamicAnchor"); a != nil && a.Kind == String {
		r.anchor(a.Text, v, true)
	}
	if a := v.Get("$recursiveAnchor"); a != nil && a.Kind == Bool && a.Truth && v == r.root {
		r.anchor("", v, true)
	}
	return r
}

// identified handles an id. Before 2019-09 one that is only a fragment is an anchor.
func (s *Set) identified(v *Value, r *Resource, id string, draft Draft) *Resource {
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
	return s.register(v, uri, draft)
}

// checkShape returns what is wrong with a keyword's value, after visiting the schemas in it.
func (s *Set) checkShape(want shape, v *Value, r *Resource) string {
	switch want {
	case shapeSchema:
		s.check(v, r)
	case shapeSchemas:
		if v.Kind != Array {
			return "must be an array of schemas"
		}
		for _, e := range v.Items {
			s.check(e, r)
		}
	case shapeItems:
		if v.Kind == Array {
			return s.checkShape(shapeSchemas, v, r)
		}
		s.check(v, r)
	case ShapeSchemaMap:
		if v.Kind != Object {
			return "must be an object of schemas"
		}
		for i := range v.Members {
			s.check(v.Members[i].Val, r)
		}
	case shapeDependencies:
		return s.checkDependencies(v, r)
	case shapeNameLists:
		for i := range v.Members {
			if !isStrings(v.Members[i].Val) {
				return "must list property names"
			}
		}
		if v.Kind != Object {
			return "must be an object"
		}
	case shapeType:
		return s.checkType(v, r)
	default:
		return checkScalar(want, v, r.Draft)
	}
	return ""
}

func (s *Set) checkDependencies(v *Value, r *Resource) string {
	if v.Kind != Object {
		return "must be an object"
	}
	for i := range v.Members {
		e := v.Members[i].Val
		switch {
		case e.Kind == Array:
			if !isStrings(e) {
				return "must list property names"
			}
		case e.Kind == String && (r.Draft == Draft3 || r.Draft == DraftAuto):
		default:
			s.check(e, r)
		}
	}
	return ""
}

func (s *Set) checkType(v *Value, r *Resource) string {
	if v.Kind == String {
		return ""
	}
	if v.Kind != Array {
		return "must be a type name or an array of them"
	}
	for _, e := range v.Items {
		switch {
		case e.Kind == String:
		case e.Kind == Object && r.Draft == Draft3:
			s.check(e, r)
		default:
			return "must be a type name or an array of them"
		}
	}
	return ""
}

// checkScalar returns what is wrong with the value of a keyword that holds no schemas.
func checkScalar(want shape, v *Value, d Draft) string {
	switch want {
	case shapeCount:
		if n, ok := Count(v); !ok || n < 0 {
			return "must be a non-negative integer"
		}
	case shapeNumber:
		if v.Kind != Number {
			return "must be a number"
		}
	case shapePositive:
		if r := Rat(v); r == nil || r.Sign() <= 0 {
			return "must be a number above zero"
		}
	case shapeString, shapePattern:
		if v.Kind != String {
			return "must be a string"
		}
	case shapeRequired:
		if !isStrings(v) && !(d == Draft3 && v.Kind == Bool) {
			return "must be an array of property names"
		}
	case shapeBool, shapeAnchor:
		if v.Kind != Bool {
			return "must be a boolean"
		}
	case shapeLimit:
		if v.Kind != Number && !(v.Kind == Bool && d <= Draft4) {
			return "must be a number"
		}
	case shapeList:
		if v.Kind != Array {
			return "must be an array"
		}
	}
	return ""
}

func isStrings(v *Value) bool {
	return v.Kind == Array && !slices.ContainsFunc(v.Items, func(e *Value) bool { return e.Kind != String })
}
