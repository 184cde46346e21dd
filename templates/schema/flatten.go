package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Flat maps the parameters of a flattened schema to where they stand in the original.
type Flat struct {
	paths   map[string][]string // flattened name: the names on the way to it
	objects [][]string          // objects that must be there though nothing in them must
}

// IsZero says whether the schema was left as it is.
func (f Flat) IsZero() bool { return len(f.paths) == 0 }

// Flatten shows the properties of objects as properties of the root, with a dot in their names:
// {"a": {"b": 1}} becomes {"a.b": 1}. What would be ambiguous stays nested: names that hold a dot,
// names that clash, objects that may be null or hold undeclared properties, and everything inside
// arrays. Whatever is valid flattened is valid once it is nested again: for that an optional
// object of which a property is required stays nested, too, nothing undeclared may be written, and
// a schema that says more of its properties than the flattened one could is left alone.
func Flatten(declared json.RawMessage) (json.RawMessage, Flat, error) {
	v, err := parse(declared)
	if err != nil {
		return nil, Flat{}, err
	}
	o, ok := v.(object)
	if !ok {
		return declared, Flat{}, nil
	}
	flat, back := flatten(o)
	if !back.IsZero() {
		flat = flat.set("additionalProperties", false)
	}
	return print(flat), back, nil
}

// plainKeys are the keywords of an object whose properties can be told one by one.
var plainKeys = []string{"type", "properties", "required", "description", "title", "additionalProperties"}

func plain(o object, more ...string) bool {
	for _, m := range o {
		if !slices.Contains(plainKeys, m.key) && !slices.Contains(more, m.key) {
			return false
		}
	}
	return true
}

func flatten(root object) (object, Flat) {
	f := flattener{taken: map[string]bool{}}
	f.paths = map[string][]string{}
	props, ok := root.get("properties").(object)
	if !ok || !plain(root, "$schema", "$id", "$defs", "definitions") || strings.Contains(string(print(root)), `"#/properties/`) {
		return root, f.Flat
	}
	for _, p := range props {
		f.taken[p.key] = true
	}
	f.add(props, requiredNames(root), nil, true)
	if f.IsZero() {
		return root, f.Flat
	}
	out := root.set("properties", f.properties)
	if len(f.required) == 0 {
		return out.without("required"), f.Flat
	}
	return out.set("required", f.required), f.Flat
}

type flattener struct {
	properties object
	required   []any
	Flat
	taken map[string]bool // names of the root, which flattened ones must not take
}

// add lists properties under the names on the way to them.
func (f *flattener) add(props object, required map[string]bool, way []string, needed bool) {
	for _, p := range props {
		path := append(way[:len(way):len(way)], p.key)
		name := strings.Join(path, ".")
		always := needed && required[p.key]
		inner, ok := opens(p)
		wanted := requiredNames(inner)
		if ok && (always || len(wanted) == 0) && !f.clash(inner, name) {
			if always && len(wanted) == 0 {
				f.objects = append(f.objects, path)
			}
			f.add(inner.get("properties").(object), wanted, path, always)
			continue
		}
		f.properties = append(f.properties, member{name, p.value})
		if len(path) > 1 {
			f.paths[name] = path
		}
		if always {
			f.required = append(f.required, name)
		}
	}
}

// opens says whether a property is an object whose every property is known.
func opens(p member) (object, bool) {
	o, ok := p.value.(object)
	if !ok || strings.Contains(p.key, ".") || o.get("type") != "object" || o.get("nullable") == true {
		return nil, false
	}
	props, ok := o.get("properties").(object)
	others := o.get("additionalProperties")
	return o, ok && plain(o) && len(props) > 0 && (others == nil || others == false)
}

// clash says whether a name below o would be another's, or hold a dot of its own.
func (f *flattener) clash(o object, name string) bool {
	for _, p := range o.get("properties").(object) {
		if strings.Contains(p.key, ".") || f.taken[name+"."+p.key] {
			return true
		}
	}
	return false
}

func requiredNames(o object) map[string]bool {
	names := map[string]bool{}
	list, _ := o.get("required").([]any)
	for _, r := range list {
		if name, ok := r.(string); ok {
			names[name] = true
		}
	}
	return names
}

// Nest puts flattened arguments back where the original schema has them. Arguments that are nested
// already stay.
func (f Flat) Nest(arguments json.RawMessage) (json.RawMessage, error) {
	v, err := parse(arguments)
	if err != nil {
		return nil, err
	}
	o, ok := v.(object)
	if !ok {
		return nil, fmt.Errorf("nest arguments: they are no object")
	}
	var out object
	for _, m := range o {
		if path, ok := f.paths[m.key]; ok {
			out = out.nest(path, m.value)
		} else {
			out = out.nest([]string{m.key}, m.value)
		}
	}
	for _, path := range f.objects {
		out = out.nest(path, object{})
	}
	if out == nil {
		return json.RawMessage("{}"), nil
	}
	return print(out), nil
}

// nest sets a value at a path; what stands in the way is not replaced but joined with, if it is an
// object.
func (o object) nest(path []string, v any) object {
	old, _ := o.get(path[0]).(object)
	if len(path) > 1 {
		return o.set(path[0], old.nest(path[1:], v))
	}
	if more, ok := v.(object); ok && old != nil {
		for _, m := range more {
			old = old.set(m.key, m.value)
		}
		return o.set(path[0], old)
	}
	return o.set(path[0], v)
}

// Flatten writes nested arguments as the flattened schema has them, for calls in a conversation's
// history.
func (f Flat) Flatten(arguments json.RawMessage) (json.RawMessage, error) {
	v, err := parse(arguments)
	if err != nil {
		return nil, err
	}
	o, ok := v.(object)
	if !ok {
		return arguments, nil
	}
	flat := object{}
	for _, m := range o {
		if left := f.lift(object{m}, nil, &flat); len(left) > 0 {
			flat = append(flat, left...)
		}
	}
	return print(flat), nil
}

// lift appends the members that have a flattened name to flat, under it, and returns the rest as
// it was.
func (f Flat) lift(o object, way []string, flat *object) object {
	rest := object{}
	for _, m := range o {
		path := append(way[:len(way):len(way)], m.key)
		name := strings.Join(path, ".")
		inner, nested := m.value.(object)
		if _, known := f.paths[name]; known {
			*flat = append(*flat, member{name, m.value})
			continue
		}
		if nested && len(inner) > 0 && f.reaches(name) {
			if inner = f.lift(inner, path, flat); len(inner) == 0 {
				continue
			}
			m.value = inner
		}
		rest = append(rest, m)
	}
	return rest
}

// reaches says whether flattened names begin with name.
func (f Flat) reaches(name string) bool {
	for p := range f.paths {
		if strings.HasPrefix(p, name+".") {
			return true
		}
	}
	return false
}
