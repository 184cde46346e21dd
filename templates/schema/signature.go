package schema

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Signature writes a tool for tenon's own protocols: one line with its parameters and their types,
// then what the descriptions say. It says all that the schema says; what the notation has no form
// for stands as JSON.
//
//	get_weather(city: string, days?: integer (1 to 7, default 1), unit?: "c" | "f")
//	  Current weather of a city.
//	  city: its name
func Signature(name, description string, parameters json.RawMessage) string {
	var s signer
	v, err := parse(parameters)
	o, ok := v.(object)
	if len(parameters) == 0 || err != nil || !ok {
		o = object{}
	}
	s.line.WriteString(name + "(" + s.parameters(o, "") + ")")
	if rest := o.without("type", "properties", "required", "description"); len(rest) > 0 {
		s.line.WriteString(" where " + string(print(rest)))
	}
	for _, d := range append([]string{description}, s.descriptions...) {
		if d != "" {
			s.line.WriteString("\n  " + strings.ReplaceAll(d, "\n", "\n  "))
		}
	}
	return s.line.String()
}

// signer collects the descriptions while types are written.
type signer struct {
	line         strings.Builder
	descriptions []string
}

// parameters lists the properties of an object; path is what stands before their names in a
// description.
func (s *signer) parameters(o object, path string) string {
	props, _ := o.get("properties").(object)
	required := requiredNames(o)
	parts := make([]string, len(props))
	for i, p := range props {
		mark := "?"
		if required[p.key] {
			mark = ""
		}
		at := path + p.key
		parts[i] = p.key + mark + ": " + s.typed(p.value, at)
	}
	return strings.Join(parts, ", ")
}

// typed writes a schema as a type with its bounds.
func (s *signer) typed(v any, path string) string {
	o, ok := v.(object)
	if !ok {
		return string(print(v))
	}
	if d, ok := o.get("description").(string); ok && d != "" {
		s.descriptions = append(s.descriptions, path+": "+d)
	}
	kind, used := s.kind(o, path)
	rest := o.without(append(used, "description")...)
	if len(rest) == 0 {
		return kind
	}
	return kind + " (" + bounds(rest) + ")"
}

// kind writes what sort of value it is, and which keywords that says.
func (s *signer) kind(o object, path string) (string, []string) {
	if v := o.get("enum"); v != nil {
		if list, ok := v.([]any); ok && len(list) > 0 {
			return union(list, func(v any) string { return string(print(v)) }), []string{"enum", "type"}
		}
	}
	if o.has("const") {
		return string(print(o.get("const"))), []string{"const", "type"}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := o.get(key).([]any); ok && len(list) > 0 && !o.has("type") && !o.has("properties") {
			return union(list, func(v any) string { return s.typed(v, path) }), []string{key}
		}
	}
	switch t := o.get("type").(type) {
	case string:
		return s.simple(t, o, path)
	case []any:
		return union(t, func(v any) string { return fmt.Sprint(v) }), []string{"type"}
	}
	if o.has("properties") {
		return s.simple("object", o, path)
	}
	return "any", nil
}

func (s *signer) simple(t string, o object, path string) (string, []string) {
	switch {
	case t == "object" && o.has("properties"):
		return "{" + s.parameters(o, path+".") + "}", []string{"type", "properties", "required"}
	case t == "array" && o.has("items"):
		item := s.typed(o.get("items"), path+"[]")
		if strings.ContainsAny(item, " |") && !strings.HasPrefix(item, "{") {
			item = "(" + item + ")"
		}
		return item + "[]", []string{"type", "items"}
	}
	return t, []string{"type"}
}

func union(list []any, write func(any) string) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = write(v)
	}
	return strings.Join(parts, " | ")
}

// bounds writes what else a schema says: ranges in words, the rest by keyword.
func bounds(o object) string {
	var parts []string
	if o.has("minimum") && o.has("maximum") {
		parts = append(parts, fmt.Sprintf("%s to %s", print(o.get("minimum")), print(o.get("maximum"))))
		o = o.without("minimum", "maximum")
	}
	for _, m := range o {
		if m.key == "nullable" && m.value == true {
			parts = append(parts, "or null")
			continue
		}
		parts = append(parts, m.key+" "+string(print(m.value)))
	}
	return strings.Join(parts, ", ")
}
