package print

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tenon/grammar/gbnf"
)

// guidanceGaps are keywords that llguidance 1.9 does not know, or knows for some schemas only;
// told to be lenient it leaves them out.
var guidanceGaps = []string{"not", "if", "then", "else", "dependencies", "dependentRequired", "dependentSchemas", "propertyNames", "contains", "minContains",
	"maxContains", "uniqueItems", "unevaluatedItems", "unevaluatedProperties", "oneOf", "allOf", "minProperties", "maxProperties", "patternProperties",
	"$dynamicRef", "$recursiveRef", "pattern", "disallow", "extends", "divisibleBy", "$ref"}

// guidanceFormats are those that llguidance 1.9 decides, as the standards do.
var guidanceFormats = []string{"date-time", "date", "duration", "ipv4", "ipv6", "uuid"}

// guidanceNames are keywords whose value has names, not keywords, for keys.
var guidanceNames = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}

// larkSchema writes the schema of a terminal with llguidance's own options, and tells what
// llguidance makes of it.
func (w *larkWriter) larkSchema(n *gbnf.Node) string {
	var v any
	if json.Unmarshal([]byte(n.Text), &v) == nil {
		w.gaps(v, n.Options)
	}
	if n.Options.Order != "declared" {
		w.narrow("keys are accepted in declared order only")
	}
	if n.Options.Escapes != "canonical" {
		w.narrow("strings and keys are accepted without superfluous escapes only")
	}
	if n.Options.Extra == "none" {
		w.loosen("keys of which the schema does not speak are accepted")
	}
	if n.Options.Numbers != "" && n.Options.Numbers != "any" {
		w.loosen("numbers may have exponents, and any count of digits")
	}
	w.narrow("numbers that a schema restricts are accepted in one spelling only")
	options := `"x-guidance":{"lenient":true,"coerce_one_of":true` + larkSpace(n.Options.Space) + "}}"
	text := strings.TrimSpace(n.Text)
	switch open := strings.TrimSpace(strings.TrimSuffix(text, "}")); {
	case text[0] != '{':
		return `{"allOf":[` + text + `],` + options
	case open == "{":
		return "{" + options
	default:
		return open + "," + options
	}
}

// larkSpace says how much white space is meant.
func larkSpace(space string) string {
	switch space {
	case "none":
		return `,"whitespace_flexible":false,"item_separator":",","key_separator":":"`
	case "bounded":
		return `,"whitespace_pattern":"(\n[ \t]{0,40}| )?"`
	}
	return `,"whitespace_flexible":true`
}

// gaps tells what llguidance does not enforce of a schema.
func (w *larkWriter) gaps(v any, o gbnf.JSONOptions) {
	s, ok := v.(map[string]any)
	if !ok {
		if v == true {
			w.loosen("other keys than the named may come twice")
		}
		return
	}
	if s["additionalProperties"] != false {
		w.loosen("other keys than the named may come twice, and named ones by their escapes")
	}
	for _, key := range slices.Sorted(maps.Keys(s)) {
		x := s[key]
		if slices.Contains(guidanceGaps, key) {
			w.loosen("%s is left out where llguidance does not know it", key)
			w.narrow("%s is read as llguidance reads it", key)
		}
		if key == "format" && !slices.Contains(guidanceFormats, fmt.Sprint(x)) && o.Format != "annotate" {
			w.loosen("format %v is left out, or read as llguidance reads it", x)
		}
		if key == "enum" || key == "const" || key == "default" || key == "examples" {
			continue
		}
		w.gapsBelow(x, slices.Contains(guidanceNames, key), o)
	}
}

// gapsBelow looks into the value of a keyword.
func (w *larkWriter) gapsBelow(v any, names bool, o gbnf.JSONOptions) {
	switch x := v.(type) {
	case []any:
		for _, e := range x {
			w.gapsBelow(e, false, o)
		}
	case map[string]any:
		if !names {
			w.gaps(x, o)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			w.gaps(x[name], o)
		}
	}
}
