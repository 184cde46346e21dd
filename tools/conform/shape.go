package conform

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/tools/lenient"
)

// shape makes an object, an array or a string of a value that is none where s wants one.
func (c *coercion) shape(v value, s *jsonschema.Schema, at string) value {
	t := types(s)
	if len(t) == 0 {
		return v
	}
	if text, ok := v.str(); ok && !slices.Contains(t, "string") {
		switch inner, a := container(text, t); a {
		case certain:
			c.repair(JSONFromString, at, "%.40s", text)
			return inner
		case guessed:
			return v
		}
	}
	switch {
	case v.kind == '[' && len(v.items) == 1 && !slices.Contains(t, "array"):
		if item, ok := c.only(v.items[0], s, at); ok {
			c.repair(UnwrapArray, at, "%.40s", v.raw)
			return item
		}
	case v.kind == '{' && slices.Contains(t, "array") && !allows(t, v):
		if list, ok := listed(v); ok {
			c.repair(UnwrapArray, at, "%.40s", v.raw)
			return list
		}
	}
	switch {
	case v.kind != '[' && slices.Contains(t, "array") && !allows(t, v):
		return c.wrap(v, s, at)
	case v.kind != 0 && len(t) == 1 && t[0] == "string":
		c.repair(StringFromJSON, at, "%.40s", v.raw)
		return stringValue(string(v.raw))
	}
	return v
}

// only is the one item of an array where s wants such a value without an array around it.
func (c *coercion) only(item value, s *jsonschema.Schema, at string) (value, bool) {
	if t := types(s); string(item.raw) == "null" || slices.Contains(t, "string") || item.kind != 0 && !allows(t, item) {
		return item, false // a string may be to hold the array as JSON
	}
	got, repairs, fits := c.try(item, s, at)
	if fits {
		c.repairs = append(c.repairs, repairs...)
	}
	return got, fits
}

// listed is the array in an object that says no more than that it holds one, as lists in XML do:
// {"item": ["a", "b"]}.
func listed(v value) (value, bool) {
	if len(v.members) != 1 || v.members[0].kind != '[' {
		return v, false
	}
	switch v.members[0].key {
	case "item", "items", "element", "elements", "list":
		return v.members[0].value, true
	}
	return v, false
}

// certainty says how sure it is that a string holds JSON.
type certainty uint8

const (
	absent certainty = iota // it holds none
	// it may: "[draft]" is a list of one word or a title, "[1, 2" was cut off
	guessed
	certain
)

// guesses are what package lenient does that may miss what was meant.
var guesses = []string{lenient.BareWord, lenient.MissingClose, lenient.MissingQuote, lenient.MissingComma, lenient.UnescapedQuote, lenient.InvalidUTF8}

// container reads JSON inside a string.
func container(text string, types []string) (value, certainty) {
	trimmed := strings.TrimSpace(text)
	open := strings.HasPrefix(trimmed, "{") && slices.Contains(types, "object") ||
		strings.HasPrefix(trimmed, "[") && slices.Contains(types, "array")
	if !open {
		return value{}, absent
	}
	d, err := lenient.Decode([]byte(trimmed), lenient.Rules{})
	switch {
	case err == nil && strings.TrimSpace(trimmed[d.End:]) != "":
		return value{}, absent
	case err != nil || slices.ContainsFunc(d.Repairs, func(rule string) bool { return slices.Contains(guesses, rule) }):
		return value{}, guessed
	}
	return parse(d.JSON), certain
}

func allows(types []string, v value) bool {
	kind := "null"
	switch {
	case v.kind == '{':
		kind = "object"
	case v.kind == '[':
		kind = "array"
	case v.raw[0] == '"':
		kind = "string"
	case v.raw[0] == 't' || v.raw[0] == 'f':
		kind = "boolean"
	case v.raw[0] != 'n':
		return slices.Contains(types, "number") || slices.Contains(types, "integer") && isInteger(string(v.raw))
	}
	return slices.Contains(types, kind)
}

func (c *coercion) wrap(v value, s *jsonschema.Schema, at string) value {
	if string(v.raw) == "null" {
		return v
	}
	try := coercion{budget: c.budget}
	item := v
	if sub := itemSchema(s, 0); sub != nil {
		item = try.value(v, sub, at)
	}
	if v.kind != 0 && item.kind == 0 {
		return v // an object is no text by itself
	}
	wrapped := value{kind: '[', items: []value{item}}
	fits := try.valid(wrapped, s)
	c.budget = try.budget
	// an object where strings are listed is no string of the list
	if !fits || count(try.repairs, StringFromJSON) > 0 {
		return v
	}
	c.repairs = append(c.repairs, try.repairs...)
	c.repair(WrapInArray, at, "%.40s", v.bytes())
	return wrapped
}
