package jinja

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Dict is a dict that keeps the order in which its keys were first set. Set is for whoever builds
// it; once given to Render it must not change.
type Dict struct {
	entries []entry
	index   map[dictKey]int // only beyond smallDict entries
	depth   int
}

type entry struct{ key, value Value }

// smallDict is the size up to which looking at every key is faster than a map.
const smallDict = 8

// NewDict makes an empty dict.
func NewDict() *Dict { return &Dict{} }

// Set sets a key of trusted text, in the place that it first had.
func (d *Dict) Set(key string, v Value) { d.put(trusted(key), v) }

// SetKey is Set for a key that is used often, made once.
func (d *Dict) SetKey(key *Str, v Value) { d.put(key, v) }

// Grow makes room for n more keys.
func (d *Dict) Grow(n int) { d.entries = slices.Grow(d.entries, n) }

// Len returns the number of keys.
func (d *Dict) Len() int { return len(d.entries) }

// Each calls f for every key and value in order; keys that are not strings are passed as Python
// prints them.
func (d *Dict) Each(f func(key string, v Value)) {
	for _, e := range d.entries {
		if s, ok := e.key.(*Str); ok {
			f(s.text, e.value)
		} else {
			f(plainRepr(e.key), e.value)
		}
	}
}

func (*Dict) typeName() string { return "dict" }

// dictKey is what makes two keys the same: 1, 1.0 and True are one key, "1" is another.
type dictKey struct {
	text  string // of a string
	other any    // of anything else
}

// undefinedKey is the key of everything undefined, tupleKey of a tuple.
type (
	undefinedKey struct{}
	tupleKey     string
)

// keyOf returns the key of a hashable value. Unhashable ones (see hashable) must not come here.
func keyOf(v Value) dictKey {
	switch v := v.(type) {
	case *Str:
		return dictKey{text: v.text}
	case Bool:
		n, _ := asInt(v)
		return dictKey{other: Int(n)}
	case Float:
		if n := Int(v); Float(n) == v {
			return dictKey{other: n}
		}
	case *List:
		var text strings.Builder
		for _, it := range v.items {
			fmt.Fprintf(&text, "%#v", keyOf(it))
		}
		return dictKey{other: tupleKey(text.String())}
	case *undefined:
		return dictKey{other: undefinedKey{}}
	}
	return dictKey{other: v}
}

// Get returns the value of a string key.
func (d *Dict) Get(key string) (Value, bool) {
	if d.index != nil {
		i, ok := d.index[dictKey{text: key}]
		if !ok {
			return nil, false
		}
		return d.entries[i].value, true
	}
	if i := d.findString(key); i >= 0 {
		return d.entries[i].value, true
	}
	return nil, false
}

// findString is the place of a string in a small dict, or -1.
func (d *Dict) findString(key string) int {
	for i := range d.entries {
		if s, ok := d.entries[i].key.(*Str); ok && s.text == key {
			return i
		}
	}
	return -1
}

// get looks up any hashable key.
func (d *Dict) get(key Value) (Value, bool) {
	if i := d.find(key); i >= 0 {
		return d.entries[i].value, true
	}
	return nil, false
}

// find returns the place of any hashable key, or -1.
func (d *Dict) find(key Value) int {
	s, ok := key.(*Str)
	if ok && d.index == nil {
		return d.findString(s.text)
	}
	k := keyOf(key)
	if d.index == nil {
		return slices.IndexFunc(d.entries, func(e entry) bool { return keyOf(e.key) == k })
	}
	if i, ok := d.index[k]; ok {
		return i
	}
	return -1
}

// put sets any hashable key.
func (d *Dict) put(key, v Value) {
	if i := d.find(key); i >= 0 {
		d.entries[i].value = v
		return
	}
	d.entries = append(d.entries, entry{key, v})
	if d.index != nil {
		d.index[keyOf(key)] = len(d.entries) - 1
	} else if len(d.entries) > smallDict {
		d.index = make(map[dictKey]int, 2*len(d.entries))
		for i, e := range d.entries {
			d.index[keyOf(e.key)] = i
		}
	}
}

// clone returns a dict with the same entries that can be changed on its own.
func (d *Dict) clone() *Dict {
	return &Dict{entries: slices.Clone(d.entries), index: maps.Clone(d.index), depth: d.depth}
}
