// Package ordered reads and writes JSON whose members keep their order and whose values stay as
// they were written.
package ordered

import (
	"bytes"
	"encoding/json"
	"slices"

	"tenon/tools/lenient"
)

// Member is a key of a JSON object and its value as it was written.
type Member struct {
	Key   string
	Value json.RawMessage
}

// MemberList is a JSON object in its order.
type MemberList []Member

// Members reads an object, which is valid JSON, in its order. Anything else has none.
func Members(v []byte) MemberList {
	dec := json.NewDecoder(bytes.NewReader(v))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var all MemberList
	for dec.More() {
		t, err := dec.Token()
		key, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return all
		}
		all = append(all, Member{key, value})
	}
	return all
}

// Items reads an array, which is valid JSON.
func Items(v []byte) []json.RawMessage {
	var all []json.RawMessage
	if json.Unmarshal(v, &all) != nil {
		return nil
	}
	return all
}

// First is the value of the first member with a key.
func (m MemberList) First(key string) (json.RawMessage, bool) {
	for _, e := range m {
		if e.Key == key && len(e.Value) > 0 {
			return e.Value, true
		}
	}
	return nil, false
}

// Object writes the members as JSON.
func (m MemberList) Object() []byte {
	b := []byte{'{'}
	for i, e := range m {
		if i > 0 {
			b = append(b, ',')
		}
		b = lenient.AppendString(b, e.Key)
		b = append(b, ':')
		b = append(b, e.Value...)
	}
	return append(b, '}')
}

// Object is an object with one member.
func Object(key string, value json.RawMessage) json.RawMessage {
	return MemberList{{key, value}}.Object()
}

// Text is the value of a JSON string.
func Text(v json.RawMessage) (string, bool) {
	var s string
	if len(v) == 0 || v[0] != '"' || json.Unmarshal(v, &s) != nil {
		return "", false
	}
	return s, true
}

// With replaces a member or adds it.
func (m MemberList) With(key string, value json.RawMessage) MemberList {
	out := slices.DeleteFunc(slices.Clone(m), func(e Member) bool { return e.Key == key })
	return append(out, Member{key, value})
}

// Array writes values as a JSON array.
func Array(all ...json.RawMessage) json.RawMessage {
	b := []byte{'['}
	for i, v := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}

// String writes a text as a JSON string.
func String(s string) string { return string(lenient.AppendString(nil, s)) }
