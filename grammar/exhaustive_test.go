package grammar

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestMask_bitIsSetExactlyIfAValidTextFollows enumerates all texts of a few tokens, lets an
// independent validator judge the whole ones, and compares every mask with what that says: a token
// is allowed if and only if some valid text goes on with it. The tokens are chosen so that no
// valid text is longer than the enumeration goes.
func TestMask_bitIsSetExactlyIfAValidTextFollows(t *testing.T) {
	for name, c := range map[string]struct {
		schema string
		tokens string // separated by blanks
		length int    // of the longest valid text
	}{
		"required key":      {`{"type":"object","properties":{"a":{"const":1},"b":{"const":1}},"required":["b"],"additionalProperties":false}`, `{ } "a" "b" : , 1 ,"b" 1}`, 13},
		"number of keys":    {`{"type":"object","propertyNames":{"enum":["a","b","c"]},"additionalProperties":{"const":1},"minProperties":2,"maxProperties":2}`, `{ } "a" "b" : , 1 }} 1,"b"`, 13},
		"dependencies":      {`{"type":"object","dependentRequired":{"a":["b"]},"propertyNames":{"enum":["a","b"]},"additionalProperties":{"const":1}}`, `{ } "a" "b" : , 1 {}`, 13},
		"not both":          {`{"type":"object","not":{"required":["a","b"]},"propertyNames":{"enum":["a","b"]},"additionalProperties":{"const":1}}`, `{ } "a" "b" : , 1 ,"`, 13},
		"unique":            {`{"type":"array","items":{"enum":[1,12,2]},"uniqueItems":true,"minItems":1}`, `[ ] 1 2 12 , 1, ,2 ]]`, 8},
		"unique words":      {`{"type":"array","items":{"enum":["a","ab",true]},"uniqueItems":true,"maxItems":3}`, `[ ] "a "a" b" true , ["`, 17},
		"contains":          {`{"type":"array","items":{"enum":[1,2]},"contains":{"const":2},"minContains":1,"maxContains":1,"maxItems":3}`, `[ ] 1 2 , 2, ,1`, 7},
		"one of":            {`{"oneOf":[{"enum":[1,2]},{"enum":[2,12]},{"const":[]}]}`, `[ ] 1 2 12 []`, 4},
		"if then else":      {`{"type":"object","properties":{"a":{"enum":[1,2]},"b":{"const":1}},"additionalProperties":false,"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"required":["b"]},"else":{"maxProperties":1}}`, `{ } "a" "b" : , 1 2`, 13},
		"pattern and named": {`{"type":"object","properties":{"a":{"const":1}},"patternProperties":{"^[ab]$":{"enum":[1,2]}},"additionalProperties":false}`, `{ } "a" "b" "ab" : , 1 2`, 13},
		"the only key":      {`{"type":"object","not":{"patternProperties":{"^b":false}},"additionalProperties":{"const":1},"maxProperties":1}`, `{ } "a" "b" "ba" : , 1`, 9},
		"a key in reserve":  {`{"type":"object","not":{"patternProperties":{"^b":{"enum":[2]}}},"properties":{"a":{"const":1},"b":{"const":2}},"additionalProperties":{"enum":[1,2]},"maxProperties":2}`, `{ } "a" "b" "ba" "bc" : , 1 2`, 15},
		"a key owed":        {`{"type":"object","not":{"patternProperties":{"^b":false}},"properties":{"a":{"const":1}},"required":["a"],"additionalProperties":{"const":1},"maxProperties":2}`, `{ } "a" "b" "ba" "c" : , 1`, 14},
		"multiples":         {`{"type":"integer","multipleOf":3,"minimum":2,"maximum":13}`, `0 1 2 3 6 9 12 4`, 3},
	} {
		t.Run(name, func(t *testing.T) {
			valid := mustValidator(t, c.schema)
			tokens := strings.Fields(c.tokens)
			live := map[string]bool{}
			enumerate(t, tokens, c.length, func(text string) {
				value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
				if err == nil && valid.Validate(value) == nil {
					live["="+text] = true
					for i := range len(text) + 1 {
						live[text[:i]] = true
					}
				}
			})
			if len(live) == 0 {
				t.Fatal("no valid text was enumerated")
			}
			v := tinyVocab(t, tokens...)
			g := mustSchema(t, c.schema, SchemaOptions{Space: NoSpace, Escapes: CanonicalEscapes, Numbers: CanonicalNumbers})
			compareLive(t, g.Matcher(v), "", live)
		})
	}
}

func mustValidator(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AddResource("x.json", doc); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("x.json")
}

// flatValues are the texts that are enumerated: everything else is invalid in all cases, or longer
// than they look.
const flatValues = `{"anyOf":[{"type":"object","additionalProperties":{"enum":[1,2]}},{"type":"array","items":{"enum":[1,2,12,"a","ab",true]}},{"type":"integer","minimum":0,"maximum":200}]}`

// enumerate calls f for every whole text of at most some bytes among flatValues.
func enumerate(t *testing.T, tokens []string, length int, f func(string)) {
	t.Helper()
	m := mustSchema(t, flatValues, SchemaOptions{Space: NoSpace, Numbers: CanonicalNumbers}).Matcher(nil)
	seen := map[string]bool{}
	var visit func(text string)
	visit = func(text string) {
		if seen[text] {
			return // reached by other tokens before
		}
		if seen[text] = true; len(seen) > 2_000_000 {
			t.Fatal("too many texts")
		}
		if m.Done() {
			f(text)
		}
		for _, tok := range tokens {
			if len(text)+len(tok) <= length && m.AcceptBytes([]byte(tok)) == nil {
				visit(text + tok)
				m.Rollback(1)
			}
		}
	}
	visit("")
}

// compareLive walks all tokens that the masks allow.
func compareLive(t *testing.T, m *Matcher, text string, live map[string]bool) {
	t.Helper()
	mask := m.Mask()
	for id := range int32(m.v.Len()) {
		want := live[text+string(m.v.Piece(id))]
		if m.v.IsEOG(id) {
			want = live["="+text]
		}
		if mask.Allows(id) != want {
			t.Fatalf("after %q: token %q is allowed: %v, a valid text follows: %v", text, m.v.Piece(id), mask.Allows(id), want)
		}
		if want && !m.v.IsEOG(id) {
			if err := m.Accept(id); err != nil {
				t.Fatal(err)
			}
			compareLive(t, m, text+string(m.v.Piece(id)), live)
			m.Rollback(1)
		}
	}
}
