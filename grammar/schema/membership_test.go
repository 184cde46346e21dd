package schema

import "testing"

// accepts decides membership with numbers as they are spelled, as a matcher would.
func accepts(n *Node, v *value) bool {
	return membership{n.schema, func(s *Schema, a *Alt, v *value) bool { return s.holds(a.Number, v.text) }}.node(n, v)
}

// TestHolds_ofNumbersLooksAtTheirValue: integers of draft 4 are such by their spelling, and that
// is not known of an object in canonical form.
func TestHolds_ofNumbersLooksAtTheirValue(t *testing.T) {
	for schema, texts := range map[string]map[string]bool{
		`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"a":{"type":"integer","minimum":2}}}`: {`{"a":2e0}`: true, `{"a":1}`: false, `{"a":2.5}`: false},
		`{"type":"object","properties":{"a":{"exclusiveMinimum":2,"maximum":3,"not":{"multipleOf":0.5}}}}`:                        {`{"a":2.2}`: true, `{"a":25e-1}`: false, `{"a":2}`: false, `{"a":3}`: false, `{"a":3.1}`: false, `{"a":2.000}`: false},
		`{"type":"object","properties":{"a":{"exclusiveMaximum":2}}}`:                                                             {`{"a":2}`: false, `{"a":1.9}`: true, `[2]`: false, `{`: false, `{"a":1e999999999}`: false},
		`{"type":"object","properties":{"a":{"multipleOf":0.3}}}`:                                                                 {`{"a":9e-1}`: true, `{"a":1}`: false},
	} {
		o := mustCompile(t, schema).Root.Alts()[0].Object
		for text, want := range texts {
			if got := o.Holds([]byte(text)); got != want {
				t.Errorf("%s holds %s: %v", schema, text, got)
			}
		}
	}
}
