package conform

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"tenon/tools/lenient"
	"tenon/tools/ordered"
)

// value is a JSON value that remembers the order of its members and how its scalars were written.
type value struct {
	kind    byte // '{', '[', or 0 for a scalar
	raw     json.RawMessage
	members []member
	items   []value
}

type member struct {
	key string
	value
}

// parse reads v, which is valid JSON.
func parse(v []byte) value {
	v = bytes.TrimSpace(v)
	if len(v) == 0 {
		return value{raw: json.RawMessage("null")}
	}
	out := value{raw: v}
	switch v[0] {
	case '{':
		out.kind = '{'
		for _, m := range ordered.Members(v) {
			out.members = append(out.members, member{m.Key, parse(m.Value)})
		}
	case '[':
		out.kind = '['
		for _, item := range ordered.Items(v) {
			out.items = append(out.items, parse(item))
		}
	}
	return out
}

// bytes writes the value as JSON.
func (v value) bytes() []byte {
	switch v.kind {
	case '{':
		var all ordered.MemberList
		for _, m := range v.members {
			all = append(all, ordered.Member{Key: m.key, Value: m.value.bytes()})
		}
		return all.Object()
	case '[':
		var all []json.RawMessage
		for _, item := range v.items {
			all = append(all, item.bytes())
		}
		return ordered.Array(all...)
	}
	return v.raw
}

// any is the value as the validator wants it.
func (v value) any() any {
	a, err := jsonschema.UnmarshalJSON(bytes.NewReader(v.bytes()))
	if err != nil {
		return nil
	}
	return a
}

// str is the text of a string.
func (v value) str() (string, bool) { return ordered.Text(v.raw) }

func stringValue(s string) value { return value{raw: lenient.AppendString(nil, s)} }

// Fault is a place in arguments that does not validate, and that no lossless repair mends.
type Fault struct {
	// keys and indexes that lead there; empty: the arguments themselves
	Path    []string
	Value   json.RawMessage // what stands there; nil if nothing does
	Schema  string          // JSON pointer to the schema that it does not fit
	Message string
}

// maxFaults bounds what Faults returns: one place is mended at a time.
const maxFaults = 16

// Faults tells where args fail, most general place first; none if they conform. args is valid
// JSON.
func (s *Schema) Faults(args []byte) []Fault {
	defer s.look(args)()
	c := coercion{budget: maxAttempts}
	v := parse(args)
	if !c.valid(v, s.root) {
		v = c.value(v, s.root, "")
	}
	s.renew(args)
	err := settled(check(s.root, v.any()))
	var e *jsonschema.ValidationError
	if err != nil && !errors.As(err, &e) {
		return []Fault{{Value: v.bytes(), Message: err.Error()}}
	} else if err == nil {
		return nil
	}
	var all []Fault
	for _, e := range failures(e) {
		_, at, _ := strings.Cut(e.SchemaURL, "#")
		f := Fault{Path: e.InstanceLocation, Value: v.at(e.InstanceLocation), Schema: at, Message: message(e)}
		same := func(o Fault) bool { return o.Schema == at && slices.Equal(o.Path, f.Path) }
		if len(all) < maxFaults && !slices.ContainsFunc(all, same) {
			all = append(all, f)
		}
	}
	return all
}

// message is what the validator says of one failure, without its heading.
func message(e *jsonschema.ValidationError) string {
	alone := &jsonschema.ValidationError{SchemaURL: e.SchemaURL, InstanceLocation: e.InstanceLocation, ErrorKind: e.ErrorKind}
	text := strings.Join(strings.Fields(alone.Error()), " ")
	if _, said, ok := strings.Cut(text, " - "); ok {
		return said
	}
	return text
}

// failures are those that have no cause. Of a union the branch counts that has the fewest, or
// whose failures lie deepest: it is what the value was most likely meant to be. The branch itself
// is told first, since a value that fits it fits the union.
func failures(e *jsonschema.ValidationError) (all []*jsonschema.ValidationError) {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	union, best := unionKeyword(e.ErrorKind), 0
	for i, c := range e.Causes {
		below := failures(c)
		switch {
		case union == "":
			all = append(all, below...)
		case i == 0, len(below) < len(all), len(below) == len(all) && deepest(below) > deepest(all):
			all, best = below, i
		}
	}
	if union == "" {
		return all
	}
	branch := &jsonschema.ValidationError{SchemaURL: e.SchemaURL + union + strconv.Itoa(best), InstanceLocation: e.InstanceLocation, ErrorKind: e.ErrorKind}
	return append([]*jsonschema.ValidationError{branch}, all...)
}

func deepest(all []*jsonschema.ValidationError) (depth int) {
	for _, e := range all {
		depth = max(depth, len(e.InstanceLocation))
	}
	return depth
}

// unionKeyword is where the branches of a union are, whose failures come in their order; "" for
// what is none.
func unionKeyword(k jsonschema.ErrorKind) string {
	switch k.(type) {
	case *kind.AnyOf:
		return "/anyOf/"
	case *kind.OneOf:
		return "/oneOf/"
	}
	return ""
}

// at is the text of the value that a path leads to, nil if there is none.
func (v value) at(path []string) json.RawMessage {
	for _, step := range path {
		i, err := strconv.Atoi(step)
		switch {
		case v.kind == '{':
			found := false
			for _, m := range v.members {
				if m.key == step {
					v, found = m.value, true
				}
			}
			if !found {
				return nil
			}
		case v.kind == '[' && err == nil && i >= 0 && i < len(v.items):
			v = v.items[i]
		default:
			return nil
		}
	}
	return v.bytes()
}

// readable tells whether a double holds about what a number says: most readers of JSON read 1e400
// as infinity or not at all, and 1e-400 as zero. The validator cannot do with exponents of many
// digits either.
func readable(n string) bool {
	f, err := strconv.ParseFloat(n, 64)
	mantissa, _, _ := strings.Cut(strings.ToLower(n), "e")
	if err != nil || f == 0 && strings.ContainsAny(mantissa, "123456789") {
		return false
	}
	_, ok := new(big.Rat).SetString(n)
	return ok
}

// unreadable returns a number in v that is not readable, "" if all are. Numbers are json.Number.
func unreadable(v any) string {
	switch v := v.(type) {
	case json.Number:
		if !readable(v.String()) {
			return v.String()
		}
	case []any:
		for _, e := range v {
			if n := unreadable(e); n != "" {
				return n
			}
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if n := unreadable(v[k]); n != "" {
				return n
			}
		}
	}
	return ""
}
