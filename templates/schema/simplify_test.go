package schema

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

const nested = `{"type":"object","properties":{"command":{"type":"string","description":"What to run. It may be long, and say much that nobody needs."},` +
	`"mode":{"enum":["a","b"],"description":"How."},"level":{"enum":[1,2]},"o":{"type":"object","properties":{"x":{"type":"string"},"deep":{"type":"object","properties":{"y":{"type":"integer"}},"required":["y"]}},"required":["x"]},` +
	`"list":{"type":"array","items":{"type":"object","properties":{"z":{"type":"string"}}}}},"required":["command","o"],"additionalProperties":{"type":"string"}}`

func TestSimplify_eachSwitchChangesItsPartAlone(t *testing.T) {
	for name, c := range map[string]struct {
		s    Simplification
		want string
	}{
		"nothing": {Simplification{}, nested},
		"required only": {Simplification{RequiredOnly: true, Keep: []string{"mode"}},
			`{"type":"object","properties":{"command":{"type":"string","description":"What to run. It may be long, and say much that nobody needs."},"mode":{"enum":["a","b"],"description":"How."},` +
				`"o":{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}},"required":["command","o"],"additionalProperties":{"type":"string"}}`},
		"enums": {Simplification{EnumText: true, RequiredOnly: true, Keep: []string{"mode", "level"}},
			`{"type":"object","properties":{"command":{"type":"string","description":"What to run. It may be long, and say much that nobody needs."},"mode":{"description":"How. One of: a, b","type":"string"},` +
				`"level":{"type":"string","description":"One of: 1, 2"},"o":{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}},"required":["command","o"],"additionalProperties":{"type":"string"}}`},
		"descriptions and others": {Simplification{MaxDescription: 20, HideOthers: true, RequiredOnly: true},
			`{"type":"object","properties":{"command":{"type":"string","description":"What to run."},"o":{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}},"required":["command","o"]}`},
		"flat": {Simplification{Flatten: true, MaxDescription: 12},
			`{"type":"object","properties":{"command":{"type":"string","description":"What to run."},"mode":{"enum":["a","b"],"description":"How."},"level":{"enum":[1,2]},` +
				`"o.x":{"type":"string"},"o.deep":{"type":"object","properties":{"y":{"type":"integer"}},"required":["y"]},"list":{"type":"array","items":{"type":"object","properties":{"z":{"type":"string"}}}}},"required":["command","o.x"],"additionalProperties":{"type":"string"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.s.Simplify([]byte(nested))
			if err != nil || string(got) != c.want {
				t.Errorf("%v\ngot  %s\nwant %s", err, got, c.want)
			}
			if c.s.IsZero() != (name == "nothing") {
				t.Error("IsZero")
			}
		})
	}
}

func TestDescribe_cutsAtSentencesAndWords(t *testing.T) {
	s := Simplification{MaxDescription: 20}
	for text, want := range map[string]string{
		"short":                         "short",
		"First one. Second is longer.":  "First one.",
		"One. Two. Three is too long.":  "One. Two.",
		"A sentence that does not end":  "A sentence that…",
		"naïvenaïvenaïvenaïvenaïve":     "naïvenaïvenaïvenaïv…",
		"Version 1.25 of the whole API": "Version 1.25 of the…",
	} {
		if got := s.Describe(text); got != want || utf8.RuneCountInString(got) > 20 {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestFlatten_whatIsAmbiguousStaysNested(t *testing.T) {
	for name, in := range map[string]string{
		"a dot in a name": `{"properties":{"a.b":{"type":"object","properties":{"c":{}}}}}`,
		"a dot below":     `{"properties":{"a":{"type":"object","properties":{"b.c":{}}}}}`,
		"a clash":         `{"properties":{"a":{"type":"object","properties":{"b":{}}},"a.b":{}}}`,
		"nullable":        `{"properties":{"a":{"type":"object","nullable":true,"properties":{"b":{}}}}}`,
		"open":            `{"properties":{"a":{"type":"object","additionalProperties":true,"properties":{"b":{}}}}}`,
		"a choice":        `{"properties":{"a":{"type":"object","anyOf":[{}],"properties":{"b":{}}}}}`,
		"no properties":   `{"properties":{"a":{"type":"object"}}}`,
	} {
		got, _, err := Flatten([]byte(in))
		if err != nil || string(got) != in {
			t.Errorf("%s: %v: %s", name, err, got)
		}
	}
}

func TestFlat_thereAndBack(t *testing.T) {
	_, f, err := Flatten([]byte(nested))
	if err != nil {
		t.Fatal(err)
	}
	for _, arguments := range []string{
		`{}`, `{"command":"x","o":{"x":"y","deep":{"y":1}}}`, `{"o":{"deep":{"y":2}},"list":[{"z":"w"}]}`, `{"o":{"other":{"a":1}}}`, `{"unknown":{"a":{"b":1}}}`,
	} {
		flat, err := f.Flatten([]byte(arguments))
		if err != nil {
			t.Fatal(err)
		}
		back, err := f.Nest(flat)
		if err != nil || !equal(t, back, []byte(arguments)) {
			t.Errorf("%s became %s and %s: %v", arguments, flat, back, err)
		}
	}
	mixed, err := f.Nest([]byte(`{"o.x":"a","o":{"deep":{"y":1}}}`))
	if want := `{"o":{"x":"a","deep":{"y":1}}}`; err != nil || string(mixed) != want {
		t.Errorf("%v: got %s, want %s", err, mixed, want)
	}
	if _, err := f.Nest([]byte(`[]`)); err == nil {
		t.Error("a list was nested")
	}
}

func equal(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

func FuzzFlat_nestUndoesFlatten(f *testing.F) {
	_, flat, _ := Flatten([]byte(nested))
	f.Add(`{"o":{"x":"y","deep":{"y":1}}}`)
	f.Add(`{"o":{"x":{},"deep":[]},"o2":{"x":null}}`)
	f.Fuzz(func(t *testing.T, arguments string) {
		var o map[string]any
		if json.Unmarshal([]byte(arguments), &o) != nil || o == nil {
			return
		}
		for key, v := range o {
			if _, taken := flat.paths[key]; taken || key == "o" && dotted(v) {
				return // names that the original schema does not have
			}
		}
		there, err := flat.Flatten([]byte(arguments))
		if err != nil {
			return // nested too deep
		}
		back, err := flat.Nest(there)
		if err != nil {
			t.Fatal(err)
		}
		if !equal(t, back, []byte(arguments)) {
			t.Errorf("%s became %s and %s", arguments, there, back)
		}
	})
}

// dotted says whether a name below holds a dot.
func dotted(v any) bool {
	o, _ := v.(map[string]any)
	for key, inner := range o {
		if strings.Contains(key, ".") || dotted(inner) {
			return true
		}
	}
	return false
}

// S0-4, S0-5, S0-9: what stands in unions, tuples, map values and definitions is shortened like
// the rest, and what the model reads gets shorter by the figure told here.
func TestSimplify_walksUnionsTuplesAndMapValues(t *testing.T) {
	long := strings.Repeat("A sentence that tells more than the model needs. ", 6)
	leaf := `{"type":"string","enum":["a","b"],"description":"` + long + `"}`
	declared := `{"type":"object","properties":{` +
		`"u":{"anyOf":[` + leaf + `,{"oneOf":[` + leaf + `]},{"allOf":[` + leaf + `]}]},` +
		`"p":{"type":"array","prefixItems":[` + leaf + `],"items":` + leaf + `},` +
		`"m":{"type":"object","additionalProperties":` + leaf + `,"patternProperties":{"^x":` + leaf + `}},` +
		`"r":{"$ref":"#/$defs/d"}},"$defs":{"d":` + leaf + `}}`
	s := Simplification{EnumText: true, MaxDescription: 60}
	got, err := s.Simplify(json.RawMessage(declared))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(got), `"enum"`) || strings.Contains(string(got), "needs. A") {
		t.Errorf("%s", got)
	}
	if n := strings.Count(string(got), "One of: a, b"); n != 8 {
		t.Errorf("the choices are told %d times: %s", n, got)
	}
	if 2*len(got) > len(declared) {
		t.Errorf("%d of %d bytes are left", len(got), len(declared))
	}
	t.Logf("%d bytes before, %d after", len(declared), len(got))
}
