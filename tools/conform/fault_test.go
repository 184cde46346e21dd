package conform_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/tools/conform"
)

// Each row is a schema, arguments, and the places that fail: path, value, schema.
func TestFaults_nameThePlace(t *testing.T) {
	for _, c := range []struct{ name, schema, args, want string }{
		{"valid", `{"properties":{"n":{"type":"integer"}}}`, `{"n":1}`, ""},
		{"mended by a repair", `{"properties":{"n":{"type":"integer"}}}`, `{"n":"1"}`, ""},
		{"one of two", `{"properties":{"n":{"type":"integer"},"s":{"pattern":"^a"}}}`, `{"n":"1","s":"b"}`, `s "b" /properties/s`},
		{"deep", `{"properties":{"l":{"items":{"properties":{"x":{"maximum":3}}}}}}`, `{"l":[{"x":1},{"x":9}]}`,
			`l.1.x 9 /properties/l/items/properties/x`},
		{"missing", `{"required":["a"]}`, `{}`, ` {} `},
		{"behind a condition", `{"if":{"properties":{"c":{"const":"US"}}},"then":{"properties":{"zip":{"pattern":"^[0-9]+$"}}}}`,
			`{"c":"US","zip":"x"}`, `zip "x" /then/properties/zip`},
		{"the nearest branch", `{"properties":{"v":{"anyOf":[{"type":"object","required":["p","q"]},{"type":"object","properties":{"r":{"maximum":1}}}]}}}`,
			`{"v":{"r":2}}`, `v {"r":2} /properties/v/anyOf/1; v.r 2 /properties/v/anyOf/1/properties/r`},
		{"under a reference", `{"properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"minLength":3}}}`, `{"a":"x"}`, `a "x" /$defs/d`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range conform.Compile([]byte(c.schema)).Faults([]byte(c.args)) {
				got = append(got, strings.Join(f.Path, ".")+" "+string(f.Value)+" "+f.Schema)
				if !strings.HasPrefix(f.Message, "at '") {
					t.Errorf("message %q", f.Message)
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// nested is {"a":{"a":…}}, n deep, around a value.
func nested(n int, value string) []byte {
	return []byte(strings.Repeat(`{"a":`, n) + value + strings.Repeat("}", n))
}

// Issue 19: unions that lead to themselves double the work with each level of the arguments. What
// is looked at is bounded, and arguments that cannot be checked are faulty ones.
func TestFaults_ofUnionsInUnionsAreBounded(t *testing.T) {
	const both = `{"properties":{"a":{"$ref":"#"}},"required":["a"]},{"properties":{"a":{"$ref":"#"}},"required":["a"],"minProperties":1}`
	for name, schema := range map[string]string{
		"anyOf":     `{"anyOf":[` + both + `,{"type":"string"}]}`,
		"oneOf":     `{"oneOf":[` + both + `,{"type":"string"}]}`,
		"not":       `{"not":{"anyOf":[` + strings.ReplaceAll(both, `"#"`, `"#/not"`) + `,{"type":"string"}]}}`,
		"if":        `{"if":{"properties":{"a":{"$ref":"#"}}},"then":{"properties":{"a":{"$ref":"#"}}},"else":{"properties":{"a":{"$ref":"#"}}},"type":["object","string"]}`,
		"dependent": `{"dependentSchemas":{"a":{"anyOf":[` + both + `]}},"type":["object","string"]}`,
		"dynamic": `{"$id":"tool:///r","$ref":"inner","$defs":{"over":{"$dynamicAnchor":"node","anyOf":[{"properties":{"a":{"$dynamicRef":"inner#node"}}},{"properties":{"a":{"$dynamicRef":"inner#node"}},"required":["a"]}],"type":["object","string"]},
			"inner":{"$id":"inner","$dynamicRef":"#node","$defs":{"d":{"$dynamicAnchor":"node"}}}}}`,
	} {
		for _, value := range []string{"1", `"x"`} {
			s := conform.Compile([]byte(schema))
			if s.Loose() {
				t.Fatal(name)
			}
			args := nested(40, value)
			_, _, err := s.Conform(args)
			faults := s.Faults(args)
			if (err == nil) != (len(faults) == 0) {
				t.Errorf("%s of %s: %v, but %d faults", name, value, err, len(faults))
			}
			shallow := nested(6, value)
			_, _, err = s.Conform(shallow)
			if faults = s.Faults(shallow); (err == nil) != (len(faults) == 0) {
				t.Errorf("%s of %s, shallow: %v, but %d faults", name, value, err, len(faults))
			}
		}
	}
}

// Issue 19: schemas that nest too deep for the validator are not compiled, and say so.
func TestBeyond_deepSchemas(t *testing.T) {
	for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
		for n, beyond := range map[int]bool{60: false, 130: true, 4096: true} {
			s := conform.Compile([]byte(strings.Repeat(`{"`+keyword+`":[{"type":"string"},`, n) + `{"type":"object"}` + strings.Repeat("]}", n)))
			if (s.Beyond() != "") != beyond || s.Loose() {
				t.Errorf("%s, %d deep: %q, %v", keyword, n, s.Beyond(), s.Loose())
			}
		}
	}
}

// Keywords with values of another type than theirs are left out, wherever they stand, and the rest
// holds.
func TestCompile_takesKeywordsOfAnyShape(t *testing.T) {
	for _, odd := range []string{`"properties":5`, `"not":5`, `"required":"a"`, `"anyOf":{}`, `"anyOf":[5,"x",null]`, `"items":5`, `"minLength":"x"`, `"enum":5`, `"$ref":5`, `"$id":5`,
		`"$defs":5,"$ref":"#/$defs/x"`, `"$anchor":7`, `"properties":{"a":5}`, `"if":5,"then":1`, `"dependentRequired":{"a":5}`, `"patternProperties":{"(":{}}`, `"pattern":"("`,
		`"format":5`, `"multipleOf":0`, `"$schema":5`, `"$schema":"x"`, `"$vocabulary":5`, `"dependencies":{"a":5,"b":["x"]}`, `"$dynamicRef":5`, `"const":1e999999`,
		`"contentEncoding":7`, `"prefixItems":{}`, `"additionalProperties":"x"`, `"minItems":-1`, `"minItems":1e300`, `"uniqueItems":3`, `"contains":4`, `"propertyNames":[]`} {
		s := conform.Compile([]byte("{" + odd + "}"))
		for _, args := range []string{`{}`, `{"a":[1,"x",null,{"b":1}],"b":5}`, `[1,2]`, `"x"`, `5`, `null`} {
			_, _, err := s.Conform([]byte(args))
			if faults := s.Faults([]byte(args)); (err == nil) != (len(faults) == 0) {
				t.Errorf("%s of %s: %v, %d faults", odd, args, err, len(faults))
			}
		}
	}
}
