package schema

import "testing"

func FuzzCompile(f *testing.F) {
	for _, text := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"],"additionalProperties":{"not":{"const":[1]}}}`,
		`{"oneOf":[{"required":["a"]},{"minProperties":2},{"propertyNames":{"maxLength":1}}],"unevaluatedProperties":false}`,
		`{"type":"array","prefixItems":[{"enum":[1,2]}],"contains":{"multipleOf":0.3},"maxContains":2,"uniqueItems":true}`,
		`{"$id":"http://a/b","$defs":{"x":{"$anchor":"y","$dynamicAnchor":"z"}},"$dynamicRef":"#z","if":{"minimum":1},"else":false}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","id":"x","dependencies":{"a":["b"],"c":{"maximum":1,"exclusiveMaximum":true}}}`,
	} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, lenient bool) {
		s, err := Compile(string(text), Options{Lenient: lenient, Limits: Limits{Alternatives: 100, Work: 20_000, Nodes: 20_000}})
		if err == nil && s.Root.Empty() {
			t.Error("an empty schema compiles")
		}
	})
}
