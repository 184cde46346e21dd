package schema

import (
	"errors"
	"testing"

	"tenon/grammar/schema/source"
)

// verdictCase is a schema with instances that belong to it and instances that do not.
type verdictCase struct {
	name   string
	schema string
	yes    []string
	no     []string
}

func runVerdicts(t *testing.T, cases []verdictCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile(c.schema, Options{})
			if err != nil {
				t.Fatal(err)
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

func parsed(t *testing.T, text string) *source.Value {
	t.Helper()
	v, err := source.Decode(text, 100)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCompile(t *testing.T) {
	runVerdicts(t, []verdictCase{
		{"object", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["integer","null"]}},"required":["a","z"]}`,
			[]string{`{"a":"","z":1}`, `{"z":[],"b":null,"a":"x","q":{}}`},
			[]string{`{}`, `{"a":"x"}`, `{"a":1,"z":1}`, `{"a":"","z":1,"b":1.5}`, `[]`, `null`}},
		{"id without $schema", `{"properties":{"a":{"id":"a","items":{"$ref":"#/definitions/x"}},"b":{"id":"b","items":{"$ref":"#here"},"definitions":{"x":{"$anchor":"here","type":"null"}}}},
			"definitions":{"x":{"type":"string"},"y":{"id":"http://example.com/y","items":{"$ref":"#/definitions/z"},"definitions":{"z":{"type":"boolean"}}}},"items":{"$ref":"http://example.com/y"},
			"required":["a"],"anyOf":[true,{"$ref":"#here"}]}`,
			[]string{`{"a":["x"]}`, `{"a":[],"b":[null]}`, `[[true]]`}, []string{`{"a":[1]}`, `{"a":[],"b":[1]}`, `[[1]]`}},
		{"closed object", `{"properties":{"a":true},"additionalProperties":false}`,
			[]string{`{}`, `{"a":1}`, `1`}, []string{`{"b":1}`}},
		{"array", `{"type":"array","items":{"enum":["x",null,["p"]]},"minItems":1,"maxItems":2}`,
			[]string{`["x"]`, `[null,"x"]`, `[["p"]]`}, []string{`[]`, `["x","x","x"]`, `["y"]`, `[[]]`, `[["p","p"]]`}},
		{"anyOf within allOf", `{"allOf":[{"anyOf":[{"type":"string"},{"type":"boolean"}]},{"anyOf":[{"type":"boolean"},{"type":"null"}]}]}`,
			[]string{`true`}, []string{`"a"`, `null`, `1`}},
		{"not", `{"not":{"type":"object","required":["a"],"properties":{"b":{"const":"c"}}}}`,
			[]string{`1`, `{}`, `{"a":1,"b":"2"}`, `{"b":true}`}, []string{`{"a":1,"b":"c"}`, `{"a":1}`}},
		{"oneOf of lists of values", `{"oneOf":[{"const":1},{"enum":[1.0,2]},{"type":"string"},{"enum":["a",3,3]},{"const":[]},{"const":{"x":1}},{"const":{"x":1.0}}]}`,
			[]string{`2`, `3`, `"b"`, `[]`}, []string{`1`, `"a"`, `{"x":1}`, `4`, `[1]`, `null`}},
		{"not oneOf of lists of values", `{"not":{"oneOf":[{"enum":[1,2]},{"enum":[2,3]}]}}`,
			[]string{`2`, `4`, `"b"`}, []string{`1`, `3`}},
		{"a key that must exist is named", `{"type":"object","not":{"propertyNames":{"not":{"enum":["0","1"]}}}}`,
			[]string{`{"0":1}`, `{"a":1,"1":null}`, `{"0":1,"1":1}`}, []string{`{}`, `{"a":1}`, `[]`}},
		{"oneOf by required key", `{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]}`,
			[]string{`{"a":1}`, `{"b":1,"c":2}`}, []string{`{}`, `{"a":1,"b":1}`}},
		{"recursion", `{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`,
			[]string{`{}`, `{"next":{"next":{}}}`}, []string{`{"next":{"nest":{}}}`}},
	})
}

func TestCompile_endlessRecursionIsUnsatisfiable(t *testing.T) {
	_, err := Compile(`{"type":"object","properties":{"next":{"$ref":"#"}},"required":["next"]}`, Options{})
	var unsat *UnsatError
	if !errors.As(err, &unsat) {
		t.Errorf("error is %v, want an UnsatError", err)
	}
}

// TestCompile_whatFewSchemasNeedIsEnforced: a contains that only some elements of a prefix can
// meet, a word boundary, and unique elements that hold bounded arrays.
func TestCompile_whatFewSchemasNeedIsEnforced(t *testing.T) {
	for _, c := range []struct {
		schema string
		judged map[string]bool
	}{
		{`{"enum":[["a",2],[3]],"contains":{"type":"string"}}`, map[string]bool{`["a",2]`: true, `[3]`: false}},
		{
			`{"type":"array","prefixItems":[{"type":"string"},true,{"type":"null"}],"items":{"type":"integer"},"maxItems":5,"contains":{"type":"integer"}}`,
			map[string]bool{`["a",1]`: true, `["a","b"]`: false, `["a","b",null]`: false, `["a","b",null,7]`: true, `["a",1,null,7,8]`: true, `[]`: false},
		},
		{`{"type":"string","pattern":"^[-a-z]{1,5}\\b(/[a-z-]*)?$"}`, map[string]bool{`"ab"`: true, `"ab/c"`: true, `"ab-/c"`: false, `"ab-"`: false}},
		{
			`{"type":"array","uniqueItems":true,"items":{"type":"object","properties":{"n":{"type":"string"},"in":{"type":"array","uniqueItems":true,
				"items":{"enum":["x","y"]}}},"required":["n"],"additionalProperties":false}}`,
			map[string]bool{`[{"n":"a","in":["x"]},{"n":"a","in":["y"]}]`: true, `[{"n":"a","in":["x"]},{"n":"a","in":["x"]}]`: false},
		},
	} {
		s := mustCompile(t, c.schema)
		for text, want := range c.judged {
			if accepts(s.Root, parsed(t, text)) != want {
				t.Errorf("%s: %s: not %v", c.schema, text, want)
			}
		}
	}
}
