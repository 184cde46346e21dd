package grammar

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tenon/grammar/grammartest"
)

// tightSchemas have values of which few are short, or few are left. Not among them are those of
// which doc.go says that their distance may be too low.
var tightSchemas = []string{
	`{"type":"array","uniqueItems":true,"minItems":3,"items":{"enum":["a","a long word","another long word","the longest word of them all"]}}`,
	`{"type":"array","uniqueItems":true,"minItems":2,"items":{"type":"string","maxLength":1}}`,
	`{"type":"array","uniqueItems":true,"minItems":3,"items":{"type":"integer","minimum":0,"maximum":3}}`,
	`{"type":"array","uniqueItems":true,"minItems":6,"items":{"type":"integer"}}`,
	`{"type":"array","uniqueItems":true,"minItems":3,"maxItems":3,"prefixItems":[{"enum":["x","a very long word"]},{"enum":["x","y"]}],"items":{"enum":["x","y","a long word"]}}`,
	`{"type":"array","uniqueItems":true,"minItems":2,"items":{"type":["boolean","null"]},"contains":{"type":"null"}}`,
	`{"enum":["a","a long word",["a"],{"a":[1,2,3]}]}`,
	`{"type":"string","minLength":20,"maxLength":22,"pattern":"^(abc)*$"}`,
	`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":0.0000001}`,
	`{"type":"object","minProperties":3,"additionalProperties":{"type":"null"}}`,
	`{"type":"object","properties":{"a":{"const":"a very long word indeed"},"b":{"const":"another"}},"minProperties":4,"propertyNames":{"pattern":"^[ab]*$"},"additionalProperties":{"type":"boolean"}}`,
	`{"type":"object","patternProperties":{"^x-":{"type":"integer","minimum":1000}},"additionalProperties":false,"minProperties":4}`,
	`{"type":"object","not":{"additionalProperties":{"type":"integer"}}}`,
	`{"type":"object","properties":{"a":{"const":"a very long word indeed"},"b":{"type":"null"},"c":{"const":"another long word"}},"additionalProperties":false,"minProperties":1}`,
	`{"type":"object","properties":{"a":{"const":1},"b":{"const":2},"c":{"const":"a long word of many letters"}},"dependentRequired":{"a":["c"],"c":["a"]},"additionalProperties":false,"minProperties":1}`,
	`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"type":"null"}},"additionalProperties":false,"minProperties":1}`,
	`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}},"additionalProperties":{"type":"boolean"},"minProperties":2}`,
	`{"type":"object","properties":{"c":{"const":1},"b":{"const":"a word of some letters"},"a":{"const":"another word of some letters"}},"additionalProperties":false,"minProperties":2}`,
	`{"type":"array","contains":{"type":"string","minLength":30},"minContains":3}`,
	`{"type":"array","contains":{"const":"a word of some letters"},"minContains":2,"items":{"type":["string","integer"]},"maxItems":4}`,
	`{"type":"array","contains":{"const":"a word of some letters"},"minContains":1,"maxContains":1,"items":{"type":["string","integer"]},"minItems":4}`,
	`{"type":"array","uniqueItems":true,"minItems":4,"items":{"type":"string"}}`,
	`{"type":"array","uniqueItems":true,"items":{"type":["string","integer"]}}`,
	`{"type":"array","uniqueItems":true,"prefixItems":[{"type":"boolean"}],"items":{"type":["string","integer"]}}`,
}

// TestDistance_neverTooLow: a text that begins with nothing but its distance as a budget ends
// within it, whatever is picked from what MaskWithin admits; and a distance is never less than the
// bytes that are missing.
func TestDistance_neverTooLow(t *testing.T) {
	v := walkVocab(t)
	for _, text := range append(tightSchemas, walkSchemas...) {
		for _, o := range []SchemaOptions{{Numbers: CanonicalNumbers}, {Space: NoSpace, Escapes: CanonicalEscapes, Numbers: CanonicalNumbers}, {Order: DeclaredOrder, Space: BoundedSpace, Numbers: PlainNumbers}} {
			g, err := FromSchema([]byte(text), o)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				break
			}
			for seed := range grammartest.Sample(3, 8) {
				if !tightWalk(t, g, v, rand.New(rand.NewPCG(seed, 5))) {
					break
				}
			}
		}
	}
}

// tightWalk goes freely for a while, then with no more budget than the distance.
func tightWalk(t *testing.T, g *Grammar, v *Vocab, rng *rand.Rand) bool {
	t.Helper()
	m := g.Matcher(v)
	var out []byte
	free := rng.IntN(40)
	budget := 0
	for step := 0; ; step++ {
		mask := m.Mask()
		if step == free {
			budget = m.Distance()
		}
		if step >= free {
			if budget == 0 && m.Done() {
				return true
			}
			mask = m.MaskWithin(budget)
			budget--
		}
		if mask.Len() == 0 {
			t.Errorf("%.200s: nothing is allowed after %s", g.Text(), out)
			return false
		}
		token := randomToken(mask, v, rng)
		if v.IsEOG(token) {
			return true
		}
		if err := m.Accept(token); err != nil {
			t.Errorf("%.200s: after %s: %v", g.Text(), out, err)
			return false
		}
		out = append(out, v.Piece(token)...)
		if step >= free && m.Distance() > budget {
			t.Errorf("%.200s: after %s %d tokens are left and %d are missing", g.Text(), out, budget, m.Distance())
			return false
		}
	}
}

// TestMaskWithin_endsWithoutABudget: where nothing fits, what is picked still leads to the end,
// white space first wherever it is admitted.
func TestMaskWithin_endsWithoutABudget(t *testing.T) {
	v := walkVocab(t)
	const far = `{"type":"object","required":["a","b"],"properties":{"a":{"type":"object","oneOf":[
		{"type":"object","properties":{"set":{"type":"object","minProperties":1},"delete":{"type":"array","minItems":1,"items":{"type":"string"}}},"additionalProperties":false},
		{"type":"object","properties":{"replace":{"type":"object"}},"additionalProperties":false}]}}}`
	for _, text := range append(tightSchemas, far) {
		g := mustSchema(t, text, SchemaOptions{Numbers: CanonicalNumbers})
		for seed := range uint64(10) {
			if out, ends := blankWalk(g.Matcher(v), rand.New(rand.NewPCG(seed, 3))); !ends {
				t.Errorf("%s: no end after %d bytes: %.200q", text, len(out), out)
				break
			}
		}
	}
}

// TestMaskWithin_endsAKeyByAnEscape: where a key is nearest to its end by a character that must be
// escaped, the backslash is as near.
func TestMaskWithin_endsAKeyByAnEscape(t *testing.T) {
	v := walkVocab(t)
	text := `{"patternProperties":{"^.*$":{"type":"object","required":["path","name"]}},"type":"object","minProperties":1}`
	for name, o := range map[string]SchemaOptions{"any": {Space: NoSpace}, "canonical": {Space: NoSpace, Escapes: CanonicalEscapes}, "common": {Space: NoSpace, Escapes: CommonEscapes}} {
		o.Numbers = CanonicalNumbers
		m := mustSchema(t, text, o).Matcher(v)
		if err := m.AcceptBytes([]byte(`{"ab`)); err != nil {
			t.Fatal(err)
		}
		for least := m.Distance(); !m.Done(); least-- {
			mask := m.MaskWithin(m.Distance())
			if m.Distance() > least || mask.Len() == 0 {
				t.Fatalf("%s: %d bytes are missing where %d should be", name, m.Distance(), least)
			}
			least -= len(v.Piece(pick(mask, v, 0))) - 1
			if err := m.Accept(pick(mask, v, 0)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// blankWalk goes freely for a while, then without a budget, by white space where that is admitted.
func blankWalk(m *Matcher, rng *rand.Rand) (out []byte, ends bool) {
	for free := rng.IntN(40); len(out) < 2000; free-- {
		if free <= 0 && m.Done() {
			return out, true
		}
		mask := m.Mask()
		token := randomToken(mask, m.v, rng)
		if free <= 0 {
			mask = m.MaskWithin(m.Distance())
			token = randomToken(mask, m.v, rng)
			each(mask, m.v, func(id int32) {
				if m.v.Piece(id)[0] == ' ' {
					token = id
				}
			})
		}
		if m.v.IsEOG(token) {
			return out, true
		}
		if m.Accept(token) != nil {
			return out, false
		}
		out = append(out, m.v.Piece(token)...)
	}
	return out, false
}

// each calls f for the tokens of a mask.
func each(mask Mask, v *Vocab, f func(int32)) {
	for id := range int32(v.Len()) {
		if mask.Allows(id) {
			f(id)
		}
	}
}

// Each of forty sets holds one of the next two, or the first: there are a hundred million ways
// down, and forty sets.
func TestDistance_ofSetsThatHoldEachOther(t *testing.T) {
	const n = 40
	var defs []string
	for i := range n {
		holds := func(key string, d int) string {
			return fmt.Sprintf(`{"type":"object","properties":{"%s":{"anyOf":[{"$ref":"#/$defs/%d"},{"$ref":"#/$defs/0"}]}},"required":["%[1]s"],"additionalProperties":false}`, key, min(i+d, n))
		}
		defs = append(defs, fmt.Sprintf(`"%d":{"anyOf":[%s,%s]}`, i, holds("a", 1), holds("b", 2)))
	}
	g := mustSchema(t, fmt.Sprintf(`{"$ref":"#/$defs/0","$defs":{%s,"%d":{"type":"null"}}}`, strings.Join(defs, ","), n), SchemaOptions{Space: NoSpace})
	if got, want := g.Matcher(nil).Distance(), n/2*len(`{"b":}`)+len("null"); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

// fewKeys are objects that need several keys and allow few short ones.
var fewKeys = []string{
	`"additionalProperties":{"const":1}`,
	`"additionalProperties":{"const":1},"properties":{"a":{"const":1},"":{"const":1}}`,
	`"additionalProperties":{"const":1},"propertyNames":{"not":{"pattern":"^b"}}`,
	`"additionalProperties":{"const":1},"propertyNames":{"not":{"enum":["a","b"]}}`,
	`"additionalProperties":{"const":1},"propertyNames":{"not":{"const":""}}`,
	`"additionalProperties":{"const":1},"propertyNames":{"pattern":"^a*$"}`,
	`"additionalProperties":{"const":1},"propertyNames":{"maxLength":1}`,
	`"additionalProperties":{"const":1},"not":{"patternProperties":{"^b":{"const":2}}}`,
	`"additionalProperties":{"const":1},"not":{"patternProperties":{"":false}}`,
	`"additionalProperties":{"enum":[1,2]},"not":{"additionalProperties":{"const":1}}`,
	`"patternProperties":{"^a":{"const":1},"^b":false},"additionalProperties":{"const":1}`,
	`"patternProperties":{"^(a|aa|)$":{"const":1}},"additionalProperties":{"const":12}`,
}

// TestDistance_ofKeysIsNeverTooLow holds distances against a search, behind all texts of a few
// bytes: there is an end that is no farther.
func TestDistance_ofKeysIsNeverTooLow(t *testing.T) {
	for _, text := range fewKeys {
		for _, least := range []int{1, 3} {
			m := mustSchema(t, fmt.Sprintf(`{"type":"object","minProperties":%d,%s}`, least, text), SchemaOptions{Space: NoSpace, Escapes: CanonicalEscapes, Numbers: CanonicalNumbers}).Matcher(nil)
			eachNext(m, nil, 8, func(read []byte) {
				if d := m.Distance(); !endsWithin(m, read, d) {
					t.Errorf("at least %d keys, %s: behind %s no end is within %d bytes", least, text, read, d)
				}
			})
		}
	}
}

// eachNext calls f behind all texts that go on with so many bytes. Keys are of two letters.
func eachNext(m *Matcher, read []byte, left int, f func(read []byte)) {
	f(read)
	for _, b := range nextBytes(read, "ab") {
		if left > 0 && m.AcceptBytes([]byte{b}) == nil {
			eachNext(m, append(read, b), left-1, f)
			m.Rollback(1)
		}
	}
}

// nextBytes is what may come next in an object; in keys, letters.
func nextBytes(read []byte, letters string) []byte {
	if bytes.Count(read, []byte{'"'})%2 != 0 {
		return []byte(`"` + letters)
	}
	return []byte(`}",:12{`)
}

// endsWithin says whether so many bytes, or fewer, end the text: behind a key are at least four.
func endsWithin(m *Matcher, read []byte, left int) bool {
	if m.Done() {
		return true
	}
	next := nextBytes(read, "abcd")
	if left <= 0 || left < 4 && len(next) == 5 {
		return false
	}
	for _, b := range next {
		if m.AcceptBytes([]byte{b}) == nil {
			ends := endsWithin(m, append(read, b), left-1)
			if m.Rollback(1); ends {
				return true
			}
		}
	}
	return false
}
