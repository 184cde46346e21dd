package grammar

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/grammar/grammartest"
)

// fewNumbers makes up arrays of numbers of which there are few.
func fewNumbers(rng *rand.Rand) string {
	pick := func(options ...string) string { return options[rng.IntN(len(options))] }
	least := rng.IntN(30) - 15
	most := least + rng.IntN(25)
	item := fmt.Sprintf(`{"type":"integer",%s:%d,%s:%d}`, pick(`"minimum"`, `"exclusiveMinimum"`), least, pick(`"maximum"`, `"maximum"`, `"exclusiveMaximum"`), most+1)
	switch rng.IntN(5) {
	case 0:
		item = fmt.Sprintf(`{"type":["number","boolean"],"minimum":%d,"maximum":%d,"multipleOf":%s}`, least, most, pick("0.5", "2.5", "0.25"))
	case 1:
		item = fmt.Sprintf(`{"type":["integer","null"],"anyOf":[{"minimum":%d,"maximum":%d},{"enum":[70,700,7000,0.5,0]}]}`, least, most)
	case 2:
		item = fmt.Sprintf(`{"type":"integer","minimum":%d,"maximum":%d,"not":{"multipleOf":3}}`, least, most+1)
	case 3:
		item = fmt.Sprintf(`{"type":"number","minimum":%d,"maximum":%d.%s}`, least, least, pick("0", "1"))
	}
	draft := pick(`"http://json-schema.org/draft-06/schema#"`, `"http://json-schema.org/draft-07/schema#"`)
	if rng.IntN(5) == 0 && !strings.Contains(item, "exclusive") {
		draft = `"http://json-schema.org/draft-04/schema#"`
	}
	return fmt.Sprintf(`{"$schema":%s,"type":"array","uniqueItems":true,"items":%s}`, draft, item)
}

var farExponent = regexp.MustCompile(`[eE][+-]?[0-9]{4}`)

// TestUnique_numbersOfAnySpellingCanBeEnded walks at random through arrays of few numbers, and
// then to their end.
func TestUnique_numbersOfAnySpellingCanBeEnded(t *testing.T) {
	v := walkVocab(t)
	elements := 0
	grammartest.Seeds(t, 100, func(seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 19))
		text := fewNumbers(rng)
		g, err := FromSchema([]byte(text), SchemaOptions{Space: NoSpace})
		if err != nil {
			return // draft 4 has a meaning of its own for some bounds
		}
		for range 3 {
			m, out := g.Matcher(v), []byte(nil)
			for steps := range 300 {
				mask := m.Mask()
				if steps > 150 {
					mask = m.MaskWithin(300 - steps)
				}
				if mask.Len() == 0 {
					t.Fatalf("%s: nothing is allowed after %s", text, out)
				}
				token := randomToken(mask, v, rng)
				// some digits lead to longer numbers than others, and brackets to
				// none
				for b := range 3 {
					if p := v.Piece(token); steps < 150 && (bytes.ContainsAny(p, "]") || b == 0 && bytes.ContainsAny(p, "eE0")) {
						token = randomToken(mask, v, rng)
					}
				}
				if v.IsEOG(token) {
					break
				}
				if err := m.Accept(token); err != nil {
					t.Fatal(err)
				}
				out = append(out, v.Piece(token)...)
			}
			if !m.Done() {
				t.Fatalf("%s: %s has no end", text, out)
			}
			elements += bytes.Count(out, []byte(","))
			if farExponent.Match(out) {
				continue
			}
			if value, err := jsonschema.UnmarshalJSON(bytes.NewReader(out)); err != nil || grammartest.Oracle(t, []byte(text)).Validate(value) != nil {
				t.Fatalf("%s: walk gave %s", text, out)
			}
		}
	})
	t.Logf("%d elements", elements)
}

// TestUnique_digitsOfNumbersThatAreThere: what has been read of a number must be of one that is
// free.
func TestUnique_digitsOfNumbersThatAreThere(t *testing.T) {
	v := walkVocab(t)
	for _, c := range []struct{ item, read, want string }{
		{`{"type":"integer","minimum":0,"maximum":11}`, `[0,7,`, `12345689`},
		{`{"type":"integer","minimum":0,"maximum":11}`, `[0,7,1`, `,.01]`},
		{`{"type":"integer","minimum":0,"maximum":11}`, `[0,7,10,1`, `,.1]`},
		{`{"type":"number","minimum":0,"maximum":1,"multipleOf":0.5}`, `[0.5,0,`, `1`},
		{`{"type":"integer","minimum":1}`, `[7,70,7`, `0123456789`},
		{`{"enum":[1,10,100,5,6,7]}`, `[10,6,`, `157`},
	} {
		m := mustSchema(t, `{"type":"array","uniqueItems":true,"minItems":3,"items":`+c.item+`}`, SchemaOptions{Space: NoSpace}).Matcher(v)
		if err := m.AcceptBytes([]byte(c.read)); err != nil {
			t.Fatal(err)
		}
		mask, got := m.Mask(), ""
		for b := byte(' '); b < 127; b++ {
			if mask.Allows(int32(b)) {
				got += string(rune(b))
			}
		}
		if got != c.want {
			t.Errorf("%s: behind %s come %s, want %s", c.item, c.read, got, c.want)
		}
	}
}
