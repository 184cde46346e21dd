package schema

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// unenforced are schemas with keywords that no mask can enforce, and the issues that are reported.
var unenforced = []struct {
	name   string
	schema string
	want   []Issue
	yes    []string // still accepted
	no     []string // still refused
}{
	{"translated type names", `{"type":"dict","properties":{"a":{"type":"float"},"b":{"type":"list"},"c":{"type":"tuple"},"d":{"type":"any"}}}`,
		[]Issue{
			{"", "type", Enforced, `type name "dict" translated`},
			{"/properties/a", "type", Enforced, `type name "float" translated`},
			{"/properties/b", "type", Enforced, `type name "list" translated`},
			{"/properties/c", "type", Enforced, `type name "tuple" translated`},
			{"/properties/d", "type", Enforced, `type name "any" translated`},
		},
		[]string{`{"a":1.5,"b":[],"c":[1],"d":null}`}, []string{`[]`, `{"a":"x"}`, `{"b":{}}`}},
	{"unknown type name", `{"properties":{"a":{"type":"File"}}}`,
		[]Issue{{"/properties/a", "type", Dropped, `unknown type name "File": any value`}},
		[]string{`{"a":1}`, `{"a":{}}`}, nil},
	{"remote reference", `{"type":"object","properties":{"a":{"$ref":"https://example.com/x.json","type":"string"}}}`,
		[]Issue{{"/properties/a", "$ref", Dropped, "remote reference: nothing is fetched"}},
		[]string{`{"a":"x"}`}, []string{`{"a":1}`, `1`}},
	{"dangling reference", `{"type":"array","items":{"$ref":"#/$defs/gone"}}`,
		[]Issue{{"/items", "$ref", Dropped, "dangling reference: nothing at that pointer"}},
		[]string{`[1]`}, []string{`1`}},
	{"broken pattern", `{"type":"string","pattern":"(","maxLength":3}`,
		[]Issue{{"", "pattern", Dropped, `invalid pattern "(": missing ) at offset 0`}},
		[]string{`"ab"`}, []string{`"abcd"`, `1`}},
	{"broken pattern in a negation", `{"not":{"type":"string","pattern":"("}}`,
		[]Issue{{"/not", "pattern", Dropped, `invalid pattern "(": missing ) at offset 0`}},
		[]string{`"ab"`, `1`}, nil},
	{"broken property pattern", `{"type":"object","patternProperties":{"[":{"type":"string"}},"additionalProperties":false}`,
		[]Issue{{"", "patternProperties", Dropped, `invalid pattern "[": missing ] at offset 0`}},
		[]string{`{"a":1}`}, []string{`1`}},
	{"undecided format", `{"type":"string","format":"idn-hostname","minLength":2}`,
		[]Issue{{"", "format", Checked, `no automaton decides format "idn-hostname"`}},
		[]string{`"a!"`}, []string{`"a"`}},
	{"format of patterns", `{"type":"string","format":"regex"}`,
		[]Issue{{"", "format", Enforced, "groups of a pattern nest, which no automaton follows: a large part of all patterns is accepted"}},
		[]string{`"(a|b)+"`}, []string{`"("`}},
	{"reference to itself", `{"properties":{"a":{"$ref":"#/properties/a"}}}`,
		[]Issue{{"/properties/a", "$ref", Dropped, "the schema refers to itself without descending into the value"}},
		[]string{`{}`, `{"a":1}`}, nil},
	{"reference to itself beside other keywords", `{"$schema":"https://json-schema.org/draft/2020-12/schema","$ref":"#","type":"object","required":["a"]}`,
		[]Issue{{"", "$ref", Dropped, "the schema refers to itself without descending into the value"}},
		[]string{`{"a":1}`}, []string{`{}`, `1`}},
	{"reference to itself in allOf", `{"type":"object","allOf":[{"$ref":"#"},{"required":["a"]}]}`,
		[]Issue{{"/allOf/0", "$ref", Dropped, "the schema refers to itself without descending into the value"}},
		[]string{`{"a":1}`}, []string{`{}`, `1`}},
	{"references to each other", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"anyOf":[{"$ref":"#/$defs/y"},{"type":"null"}]},"y":{"allOf":[{"$ref":"#/$defs/x"},{"type":"integer"}]}}}`,
		[]Issue{{"/$defs/y/allOf/0", "$ref", Dropped, "the schema refers to itself without descending into the value"}},
		[]string{`{"a":1}`, `{"a":null}`}, []string{`{"a":"x"}`, `1`}},
	{"two contains in a value that a negation asks for", `{"additionalProperties":{"contains":{"type":"string"},"maxContains":2},"not":{"additionalProperties":{"contains":{"type":"number"},"minContains":2}}}`,
		[]Issue{{"/additionalProperties", "contains", Checked, "several contains in an array of bounded length"}},
		nil, nil},
	{"constants that must differ", `{"enum":[["a","a"],["a","b"]],"uniqueItems":true}`,
		[]Issue{{"", "uniqueItems", Checked, "uniqueItems and minItems over elements of few values"}},
		[]string{`["a","b"]`}, []string{`["b"]`, `1`}},
	{"references that descend", `{"properties":{"a":{"allOf":[{"$ref":"#"}]}},"type":"object"}`, nil, []string{`{"a":{"a":{}}}`}, []string{`{"a":1}`}},
}

func TestCompile_whatCannotBeEnforcedIsReported(t *testing.T) {
	for _, c := range unenforced {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile(c.schema, Options{Lenient: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range s.Issues {
				t.Logf("%+v", i)
			}
			if d := cmp.Diff(c.want, s.Issues); d != "" {
				t.Error(d)
			}
			for _, text := range c.yes {
				if !accepts(s.Root, parsed(t, text)) {
					t.Errorf("%s is refused", text)
				}
			}
			for _, text := range c.no {
				if accepts(s.Root, parsed(t, text)) {
					t.Errorf("%s is accepted", text)
				}
			}
		})
	}
}

// To find a length that is a multiple of six numbers takes more work than a question may take.
// That is a limit, not a conflict.
func TestCompile_patternTooHardIsNotUnsatisfiable(t *testing.T) {
	hard := `{"type":"string","pattern":"^`
	for _, n := range []int{7, 11, 13, 17, 19, 23} {
		hard += fmt.Sprintf("(?=([ab]{%d})*$)", n)
	}
	hard += `.+$"}`
	for text, pointer := range map[string]string{
		hard: "",
		`{"type":"object","properties":{"p":` + hard + `}}`:                  "/properties/p",
		`{"type":"object","properties":{"p":` + hard + `},"required":["p"]}`: "/properties/p",
		`{"type":"array","minItems":1,"items":` + hard + `}`:                 "/items",
	} {
		_, err := Compile(text, Options{})
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) || unsupported.Pointer != pointer || unsupported.Keyword != "pattern" {
			t.Errorf("%s: %v", pointer, err)
		}
		s, err := Compile(text, Options{Lenient: true})
		if err != nil {
			t.Errorf("%s: lenient: %v", pointer, err)
			continue
		}
		if len(s.Issues) != 1 || s.Issues[0].Pointer != pointer || s.Issues[0].Keyword != "pattern" || s.Issues[0].Action != Checked {
			t.Errorf("%s: %+v", pointer, s.Issues)
		}
	}
}

func TestCompile_lenientLimitsAreDroppedNotFailed(t *testing.T) {
	text := `{"type":"object","properties":{"a":{"allOf":[
		{"anyOf":[{"required":["a"]},{"required":["b"]}]},{"anyOf":[{"required":["c"]},{"required":["d"]}]},
		{"anyOf":[{"required":["e"]},{"required":["f"]}]}]},"b":{"type":"string"}}}`
	_, err := Compile(text, Options{Limits: Limits{Alternatives: 3}})
	var unsupported *UnsupportedError
	if !errors.As(err, &unsupported) {
		t.Fatalf("strict compilation: %v, want an UnsupportedError", err)
	}
	s, err := Compile(text, Options{Lenient: true, Limits: Limits{Alternatives: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Issues) == 0 || s.Issues[0].Action != Checked {
		t.Errorf("issues are %+v, want something to check afterwards", s.Issues)
	}
	if accepts(s.Root, parsed(t, `{"b":1}`)) {
		t.Error("the rest of the schema is not enforced any more")
	}
}

func TestCompile_invalidSchemaNamesThePlace(t *testing.T) {
	for _, c := range []struct{ schema, pointer string }{
		{`[]`, ""},
		{`"string"`, ""},
		{`{"type":"object"`, ""},
		{`{"required":"a"}`, "/required"},
		{`{"dependentRequired":{"a":"b"}}`, "/dependentRequired"},
		{`{"dependentRequired":{"a":true}}`, "/dependentRequired"},
		{`{"dependentRequired":["a"]}`, "/dependentRequired"},
		{`{"properties":{"a":{"type":5}}}`, "/properties/a/type"},
		{`{"properties":{"a":"string"}}`, "/properties/a"},
		{`{"properties":[]}`, "/properties"},
		{`{"items":{"minLength":-1}}`, "/items/minLength"},
		{`{"items":{"enum":"a"}}`, "/items/enum"},
		{`{"anyOf":{}}`, "/anyOf"},
		{`{"a~/b":1,"definitions":{"a~/b":{"multipleOf":0}}}`, "/definitions/a~0~1b/multipleOf"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"required":true}}}`, "/properties/a/required"},
	} {
		_, err := Compile(c.schema, Options{Tool: "t", Lenient: true})
		var invalid *InvalidError
		if !errors.As(err, &invalid) || invalid.Pointer != c.pointer || invalid.Tool != "t" {
			t.Errorf("%s: %v, want an InvalidError of tool t at %q", c.schema, err, c.pointer)
		}
	}
}

func TestCompile_unsatisfiableSchemaNamesTheConflict(t *testing.T) {
	for _, c := range []struct {
		schema string
		want   UnsatError
	}{
		{`false`, UnsatError{Why: "false accepts nothing"}},
		{`{"type":"string","minLength":5,"maxLength":3}`, UnsatError{Keywords: []string{"type", "minLength", "maxLength"}}},
		{`{"type":"object","properties":{"a":{"minimum":2,"type":"integer","maximum":1}},"required":["a"]}`,
			UnsatError{Pointer: "/properties/a", Keywords: []string{"minimum", "type", "maximum"}}},
		{`{"type":"object","required":["b"],"properties":{"a":{}},"additionalProperties":false}`,
			UnsatError{Keywords: []string{"type", "required", "additionalProperties"}}},
		{`{"type":"object","properties":{"next":{"$ref":"#"}},"required":["next"]}`,
			UnsatError{Keywords: []string{"type", "properties", "required"}}},
		{`{"type":"array","items":{"enum":[1,1.0,2]},"uniqueItems":true,"minItems":3}`,
			UnsatError{Keywords: []string{"type", "items", "uniqueItems", "minItems"}}},
	} {
		_, err := Compile(c.schema, Options{Tool: "t", Lenient: true})
		var unsat *UnsatError
		c.want.Tool = "t"
		if !errors.As(err, &unsat) {
			t.Errorf("%s: %v, want an UnsatError", c.schema, err)
		} else if d := cmp.Diff(c.want, *unsat); d != "" {
			t.Errorf("%s: %s", c.schema, d)
		}
	}
}

// TestCompile_whatUniqueItemsCannotTellIsCheckedAfterwards: the rest of the schema holds.
func TestCompile_whatUniqueItemsCannotTellIsCheckedAfterwards(t *testing.T) {
	const few = "uniqueItems over arrays or objects that may run out"
	for _, c := range []struct {
		schema, pointer, why string
		want                 map[string]bool
	}{
		{
			`{"type":"array","items":{"type":"integer"},"not":{"uniqueItems":true}}`, "/not", "the negation of uniqueItems",
			map[string]bool{`[1,1]`: true, `[1,2]`: true, `["x"]`: false, `1`: false},
		},
		{
			`{"allOf":[{"type":"array","uniqueItems":true}],"items":{"items":{"type":"object"},"maxItems":1,"type":"array"}}`, "/allOf/0", few,
			map[string]bool{`[[{}],[{}]]`: true, `[[{},{}]]`: false, `1`: false},
		},
		{
			`{"type":"array","uniqueItems":true,"items":{"properties":{"a":{"type":"array","maxItems":1}},"additionalProperties":false,"type":"object"}}`, "", few,
			map[string]bool{`[{"a":[1]},{"a":[1]}]`: true, `[{"a":[1,2]}]`: false},
		},
		{
			`{"type":"array","minItems":2,"uniqueItems":true,"items":{"properties":{"a":{"type":"boolean"}},"additionalProperties":false,"type":"object"}}`, "", few,
			map[string]bool{`[{"a":true},{"a":true}]`: true, `[{"a":1},{}]`: false},
		},
	} {
		s, err := Compile(c.schema, Options{Lenient: true})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]Issue{{c.pointer, "uniqueItems", Checked, c.why}}, s.Issues); d != "" {
			t.Error(d)
		}
		for text, want := range c.want {
			if accepts(s.Root, parsed(t, text)) != want {
				t.Errorf("%s: %s: not %v", c.schema, text, want)
			}
		}
	}
	for _, open := range []string{`{"items":{"type":"array"},"uniqueItems":true}`, `{"items":{"properties":{"a":{"maxItems":1}}},"uniqueItems":true}`,
		`{"items":{"properties":{"a":{"type":"boolean"}},"additionalProperties":false},"uniqueItems":true}`,
		`{"items":{"properties":{"a":{"properties":{"b":{}},"additionalProperties":false},"b":{"type":"string"}},"additionalProperties":false},"uniqueItems":true,"minItems":3}`} {
		mustCompile(t, open) // there is always another value
	}
}
