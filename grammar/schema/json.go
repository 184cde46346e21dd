package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// value is a JSON value that keeps what encoding/json loses: the order of keys and the spelling of
// numbers.
type value struct {
	kind    Kind
	truth   bool     // Bool
	text    string   // String: decoded; Number: as spelled
	items   []*value // Array
	members []member // Object, in order; a repeated key keeps its first place and its last value
	index   map[string]int

	parent *value // nil at the root
	key    string // the parent's key that leads here, if it is an object
	pos    int    // the parent's index that leads here

	offset int    // where it begins in its text
	canon  string // memo of canonical
}

type member struct {
	key string
	val *value
}

// indexFrom is the number of members from which a map is cheaper than a scan.
const indexFrom = 12

// get returns the member called key, or nil.
func (v *value) get(key string) *value {
	if v.kind != Object {
		return nil
	}
	if i := v.find(key); i >= 0 {
		return v.members[i].val
	}
	return nil
}

func (v *value) find(key string) int {
	if v.index != nil {
		if i, ok := v.index[key]; ok {
			return i
		}
		return -1
	}
	for i := range v.members {
		if v.members[i].key == key {
			return i
		}
	}
	return -1
}

// pointer returns the RFC 6901 pointer of v from its document's root.
func (v *value) pointer() string {
	if v == nil || v.parent == nil {
		return ""
	}
	var parts []string
	for n := v; n.parent != nil; n = n.parent {
		if n.parent.kind == Array {
			parts = append(parts, strconv.Itoa(n.pos))
		} else {
			parts = append(parts, escapeToken(n.key))
		}
	}
	size := 0
	for _, p := range parts {
		size += len(p) + 1
	}
	out := make([]byte, 0, size)
	for i := len(parts) - 1; i >= 0; i-- {
		out = append(append(out, '/'), parts[i]...)
	}
	return string(out)
}

// decoder reads one JSON text. Values come from slabs: a large schema is tens of thousands of
// them.
type decoder struct {
	src   []byte
	at    int
	depth int
	limit int // of depth
	slab  []value
	keys  map[string]string // repeated keys share one string
}

var errTooDeep = errors.New("nested too deeply")

// decodeJSON reads exactly one JSON value, nested at most depth levels.
func decodeJSON(src []byte, depth int) (*value, error) {
	d := &decoder{src: src, limit: depth, keys: make(map[string]string)}
	v, err := d.value()
	if err == nil {
		d.space()
		if d.at < len(src) {
			err = errors.New("text after the value")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("byte %d: %w", d.at, err)
	}
	return v, nil
}

func (d *decoder) space() {
	for d.at < len(d.src) {
		switch d.src[d.at] {
		case ' ', '\t', '\n', '\r':
			d.at++
		default:
			return
		}
	}
}

func (d *decoder) alloc(k Kind) *value {
	if len(d.slab) == 0 {
		// Small schemas are the common case: the first slab fits one.
		d.slab = make([]value, min(256, 8+len(d.src)/32))
	}
	v := &d.slab[0]
	d.slab = d.slab[1:]
	v.kind, v.offset = k, d.at
	return v
}

func (d *decoder) value() (*value, error) {
	d.space()
	if d.at >= len(d.src) {
		return nil, errors.New("unexpected end")
	}
	switch c := d.src[d.at]; {
	case c == '{':
		return d.nested(Object)
	case c == '[':
		return d.nested(Array)
	case c == '"':
		s, err := d.text()
		v := d.alloc(String)
		v.text = s
		return v, err
	case c == '-' || '0' <= c && c <= '9':
		return d.number()
	default:
		return d.word()
	}
}

func (d *decoder) nested(k Kind) (*value, error) {
	if d.depth++; d.depth > d.limit {
		return nil, errTooDeep
	}
	defer func() { d.depth-- }()
	v := d.alloc(k)
	d.at++
	closing := byte('}')
	if k == Array {
		closing = ']'
	}
	for first := true; ; first = false {
		d.space()
		if d.at >= len(d.src) {
			return nil, errors.New("unexpected end")
		}
		if d.src[d.at] == closing && first {
			d.at++
			return v, nil
		}
		if err := d.element(v); err != nil {
			return nil, err
		}
		d.space()
		if d.at < len(d.src) && d.src[d.at] == closing {
			d.at++
			return v, nil
		}
		if d.at >= len(d.src) || d.src[d.at] != ',' {
			return nil, fmt.Errorf("expected ',' or %q", closing)
		}
		d.at++
	}
}

// element reads one array element or object member into v.
func (d *decoder) element(v *value) error {
	if v.kind == Array {
		e, err := d.value()
		if err != nil {
			return err
		}
		e.parent, e.pos = v, len(v.items)
		v.items = append(v.items, e)
		return nil
	}
	if d.src[d.at] != '"' {
		return errors.New("expected a key")
	}
	key, err := d.text()
	if err != nil {
		return err
	}
	if k, ok := d.keys[key]; ok {
		key = k
	} else {
		d.keys[key] = key
	}
	d.space()
	if d.at >= len(d.src) || d.src[d.at] != ':' {
		return errors.New("expected ':'")
	}
	d.at++
	e, err := d.value()
	if err != nil {
		return err
	}
	e.parent, e.key = v, key
	v.put(key, e)
	return nil
}

func (v *value) put(key string, e *value) {
	if i := v.find(key); i >= 0 {
		v.members[i].val = e
		return
	}
	v.members = append(v.members, member{key, e})
	if v.index != nil {
		v.index[key] = len(v.members) - 1
	} else if len(v.members) == indexFrom {
		v.index = make(map[string]int, 2*indexFrom)
		for i := range v.members {
			v.index[v.members[i].key] = i
		}
	}
}

func (d *decoder) word() (*value, error) {
	rest := d.src[d.at:]
	for _, w := range [...]struct {
		text  string
		kind  Kind
		truth bool
	}{{"null", Null, false}, {"true", Bool, true}, {"false", Bool, false}} {
		if len(rest) >= len(w.text) && string(rest[:len(w.text)]) == w.text {
			d.at += len(w.text)
			v := d.alloc(w.kind)
			v.truth = w.truth
			return v, nil
		}
	}
	return nil, errors.New("expected a JSON value")
}

func (d *decoder) number() (*value, error) {
	n := 0
	for d.at+n < len(d.src) && strings.IndexByte("+-.0123456789Ee", d.src[d.at+n]) >= 0 {
		n++
	}
	if !json.Valid(d.src[d.at : d.at+n]) {
		return nil, errors.New("malformed number")
	}
	v := d.alloc(Number)
	v.text = string(d.src[d.at : d.at+n])
	d.at += n
	return v, nil
}
