package schema

import (
	"testing"

	"tenon/grammar/schema/source"
)

func count(s *Schema, limit int) int { return s.count(s.Root, limit) }

// TestCount_ofFewValuesIsExact, however the set is composed: a matcher ends an array when all
// values are used.
func TestCount_ofFewValuesIsExact(t *testing.T) {
	const limit = 50
	for schema, want := range map[string]int{
		`{"type":["null","boolean"]}`:                                         3,
		`{"enum":[1,1.0,2]}`:                                                  2,
		`{"type":"integer","minimum":-3,"exclusiveMaximum":4}`:                7,
		`{"type":"number","minimum":-1,"maximum":1,"multipleOf":0.25}`:        9,
		`{"type":"integer","minimum":1,"maximum":9,"not":{"multipleOf":3}}`:   6,
		`{"type":"number","minimum":1,"maximum":2}`:                           limit,
		`{"type":"integer","minimum":0,"maximum":1e12}`:                       limit,
		`{"type":"string","pattern":"^[ab]{1,2}$"}`:                           6,
		`{"type":"string","pattern":"^[ab]{1,2}$","maxLength":1}`:             2,
		`{"type":"string","maxLength":0}`:                                     1,
		`{"type":"string"}`:                                                   limit,
		`{"type":"array","items":{"enum":[1,2]},"maxItems":1}`:                3,
		`{"type":"array","items":{"enum":[1,2,3]},"uniqueItems":true}`:        16,
		`{"type":"array","items":{"enum":[1,2,3]},"minItems":2,"maxItems":3}`: 36,
		`{"type":"array","items":{"enum":[1,2]}}`:                             limit,
		`{"type":"array","items":{"type":"string"},"maxItems":1}`:             limit,
	} {
		if got := count(mustCompile(t, schema), limit); got != want {
			t.Errorf("%s has %d values, want %d", schema, got, want)
		}
	}
}

// TestCount_ofManyWordsNeedNotReadOne: many live prefixes mean as many words.
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

// TestWithout_leavesOutWhatIsGone, and nothing else: each other array of few elements belongs to
// exactly one alternative.
func TestWithout_leavesOutWhatIsGone(t *testing.T) {
	for _, text := range []string{`{"items":{"enum":[1,2,3]},"maxItems":3}`, `{"items":{"enum":[1,"b",3]},"uniqueItems":true,"minItems":1}`} {
		a := mustCompile(t, `{"type":"array",`+text[1:]).Root.Alts()[0].Array
		all, _ := a.Rest.schema.few(a.Rest.schema.Root, 100)
		for mask := range 1 << 6 {
			var gone []string
			missing := map[string]bool{}
			for i, v := range all {
				if mask>>(i%7%6)&1 != 0 {
					gone, missing[v.Canonical()] = append(gone, v.Canonical()), true
				}
			}
			rest := a.Without(gone)
			for _, v := range all {
				held := 0
				for _, x := range rest {
					if (membership{a.Rest.schema, func(s *Schema, a *Alt, v *source.Value) bool { return s.accepts(a.Number, v.Text) }}).array(x, v) {
						held++
					}
				}
				if want := map[bool]int{true: 0, false: 1}[missing[v.Canonical()]]; held != want {
					t.Fatalf("%s without %v: %s is there %d times", text, gone, v.Canonical(), held)
				}
			}
		}
	}
}
