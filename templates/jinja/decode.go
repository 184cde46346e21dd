package jinja

import (
	"bytes"
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
	d := decoder{json.NewDecoder(bytes.NewReader(data)), origin}
	d.UseNumber()
	v, err := d.value(0)
	if err != nil {
		return nil, fmt.Errorf("decode JSON value: %w", err)
	}
	return v, nil
}

type decoder struct {
	*json.Decoder
	origin Origin
}

func (d *decoder) value(depth int) (Value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case string:
		return NewString(t, d.origin), nil
	case bool:
		return Bool(t), nil
	case json.Number:
		return parseNumber(string(t)), nil
	case json.Delim:
		return d.container(t, depth)
	}
	return None, nil
}

func (d *decoder) container(open json.Delim, depth int) (Value, error) {
	dict, items := NewDict(), []Value{}
	for d.More() {
		var key Value
		if open == '{' {
			key, _ = d.value(depth) // which is a string
		}
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if open == '{' {
			dict.put(key, v)
		} else {
			items = append(items, v)
		}
	}
	_, err := d.Token()
	if open == '{' {
		return dict, err
	}
	return NewList(items...), err
}

// parseNumber reads a JSON number as Python does: int unless it has a fraction or an exponent.
func parseNumber(s string) Value {
	if strings.ContainsAny(s, ".eE") {
		f, _ := strconv.ParseFloat(s, 64) // out of range is infinity, as in Python
		return Float(f)
	}
	n, _ := parseInt(s)
	return n
}
