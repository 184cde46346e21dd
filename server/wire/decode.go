package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"unicode/utf8"

	"tenon/server/chat"
)

// Others are the fields of a protocol that have no effect here.
type Others struct {
	Refused map[string]string // they would change the answer: why they are not supported
	// they are accepted and listed, if they are of the type that the protocol gives them
	Harmless map[string]Type
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

// Decode reads one JSON object into v, a pointer to a struct, and returns the paths of the members
// that v does not have, such as tools[].defer_loading. Errors are *chat.Error and name the field.
func Decode(body io.Reader, v any, others Others) (ignored []string, err error) {
	raw, err := io.ReadAll(body)
	if err != nil {
		return nil, readError(err)
	}
	if at, ok := invalidUTF8(raw); ok {
		return nil, chat.Invalidf("", "the body is not UTF-8: byte %#x at %d begins no character", raw[at], at)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(v); err != nil {
		return nil, jsonError(err, raw)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, chat.Invalidf("", "the body goes on after its JSON object")
	}
	return others.ignored(raw, v, "")
}

// invalidUTF8 finds the first byte of a text that is none of a character's. Readers of JSON would
// put another character in its place, and the model would read what nobody wrote.
func invalidUTF8(text []byte) (at int, found bool) {
	if utf8.Valid(text) {
		return 0, false
	}
	for {
		c, n := utf8.DecodeRune(text[at:])
		if c == utf8.RuneError && n <= 1 {
			return at, true
		}
		at += n
	}
}

// DecodePart reads a part of a body that was kept raw, as Decode does. field is its place.
func DecodePart(raw json.RawMessage, v any, field string) (ignored []string, err error) {
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(raw, v); {
	case errors.As(err, &wrong):
		return nil, chat.Invalidf(join(field, placeAt(raw, wrong.Offset)), "is of type %s; expected %s", wrong.Value, expected(wrong.Type))
	case err != nil:
		return nil, chat.Invalidf(field, "cannot be read: %v", err)
	}
	return Others{}.ignored(raw, v, withoutIndexes(field))
}

// TextOr reads a value that is a text, or an array of what is read into v. null is no text.
func TextOr(raw json.RawMessage, v any, field, elements string) (text string, isText bool, ignored []string, err error) {
	if json.Unmarshal(raw, &text) == nil {
		return text, true, nil, nil
	}
	if len(raw) == 0 || raw[0] != '[' {
		return "", false, nil, chat.Invalidf(field, "expected a string or an array of %s", elements)
	}
	ignored, err = DecodePart(raw, v, field)
	return "", false, ignored, err
}

// Text is the text that a value holds, or the JSON that stands in place of one. null is no text.
func Text(raw json.RawMessage) (text string) {
	if IsNull(raw) || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// ignored returns what of valid JSON v does not have.
func (o Others) ignored(raw []byte, v any, path string) (all []string, err error) {
	u := unread{raw: raw, take: func(path string, value json.RawMessage) error {
		all = append(all, path)
		return o.check(path, value)
	}}
	if err := u.value(reflect.TypeOf(v).Elem(), path); err != nil {
		return nil, err
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// join is the path of a place inside of a field.
func join(field, place string) string {
	if place == "" || place[0] == '[' {
		return field + place
	}
	return field + "." + place
}

// withoutIndexes is a path that all elements of its arrays share.
func withoutIndexes(path string) string { return indexes.ReplaceAllString(path, "[]") }

var indexes = regexp.MustCompile(`\[\d+\]`)

// check returns what is wrong with a field that the struct does not have. What no protocol
// describes may be anything.
func (o Others) check(name string, value json.RawMessage) error {
	// an empty list asks for nothing
	if why, ok := o.Refused[name]; ok && string(value) != "[]" {
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
	var refused *chat.Error
	if errors.As(err, &refused) {
		return refused
	}
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

// WrongType names the place and the types of a value that decoding raw refused: Go's names for
// them say nothing to a client.
func WrongType(wrong *json.UnmarshalTypeError, raw []byte) *chat.Error {
	place := placeAt(raw, wrong.Offset)
	if place == "" {
		return chat.Invalidf("", "the body is of type %s; expected %s", wrong.Value, expected(wrong.Type))
	}
	return chat.Invalidf(place, "is of type %s; expected %s", wrong.Value, expected(wrong.Type))
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

// ThinkingBudget decodes the extension of that name, thinking_budget_tokens: -1 is no limit, 0 no
// thinking. nil is absent.
func ThinkingBudget(b *int, to *chat.Thinking) error {
	if b == nil {
		return nil
	}
	if *b < -1 {
		return chat.Invalidf("thinking_budget_tokens", "is %d; expected -1 (no limit) or more", *b)
	}
	if *b == 0 {
		to.Enabled = new(bool)
	}
	to.Budget = max(*b, 0)
	return nil
}

// Number is a field with the range that a protocol gives it.
type Number struct {
	Name     string
	Min, Max float64 // Max may be +Inf: as much as the sampler's numbers hold
	Above    bool    // Min itself is out of the range
}

// Check says what is wrong with a value of the field.
func (n Number) Check(v float64) error {
	switch {
	case n.Above && float64(float32(v)) <= n.Min: // also what is so small that it becomes Min
		return chat.Invalidf(n.Name, "is %v; expected more than %v", v, n.Min)
	case v > math.MaxFloat32 && math.IsInf(n.Max, 1):
		return chat.Invalidf(n.Name, "is %v; expected at most %v", v, float32(math.MaxFloat32))
	case v < n.Min && math.IsInf(n.Max, 1):
		return chat.Invalidf(n.Name, "is %v; expected at least %v", v, n.Min)
	case v < n.Min || v > n.Max:
		return chat.Invalidf(n.Name, "is %v; expected %v to %v", v, n.Min, n.Max)
	}
	return nil
}

// maxStops is how many bytes all stop strings of a turn may have together. They are looked for
// beside a family's own markers in an automaton of one state a byte, and package grammar bounds it
// at twice as much.
const maxStops = 2 << 10

// Stops refuses stop strings that no text could be searched for.
func Stops(field string, stops []string) error {
	total := 0
	for _, s := range stops {
		if s == "" {
			return chat.Invalidf(field, "holds an empty string")
		}
		total += len(s)
	}
	if total > maxStops {
		return chat.Invalidf(field, "has %d bytes in all; expected at most %d", total, maxStops)
	}
	return nil
}
