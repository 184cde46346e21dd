package grammar

import "testing"

// TestMask_takenOverFromAnotherStateIsExact follows texts in which most masks come of those before: each is compared with what reading tokens
// byte by byte says.
func TestMask_takenOverFromAnotherStateIsExact(t *testing.T) {
	v, tok := realVocab(t)
	const words = `password|secret|token|hidden|\"quoted|back\\\\slash|über|日本語`
	for _, c := range []struct{ name, schema, text string }{
		{"none of some words", `{"items":{"type":"string","not":{"pattern":"` + words + `"}}}`, `["a passw or a secre, \"quote über`},
		{"none of them, and short", `{"items":{"type":"string","maxLength":40,"not":{"pattern":"` + words + `"}}}`, `["a hidde thing that is not a toke`},
		{"one of them", `{"items":{"type":"string","pattern":"` + words + `"}}`, `["a passw or a 日本 or`},
		{"one of them, and short", `{"items":{"type":"string","maxLength":40,"pattern":"` + words + `"}}`, `["a secre or a hidde or a long`},
		{"overlapping keys", `{"patternProperties":{"^x":{"type":"string"},"y$":{"minLength":2},"[0-9]+":{"maxLength":9},"foo|bar":{"pattern":"a"}},"additionalProperties":false}`,
			`{"xfoo1y":"ab`},
	} {
		g, err := FromSchema([]byte(c.schema), SchemaOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m := g.Matcher(v)
		for i, token := range tok.Tokenize([]byte(c.text)) {
			mask := m.Mask()
			for id := int32(i % 5); int(id) < v.Len(); id += 5 {
				if want := m.Allowed(id); mask.Allows(id) != want {
					t.Fatalf("%s: step %d, token %d %q: mask says %v, matching says %v", c.name, i, id, v.Piece(id), mask.Allows(id), want)
				}
			}
			if err := m.Accept(token); err != nil {
				t.Logf("%s ends at step %d: %v", c.name, i, err)
				break
			}
		}
	}
}
