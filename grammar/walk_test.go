package grammar

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/grammar/grammartest"
)

// walkSchemas are schemas of our own for walks: together they use every keyword.
var walkSchemas = []string{
	`{"type":"object","properties":{"city":{"type":"string","minLength":2,"maxLength":8},"days":{"type":"integer","minimum":1,"maximum":14},"unit":{"enum":["C","F"]}},"required":["city"],"additionalProperties":false}`,
	`{"type":"array","items":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":["null","boolean"]}},"required":["a","b"]},"minItems":1,"maxItems":3}`,
	`{"type":"object","patternProperties":{"^x":{"type":"integer"}},"additionalProperties":{"type":"string","maxLength":3},"minProperties":1,"maxProperties":3}`,
	`{"type":"array","uniqueItems":true,"items":{"enum":["a","ab",1,12,true]},"minItems":3}`,
	`{"type":"object","dependentRequired":{"a":["b"]},"properties":{"a":{"type":"integer"},"b":{"const":null}},"propertyNames":{"maxLength":2}}`,
	`{"anyOf":[{"type":"string","pattern":"^[a-c]{2,4}$"},{"type":"integer","multipleOf":7,"minimum":-50},{"type":"null"}]}`,
	`{"oneOf":[{"required":["kind"],"properties":{"kind":{"const":"x"},"n":{"type":"integer"}}},{"required":["kind"],"properties":{"kind":{"const":"y"},"s":{"type":"string","maxLength":4}}}],"type":"object","maxProperties":4}`,
	`{"type":"array","contains":{"type":"integer"},"minContains":2,"items":{"type":["integer","string"],"maxLength":3},"maxItems":4}`,
	`{"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","properties":{"v":{"type":"integer"},"kids":{"type":"array","maxItems":2,"items":{"$ref":"#/$defs/tree"}}},"required":["v"],"additionalProperties":false}}}`,
	`{"type":"string","format":"date"}`,
	`{"type":"object","not":{"required":["a","b"]},"properties":{"a":{"type":"null"},"b":{"type":"null"}},"maxProperties":2}`,
	`{"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"required":["b"]},"else":{"maxProperties":1},"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"null"}},"additionalProperties":false}`,
}

// walkVocab has a token for every byte and some that span structure.
func walkVocab(t testing.TB) *Vocab { return tinyVocab(t, walkTexts()...) }

func walkTexts() (texts []string) {
	for b := range 256 {
		texts = append(texts, string([]byte{byte(b)}))
	}
	return append(texts, `{"`, `":`, `",`, `":"`, `","`, `"}`, `},{`, `true`, `null`, `ab`, `city`, `12`, `, `, `: `, `kind`, `é`, `\u00`, `a"`, `[{"`, `}]`)
}

// randomToken picks one of the allowed tokens.
func randomToken(mask Mask, v *Vocab, rng *rand.Rand) int32 {
	return pick(mask, v, rng.IntN(mask.Len()))
}

// TestWalk_endsWithinItsBudgetAndValidates: whatever tokens are picked from the masks, the walk
// never sticks, MaskWithin brings it to an end before its budget is spent, and an independent
// validator finds the result valid.
func TestWalk_endsWithinItsBudgetAndValidates(t *testing.T) {
	v := walkVocab(t)
	for i, text := range walkSchemas {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource("x.json", doc); err != nil {
			t.Fatal(err)
		}
		valid := c.MustCompile("x.json")
		for _, o := range []SchemaOptions{{}, {Space: BoundedSpace, Escapes: CommonEscapes}, {Space: NoSpace, Escapes: CanonicalEscapes, Order: DeclaredOrder}} {
			o.Numbers = CanonicalNumbers // the validator gives up on 1e1000000
			g := mustSchema(t, text, o)
			for seed := range grammartest.Sample(3, 8) {
				out := budgetWalk(t, g, v, rand.New(rand.NewPCG(seed, uint64(i))))
				value, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
				if err == nil {
					err = valid.Validate(value)
				}
				if err != nil || !json.Valid(out) {
					t.Fatalf("%s: walk gave %s: %v", text, out, err)
				}
			}
		}
	}
}

func budgetWalk(t *testing.T, g *Grammar, v *Vocab, rng *rand.Rand) []byte {
	t.Helper()
	m := g.Matcher(v)
	budget := m.Distance() + rng.IntN(120) + 1
	start := budget
	var out []byte
	for {
		mask := m.MaskWithin(budget)
		if mask.Len() == 0 {
			t.Fatalf("%s: no token after %q", g.Text(), out)
		}
		token := randomToken(mask, v, rng)
		if v.IsEOG(token) {
			return out
		}
		if err := m.Accept(token); err != nil {
			t.Fatalf("%s: after %q: %v", g.Text(), out, err)
		}
		out = append(out, v.Piece(token)...)
		if budget--; budget > 0 {
			continue
		}
		if !m.Done() {
			t.Fatalf("%s: %q does not end within %d tokens; distance is %d", g.Text(), out, start, m.Distance())
		}
		return out
	}
}

// TestWalk_tokensOfOneTextAreAllowedAlike: vocabularies with byte tokens spell some texts twice.
func TestWalk_tokensOfOneTextAreAllowedAlike(t *testing.T) {
	texts := walkTexts()
	v := tinyVocab(t, append(texts, texts...)...)
	for i, text := range append(walkSchemas, `{"type":"array","items":{"maxLength":5},"uniqueItems":true}`) {
		g := mustSchema(t, text, SchemaOptions{Space: NoSpace, Numbers: CanonicalNumbers})
		for seed := range uint64(4) {
			m, rng := g.Matcher(v), rand.New(rand.NewPCG(seed, uint64(i)))
			for range 60 {
				mask := m.Mask()
				for id := range int32(len(texts)) {
					if twin := id + int32(len(texts)); mask.Allows(id) != mask.Allows(twin) {
						t.Fatalf("%s: token %d %q is allowed: %v, token %d: %v", text, id, v.Piece(id), mask.Allows(id), twin, mask.Allows(twin))
					}
				}
				token := randomToken(mask, v, rng)
				if v.IsEOG(token) {
					break
				}
				if err := m.Accept(token); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
