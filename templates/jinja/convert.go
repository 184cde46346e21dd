package jinja

import (
	"encoding/json"
	"fmt"
	"sort"
)

// maxDepth is how deep values given from outside may be nested; Python's json module gives up near
// there, too.
const maxDepth = 990

// FromGo makes a value of what encoding/json decodes into an interface (nil, bool, numbers,
// string, []any, map[string]any, whose keys are sorted), of Values and of slices of these. Every
// string gets the origin.
func FromGo(v any, origin Origin) (Value, error) {
	return fromGo(v, origin, 0)
}

func fromGo(v any, o Origin, depth int) (Value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("convert Go value: nested deeper than %d", maxDepth)
	}
	switch v := v.(type) {
	case nil:
		return None, nil
	case Value:
		return v, nil
	case bool:
		return Bool(v), nil
	case int:
		return Int(v), nil
	case int64:
		return Int(v), nil
	case float64:
		return Float(v), nil
	case json.Number:
		return parseNumber(string(v))
	case string:
		return NewString(v, o), nil
	case []any:
		return fromSlice(v, o, depth)
	case []string:
		items := make([]Value, len(v))
		for i, s := range v {
			items[i] = NewString(s, o)
		}
		return NewList(items...), nil
	case map[string]any:
		return fromMap(v, o, depth)
	}
	return nil, fmt.Errorf("convert Go value: unsupported type %T", v)
}

func fromSlice(v []any, o Origin, depth int) (Value, error) {
	items := make([]Value, len(v))
	for i, it := range v {
		c, err := fromGo(it, o, depth+1)
		if err != nil {
			return nil, err
		}
		items[i] = c
	}
	return NewList(items...), nil
}

func fromMap(v map[string]any, o Origin, depth int) (Value, error) {
	keys := make([]string, 0, len(v))
	for k := range v {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	out := NewDict()
	for _, k := range keys {
		c, err := fromGo(v[k], o, depth+1)
		if err != nil {
			return nil, err
		}
		out.put(NewString(k, o), c)
	}
	return out, nil
}
