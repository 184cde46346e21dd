package jinja

import (
	"fmt"
	"maps"
	"math"
	"slices"
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

// Get returns the value of a string key.
func (d *Dict) Get(key string) (Value, bool) { return d.getString(key) }

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
	kind byte
	text string
	num  float64
	ref  Value
}

// keyOf returns the key of a hashable value. Unhashable ones (see hashable) must not come here.
func keyOf(v Value) dictKey {
	switch v := v.(type) {
	case *Str:
		return dictKey{kind: 's', text: v.text}
	case Bool:
		n, _ := asInt(v)
		return dictKey{kind: 'i', num: float64(n)}
	case Int:
		if f := float64(v); math.Abs(f) < 1<<53 {
			return dictKey{kind: 'i', num: f}
		}
		return dictKey{kind: 'b', text: fmt.Sprint(int64(v))}
	case bigInt:
		return dictKey{kind: 'b', text: v.String()}
	case Float:
		return floatKey(float64(v))
	case *Tuple:
		text := ""
		for _, it := range v.items {
			text += fmt.Sprintf("%v\x00", keyOf(it))
		}
		return dictKey{kind: 't', text: text}
	case *undefined:
		return dictKey{kind: 'u'}
	case noneValue:
		return dictKey{kind: 'n'}
	}
	return dictKey{kind: 'o', ref: v}
}

func floatKey(f float64) dictKey {
	if f == math.Trunc(f) && math.Abs(f) >= 1<<53 && !math.IsInf(f, 0) {
		return dictKey{kind: 'b', text: bigFromFloat(f).String()}
	}
	return dictKey{kind: 'i', num: f}
}

// getString looks up a string key.
func (d *Dict) getString(key string) (Value, bool) {
	if d.index != nil {
		i, ok := d.index[dictKey{kind: 's', text: key}]
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

// findString is find for a string in a small dict.
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
	if s, ok := key.(*Str); ok {
		return d.getString(s.text)
	}
	if i := d.find(keyOf(key)); i >= 0 {
		return d.entries[i].value, true
	}
	return nil, false
}

// findKey returns the place of any hashable key, or -1.
func (d *Dict) findKey(key Value) int {
	if s, ok := key.(*Str); ok && d.index == nil {
		return d.findString(s.text)
	}
	return d.find(keyOf(key))
}

// find returns the place of a key, or -1.
func (d *Dict) find(k dictKey) int {
	if d.index != nil {
		if i, ok := d.index[k]; ok {
			return i
		}
		return -1
	}
	for i := range d.entries {
		if keyOf(d.entries[i].key) == k {
			return i
		}
	}
	return -1
}

// put sets any hashable key.
func (d *Dict) put(key, v Value) {
	if i := d.findKey(key); i >= 0 {
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
