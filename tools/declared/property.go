package declared

import (
	"encoding/json"
	"slices"
	"strings"

	"tenon/grammar"
)

// Compact is what makes models least likely to loop: little white space, no endless numbers, no letters spelled as \u0061. A key
// that a schema does not speak of is one that the model made up, and the tool's function has no parameter for it.
var Compact = grammar.SchemaOptions{Space: grammar.BoundedSpace, Escapes: grammar.CommonEscapes, Numbers: grammar.CanonicalNumbers, Extra: grammar.NoExtra}

// Property is an argument where each has a place of its own in the text.
type Property struct {
	Key      string
	Schema   json.RawMessage
	Required bool
	Kind     propertyKind
	Types    []string
	Free     bool       // nothing is said of it but its type
	Inside   *Container // what its value holds; nil where the mask does not follow the schema into it
	// loose: the mask admits more than the schema somewhere inside. mixed: as elements it cannot tell kinds of values apart there.
	loose, mixed bool
	Tool         string
}

// propertyKind says how the value of a property is written.
type propertyKind uint8

const (
	KindJSON   propertyKind = iota // as JSON
	KindText                       // as plain text
	KindScalar                     // as JSON, a number, boolean or null
	KindInput                      // as the text of a free-form tool
)

func (p Property) Json(e grammar.Escapes) string {
	o := Compact
	o.Tool, o.Lenient, o.Escapes = p.Tool, true, e
	return grammar.JSON(p.Schema, o)
}

func (p Property) TypeName() string {
	if len(p.Types) == 1 {
		return p.Types[0]
	}
	return ""
}

// Properties lists the declared arguments of a tool in their order, and those that are required without being declared.
func (t *Tool) Properties() []Property {
	if t.Freeform != nil {
		return []Property{{Key: InputKey, Required: true, Kind: KindInput, Types: []string{"string"}, Tool: t.Name}}
	}
	root := Members(t.Wire)
	raw, _ := root.First("properties")
	var required []string
	if r, ok := root.First("required"); ok {
		_ = json.Unmarshal(r, &required) // of another shape: the schema's own compiler has reported it
	}
	var all []Property
	for _, m := range Members(raw) {
		p := Property{Key: m.Key, Schema: withDefinitions(m.Value, root), Tool: t.Name}
		p.Required = slices.Contains(required, m.Key)
		p.classify(m.Value, t)
		all = append(all, p)
	}
	for _, k := range required {
		if len(all) > 0 && !slices.ContainsFunc(all, func(p Property) bool { return p.Key == k }) {
			all = append(all, Property{Key: k, Schema: json.RawMessage("true"), Required: true, Tool: t.Name})
		}
	}
	return all
}

// withDefinitions gives a part of a schema the definitions that its references may name.
func withDefinitions(sub json.RawMessage, root MemberList) json.RawMessage {
	m := Members(sub)
	if m == nil || !strings.Contains(string(sub), `"$ref"`) {
		return sub
	}
	for _, k := range []string{"$schema", "$defs", "definitions"} {
		if v, ok := root.First(k); ok {
			m = append(m, Member{k, v})
		}
	}
	return m.Object()
}

// annotations are the keywords that do not say which values are valid.
var annotations = []string{"title", "description", "default", "examples", "example", "$comment", "deprecated", "readOnly", "writeOnly", "$schema", "$id"}

func (p *Property) classify(sub json.RawMessage, t *Tool) {
	m := Members(sub)
	p.readTypes(m)
	switch {
	case t.Schema.OnlyString(p.Key):
		p.Kind = KindText
	case scalars(p.Types):
		p.Kind = KindScalar
	default:
		p.follow(sub, t.Wire)
	}
}

func (p *Property) readTypes(m MemberList) {
	if v, ok := m.First("type"); ok {
		if s, ok := Text(v); ok {
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

// Enforced tells whether the mask enforces every keyword of the tool's schema where its arguments are one JSON object.
func (t *Tool) Enforced() bool {
	return !slices.ContainsFunc(t.Issues, func(i grammar.Issue) bool { return i.Action == grammar.Checked })
}

// EnforcedMembers tells the same where each argument has a place of its own: the schema has to say nothing about how
// arguments depend on each other, and the mask has to follow it into each.
func (t *Tool) EnforcedMembers(follows func(Property) bool) bool {
	for _, e := range Members(t.Wire) {
		switch e.Key {
		case "type", "properties", "required", "additionalProperties", "$defs", "definitions", "strict":
			continue
		}
		if !slices.Contains(annotations, e.Key) {
			return false
		}
	}
	other := func(p Property) bool { return p.Kind != KindInput && !follows(p) }
	return t.Enforced() && !t.AnyMembers() && !slices.ContainsFunc(t.Members, other)
}

// AnyMembers tells that the schema declares no arguments and does not say that there are none.
func (t *Tool) AnyMembers() bool {
	root := Members(t.Wire)
	_, some := root.First("properties")
	extra, _ := root.First("additionalProperties")
	return len(t.Members) == 0 && !some && string(extra) != "false"
}

// Container is what an object or a list holds that a family writes in its own way (Gemma's dictionaries, MiniMax's elements), where
// the mask follows the schema into it.
type Container struct {
	Members     []Property // of an object
	Rest        *Property  // of an object: what members hold whose names the schema does not say
	Item        *Property  // of a list
	Least, Most int        // items of a list; most < 0: any number
	Either      []Property // it is one of these, no two of which begin alike
	Shared      bool       // references lead to it, from inside of itself perhaps
}

// Followed tells whether the mask follows the whole schema into a property that is written as a dictionary.
func (p Property) Followed() bool {
	return p.Kind == KindText || p.Kind == KindScalar || p.Inside != nil && !p.loose
}

// FollowedElements tells the same of one that is written as elements, where text may look like any other value.
func (p Property) FollowedElements() bool {
	return p.Followed() && !p.mixed
}

// Alike tells whether the elements of several kinds that this may be can begin alike.
func (c *Container) Alike() bool {
	containers := 0
	for _, q := range c.Either {
		if q.Kind == KindText || q.Inside != nil && q.Inside.Rest != nil {
			return true
		}
		if q.Inside != nil {
			containers++
		}
	}
	return containers > 1
}
