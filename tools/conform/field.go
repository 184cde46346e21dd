package conform

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/tools/lenient"
)

// Declares tells whether the schema names a property.
func (s *Schema) Declares(key string) bool { return memberOf(s.root, key) != nil }

// Begins tells whether the name of an argument that the schema speaks of may begin so.
func (s *Schema) Begins(text string) bool {
	return nil != find(s.root, map[*jsonschema.Schema]bool{}, func(s *jsonschema.Schema) *jsonschema.Schema {
		for key, sub := range s.Properties {
			if strings.HasPrefix(key, text) {
				return sub
			}
		}
		if len(s.PatternProperties) > 0 {
			return s
		}
		return memberSchema(s, text)
	})
}

// Field is the JSON value of an argument that was written as text between tags: the text itself
// where the schema allows a string and nothing else that the text could be, JSON otherwise.
func (s *Schema) Field(key, text string) json.RawMessage {
	sub := memberOf(s.root, key)
	defer s.look([]byte(text))()
	c := coercion{budget: maxAttempts}
	asText := stringValue(text)
	if sub != nil && onlyString(sub) {
		return asText.raw
	}
	trimmed := strings.TrimSpace(text)
	if d, err := lenient.Decode([]byte(trimmed), lenient.Rules{}); err == nil && strings.TrimSpace(trimmed[d.End:]) == "" {
		v := parse(d.JSON)
		faithful := !slices.Contains(d.Repairs, lenient.BareWord)
		if faithful && (sub == nil || c.valid(v, sub) || !c.valid(asText, sub)) {
			return v.raw
		}
	}
	return asText.raw
}

// memberOf finds the schema of a property, in a schema or in what that refers to.
func memberOf(s *jsonschema.Schema, key string) *jsonschema.Schema {
	return find(s, map[*jsonschema.Schema]bool{}, func(s *jsonschema.Schema) *jsonschema.Schema { return memberSchema(s, key) })
}

// find returns what look finds first, in a schema or in those that it is made of. Schemas may
// refer to themselves.
func find(s *jsonschema.Schema, seen map[*jsonschema.Schema]bool, look func(*jsonschema.Schema) *jsonschema.Schema) *jsonschema.Schema {
	if s == nil || seen[s] {
		return nil
	}
	seen[s] = true
	if found := look(s); found != nil {
		return found
	}
	for _, list := range [][]*jsonschema.Schema{{s.Ref}, s.AllOf, s.AnyOf, s.OneOf} {
		for _, part := range list {
			if found := find(part, seen, look); found != nil {
				return found
			}
		}
	}
	return nil
}

// Place is what a schema says of one value; the zero value says nothing.
type Place struct{ schema *jsonschema.Schema }

// Root is the place of the arguments.
func (s *Schema) Root() Place { return Place{s.root} }

// Inside is the place of a member, or of an array's item, inside a value.
func (p Place) Inside(name string) Place {
	return Place{find(p.schema, map[*jsonschema.Schema]bool{}, func(s *jsonschema.Schema) *jsonschema.Schema {
		if sub := memberSchema(s, name); sub != nil || name != "item" {
			return sub
		}
		return itemSchema(s, 0)
	})}
}

// Takes tells whether a type of values is named for the place.
func (p Place) Takes(kind string) bool {
	return find(p.schema, map[*jsonschema.Schema]bool{}, func(s *jsonschema.Schema) *jsonschema.Schema {
		if slices.Contains(types(s), kind) || kind == "string" && onlyString(s) {
			return s
		}
		return nil
	}) != nil
}

// onlyString tells whether no value but a string can fit.
func onlyString(s *jsonschema.Schema) bool {
	return isOnlyString(s, map[*jsonschema.Schema]bool{})
}

// maxHops bounds the references that lead from one to the next.
const maxHops = 16

// isOnlyString looks at each schema once. A schema that is a branch of itself counts as one that
// other values fit, too.
func isOnlyString(s *jsonschema.Schema, known map[*jsonschema.Schema]bool) bool {
	for hops := 0; s.Ref != nil && s.Types == nil; hops++ {
		if hops == maxHops {
			return false
		}
		s = s.Ref
	}
	if only, ok := known[s]; ok {
		return only
	}
	known[s] = false
	known[s] = fitsStringsOnly(s, known)
	return known[s]
}

func fitsStringsOnly(s *jsonschema.Schema, known map[*jsonschema.Schema]bool) bool {
	if t := types(s); len(t) > 0 {
		return len(t) == 1 && t[0] == "string"
	}
	for _, list := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if len(list) > 0 {
			return !slices.ContainsFunc(list, func(b *jsonschema.Schema) bool { return !isOnlyString(b, known) })
		}
	}
	return s.Enum != nil && !slices.ContainsFunc(s.Enum.Values, func(v any) bool { _, ok := v.(string); return !ok })
}

// OnlyString tells whether the schema allows nothing but a string for a property.
func (s *Schema) OnlyString(key string) bool {
	sub := memberOf(s.root, key)
	return sub != nil && onlyString(sub)
}

// OnlyArgument returns the one property that must be there, if it is the only required one or the
// only one at all, and a string.
func (s *Schema) OnlyArgument() (string, bool) {
	key := ""
	switch {
	case len(s.root.Required) == 1:
		key = s.root.Required[0]
	case len(s.root.Required) == 0 && len(s.root.Properties) == 1:
		for k := range s.root.Properties {
			key = k
		}
	}
	return key, key != "" && s.OnlyString(key)
}

// property is the schema of a property, or what that refers to; nil if there is none.
func (s *Schema) property(key string) *jsonschema.Schema {
	sub := memberOf(s.root, key)
	for hops := 0; sub != nil && sub.Ref != nil && hops < maxHops; hops++ {
		sub = sub.Ref
	}
	return sub
}

// TakesOnlyContainers tells whether the schema allows nothing but lists and objects for a
// property.
func (s *Schema) TakesOnlyContainers(key string) bool {
	sub := s.property(key)
	if sub == nil {
		return false
	}
	kinds := types(sub)
	return len(kinds) > 0 && !slices.ContainsFunc(kinds, func(k string) bool { return k != "array" && k != "object" })
}

// TakesText tells whether an argument may hold any text, by itself or inside of it, rather than a
// number, a literal or one of a few values.
func (s *Schema) TakesText(key string) bool {
	sub := s.property(key)
	if sub == nil {
		return true
	}
	short := func(kind string) bool {
		return kind == "integer" || kind == "number" || kind == "boolean" || kind == "null"
	}
	kinds := types(sub)
	return sub.Enum == nil && sub.Const == nil && (len(kinds) == 0 || slices.ContainsFunc(kinds, func(k string) bool { return !short(k) }))
}
