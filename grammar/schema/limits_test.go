package schema

import (
	"strings"
	"testing"

	"tenon/grammar/schema/source"
)

// TestCompile_aLimitCostsOneKeyword: a keyword that is too hard is dropped and reported. The rest
// of the schema is enforced.
func TestCompile_aLimitCostsOneKeyword(t *testing.T) {
	hard := `{"type":"string","allOf":[{"pattern":"^[ab]*a[ab]{200}$"},{"pattern":"^[ab]*b[ab]{201}$"},{"pattern":"^[ab]*b[ab]{203}$"}]}`
	s, err := Compile(`{"type":"object","properties":{"a":`+hard+`,"b":{"type":"string","pattern":"^[xy]+z$"}},"additionalProperties":{"type":"integer"}}`, Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Issues) != 1 || s.Issues[0].Pointer != "/properties/a" || s.Issues[0].Keyword != "allOf" || s.Issues[0].Action != Checked || !strings.Contains(s.Issues[0].Why, "limit exceeded") {
		t.Errorf("issues %+v", s.Issues)
	}
	for text, want := range map[string]bool{`{"a":"q"}`: true, `{"a":1}`: false, `{"b":"xyz"}`: true, `{"b":"xy"}`: false, `{"c":1}`: true, `{"c":"x"}`: false} {
		v, err := source.Decode(text, 100)
		if err != nil {
			t.Fatal(err)
		}
		if accepts(s.Root, v) != want {
			t.Errorf("%s: not %v", text, want)
		}
	}
}
