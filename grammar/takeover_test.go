package grammar

import "testing"

// TestMask_takenOverFromAnotherStateIsExact follows texts in which most masks come of those
// before: each is compared with what reading tokens byte by byte says.
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
		m := mustSchema(t, c.schema, SchemaOptions{}).Matcher(v)
		for i, token := range tok.Tokenize([]byte(c.text)) {
			checkTokens(t, m, v, c.name, i)
			if err := m.Accept(token); err != nil {
				t.Logf("%s ends at step %d: %v", c.name, i, err)
				break
			}
		}
	}
}

// checkTokens compares every fifth token of the mask at a step.
func checkTokens(t *testing.T, m *Matcher, v *Vocab, name string, step int) {
	t.Helper()
	mask := m.Mask()
	for id := int32(step % 5); int(id) < v.Len(); id += 5 {
		if want := m.Allowed(id); mask.Allows(id) != want {
			t.Fatalf("%s: step %d, token %d %q: mask says %v, matching says %v", name, step, id, v.Piece(id), mask.Allows(id), want)
		}
	}
}

// TestMask_takenOverWhereStatesDifferInLittleThatMatters: states that lead on as a model does, but
// for what is looked at otherwise.
func TestMask_takenOverWhereStatesDifferInLittleThatMatters(t *testing.T) {
	v, _ := realVocab(t)
	for _, c := range []struct{ name, schema, text string }{
		{"escapes alone", `{"items":{"type":"string","not":{"pattern":"x\"|y\\\\"}}}`, `["axy`},
		{"the end alone", `{"items":{"type":"string","pattern":"(secret|token)$"}}`, `["secret`},
		{"one with and one without a bound", `{"items":{"not":{"pattern":"sec|tok"},"maxLength":30,"type":"string"},"prefixItems":[{"not":{"pattern":"sec|tok"},"type":"string"}]}`, `["a se","a se`},
		{"apart for long", `{"items":{"type":"string","pattern":"^(m([a-m][^e]*|[^a-m].*)|x([a-m][^a]*|[^a-m].*))$"}}`, `["mb","xb`},
	} {
		m := mustSchema(t, c.schema, SchemaOptions{}).Matcher(v)
		for i := range c.text {
			if i > 0 {
				checkTokens(t, m, v, c.name, i)
			}
			if err := m.AcceptBytes([]byte(c.text[i : i+1])); err != nil {
				t.Fatalf("%s: byte %d: %v", c.name, i, err)
			}
		}
		checkTokens(t, m, v, c.name, len(c.text))
	}
}

// TestMask_takenOverHasAllTokensOfOneText: vocabularies may spell a text several times.
func TestMask_takenOverHasAllTokensOfOneText(t *testing.T) {
	var texts []string
	for b := byte(' '); b < 0x7F; b++ {
		texts = append(texts, string(b), string(b), "s"+string(b), "s"+string(b))
	}
	v := tinyVocab(t, texts...)
	for _, schema := range []string{`{"type":"string","not":{"pattern":"ssh|st"}}`, `{"type":"string","maxLength":9,"not":{"pattern":"ssh|st"}}`} {
		m := mustSchema(t, schema, SchemaOptions{}).Matcher(v)
		for i, s := range []string{`"`, `s`, `a`, `s`, `s`} {
			if err := m.AcceptBytes([]byte(s)); err != nil {
				t.Fatal(err)
			}
			checkTokens(t, m, v, schema, i)
			checkTokens(t, m, v, schema, i+1) // and their like
		}
	}
}

// TestMask_takenOverCostsLittle counts the nodes that masks visit behind the first of a search for
// words.
func TestMask_takenOverCostsLittle(t *testing.T) {
	v, _ := realVocab(t)
	m := mustSchema(t, `{"type":"string","not":{"pattern":"password|secret|token|hidden"}}`, SchemaOptions{}).Matcher(v)
	for i, s := range []string{`"a`, `passw`, ` secr`, ` toke`, ` hid`} {
		if err := m.AcceptBytes([]byte(s)); err != nil {
			t.Fatal(err)
		}
		before := m.Effort().Nodes
		m.Mask()
		if nodes := m.Effort().Nodes - before; i > 0 && nodes > 4000 {
			t.Errorf("the mask behind %q visits %d nodes", s, nodes)
		}
	}
}

// TestMask_whereLookingAheadIsGivenUpIsExact: so many words must not be in a text that a mask
// looks ahead of some states only.
func TestMask_whereLookingAheadIsGivenUpIsExact(t *testing.T) {
	v, _ := realVocab(t)
	const words = `password|secret|token|hidden|über|日本語|user|login|account|session|cookie|private|public|network|address|machine|license|version`
	m := mustSchema(t, `{"type":"string","not":{"pattern":"`+words+`"}}`, SchemaOptions{}).Matcher(v)
	if err := m.AcceptBytes([]byte(`"`)); err != nil {
		t.Fatal(err)
	}
	for step := range 5 {
		checkTokens(t, m, v, words, step)
	}
}
