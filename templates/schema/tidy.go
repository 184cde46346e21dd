package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// Tidy leaves out of a schema what tells a model nothing, without changing what it accepts beyond
// undeclared properties, which a model has no reason to invent:
//
//   - $schema and $id; titles that only repeat the property's name; additionalProperties that is a
//     bool; an empty required
//   - definitions: a $ref to one stands resolved, unless it is recursive
//   - a choice between something and null becomes the something with "nullable": true, as Hugging
//     Face writes it
//
// A text that is no JSON object comes back as it is.
func Tidy(declared json.RawMessage) (json.RawMessage, error) {
	v, err := parse(declared)
	if err != nil {
		return nil, err
	}
	root, ok := v.(object)
	if !ok {
		return declared, nil
	}
	t := tidier{root: root, budget: 4*len(declared) + 64<<10}
	tidied := t.schema(root, place{root: true})
	if o, ok := tidied.(object); ok && t.kept {
		tidied = t.withDefinitions(o)
	}
	return print(tidied), nil
}

type tidier struct {
	root object
	// bytes that resolved references may still add: references to references can double at
	// every step
	budget int
	kept   bool // a reference is left, so that the definitions must stay
}

// place is where a schema stands.
type place struct {
	root     bool
	property string   // whose schema it is, "" for others
	open     []string // references that are being resolved
}

// Keywords that say nothing to a model.
var silent = []string{"$schema", "$id", "$comment", "$anchor"}

func (t *tidier) schema(v any, at place) any {
	o, ok := v.(object)
	if !ok {
		return v
	}
	if resolved, path := t.resolve(o, at.open); resolved != nil {
		at.open = append(at.open[:len(at.open):len(at.open)], path)
		return t.schema(resolved, at)
	}
	out := object{}
	for _, m := range o {
		if !drops(m, at) {
			out = append(out, within(m, func(v any, property string) any { return t.schema(v, place{property: property, open: at.open}) }))
		}
	}
	return nullable(out)
}

// drops says whether a keyword is left out.
func drops(m member, at place) bool {
	switch m.key {
	case "title":
		s, ok := m.value.(string)
		return ok && (at.root || sameName(s, at.property))
	case "additionalProperties", "unevaluatedProperties":
		_, ok := m.value.(bool)
		return ok
	case "required":
		list, ok := m.value.([]any)
		return ok && len(list) == 0
	case "$defs", "definitions":
		_, ok := m.value.(object)
		return ok
	}
	return slices.Contains(silent, m.key)
}

// resolve returns what a local $ref stands for, with the keywords beside it, and the reference;
// nil if o has none, if it is recursive, or where resolving would make the schema much longer than
// it was.
func (t *tidier) resolve(o object, open []string) (object, string) {
	path, ok := o.get("$ref").(string)
	if !ok {
		return nil, ""
	}
	target, ok := t.root.at(path)
	if !ok || path == "#" || slices.Contains(open, path) {
		t.kept = true
		return nil, ""
	}
	if t.budget -= len(print(target)); t.budget < 0 {
		t.kept = true
		return nil, ""
	}
	out := append(object(nil), target...)
	for _, m := range o.without("$ref") {
		out = out.set(m.key, m.value)
	}
	return out, path
}

// withDefinitions puts back the definitions, since references to them are left.
func (t *tidier) withDefinitions(o object) object {
	for _, key := range []string{"$defs", "definitions"} {
		if v := t.root.get(key); v != nil {
			o = append(o, member{key, v})
		}
	}
	return o
}

// nullable writes a choice between one schema and null as that schema, nullable.
func nullable(o object) object {
	if list, ok := o.get("type").([]any); ok && len(list) == 2 {
		for i, s := range list {
			if other := list[1-i]; s == "null" && other != "null" {
				return o.set("type", other).set("nullable", true)
			}
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		list, ok := o.get(key).([]any)
		if !ok || len(list) != 2 {
			continue
		}
		for i, s := range list {
			only, ok := list[1-i].(object)
			if ok && isNull(s) && !isNull(only) && fits(o, only) {
				return o.replaced(key, only).set("nullable", true)
			}
		}
	}
	return o
}

// fits says whether a schema can take the place of the choice that it is in: nothing but
// annotations is said twice.
func fits(o, only object) bool {
	for _, m := range only {
		if o.has(m.key) && !slices.Contains([]string{"title", "description", "default"}, m.key) {
			return false
		}
	}
	return true
}

// replaced puts the members of a schema in place of a keyword; what stands beside it wins.
func (o object) replaced(key string, only object) object {
	var out object
	for _, m := range o {
		if m.key != key {
			out = append(out, m)
			continue
		}
		for _, c := range only {
			if !o.has(c.key) {
				out = append(out, c)
			}
		}
	}
	return out
}

func isNull(v any) bool {
	o, ok := v.(object)
	return ok && len(o) == 1 && o.get("type") == "null"
}

// sameName says whether a title only repeats a property's name: "Max Results" for max_results or
// maxResults.
func sameName(title, name string) bool { return letters(title) == letters(name) }

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '_' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}
