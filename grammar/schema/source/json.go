package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// decoder reads one JSON text that encoding/json has found valid. Values come from slabs: a large
// schema is tens of thousands of them.
type decoder struct {
	src   []byte
	at    int
	depth int
	limit int // of depth
	slab  []Value
	keys  map[string]string // repeated keys share one string
}

// Decode reads exactly one JSON value, nested at most depth levels.
func Decode(src []byte, depth int) (*Value, error) {
	if !json.Valid(src) {
		var raw json.RawMessage
		err := json.Unmarshal(src, &raw)
		if wrong := (*json.SyntaxError)(nil); errors.As(err, &wrong) {
			return nil, fmt.Errorf("byte %d: %w", wrong.Offset, err)
		}
		return nil, err
	}
	d := &decoder{src: src, limit: depth, keys: make(map[string]string)}
	v := d.value()
	if d.depth > d.limit {
		return nil, errors.New("nested too deeply")
	}
	return v, nil
}

// next skips white space and returns the byte behind it.
func (d *decoder) next() byte {
	for {
		switch c := d.src[d.at]; c {
		case ' ', '\t', '\n', '\r':
			d.at++
		default:
			return c
		}
	}
}

func (d *decoder) alloc(k Kind) *Value {
	if len(d.slab) == 0 {
		// Small schemas are the common case: the first slab fits one.
		d.slab = make([]Value, min(256, 8+len(d.src)/32))
	}
	v := &d.slab[0]
	d.slab = d.slab[1:]
	v.Kind, v.Offset = k, d.at
	return v
}

func (d *decoder) value() *Value {
	switch d.next() {
	case '{':
		return d.nested(Object, '}')
	case '[':
		return d.nested(Array, ']')
	case '"':
		v := d.alloc(String)
		v.Text = d.text()
		return v
	case 'n':
		return d.word(Null, "null")
	case 't':
		v := d.word(Bool, "true")
		v.Truth = true
		return v
	case 'f':
		return d.word(Bool, "false")
	}
	v := d.alloc(Number)
	for d.at < len(d.src) && strings.IndexByte("+-.0123456789Ee", d.src[d.at]) >= 0 {
		d.at++
	}
	v.Text = string(d.src[v.Offset:d.at])
	return v
}

func (d *decoder) word(k Kind, text string) *Value {
	v := d.alloc(k)
	d.at += len(text)
	return v
}

// nested reads an array or an object. Beyond the limit on depth it reads no further.
func (d *decoder) nested(k Kind, closing byte) *Value {
	v := d.alloc(k)
	if d.depth++; d.depth > d.limit {
		return v
	}
	for d.at++; d.next() != closing; {
		d.element(v)
		if d.depth > d.limit {
			return v
		}
		if d.next() == ',' {
			d.at++
		}
	}
	d.at++
	d.depth--
	return v
}

// element reads one array element or object member into v.
func (d *decoder) element(v *Value) {
	if v.Kind == Array {
		e := d.value()
		e.parent, e.pos = v, len(v.Items)
		v.Items = append(v.Items, e)
		return
	}
	key := d.text()
	if k, ok := d.keys[key]; ok {
		key = k
	} else {
		d.keys[key] = key
	}
	d.next()
	d.at++ // the colon
	e := d.value()
	e.parent, e.key = v, key
	v.put(key, e)
}

// text reads a string literal; d.at is at its opening quote. Broken UTF-8 and lone surrogates
// become U+FFFD, as in encoding/json, which reads what is not plain.
func (d *decoder) text() (s string) {
	start, plain := d.at, true
	for d.at++; d.src[d.at] != '"'; d.at++ {
		if d.src[d.at] == '\\' {
			plain = false
			d.at++
		}
	}
	d.at++
	if inside := d.src[start+1 : d.at-1]; plain && utf8.Valid(inside) {
		return string(inside)
	}
	_ = json.Unmarshal(d.src[start:d.at], &s) // it is valid
	return s
}
