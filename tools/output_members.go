package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tenon/grammar"
)

// property is an argument where each has a place of its own in the text.
type property struct {
	key      string
	schema   json.RawMessage
	required bool
	kind     propertyKind
	types    []string
	free     bool       // nothing is said of it but its type
	inside   *container // what its value holds; nil where the mask does not follow the schema into it
	// loose: the mask admits more than the schema somewhere inside. mixed: as elements it cannot tell kinds of values apart there.
	loose, mixed bool
	tool         string
}

// propertyKind says how the value of a property is written.
type propertyKind uint8

const (
	kindJSON   propertyKind = iota // as JSON
	kindText                       // as plain text
	kindScalar                     // as JSON, a number, boolean or null
	kindInput                      // as the text of a free-form tool
)

func (p property) json(e grammar.Escapes) string {
	o := compact
	o.Tool, o.Lenient, o.Escapes = p.tool, true, e
	return grammar.JSON(p.schema, o)
}

func (p property) typeName() string {
	if len(p.types) == 1 {
		return p.types[0]
	}
	return ""
}

// properties lists the declared arguments of a tool in their order, and those that are required without being declared.
func (t *declared) properties() []property {
	if t.Freeform != nil {
		return []property{{key: inputKey, required: true, kind: kindInput, types: []string{"string"}, tool: t.Name}}
	}
	root := members(t.wire)
	raw, _ := root.first("properties")
	var required []string
	if r, ok := root.first("required"); ok {
		_ = json.Unmarshal(r, &required) // of another shape: the schema's own compiler has reported it
	}
	var all []property
	for _, m := range members(raw) {
		p := property{key: m.key, schema: withDefinitions(m.value, root), tool: t.Name}
		p.required = slices.Contains(required, m.key)
		p.classify(m.value, t)
		all = append(all, p)
	}
	for _, k := range required {
		if len(all) > 0 && !slices.ContainsFunc(all, func(p property) bool { return p.key == k }) {
			all = append(all, property{key: k, schema: json.RawMessage("true"), required: true, tool: t.Name})
		}
	}
	return all
}

// withDefinitions gives a part of a schema the definitions that its references may name.
func withDefinitions(sub json.RawMessage, root memberList) json.RawMessage {
	m := members(sub)
	if m == nil || !strings.Contains(string(sub), `"$ref"`) {
		return sub
	}
	for _, k := range []string{"$schema", "$defs", "definitions"} {
		if v, ok := root.first(k); ok {
			m = append(m, member{k, v})
		}
	}
	return m.object()
}

// annotations are the keywords that do not say which values are valid.
var annotations = []string{"title", "description", "default", "examples", "example", "$comment", "deprecated", "readOnly", "writeOnly", "$schema", "$id"}

func (p *property) classify(sub json.RawMessage, t *declared) {
	m := members(sub)
	p.readTypes(m)
	switch {
	case t.schema.OnlyString(p.key):
		p.kind = kindText
	case scalars(p.types):
		p.kind = kindScalar
	default:
		p.follow(sub, t.wire)
	}
}

func (p *property) readTypes(m memberList) {
	if v, ok := m.first("type"); ok {
		if s, ok := text(v); ok {
			p.types = []string{s}
		} else {
			_ = json.Unmarshal(v, &p.types) // of another shape: any type
		}
	}
	p.free = onlyKeywords(m, "type")
}

// scalars tells whether values of the types are numbers, booleans or null.
func scalars(types []string) bool {
	return len(types) > 0 && !slices.ContainsFunc(types, func(s string) bool { return s == "string" || s == "object" || s == "array" })
}

// enforced tells whether the mask enforces every keyword of the tool's schema where its arguments are one JSON object.
func (t *declared) enforced() bool {
	return !slices.ContainsFunc(t.issues, func(i grammar.Issue) bool { return i.Action == grammar.Checked })
}

// enforcedMembers tells the same where each argument has a place of its own: the schema has to say nothing about how
// arguments depend on each other, and the mask has to follow it into each.
func (t *declared) enforcedMembers(follows func(property) bool) bool {
	for _, e := range members(t.wire) {
		switch e.key {
		case "type", "properties", "required", "additionalProperties", "$defs", "definitions", "strict":
			continue
		}
		if !slices.Contains(annotations, e.key) {
			return false
		}
	}
	other := func(p property) bool { return p.kind != kindInput && !follows(p) }
	return t.enforced() && !t.anyMembers() && !slices.ContainsFunc(t.members, other)
}

// anyMembers tells that the schema declares no arguments and does not say that there are none.
func (t *declared) anyMembers() bool {
	root := members(t.wire)
	_, some := root.first("properties")
	extra, _ := root.first("additionalProperties")
	return len(t.members) == 0 && !some && string(extra) != "false"
}

// plain is the text of a property up to one of some markers, its schema applied to the text.
func (w *output) plain(p property, ends ...string) string {
	if p.free {
		return capture(captureText, w.until(ends...))
	}
	text := "%plain" + strings.TrimPrefix(grammar.JSON(p.schema, grammar.SchemaOptions{Tool: p.tool, Lenient: true}), "%json")
	if markers, ok := strings.CutPrefix(w.until(ends...), "%until"); ok {
		text += markers
	}
	return capture(captureText, text)
}

// members writes the arguments of a tool in any order, sep between them; "" if none is declared.
func (w *output) members(t *declared, i int, sep string, item func(property) string) string {
	if len(t.members) == 0 {
		return ""
	}
	parts := []string{grammar.Quote(sep)}
	for k, p := range t.members {
		part := w.rule(fmt.Sprintf("tool-%d-arg-%d", i, k), func() string { return item(p) })
		if !p.required {
			part += "?"
		}
		parts = append(parts, part)
	}
	return "%each(" + strings.Join(parts, " | ") + ")"
}

// argument captures the value of the tool's k-th property.
func (t *declared) argument(p property, value string) string {
	k := slices.IndexFunc(t.members, func(o property) bool { return o.key == p.key })
	if p.kind == kindInput {
		return value
	}
	return capture(fmt.Sprintf("%s-%d", captureMember, k), value)
}
