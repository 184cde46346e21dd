package declared

import (
	"encoding/json"
	"slices"
	"strings"

	"tenon/grammar"
	"tenon/tools/ordered"
)

// Compact is what makes models least likely to loop: little white space, no endless numbers, no
// letters spelled as \u0061. A key that a schema does not speak of is one that the model made up,
// and the tool's function has no parameter for it.
var Compact = grammar.SchemaOptions{Space: grammar.BoundedSpace, Escapes: grammar.CommonEscapes, Numbers: grammar.CanonicalNumbers, Extra: grammar.NoExtra}

// Property is an argument where each has a place of its own in the text.
type Property struct {
	Key      string
	Schema   json.RawMessage
	Required bool
	Kind     propertyKind
	Types    []string
	Free     bool      // nothing is said of it but its type
	Nullable *Property // set: null, or what this one is
	Tool     string
	Place    int // among the tool's Members
}

// MostMasked is how many arguments of a turn's tools have grammars of their own, of about 100 kB
// each.
const MostMasked = 1024

// loosen leaves only the types of a property's values.
func (p *Property) loosen() {
	p.Schema = json.RawMessage("true")
	if kinds, err := json.Marshal(p.Types); err == nil && len(p.Types) > 0 {
		p.Schema = json.RawMessage(`{"type":` + string(kinds) + "}")
	} else if p.Kind == KindText {
		p.Schema = json.RawMessage(`{"type":"string"}`)
	}
	p.Free, p.Nullable = true, nil
}

// propertyKind says how the value of a property is written.
type propertyKind uint8

const (
	KindJSON   propertyKind = iota // as JSON
	KindText                       // as plain text
	KindScalar                     // as JSON, a number, boolean or null
	KindInput                      // as the text of a free-form tool
)

// JSON is the grammar of the property's value as JSON.
func (p Property) JSON(e grammar.Escapes) string {
	o := Compact
	o.Tool, o.Lenient, o.Escapes = p.Tool, true, e
	return grammar.JSON(p.Schema, o)
}

// TypeName is the one type that the value has, "" if it may have several.
func (p Property) TypeName() string {
	if len(p.Types) == 1 {
		return p.Types[0]
	}
	return ""
}

// Properties lists the declared arguments of a tool in their order, and those that are required
// without being declared. Those beyond so many have only types in the grammar.
func (t *Tool) Properties(masked int) []Property {
	if t.Freeform != nil {
		return []Property{{Key: InputKey, Required: true, Kind: KindInput, Types: []string{"string"}, Tool: t.Name}}
	}
	root := t.root
	raw, _ := root.First("properties")
	var required []string
	if r, ok := root.First("required"); ok {
		// of another shape: the schema's own compiler has reported it
		_ = json.Unmarshal(r, &required)
	}
	demanded, missing := map[string]bool{}, map[string]bool{}
	for _, k := range required {
		demanded[k], missing[k] = true, true
	}
	var all []Property
	for _, m := range ordered.Members(raw) {
		p := Property{Key: m.Key, Schema: withDefinitions(m.Value, root), Tool: t.Name}
		p.Required = demanded[m.Key]
		p.classify(ordered.Members(m.Value), root, t.Schema.OnlyString(m.Key))
		all = append(all, p)
		delete(missing, m.Key)
	}
	for _, k := range required {
		if len(all) > 0 && missing[k] {
			all = append(all, Property{Key: k, Schema: json.RawMessage("true"), Required: true, Tool: t.Name})
			delete(missing, k)
		}
	}
	for i := range all {
		if all[i].Place = i; i >= masked {
			all[i].loosen()
			t.Loose = true
		}
	}
	return all
}

// withDefinitions gives a part of a schema the definitions that its references may name.
func withDefinitions(sub json.RawMessage, root ordered.MemberList) json.RawMessage {
	m := ordered.Members(sub)
	if m == nil || !strings.Contains(string(sub), `"$ref"`) {
		return sub
	}
	for _, k := range definitions {
		if v, ok := root.First(k); ok {
			m = append(m, ordered.Member{Key: k, Value: v})
		}
	}
	return m.Object()
}

var definitions = []string{"$schema", "$defs", "definitions"}

// Copies is how many bytes the definitions take that arguments get along with their schemas: each
// reference brings a copy of all.
func (t *Tool) Copies() int {
	root, size := t.root, 0
	for _, k := range definitions {
		v, _ := root.First(k)
		size += len(v)
	}
	properties, _ := root.First("properties")
	return size * strings.Count(string(properties), `"$ref"`)
}

// annotations are the keywords that do not say which values are valid.
var annotations = []string{"title", "description", "default", "examples", "example", "$comment", "deprecated", "readOnly", "writeOnly", "$schema", "$id"}

// classify reads the members of a property's schema.
func (p *Property) classify(m, root ordered.MemberList, text bool) {
	p.readTypes(m)
	switch {
	case text || isText(m, p.Types):
		p.Kind = KindText
	case scalars(p.Types):
		p.Kind = KindScalar
	default:
		p.orNull(m, root)
	}
}

// Part is a value inside of an argument, and its schema's members.
func (t *Tool) Part(schema json.RawMessage) (Property, ordered.MemberList) {
	m := resolved(schema, t.root)
	p := Property{Schema: withDefinitions(m.Object(), t.root), Tool: t.Name}
	p.classify(m, t.root, false)
	return p, m
}

// orNull reads a value that may be null, as clients write optional ones.
func (p *Property) orNull(m ordered.MemberList, root ordered.MemberList) {
	either, _ := m.First("anyOf")
	var rest []json.RawMessage
	for _, branch := range ordered.Items(either) {
		if kind, _ := ordered.Members(branch).First("type"); string(kind) != `"null"` {
			rest = append(rest, branch)
		}
	}
	if len(rest) != 1 || len(ordered.Items(either)) != 2 || !onlyKeywords(m, "anyOf") {
		return
	}
	q := Property{Schema: withDefinitions(rest[0], root), Tool: p.Tool}
	inside := resolved(rest[0], root)
	if q.readTypes(inside); isText(inside, q.Types) {
		q.Kind = KindText
	}
	if p.Nullable = &q; scalars(q.Types) {
		p.Kind, p.Nullable = KindScalar, nil
	}
}

// isText tells whether all values that a schema allows are strings.
func isText(m ordered.MemberList, types []string) bool {
	if len(types) > 0 {
		return len(types) == 1 && types[0] == "string"
	}
	list, _ := m.First("enum")
	values := ordered.Items(list)
	return len(values) > 0 && !slices.ContainsFunc(values, func(v json.RawMessage) bool { return v[0] != '"' })
}

func onlyKeywords(m ordered.MemberList, known ...string) bool {
	return !slices.ContainsFunc(m, func(e ordered.Member) bool {
		return !slices.Contains(known, e.Key) && !slices.Contains(annotations, e.Key)
	})
}

func (p *Property) readTypes(m ordered.MemberList) {
	if v, ok := m.First("type"); ok {
		if s, ok := ordered.Text(v); ok {
			p.Types = []string{s}
		} else {
			_ = json.Unmarshal(v, &p.Types) // of another shape: any type
		}
	}
	p.Free = onlyKeywords(m, "type")
}

// scalars tells whether values of the types are numbers, booleans or null.
func scalars(types []string) bool {
	return len(types) > 0 && !slices.ContainsFunc(types, func(s string) bool { return s == "string" || s == "object" || s == "array" })
}

// Enforced tells whether the mask enforces every keyword of the tool's schema where its arguments
// are one JSON object.
func (t *Tool) Enforced() bool {
	return !slices.ContainsFunc(t.Issues, func(i grammar.Issue) bool { return i.Action == grammar.Checked })
}

// EnforcedMembers tells the same where each argument has a place of its own: the schema has to say
// nothing about how arguments depend on each other, and the mask has to follow it into each.
func (t *Tool) EnforcedMembers(follows func(Property) bool) bool {
	for _, e := range t.root {
		switch e.Key {
		case "type", "properties", "required", "additionalProperties", "$defs", "definitions", "strict":
			continue
		}
		if !slices.Contains(annotations, e.Key) {
			return false
		}
	}
	other := func(p Property) bool { return p.Kind != KindInput && !follows(p) }
	return t.Enforced() && !t.Loose && !t.AnyMembers() && !slices.ContainsFunc(t.Members, other)
}

// AnyMembers tells that the schema declares no arguments and does not say that there are none.
func (t *Tool) AnyMembers() bool {
	root := t.root
	_, some := root.First("properties")
	extra, _ := root.First("additionalProperties")
	return len(t.Members) == 0 && !some && string(extra) != "false"
}

// Plain tells whether a format without JSON writes every value of the property as text or as a
// scalar. Others the mask leaves to the check behind the call.
func (p Property) Plain() bool { return p.Kind == KindText || p.Kind == KindScalar }

// PlainOrNull tells the same of formats that write a text between quotes, where null is something
// else.
func (p Property) PlainOrNull() bool { return p.Plain() || p.Nullable != nil && p.Nullable.Plain() }
