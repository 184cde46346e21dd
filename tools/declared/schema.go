package declared

import (
	"bytes"
	"encoding/json"
	"slices"

	"tenon/tools/lenient"
)

// Arguments is the schema that a tool's arguments are held to: the declared one, without the nulls that stand for absent keywords
// ([Heal]), and for objects only. Every protocol defines arguments as an object; a schema that allows other values ({}, an anyOf
// with strings) says more than a call can. narrowed tells that it did. A schema that allows no object, such as one of type
// string, has no value left.
func Arguments(declared json.RawMessage) (schema json.RawMessage, narrowed bool) {
	healed := Heal(declared)
	root := Members(healed)
	at := slices.IndexFunc(root, func(m Member) bool { return m.Key == "type" })
	switch {
	case len(root) == 0 && string(bytes.TrimSpace(healed)) != "false":
		return json.RawMessage(`{"type":"object"}`), true
	case at < 0:
		root = append(root, Member{"type", objectType})
	case string(root[at].Value) == string(objectType):
		return healed, false
	case slices.ContainsFunc(Items(root[at].Value), func(t json.RawMessage) bool { return string(t) == string(objectType) }):
		root[at].Value = objectType
	default:
		root = root.Both(json.RawMessage(`{"type":"object"}`))
	}
	if _, refers := root.First("$ref"); refers { // older drafts pass over what stands beside a reference
		root = slices.DeleteFunc(root, func(m Member) bool { return m.Key == "$schema" })
	}
	return root.Object(), true
}

var objectType = json.RawMessage(`"object"`)

// Both is the schema of what fits m and another.
func (m MemberList) Both(other json.RawMessage) MemberList {
	at := slices.IndexFunc(m, func(e Member) bool { return e.Key == "allOf" })
	if at < 0 {
		return append(m, Member{"allOf", slices.Concat([]byte("["), other, []byte("]"))})
	}
	all := append([]json.RawMessage{other}, Items(m[at].Value)...)
	m[at].Value = slices.Concat([]byte("["), bytes.Join(raws(all), []byte(",")), []byte("]"))
	return m
}

func raws(all []json.RawMessage) [][]byte {
	out := make([][]byte, len(all))
	for i, one := range all {
		out[i] = one
	}
	return out
}

// Heal leaves the keywords out of a schema, valid JSON, whose value is null: clients in Go write so what they do not set, as in
// "required": null. A null in the place of a schema allows any value. What a schema says about values is data and stays.
func Heal(schema json.RawMessage) json.RawMessage {
	if !bytes.Contains(schema, []byte("null")) {
		return schema
	}
	h := healer{in: json.NewDecoder(bytes.NewReader(schema))}
	h.in.UseNumber()
	t, err := h.in.Token()
	if err == nil && t == json.Delim('{') {
		err = h.schema()
	}
	if err != nil || !h.changed {
		return schema
	}
	return h.out
}

// healer copies a schema in one pass.
type healer struct {
	in      *json.Decoder
	out     []byte
	changed bool
}

// What the members of a schema hold, apart from what is copied as it is.
var (
	holdSchemas = map[string]bool{
		"items": true, "additionalItems": true, "additionalProperties": true, "not": true, "if": true, "then": true, "else": true, "contains": true,
		"propertyNames": true, "unevaluatedProperties": true, "unevaluatedItems": true, "anyOf": true, "oneOf": true, "allOf": true, "prefixItems": true,
	}
	holdNamed = map[string]bool{"properties": true, "patternProperties": true, "$defs": true, "definitions": true, "dependentSchemas": true, "dependencies": true}
	holdData  = map[string]bool{"const": true, "default": true, "example": true}
)

// schema copies a schema whose brace has been read.
func (h *healer) schema() error { return h.object(false) }

// object copies an object whose brace has been read: a schema, or schemas by name.
func (h *healer) object(named bool) error {
	h.out = append(h.out, '{')
	first := true
	for h.in.More() {
		t, err := h.in.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		before := len(h.out)
		if !first {
			h.out = append(h.out, ',')
		}
		h.out = append(lenient.AppendString(h.out, key), ':')
		kept, err := h.member(key, named)
		if err != nil {
			return err
		}
		if !kept {
			h.out, h.changed = h.out[:before], true
		}
		first = first && !kept
	}
	_, err := h.in.Token()
	h.out = append(h.out, '}')
	return err
}

// member copies a member's value. It is false for one that says nothing.
func (h *healer) member(key string, named bool) (kept bool, err error) {
	if !named && !holdSchemas[key] && !holdNamed[key] {
		var value json.RawMessage
		err := h.in.Decode(&value)
		h.out = append(h.out, value...)
		return string(value) != "null" || holdData[key], err
	}
	t, err := h.in.Token()
	if err != nil {
		return false, err
	}
	if t == nil && !named {
		return false, nil
	}
	return true, h.value(t, !named && holdNamed[key])
}

// value copies a schema, a list of them, or schemas by name, of which a token has been read.
func (h *healer) value(t json.Token, named bool) error {
	switch t {
	case nil:
		h.out, h.changed = append(h.out, "{}"...), true
		return nil
	case json.Delim('{'):
		return h.object(named)
	case json.Delim('['):
		return h.list()
	}
	b, err := json.Marshal(t)
	h.out = append(h.out, b...)
	return err
}

func (h *healer) list() error {
	h.out = append(h.out, '[')
	for first := true; h.in.More(); first = false {
		if !first {
			h.out = append(h.out, ',')
		}
		t, err := h.in.Token()
		if err == nil {
			err = h.value(t, false)
		}
		if err != nil {
			return err
		}
	}
	_, err := h.in.Token()
	h.out = append(h.out, ']')
	return err
}
