package schema

import "testing"

func count(s *Schema, limit int) int { return s.count(s.Root, limit) }

// TestCount_ofFewValuesIsExact, whichever way a set is put together: a matcher refuses what it
// finds used up.
func TestCount_ofFewValuesIsExact(t *testing.T) {
	const limit = 50
	for schema, want := range map[string]int{
		`{"type":["null","boolean"]}`:                                       3,
		`{"enum":[1,1.0,2]}`:                                                2,
		`{"type":"integer","minimum":-3,"exclusiveMaximum":4}`:              7,
		`{"type":"number","minimum":-1,"maximum":1,"multipleOf":0.25}`:      9,
		`{"type":"integer","minimum":1,"maximum":9,"not":{"multipleOf":3}}`: 6,
		`{"type":"number","minimum":1,"maximum":2}`:                         limit,
		`{"type":"integer","minimum":0,"maximum":1e12}`:                     limit,
		`{"type":"string","pattern":"^[ab]{1,2}$"}`:                         6,
		`{"type":"string","pattern":"^[ab]{1,2}$","maxLength":1}`:           2,
		`{"type":"string","maxLength":0}`:                                   1,
		`{"type":"string"}`:                                                 limit,
		`{"type":"array","items":{"enum":[1,2]},"maxItems":1}`:              limit,
	} {
		if got := count(mustCompile(t, schema), limit); got != want {
			t.Errorf("%s has %d values, want %d", schema, got, want)
		}
	}
}

// TestCount_ofManyWordsNeedNotReadOne: where many words begin there are as many.
func TestCount_ofManyWordsNeedNotReadOne(t *testing.T) {
	s := mustCompile(t, `{"type":"string","pattern":"^[a-z]{200}@[a-z]+$"}`)
	before := s.arena.States()
	if got := count(s, 500); got != 500 {
		t.Errorf("%d values", got)
	}
	if made := s.arena.States() - before; made > 10 {
		t.Errorf("counting made %d states", made)
	}
}
