package jinja

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// maxDepth is how deep values given from outside may be nested; Python's json module gives up near
// there, too.
const maxDepth = 990

// FromGo makes a value of what encoding/json writes as JSON, the keys of maps sorted.
func FromGo(v any, origin Origin) (Value, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("convert Go value: %w", err)
	}
	return FromJSON(data, origin)
}

// FromJSON decodes one JSON value as Python's json.loads does: key order kept, the last of equal
// keys wins, numbers without fraction or exponent are ints of any size. Every string, keys
// included, gets the origin.
func FromJSON(data []byte, origin Origin) (Value, error) {
	if !json.Valid(data) {
		var any any
		err := json.Unmarshal(data, &any) // which says what is wrong
		return nil, fmt.Errorf("decode JSON value: %w", err)
	}
	d := decoder{rest: string(data), origin: origin}
	v, err := d.value(0)
	if err != nil {
		return nil, fmt.Errorf("decode JSON value: %w", err)
	}
	return v, nil
}

// decoder reads a text that is known to be JSON, so it looks at no more than it needs to tell one
// value from another.
type decoder struct {
	rest   string
	origin Origin
}

// next skips white space and returns the byte that it stands before.
func (d *decoder) next() byte {
	d.rest = strings.TrimLeft(d.rest, " \t\r\n")
	return d.rest[0]
}

// take is next, and reads the byte if it is the one.
func (d *decoder) take(b byte) bool {
	if d.next() != b {
		return false
	}
	d.rest = d.rest[1:]
	return true
}

func (d *decoder) value(depth int) (Value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	switch d.next() {
	case '"':
		return d.text(), nil
	case '{':
		return d.object(depth)
	case '[':
		return d.array(depth)
	}
	n := strings.IndexAny(d.rest, ",]} \t\r\n")
	if n < 0 {
		n = len(d.rest)
	}
	word := d.rest[:n]
	d.rest = d.rest[n:]
	switch word {
	case "null":
		return None, nil
	case "true", "false":
		return Bool(word == "true"), nil
	}
	return parseNumber(word), nil
}

func (d *decoder) object(depth int) (Value, error) {
	out := NewDict()
	d.take('{')
	for !d.take('}') {
		d.take(',')
		d.next()
		k := d.text()
		d.take(':')
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out.put(k, v)
	}
	return out, nil
}

func (d *decoder) array(depth int) (Value, error) {
	items := []Value{}
	d.take('[')
	for !d.take(']') {
		d.take(',')
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		items = append(items, v)
	}
	return NewList(items...), nil
}

// text reads a string, before whose quote it stands.
func (d *decoder) text() *Str {
	end, escaped := 1, false
	for ; d.rest[end] != '"'; end++ {
		if d.rest[end] == '\\' {
			escaped = true
			end++
		}
	}
	s := d.rest[1:end]
	if escaped {
		_ = json.Unmarshal([]byte(d.rest[:end+1]), &s) // which is JSON
	}
	d.rest = d.rest[end+1:]
	return NewString(s, d.origin)
}

// parseNumber reads a JSON number as Python does: int unless it has a fraction or an exponent.
func parseNumber(s string) Value {
	if strings.ContainsAny(s, ".eE") {
		f, _ := strconv.ParseFloat(s, 64) // out of range is infinity, as in Python
		return Float(f)
	}
	n, _ := parseInt(s, 10)
	return n
}
