package schema

import (
	"encoding/json"
	"math"
	"regexp/syntax"
	"strconv"
	"strings"
)

// Example makes arguments that a schema of the usual kind accepts: every required parameter, with
// a value of its type. It is for showing a model what a call looks like. Who shows it as a right
// one validates it first: of rarer keywords it knows nothing.
func Example(declared json.RawMessage) json.RawMessage {
	v, err := parse(declared)
	root, ok := v.(object)
	if err != nil || !ok {
		return json.RawMessage("{}")
	}
	m := maker{root: root, left: mostExampled}
	made := m.object(m.whole(root))
	if m.left <= 0 {
		return json.RawMessage("{}")
	}
	return print(made)
}

// Bounds of what an example is made of, since schemas may name themselves. A larger one shows a
// model nothing, and who validates it may have to weigh each branch of each union in it.
const (
	mostExampled = 300 // schemas and elements
	mostDeep     = 12
)

// maker makes an example.
type maker struct {
	root object
	left int // what may still be looked at; 0: too much was wanted
	deep int
}

// whole is a schema with those that it names, the first branch of each union, and all parts of an
// allOf in it.
func (m *maker) whole(o object) object {
	for ; m.left > 0; m.left-- {
		var parts []any
		switch {
		case o.has("$ref"):
			ref, _ := o.get("$ref").(string)
			named, _ := m.root.at(ref)
			parts, o = []any{named}, o.without("$ref")
		case o.has("allOf"):
			parts, _ = o.get("allOf").([]any)
			o = o.without("allOf")
		case o.has("anyOf"):
			parts, o = firstBranch(o.get("anyOf")), o.without("anyOf")
		case o.has("oneOf"):
			parts, o = firstBranch(o.get("oneOf")), o.without("oneOf")
		default:
			return o
		}
		for _, p := range parts {
			part, _ := p.(object)
			o = o.merged(part)
		}
	}
	return object{}
}

// firstBranch is a union's, but for null.
func firstBranch(union any) []any {
	list, _ := union.([]any)
	for i, b := range list {
		if o, _ := b.(object); o == nil || o.get("type") != "null" {
			return list[i : i+1]
		}
	}
	return nil
}

// merged adds what another schema says beside.
func (o object) merged(other object) object {
	for _, p := range other {
		mine, theirs := o.get(p.key), p.value
		switch {
		case !o.has(p.key):
			o = o.set(p.key, theirs)
		case p.key == "properties":
			a, _ := mine.(object)
			b, _ := theirs.(object)
			o = o.set(p.key, a.merged(b))
		case p.key == "required", p.key == "allOf":
			a, _ := mine.([]any)
			b, _ := theirs.([]any)
			o = o.set(p.key, append(append([]any{}, a...), b...))
		}
	}
	return o
}

// object has what is required, in the order of the properties.
func (m *maker) object(o object) object {
	out := object{}
	required := requiredNames(o)
	props, _ := o.get("properties").(object)
	for _, p := range props {
		if required[p.key] {
			out = append(out, member{p.key, m.value(p.value, p.key)})
		}
	}
	list, _ := o.get("required").([]any)
	for _, v := range list {
		if name, ok := v.(string); ok && !out.has(name) {
			out = append(out, member{name, "<" + name + ">"})
		}
	}
	return out
}

// value is a value for a property: what the schema itself suggests, else one of its type.
func (m *maker) value(v any, name string) any {
	o, ok := v.(object)
	if !ok {
		return name
	}
	if m.deep++; m.deep > mostDeep {
		m.left = 0
	}
	defer func() { m.deep-- }()
	o = m.whole(o)
	for _, key := range []string{"const", "default"} {
		if o.has(key) && o.get(key) != nil {
			return o.get(key)
		}
	}
	for _, key := range []string{"examples", "enum"} {
		if list, ok := o.get(key).([]any); ok && len(list) > 0 {
			return list[0]
		}
	}
	switch kindOf(o) {
	case "integer", "number":
		return exampleNumber(o)
	case "boolean":
		return true
	case "null":
		return nil
	case "array":
		return m.array(o, name)
	case "object":
		return m.object(o)
	}
	return exampleString(o, name)
}

func (m *maker) array(o object, name string) []any {
	out := []any{}
	first, _ := o.get("prefixItems").([]any)
	n := max(1, int(o.number("minItems", 1)))
	for i := 0; i < n && i < int(o.number("maxItems", mostExampled)) && m.left > 0; i++ {
		m.left--
		item := o.get("items")
		if o.has("contains") {
			item = o.get("contains")
		}
		if i < len(first) {
			item = first[i]
		}
		out = append(out, m.value(item, strings.TrimSuffix(name, "s")))
	}
	return out
}

// number is a keyword's, or another where it says nothing.
func (o object) number(key string, other float64) float64 {
	if n, ok := o.get(key).(json.Number); ok {
		if f, err := n.Float64(); err == nil {
			return f
		}
	}
	return other
}

// exampleNumber is the least that is allowed, else the most, else 1.
func exampleNumber(o object) json.Number {
	n := o.number("multipleOf", 1)
	switch step := n; {
	case o.has("minimum"):
		n = math.Ceil(o.number("minimum", n)/step) * step
	case o.has("exclusiveMinimum"):
		n = (math.Floor(o.number("exclusiveMinimum", n)/step) + 1) * step
	case o.has("maximum"):
		n = math.Floor(o.number("maximum", n)/step) * step
	case o.has("exclusiveMaximum"):
		n = (math.Ceil(o.number("exclusiveMaximum", n)/step) - 1) * step
	}
	if math.IsNaN(n) || math.IsInf(n, 0) {
		n = 1
	}
	return json.Number(strconv.FormatFloat(n, 'f', -1, 64))
}

// Values for formats that a model should see rather than the parameter's name.
var formats = map[string]string{
	"date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z", "time": "12:00:00Z", "duration": "PT1H", "uri": "https://example.com/",
	"email": "user@example.com", "uuid": "123e4567-e89b-12d3-a456-426614174000", "hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
}

func exampleString(o object, name string) string {
	format, _ := o.get("format").(string)
	if v, ok := formats[format]; ok {
		return v
	}
	if pattern, ok := o.get("pattern").(string); ok {
		if r, err := syntax.Parse(pattern, syntax.Perl); err == nil {
			return matching(r)
		}
	}
	text, least := "<"+name+">", int(min(o.number("minLength", 0), mostExampled))
	if most := int(o.number("maxLength", math.MaxInt32)); len(text) > most {
		return strings.Repeat("x", max(least, min(most, 1), 0))
	}
	return text + strings.Repeat(".", max(least-len(text), 0))
}

// matching is a short text that a regular expression matches.
func matching(r *syntax.Regexp) string {
	var b strings.Builder
	switch r.Op {
	case syntax.OpLiteral:
		return string(r.Rune)
	case syntax.OpCharClass:
		return string(oneOf(r.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "a"
	case syntax.OpAlternate, syntax.OpCapture, syntax.OpPlus:
		return matching(r.Sub[0])
	case syntax.OpRepeat:
		return strings.Repeat(matching(r.Sub[0]), min(r.Min, mostExampled))
	case syntax.OpConcat:
		for _, s := range r.Sub {
			b.WriteString(matching(s))
		}
	}
	return b.String()
}

// oneOf is a character of a class, given as the first and the last of each range.
func oneOf(class []rune) rune {
	for _, c := range []rune{'a', 'A', '1', '0'} {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= c && c <= class[i+1] {
				return c
			}
		}
	}
	if len(class) == 0 {
		return 'a'
	}
	return max(class[0], ' ')
}
