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

// memberOf finds the schema of a property, in a schema or in what that refers to. Schemas may
// refer to themselves.
func memberOf(s *jsonschema.Schema, key string) *jsonschema.Schema {
	if sub := memberSchema(s, key); sub != nil {
		return sub
	}
	return search(s, key, map[*jsonschema.Schema]bool{})
}

func search(s *jsonschema.Schema, key string, seen map[*jsonschema.Schema]bool) *jsonschema.Schema {
	if s == nil || seen[s] {
		return nil
	}
	seen[s] = true
	if sub := memberSchema(s, key); sub != nil {
		return sub
	}
	if sub := search(s.Ref, key, seen); sub != nil {
		return sub
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, part := range list {
			if sub := search(part, key, seen); sub != nil {
				return sub
			}
		}
	}
	return nil
}

// onlyString tells whether no value but a string can fit.
func onlyString(s *jsonschema.Schema) bool {
	return isOnlyString(s, map[*jsonschema.Schema]bool{})
}

// maxHops bounds the references that lead from one to the next.
const maxHops = 16

// isOnlyString does so for each schema once: one that is a branch of its own says nothing of
// strings.
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
