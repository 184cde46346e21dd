package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"tenon/server/chat"
)

// Others are the fields of a protocol that have no effect here.
type Others struct {
	Refused  map[string]string // they would change the answer: why they are not supported
	Harmless map[string]Type   // they are accepted and listed, if they are of the type that the protocol gives them
}

// Type is what a field's value must be.
type Type string

// The types of JSON, as errors name them.
const (
	String  Type = "a string"
	Boolean Type = "true or false"
	Integer Type = "an integer"
	Object  Type = "an object"
)

// Decode reads one JSON object into v, a pointer to a struct, and returns the names of the fields that v does not have.
// Errors are *chat.Error and name the field.
func Decode(body io.Reader, v any, others Others) (ignored []string, err error) {
	raw, err := io.ReadAll(body)
	if err != nil {
		return nil, readError(err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(v); err != nil {
		return nil, jsonError(err, raw)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, chat.Invalidf("", "the body goes on after its JSON object")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, jsonError(err, raw)
	}
	known := names(reflect.TypeOf(v).Elem())
	for name, value := range fields {
		if slices.Contains(known, name) || IsNull(value) {
			continue
		}
		if err := others.check(name, value); err != nil {
			return nil, err
		}
		ignored = append(ignored, name)
	}
	slices.Sort(ignored)
	return ignored, nil
}

// check returns what is wrong with a field that the struct does not have. What no protocol describes may be anything.
func (o Others) check(name string, value json.RawMessage) error {
	if why, ok := o.Refused[name]; ok {
		return chat.Invalidf(name, "is not supported: %s", why)
	}
	want, ok := o.Harmless[name]
	if !ok || want.fits(value) {
		return nil
	}
	return chat.Invalidf(name, "is not of its type; expected %s", want)
}

func (t Type) fits(value json.RawMessage) bool {
	switch t {
	case String:
		return value[0] == '"'
	case Object:
		return value[0] == '{'
	case Boolean:
		return value[0] == 't' || value[0] == 'f'
	case Integer:
		var n int64
		return json.Unmarshal(value, &n) == nil
	default:
		return false
	}
}

// IsNull tells whether a field is absent or null.
func IsNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func readError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &chat.Error{Kind: chat.TooLarge, Message: "the body is too large; --max-body sets the limit", Err: err}
	}
	return &chat.Error{Kind: chat.ClientGone, Message: "the body broke off", Err: err}
}

// jsonError names the place of an error in the body.
func jsonError(err error, raw []byte) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return WrongType(wrong, raw)
	}
	e := chat.Invalidf("", "the body is not valid JSON: %v", err)
	e.Err = err
	return e
}

// WrongType names the place and the types of a value that decoding raw refused: Go's names for them say nothing to a client.
func WrongType(wrong *json.UnmarshalTypeError, raw []byte) *chat.Error {
	place := placeAt(raw, wrong.Offset)
	if place == "" {
		return chat.Invalidf("", "the body is of type %s; expected %s", wrong.Value, expected(wrong.Type))
	}
	return chat.Invalidf(place, "is of type %s; expected %s", wrong.Value, expected(wrong.Type))
}

// names returns the JSON names of a struct's fields, those of embedded structs included.
func names(t reflect.Type) []string {
	var all []string
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			all = append(all, names(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all = append(all, name)
	}
	return all
}

// expected names a Go type as JSON knows it.
func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Float64, reflect.Float32:
		return "a number"
	case reflect.Slice:
		return "an array"
	case reflect.Pointer:
		return expected(t.Elem())
	default:
		return "an object"
	}
}

// ThinkingBudget decodes the extension of that name, thinking_budget_tokens: -1 is no limit, 0 no thinking. nil is absent.
func ThinkingBudget(b *int, to *chat.Thinking) error {
	if b == nil {
		return nil
	}
	if *b < -1 {
		return chat.Invalidf("thinking_budget_tokens", "is %d; expected -1 (no limit) or more", *b)
	}
	if *b == 0 {
		off := false
		to.Enabled = &off
	}
	to.Budget = max(*b, 0)
	return nil
}

// Number is a field with the range that a protocol gives it.
type Number struct {
	Name     string
	Value    *float64 // nil: the field is absent
	Min, Max float64  // Max may be +Inf
	To       **float32
}

// Decode checks the range and sets To.
func (n Number) Decode() error {
	if n.Value == nil {
		return nil
	}
	if *n.Value < n.Min || *n.Value > n.Max {
		if math.IsInf(n.Max, 1) {
			return chat.Invalidf(n.Name, "is %v; expected at least %v", *n.Value, n.Min)
		}
		return chat.Invalidf(n.Name, "is %v; expected %v to %v", *n.Value, n.Min, n.Max)
	}
	v := float32(*n.Value)
	*n.To = &v
	return nil
}
