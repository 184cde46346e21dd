package grammar

import "testing"

// TestMask_walksFewNodes bounds the nodes of the vocabulary's trees that a cold mask visits, of
// kinds of schemas that took up to 1,500,000: what may follow is found by looking ahead.
func TestMask_walksFewNodes(t *testing.T) {
	v, tok := realVocab(t)
	// what is made once per vocabulary
	opened := mustSchema(t, `{"type":"string","maxLength":9}`, SchemaOptions{}).Matcher(v)
	if err := opened.AcceptBytes([]byte(`"`)); err != nil || opened.Mask().Len() == 0 {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		schema, before string
		most           int64
	}{
		"words counted far":           {`{"type":"string","pattern":"^(\\S+\\s+){0,99}\\S+$"}`, `"one two`, 9000},
		"words counted near":          {`{"type":"string","pattern":"^(\\S+\\s+){0,9}\\S+$"}`, `"one two`, 9000},
		"keys of any text":            {`{"type":"object","patternProperties":{"^.+$":{"type":"string"}},"additionalProperties":false}`, `{"`, 4000},
		"names":                       {`{"type":"object","patternProperties":{"^[a-zA-Z_][a-zA-Z0-9_-]*$":{"type":"string"}},"additionalProperties":false}`, `{"`, 4000},
		"a name of any length":        {`{"type":"string","pattern":"^[a-zA-Z][a-zA-Z0-9_.-]*$"}`, `"a`, 1500},
		"one end or another":          {`{"type":"string","pattern":"^https://.*?(no-image)?\\.(gif|jpg)$"}`, `"https://im`, 3000},
		"an address with an end":      {`{"type":"string","format":"uri","pattern":"^https://.*?(no-image)?\\.(gif|jpg)$"}`, `"https://im`, 9000},
		"keys of overlapping texts":   {`{"type":"object","patternProperties":{"netdir_(work|share)":{"const":1},"netdrv_([a-z]+)":{"const":2},"net_[a-z]+[0-9]+":{"const":3}}}`, `{"net_abc`, 20_000},
		"words, of which one must be": {`{"type":"string","oneOf":[{"pattern":"NEW"},{"pattern":"ON_APPROVAL"},{"pattern":"DEPRECATED"},{"pattern":"REJECTED"}]}`, `"`, 19_000},
		"keys that begin otherwise":   {`{"type":"object","patternProperties":{"^mode":{"type":"integer"}},"additionalProperties":{"type":"null"}}`, `{"`, 9000},
		"letters of all scripts":      {`{"type":"string","pattern":"^[\\p{L}\\p{Z}\\p{N}_.:/%&#=+\\-@]{1,200}$"}`, `"a`, 60_000},
		"one of seven words":          {`{"type":"string","oneOf":[{"pattern":"NEW"},{"pattern":"ON_APPROVAL"},{"pattern":"ON_SIGNING"},{"pattern":"ON_MODIFICATION"},{"pattern":"EXECUTED"},{"pattern":"DEPRECATED"},{"pattern":"REJECTED"}]}`, `"`, 17_000},
		"words that must not be":      {`{"type":"string","not":{"pattern":"APPROVER|SIGNER"}}`, `"a`, 21_000},
		"an address":                  {`{"type":"string","format":"uri"}`, `"https`, 4000},
		"a mailbox":                   {`{"type":"string","format":"email"}`, `"`, 5000},
		"a key of a unique object":    {`{"type":"array","uniqueItems":true,"items":{"type":"object","properties":{"name":{"type":"string"}}}}`, `[{"name":"a"},{"x`, 900},
		"a string of a unique object": {`{"type":"array","uniqueItems":true,"items":{"type":"object","properties":{"name":{"type":"string"}}}}`, `[{"name":"a"},{"name":"b`, 900},
	} {
		m := mustSchema(t, c.schema, SchemaOptions{}).Matcher(v)
		for _, id := range tok.Tokenize([]byte(c.before)) {
			if err := m.Accept(id); err != nil {
				t.Fatal(name, err)
			}
		}
		before := m.Effort().Nodes
		mask := m.Mask()
		if n := m.Effort().Nodes - before; n > c.most {
			t.Errorf("%s: %d nodes are visited, want at most %d", name, n, c.most)
		}
		for id := range int32(v.Len()) {
			if want := m.Allowed(id); mask.Allows(id) != want {
				t.Fatalf("%s: token %d %q: mask says %v, matching says %v", name, id, v.Piece(id), mask.Allows(id), want)
			}
		}
	}
}
