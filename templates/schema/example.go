package schema

import (
	"encoding/json"
	"strings"
)

// Example makes arguments that a schema of the usual kind accepts: every required parameter, with
// a value of its type. It is for showing a model what a call looks like; nothing is built on its
// being valid.
func Example(declared json.RawMessage) json.RawMessage {
	v, err := parse(declared)
	o, ok := v.(object)
	if err != nil || !ok {
		return json.RawMessage("{}")
	}
	return print(exampleObject(o))
}

func exampleObject(o object) object {
	out := object{}
	required := requiredNames(o)
	props, _ := o.get("properties").(object)
	for _, p := range props {
		if required[p.key] {
			out = append(out, member{p.key, exampleValue(p.value, p.key)})
		}
	}
	return out
}

// exampleValue is a value for a property: what the schema itself suggests, else one of its type.
func exampleValue(v any, name string) any {
	o, ok := v.(object)
	if !ok {
		return name
	}
	for _, key := range []string{"const", "default"} {
		if o.has(key) && o.get(key) != nil {
			return o.get(key)
		}
	}
	for _, key := range []string{"examples", "enum"} {
		if list, ok := o.get(key).([]any); ok && len(list) > 0 {
			return list[0]
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := o.get(key).([]any); ok && len(list) > 0 {
			return exampleValue(list[0], name)
		}
	}
	return exampleOfType(o, name)
}

func exampleOfType(o object, name string) any {
	switch kindOf(o) {
	case "integer", "number":
		for _, key := range []string{"minimum", "maximum"} {
			if n, ok := o.get(key).(json.Number); ok {
				return n
			}
		}
		return json.Number("1")
	case "boolean":
		return true
	case "null":
		return nil
	case "array":
		return []any{exampleValue(o.get("items"), strings.TrimSuffix(name, "s"))}
	case "object":
		return exampleObject(o)
	}
	return exampleString(o, name)
}

// Values for formats that a model should see rather than the parameter's name.
var formats = map[string]string{
	"date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z", "time": "12:00:00Z", "uri": "https://example.com/",
	"email": "user@example.com", "uuid": "123e4567-e89b-12d3-a456-426614174000",
}

func exampleString(o object, name string) string {
	format, _ := o.get("format").(string)
	if v, ok := formats[format]; ok {
		return v
	}
	return "<" + name + ">"
}
