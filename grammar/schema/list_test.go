package schema

import "testing"

// TestCount_ofFewValuesIsExact, whichever way a set is put together: a matcher refuses what it
// finds used up.
func TestCount_ofFewValuesIsExact(t *testing.T) {
	const limit = 50
	for schema, want := range map[string]int{
		`{"type":["null","boolean"]}`: 3,
		`{"enum":[1,1.0,2]}`:          2,
		`{"anyOf":[{"enum":[{"a":1},{"b":1}]},{"enum":[{"a":1.0},3]}]}`:                                                                                   3,
		`{"type":"integer","minimum":-3,"exclusiveMaximum":4}`:                                                                                            7,
		`{"type":"number","minimum":-1,"maximum":1,"multipleOf":0.25}`:                                                                                    9,
		`{"type":"integer","minimum":1,"maximum":9,"not":{"multipleOf":3}}`:                                                                               6,
		`{"type":"number","minimum":1,"maximum":2}`:                                                                                                       limit,
		`{"type":"integer","minimum":0,"maximum":1e12}`:                                                                                                   limit,
		`{"type":"string","pattern":"^[ab]{1,2}$"}`:                                                                                                       6,
		`{"type":"string","pattern":"^[ab]{1,2}$","maxLength":1}`:                                                                                         2,
		`{"type":"string","maxLength":0}`:                                                                                                                 1,
		`{"type":"string"}`:                                                                                                                               limit,
		`{"type":"array","items":{"enum":[1,2]},"minItems":1,"maxItems":2}`:                                                                               6,
		`{"type":"array","items":{"enum":[1,2,3]},"maxItems":3,"uniqueItems":true}`:                                                                       16,
		`{"type":"array","items":{"enum":[1,2]},"maxItems":2,"contains":{"const":2}}`:                                                                     4,
		`{"type":"array","items":{"enum":[1,2]},"maxItems":3,"contains":{"const":2},"maxContains":1}`:                                                     6,
		`{"type":"array","items":{"type":"integer"},"maxItems":1,"contains":{"const":2}}`:                                                                 1,
		`{"type":"array","items":{"enum":[1,2]}}`:                                                                                                         limit,
		`{"type":"object","properties":{"a":{"enum":[1,2]},"b":{"type":"boolean"}},"additionalProperties":false}`:                                         9,
		`{"type":"object","properties":{"a":{"enum":[1,2]},"b":{"type":"boolean"}},"additionalProperties":false,"maxProperties":1}`:                       5,
		`{"type":"object","properties":{"a":{"enum":[1,2]},"b":{"type":"boolean"}},"additionalProperties":false,"minProperties":1,"required":["b"]}`:      6,
		`{"type":"object","properties":{"a":{"const":1},"b":{"const":1}},"additionalProperties":false,"dependentRequired":{"a":["b"]}}`:                   3,
		`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"const":1}},"additionalProperties":false}},"additionalProperties":false}`: 3,
		`{"type":"object","properties":{"a":{"const":1}},"required":["a"],"maxProperties":1}`:                                                             1,
		`{"type":"object","properties":{"b":{"type":"string"},"a":{"const":1}},"required":["a"],"maxProperties":1}`:                                       1,
		`{"type":"object","properties":{"a":{"const":1}}}`:                                                                                                limit,
		`{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`:                                                               limit,
	} {
		if got := mustCompile(t, schema).Root.Count(limit); got != want {
			t.Errorf("%s has %d values, want %d", schema, got, want)
		}
	}
}

// TestCount_ofManyWordsNeedNotReadOne: where many words begin there are as many.
func TestCount_ofManyWordsNeedNotReadOne(t *testing.T) {
	s := mustCompile(t, `{"type":"string","pattern":"^[a-z]{200}@[a-z]+$"}`)
	before := s.arena.States()
	if got := s.Root.Count(500); got != 500 {
		t.Errorf("%d values", got)
	}
	if made := s.arena.States() - before; made > 10 {
		t.Errorf("counting made %d states", made)
	}
}
