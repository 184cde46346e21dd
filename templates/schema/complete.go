package schema

import "encoding/json"

// Describe gives every property a description, empty if need be, and makes objects of the schemas
// true and false, for templates that break without. It is used only where a template refused the
// schema as it was.
func Describe(declared json.RawMessage) json.RawMessage { return completion{}.root(declared) }

// Complete is Describe and gives every property a type. It is used where Describe was not enough:
// to name a type where there is none misleads some templates.
func Complete(declared json.RawMessage) json.RawMessage {
	return completion{typed: true}.root(declared)
}

type completion struct{ typed bool }

func (c completion) root(declared json.RawMessage) json.RawMessage {
	v, err := parse(declared)
	if err != nil {
		return declared
	}
	o := c.schema(v)
	if !o.has("properties") {
		o = o.set("properties", object{})
	}
	return print(o)
}

func (c completion) schema(v any) object {
	o := asObject(v)
	out := object{}
	for _, m := range o {
		out = append(out, c.keyword(m))
	}
	if c.typed {
		out = out.set("type", kindOf(o))
	}
	if _, ok := out.get("description").(string); !ok {
		out = out.set("description", "")
	}
	return out
}

// asObject writes the schemas that are no objects as one: true allows all, false nothing.
func asObject(v any) object {
	if o, ok := v.(object); ok {
		return o
	}
	if v == false {
		return object{{"not", object{}}}
	}
	return object{}
}

// keyword completes the schemas that a keyword holds: of a tuple none.
func (c completion) keyword(m member) member {
	_, tuple := m.value.([]any)
	_, named := m.value.(object)
	switch {
	case m.key == "properties" && !named:
		m.value = object{}
	case m.key == "properties", !tuple && (m.key == "items" || m.key == "additionalProperties"):
		return within(m, func(v any, _ string) any { return c.nested(v) })
	}
	return m
}

// nested completes a schema within another. What an object says of undeclared properties, Tidy may
// have left out; some templates write an object as a map of those.
func (c completion) nested(v any) object {
	s := c.schema(v)
	if s.get("type") == "object" && !s.has("additionalProperties") {
		s = s.set("additionalProperties", object{})
	}
	return s
}

// kindOf names a type for a schema, also for one that has none, or several.
func kindOf(o object) string {
	if t, ok := o.get("type").(string); ok && t != "" {
		return t
	}
	if list, ok := o.get("type").([]any); ok && len(list) > 0 {
		if t, ok := list[0].(string); ok {
			return t
		}
	}
	switch {
	case o.has("properties"):
		return "object"
	case o.has("items"):
		return "array"
	case o.has("enum"), o.has("const"), o.has("pattern"):
		return "string"
	}
	return "any"
}
