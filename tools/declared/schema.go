package declared

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"tenon/grammar/schema/source"
	"tenon/tools/ordered"
)

// Arguments is the schema that a tool's arguments are held to: the declared one, without the nulls
// that stand for absent keywords ([Heal]), and for objects only. Every protocol defines arguments
// as an object; a schema that allows other values ({}, an anyOf with strings) says more than a
// call can. narrowed tells that it did. A schema that allows no object, such as one of type
// string, has no value left.
func Arguments(declared json.RawMessage) (schema json.RawMessage, narrowed bool) {
	healed := Heal(declared)
	root := ordered.Members(healed)
	at := slices.IndexFunc(root, func(m ordered.Member) bool { return m.Key == "type" })
	switch {
	case len(root) == 0 && string(bytes.TrimSpace(healed)) != "false":
		return json.RawMessage(`{"type":"object"}`), true
	case at < 0:
		root = append(root, ordered.Member{Key: "type", Value: objectType})
	case string(root[at].Value) == string(objectType):
		return healed, false
	case slices.ContainsFunc(ordered.Items(root[at].Value), func(t json.RawMessage) bool { return string(t) == string(objectType) }):
		root[at].Value = objectType
	default:
		root = Both(root, json.RawMessage(`{"type":"object"}`))
	}
	// older drafts pass over what stands beside a reference
	if _, refers := root.First("$ref"); refers {
		root = slices.DeleteFunc(root, func(m ordered.Member) bool { return m.Key == "$schema" })
	}
	return root.Object(), true
}

var objectType = json.RawMessage(`"object"`)

// Both is the schema of what fits m and another.
func Both(m ordered.MemberList, other json.RawMessage) ordered.MemberList {
	all, _ := m.First("allOf")
	return m.With("allOf", ordered.Array(append(ordered.Items(all), other)...))
}

// Resolve finds a part of a schema by its JSON pointer. The schema itself is none.
func Resolve(schema json.RawMessage, pointer string) (json.RawMessage, bool) {
	steps := strings.Split(pointer, "/")
	if len(steps) < 2 {
		return nil, false
	}
	for _, step := range steps[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		i, err := strconv.Atoi(step)
		sub, ok := ordered.Members(schema).First(step)
		if list := ordered.Items(schema); !ok && err == nil && i >= 0 && i < len(list) {
			sub, ok = list[i], true
		}
		if !ok {
			return nil, false
		}
		schema = sub
	}
	return schema, true
}

// Heal leaves the keywords out of a schema, valid JSON, whose value is null: clients in Go write
// so what they do not set, as in "required": null. A null in the place of a schema allows any
// value. What a schema says about values is data and stays.
func Heal(schema json.RawMessage) json.RawMessage {
	if !bytes.HasPrefix(bytes.TrimSpace(schema), []byte("{")) {
		return schema
	}
	var compact bytes.Buffer
	out := healed(bytes.TrimSpace(schema), source.Schemas, maxHeal)
	if json.Compact(&compact, schema) != nil || bytes.Equal(compact.Bytes(), out) {
		return schema // as it was written
	}
	return out
}

// maxHeal is how deep a schema is healed: each level is read once more for every one around it.
const maxHeal = 64

// healed copies the value of a keyword that holds such schemas, or a schema itself.
func healed(v json.RawMessage, holds source.Holds, depth int) json.RawMessage {
	if holds == source.NoSchema || depth == 0 || !bytes.Contains(v, []byte("null")) {
		return v
	}
	switch v[0] {
	case 'n':
		return json.RawMessage("{}")
	case '[':
		all := ordered.Items(v)
		for i := range all {
			all[i] = healed(all[i], holds, depth-1)
		}
		return ordered.Array(all...)
	case '{':
		var out ordered.MemberList
		for _, m := range ordered.Members(v) {
			inside := source.Schemas
			if holds == source.Schemas {
				inside = source.Holding(m.Key)
				if string(m.Value) == "null" && !slices.Contains(nullIsData, m.Key) {
					continue
				}
			}
			out = append(out, ordered.Member{Key: m.Key, Value: healed(m.Value, inside, depth-1)})
		}
		return out.Object()
	}
	return v
}

// nullIsData are the keywords of which null is a value like others. Of others it says nothing.
var nullIsData = []string{"const", "default", "example"}
