package conform

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"tenon/grammar/schema/source"
)

// typeNames translates the type names that clients send and JSON Schema does not know.
var typeNames = map[string]string{
	"dict": "object", "map": "object", "struct": "object",
	"list": "array", "tuple": "array", "set": "array",
	"str": "string", "text": "string", "char": "string",
	"int": "integer", "long": "integer", "float": "number", "double": "number", "decimal": "number",
	"bool": "boolean", "none": "null", "nil": "null",
}

var knownTypes = map[string]bool{
	"null": true, "boolean": true, "number": true, "integer": true, "string": true, "array": true, "object": true,
}

// sanitizer makes a compilable schema of what clients send: what cannot be used is left out. It
// works on its own copy.
type sanitizer struct{ ids int }

// maxIDs is how many parts of a schema may have an $id: the compiler compares each with all.
const maxIDs = 256

func (s *sanitizer) schema(v, root any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := maps.Clone(m)
	s.types(out)
	s.numbers(out)
	s.pattern(out)
	s.reference(out, root)
	if _, named := out["$id"]; named {
		if s.ids++; s.ids > maxIDs {
			delete(out, "$id")
		}
	}
	for _, k := range slices.Sorted(maps.Keys(out)) {
		switch held := out[k].(type) {
		case map[string]any:
			switch source.Holding(k) {
			case source.Schemas:
				out[k] = s.schema(held, root)
			case source.NamedSchemas:
				out[k] = s.named(k, held, root)
			}
		case []any:
			if source.Holding(k) == source.Schemas {
				out[k] = s.list(held, root)
			}
		}
	}
	return out
}

func (s *sanitizer) list(schemas []any, root any) []any {
	out := make([]any, len(schemas))
	for i, e := range schemas {
		out[i] = s.schema(e, root)
	}
	return out
}

func (s *sanitizer) named(keyword string, m map[string]any, root any) map[string]any {
	out := make(map[string]any, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if keyword == "patternProperties" {
			if _, err := ecma(k); err != nil {
				continue
			}
		}
		out[k] = s.schema(m[k], root)
	}
	return out
}

func (s *sanitizer) types(m map[string]any) {
	switch names := m["type"].(type) {
	case string:
		if name := typeName(names); name != "" {
			m["type"] = name
		} else {
			delete(m, "type")
		}
	case []any:
		var list []any
		for _, n := range names {
			name, _ := n.(string)
			if name = typeName(name); name == "" {
				delete(m, "type")
				return
			}
			list = append(list, name)
		}
		m["type"] = list
	}
}

// typeName is JSON Schema's name of a type, "" for any value.
func typeName(name string) string {
	lower := strings.ToLower(name)
	if knownTypes[lower] {
		return lower
	}
	return typeNames[lower]
}

// numbers drops bounds that nothing can be compared with.
func (s *sanitizer) numbers(m map[string]any) {
	for k, v := range m {
		n, ok := v.(json.Number)
		f, _ := n.Float64()
		if ok && source.Keywords[k].IsNumber() && (!readable(n.String()) || k == "multipleOf" && f <= 0) {
			delete(m, k)
		}
	}
}

func (s *sanitizer) pattern(m map[string]any) {
	p, ok := m["pattern"].(string)
	if !ok {
		return
	}
	if _, err := ecma(p); err != nil {
		delete(m, "pattern")
	}
}

// reference drops a reference that leads out of the schema or nowhere. References by $id and
// $anchor are left to the compiler.
func (s *sanitizer) reference(m map[string]any, root any) {
	ref, ok := m["$ref"].(string)
	if !ok || ref == "#" {
		return
	}
	path, local := strings.CutPrefix(ref, "#/")
	if local && !reaches(root, path) || strings.HasPrefix(ref, "http") {
		delete(m, "$ref")
	}
}

func reaches(v any, path string) bool {
	for _, step := range strings.Split(path, "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[step]
			if !ok {
				return false
			}
			v = next
		case []any:
			var i int
			if json.Unmarshal([]byte(step), &i) != nil || i < 0 || i >= len(at) {
				return false
			}
			v = at[i]
		default:
			return false
		}
	}
	return true
}
