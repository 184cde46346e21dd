package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// decoder reads one JSON text. A large schema has tens of thousands of values and strings: values
// come from slabs, and strings share the memory of the text.
type decoder struct {
	src   string
	at    int
	depth int
	limit int  // of depth
	wrong bool // it is not JSON: nothing more is read
	slab  []Value
}

// maxNesting bounds the nesting that Options may allow: the decoder is recursive.
const maxNesting = 10_000

// Decode reads exactly one JSON value, nested at most depth levels.
func Decode(src string, depth int) (*Value, error) {
	d := &decoder{src: src, limit: min(depth, maxNesting)}
	v := d.value()
	if d.next(); d.wrong || d.at < len(src) && d.depth <= d.limit {
		return nil, syntaxError(src)
	}
	if d.depth > d.limit {
		return nil, errors.New("nested too deeply")
	}
	return v, nil
}

// syntaxError returns the error of encoding/json for src.
func syntaxError(src string) error {
	var raw json.RawMessage
	err := json.Unmarshal([]byte(src), &raw)
	if wrong := (*json.SyntaxError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("byte %d: %w", wrong.Offset, err)
	}
	return err
}

// next skips white space and returns the byte behind it, 0 at the end.
func (d *decoder) next() byte {
	for ; d.at < len(d.src); d.at++ {
		switch c := d.src[d.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// fail ends the reading.
func (d *decoder) fail() { d.wrong, d.at = true, len(d.src) }

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
	if v.Text = d.src[v.Offset:d.at]; !json.Valid([]byte(v.Text)) {
		d.fail()
	}
	return v
}

func (d *decoder) word(k Kind, text string) *Value {
	v := d.alloc(k)
	if !strings.HasPrefix(d.src[d.at:], text) {
		d.fail()
		return v
	}
	d.at += len(text)
	return v
}

// nested reads an array or an object. Beyond the limit on depth it reads no further.
func (d *decoder) nested(k Kind, closing byte) *Value {
	v := d.alloc(k)
	if d.depth++; d.depth > d.limit {
		return v
	}
	d.at++
	if d.next() != closing {
		d.element(v)
		for d.depth <= d.limit && d.next() == ',' {
			d.at++
			d.element(v)
		}
	}
	switch {
	case d.depth > d.limit:
	case d.next() != closing:
		d.fail()
	default:
		d.at++
		d.depth--
	}
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
	if d.next() != '"' {
		d.fail()
		return
	}
	key := d.text()
	if d.next() != ':' {
		d.fail()
		return
	}
	d.at++
	e := d.value()
	e.parent, e.key = v, key
	v.put(key, e)
}

// text reads a string literal; d.at is at its opening quote. Broken UTF-8 and lone surrogates
// become U+FFFD, as in encoding/json, which reads strings with escapes.
func (d *decoder) text() (s string) {
	start, plain := d.at, true
	for d.at++; d.at < len(d.src) && d.src[d.at] != '"'; d.at++ {
		switch c := d.src[d.at]; {
		case c == '\\':
			plain = false
			d.at++
		case c < ' ':
			plain = false // and wrong
		}
	}
	if d.at++; d.at > len(d.src) {
		d.fail()
		return ""
	}
	if inside := d.src[start+1 : d.at-1]; plain && utf8.ValidString(inside) {
		return inside
	}
	if json.Unmarshal([]byte(d.src[start:d.at]), &s) != nil {
		d.fail()
	}
	return s
}
