package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"tenon/grammar/schema/source"
)

// object is a JSON object in the order of its keys. Other values are what encoding/json makes of
// them: string, bool, json.Number, nil, []any.
type object []member

type member struct {
	key   string
	value any
}

func (o object) get(key string) any {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

func (o object) has(key string) bool {
	return slices.ContainsFunc(o, func(m member) bool { return m.key == key })
}

// without returns o less the keys.
func (o object) without(keys ...string) object {
	var out object
	for _, m := range o {
		if !slices.Contains(keys, m.key) {
			out = append(out, m)
		}
	}
	return out
}

// set returns o with key set, in its place if it has one.
func (o object) set(key string, v any) object {
	out := append(object(nil), o...)
	for i := range out {
		if out[i].key == key {
			out[i].value = v
			return out
		}
	}
	return append(out, member{key, v})
}

// at is the object that a reference of the form #/$defs/Name names.
func (o object) at(ref string) (object, bool) {
	way, local := strings.CutPrefix(ref, "#")
	for _, step := range strings.Split(way, "/")[1:] {
		o, _ = o.get(strings.NewReplacer("~1", "/", "~0", "~").Replace(step)).(object)
	}
	return o, local && o != nil
}

// within rewrites the schemas that a keyword holds; f is told which property's each is, "" for
// none.
func within(m member, f func(v any, property string) any) member {
	switch source.Holding(m.key) {
	case source.NamedSchemas:
		if named, ok := m.value.(object); ok {
			out := object{}
			for _, p := range named {
				out = append(out, member{p.key, f(p.value, p.key)})
			}
			m.value = out
		}
	case source.Schemas:
		list, ok := m.value.([]any)
		if !ok {
			m.value = f(m.value, "")
			break
		}
		out := make([]any, len(list))
		for i, s := range list {
			out[i] = f(s, "")
		}
		m.value = out
	}
	return m
}

// maxDepth is how deep a schema may be nested to be rewritten.
const maxDepth = 100

func parse(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := parseValue(d, 0)
	if err != nil {
		return nil, fmt.Errorf("parse schema: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("parse schema: text follows it at byte %d", d.InputOffset())
	}
	return v, nil
}

func parseValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('['):
		items := []any{}
		for d.More() {
			v, err := parseValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, v)
		}
		_, err = d.Token()
		return items, err
	case json.Delim('{'):
		return parseObject(d, depth)
	}
	return t, nil
}

func parseObject(d *json.Decoder, depth int) (any, error) {
	o := object{}
	at := map[string]int{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key := t.(string) // the decoder lets no other key through
		v, err := parseValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		if i, again := at[key]; again {
			o[i].value = v
			continue
		}
		at[key] = len(o)
		o = append(o, member{key, v})
	}
	_, err := d.Token()
	return o, err
}

// print writes a value without white space.
func print(v any) json.RawMessage {
	var b bytes.Buffer
	printTo(&b, v)
	return b.Bytes()
}

func printTo(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case object:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(Quote(m.key))
			b.WriteByte(':')
			printTo(b, m.value)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, it := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			printTo(b, it)
		}
		b.WriteByte(']')
	case string:
		b.WriteString(Quote(v))
	default:
		scalar, _ := json.Marshal(v) // bool, json.Number and nil always encode
		b.Write(scalar)
	}
}

// Quote is s as a JSON string, with letters of every script as they are.
func Quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
