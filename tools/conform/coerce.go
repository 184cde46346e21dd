package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/tools/lenient"
)

// The rules of Conform.
const (
	NumberFromString  = "number-from-string"
	BooleanFromString = "boolean-from-string"
	NullFromString    = "null-from-string"
	JSONFromString    = "json-from-string"
	StringFromScalar  = "string-from-scalar"
	StringFromJSON    = "string-from-json"
	WrapInArray       = "wrap-in-array"
	UnwrapArray       = "unwrap-array"
	EnumSpelling      = "enum-spelling"
	TrimSpace         = "trim-space"
	DateFromTime      = "date-from-date-time"
	DropNull          = "drop-null"
	KeySpelling       = "key-spelling"
	EmptyArguments    = "empty-arguments"
)

// Conform returns args if they validate, byte for byte, else args after lossless repairs that make
// them, else an error that names what is wrong. args is valid JSON.
func (s *Schema) Conform(args []byte) ([]byte, []Repair, error) {
	defer s.look(args)()
	err := s.validate(args)
	if err == nil {
		return args, nil, nil
	}
	s.renew(args)
	c := coercion{budget: maxAttempts}
	v := c.value(parse(args), s.root, "")
	out := v.bytes()
	s.renew(out)
	if again := s.validate(out); again != nil {
		return nil, nil, err
	}
	return out, c.repairs, nil
}

// maxAttempts bounds the validations of one Conform: unions inside unions multiply.
const maxAttempts = 2000

type coercion struct {
	repairs []Repair
	budget  int
}

func (c *coercion) repair(rule, pointer, format string, args ...any) {
	c.repairs = append(c.repairs, Repair{rule, pointer, fmt.Sprintf(format, args...)})
}

func (c *coercion) valid(v value, s *jsonschema.Schema) bool {
	c.budget--
	return check(s, v.any()) == nil
}

// value returns v changed so that it fits s, or as it was where no rule helps.
func (c *coercion) value(v value, s *jsonschema.Schema, at string) value {
	if s == nil || c.budget <= 0 || c.valid(v, s) {
		return v
	}
	if s.Ref != nil {
		v = c.value(v, s.Ref, at)
	}
	for _, sub := range s.AllOf {
		v = c.value(v, sub, at)
	}
	for _, union := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		v = c.branch(v, union, at)
	}
	v = c.shape(v, s, at)
	switch v.kind {
	case '{':
		v = c.object(v, s, at)
	case '[':
		v = c.array(v, s, at)
	default:
		v = c.scalar(v, s, at)
	}
	return v
}

// branch takes the one way in which v fits a branch of a union. Two different results are no
// answer, but that a value comes before the same one in an array.
func (c *coercion) branch(v value, union []*jsonschema.Schema, at string) value {
	var best value
	var repairs []Repair
	found, clash := false, false
	for _, sub := range union {
		got, tried, fits := c.try(v, sub, at)
		switch {
		case !fits:
		case !found || count(tried, WrapInArray) < count(repairs, WrapInArray):
			best, repairs, found, clash = got, tried, true, false
		case count(tried, WrapInArray) == count(repairs, WrapInArray):
			clash = clash || !bytes.Equal(best.bytes(), got.bytes())
		}
	}
	if !found || clash {
		return v
	}
	c.repairs = append(c.repairs, repairs...)
	return best
}

// try returns v changed so that it fits s, by which repairs, and whether it does.
func (c *coercion) try(v value, s *jsonschema.Schema, at string) (got value, repairs []Repair, fits bool) {
	try := coercion{budget: c.budget}
	got = try.value(v, s, at)
	fits = try.valid(got, s)
	c.budget = try.budget
	return got, try.repairs, fits
}

// count is how many repairs followed a rule.
func count(repairs []Repair, rule string) (n int) {
	for _, r := range repairs {
		if r.Rule == rule {
			n++
		}
	}
	return n
}

// types lists the types that s allows by itself; empty means any.
func types(s *jsonschema.Schema) []string {
	if s.Types == nil {
		return nil
	}
	return s.Types.ToStrings()
}

func itemSchema(s *jsonschema.Schema, i int) *jsonschema.Schema {
	if i < len(s.PrefixItems) {
		return s.PrefixItems[i]
	}
	if s.Items2020 != nil {
		return s.Items2020
	}
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		return items
	case []*jsonschema.Schema:
		if i < len(items) {
			return items[i]
		}
		sub, _ := s.AdditionalItems.(*jsonschema.Schema)
		return sub
	}
	return nil
}

func (c *coercion) array(v value, s *jsonschema.Schema, at string) value {
	out := v
	out.items = slices.Clone(v.items)
	try := coercion{budget: c.budget}
	for i := range out.items {
		out.items[i] = try.value(out.items[i], itemSchema(s, i), at+"/"+strconv.Itoa(i))
	}
	c.budget = try.budget
	// [1, 2] may be [[1], [2]] or [[1, 2]]
	if count(try.repairs, WrapInArray) > 0 && c.isItem(v, s) {
		return v
	}
	c.repairs = append(c.repairs, try.repairs...)
	return out
}

// isItem tells whether an array could be the only item of one.
func (c *coercion) isItem(v value, s *jsonschema.Schema) bool {
	item := itemSchema(s, 0)
	if item == nil {
		return false
	}
	_, _, fits := c.try(v, item, "")
	return fits
}

func (c *coercion) object(v value, s *jsonschema.Schema, at string) value {
	out := v
	out.members = make([]member, 0, len(v.members))
	for _, m := range v.members {
		m.key = c.key(v, m.key, s, at)
		sub := memberSchema(s, m.key)
		if string(m.raw) == "null" && sub != nil && !slices.Contains(s.Required, m.key) && !c.valid(m.value, sub) {
			c.repair(DropNull, at+"/"+m.key, "an optional value")
			continue
		}
		m.value = c.value(m.value, sub, at+"/"+escape(m.key))
		out.members = append(out.members, m)
	}
	return out
}

func escape(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }

// key returns the declared key that key is another spelling of, if exactly one is and the object
// has it in no other spelling. Where the object may have other keys than those declared, only one
// that it must have is missed.
func (c *coercion) key(v value, key string, s *jsonschema.Schema, at string) string {
	if memberSchema(s, key) != nil || s.AdditionalProperties == nil && slices.Contains(s.Required, key) {
		return key
	}
	closed, found := s.AdditionalProperties == false, ""
	for declared := range s.Properties {
		if Normal(declared) != Normal(key) {
			continue
		}
		if found != "" {
			return key
		}
		found = declared
	}
	twin := func(m member) bool { return m.key != key && Normal(m.key) == Normal(key) }
	if found == "" || slices.ContainsFunc(v.members, twin) || !closed && !slices.Contains(s.Required, found) {
		return key
	}
	c.repair(KeySpelling, at+"/"+escape(found), "%q", key)
	return found
}

func memberSchema(s *jsonschema.Schema, key string) *jsonschema.Schema {
	if sub, ok := s.Properties[key]; ok {
		return sub
	}
	var found *jsonschema.Schema
	first := ""
	for re, sub := range s.PatternProperties { // of several, always the same
		if text := re.String(); re.MatchString(key) && (found == nil || text < first) {
			found, first = sub, text
		}
	}
	if found != nil {
		return found
	}
	sub, _ := s.AdditionalProperties.(*jsonschema.Schema)
	return sub
}

// Normal is a name without what models get wrong about names: case, and which separator stands
// between words.
func Normal(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', '.', ' ', '/', ':':
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// scalar tries the readings of a scalar, most faithful first.
func (c *coercion) scalar(v value, s *jsonschema.Schema, at string) value {
	if s.Types == nil && s.Enum == nil && s.Const == nil {
		// nothing wants another type, and of another type it would only slip through
		return v
	}
	text, isString := v.str()
	if !isString {
		return c.fromScalar(v, s, at)
	}
	for _, r := range readings(text, s) {
		if c.valid(r.value, s) {
			c.repair(r.rule, at, "%.40q", text)
			return r.value
		}
	}
	return v
}

// midnight is a day with a time that says no more than the day.
var midnight = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[Tt ]00:00(?::00(?:\.0+)?)?(?:[Zz]|[+-]00:00)?$`)

type reading struct {
	rule string
	value
}

func readings(text string, s *jsonschema.Schema) []reading {
	var all []reading
	trimmed := strings.TrimSpace(text)
	if n, ok := lenient.Number(trimmed); ok && readable(n) {
		all = append(all, reading{NumberFromString, value{raw: json.RawMessage(n)}})
	}
	switch strings.ToLower(trimmed) {
	case "true", "false":
		all = append(all, reading{BooleanFromString, value{raw: json.RawMessage(strings.ToLower(trimmed))}})
	case "null", "none":
		all = append(all, reading{NullFromString, value{raw: json.RawMessage("null")}})
	}
	if trimmed != text {
		all = append(all, reading{TrimSpace, stringValue(trimmed)})
	}
	if day := midnight.FindStringSubmatch(trimmed); day != nil && s.Format != nil && s.Format.Name == "date" {
		all = append(all, reading{DateFromTime, stringValue(day[1])})
	}
	if choice, ok := enumChoice(trimmed, s); ok {
		all = append(all, reading{EnumSpelling, stringValue(choice)})
	}
	return all
}

// enumChoice is the one choice of an enum that text is another spelling of: in other case, in
// quotes, with space around.
func enumChoice(text string, s *jsonschema.Schema) (string, bool) {
	var choices []any
	if s.Enum != nil {
		choices = s.Enum.Values
	} else if s.Const != nil {
		choices = []any{*s.Const}
	}
	bare := strings.TrimSpace(strings.Trim(text, "\"'`"))
	found, n := "", 0
	for _, choice := range choices {
		if e, ok := choice.(string); ok && (strings.EqualFold(e, bare) || strings.EqualFold(e, text)) {
			if e == bare {
				return e, true
			}
			found = e
			n++
		}
	}
	return found, n == 1
}

// fromScalar spells a number or boolean as a string where a string is wanted.
func (c *coercion) fromScalar(v value, s *jsonschema.Schema, at string) value {
	if v.kind != 0 || string(v.raw) == "null" {
		return v
	}
	t := stringValue(string(v.raw))
	if !c.valid(t, s) {
		return v
	}
	c.repair(StringFromScalar, at, "%s", v.raw)
	return t
}

func isInteger(number string) bool { return !strings.ContainsAny(number, ".eE") }
