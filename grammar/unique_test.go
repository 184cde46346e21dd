package grammar

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// scarceItems are sets of few objects, with all that are in them: each in all orders
// of its keys.
var scarceItems = []struct {
	item string
	all  [][]string
}{
	{
		`{"type":"object","properties":{"a":{"enum":[1,2]}},"required":["a"],"additionalProperties":false}`,
		[][]string{{`{"a":1}`}, {`{"a":2}`}},
	},
	{
		`{"type":"object","properties":{"a":{"enum":["x","xy"]},"b":{"type":"boolean"}},"required":["a"],"additionalProperties":false}`,
		[][]string{
			{`{"a":"x"}`},
			{`{"a":"xy"}`},
			{`{"a":"x","b":true}`, `{"b":true,"a":"x"}`},
			{`{"a":"x","b":false}`, `{"b":false,"a":"x"}`},
			{`{"a":"xy","b":true}`, `{"b":true,"a":"xy"}`},
			{`{"a":"xy","b":false}`, `{"b":false,"a":"xy"}`},
		},
	},
	{
		`{"type":"object","properties":{"a":{"const":1},"b":{"const":2}},"additionalProperties":false}`,
		[][]string{{`{}`}, {`{"a":1}`}, {`{"b":2}`}, {`{"a":1,"b":2}`, `{"b":2,"a":1}`}},
	},
	{
		`{"type":["object","null"],"properties":{"a":{"enum":[1,12]},"b":{"enum":[1]}},"required":["a","b"],"additionalProperties":false}`,
		[][]string{{`null`}, {`{"a":1,"b":1}`, `{"b":1,"a":1}`}, {`{"a":12,"b":1}`, `{"b":1,"a":12}`}},
	},
	{
		`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"enum":[1,2]}},"required":["b"],"additionalProperties":false}},"required":["a"],"additionalProperties":false}`,
		[][]string{{`{"a":{"b":1}}`}, {`{"a":{"b":2}}`}},
	},
}

// TestUnique_objectsThatRunOutNeverEndInADeadEnd walks at random: no mask is empty,
// and what ends is valid.
func TestUnique_objectsThatRunOutNeverEndInADeadEnd(t *testing.T) {
	v := walkVocab(t)
	for _, c := range scarceItems {
		schema := `{"type":"array","uniqueItems":true,"items":` + c.item + `}`
		valid := mustValidator(t, schema)
		g := mustSchema(t, schema, SchemaOptions{Numbers: CanonicalNumbers})
		ended := 0
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, 11))
			m := g.Matcher(v)
			var out []byte
			for range 200 {
				mask := m.Mask()
				if mask.Len() == 0 {
					t.Fatalf("%s: nothing is allowed after %s", schema, out)
				}
				token := randomToken(mask, v, rng)
				for range 3 { // white space goes on without end
					if p := v.Piece(token); len(p) == 1 && strings.IndexByte(" \t\r\n", p[0]) >= 0 {
						token = randomToken(mask, v, rng)
					}
				}
				if err := m.Accept(token); err != nil {
					t.Fatal(err)
				}
				if v.IsEOG(token) {
					ended++
					break
				}
				out = append(out, v.Piece(token)...)
			}
			if value, err := jsonschema.UnmarshalJSON(bytes.NewReader(out)); err == nil && valid.Validate(value) != nil {
				t.Fatalf("%s: walk gave %s", schema, out)
			}
		}
		if ended == 0 {
			t.Errorf("%s: no walk ended", schema)
		}
	}
}

// TestUnique_everyChoiceOfDistinctObjectsIsAccepted, and none with one twice.
func TestUnique_everyChoiceOfDistinctObjectsIsAccepted(t *testing.T) {
	for _, c := range scarceItems {
		g := mustSchema(t, `{"type":"array","uniqueItems":true,"items":`+c.item+`}`, SchemaOptions{})
		rng := rand.New(rand.NewPCG(3, 11))
		accepts := func(elements []string) bool {
			m := g.Matcher(nil)
			return m.AcceptBytes([]byte("["+strings.Join(elements, ", ")+"]")) == nil && m.Done()
		}
		for range 50 {
			var elements []string
			for _, i := range rng.Perm(len(c.all))[:rng.IntN(len(c.all)+1)] {
				elements = append(elements, c.all[i][rng.IntN(len(c.all[i]))])
			}
			if !accepts(elements) {
				t.Fatalf("%s: refused %s", c.item, elements)
			}
			if n := len(elements); n > 0 && accepts(append(elements, elements[rng.IntN(n)])) {
				t.Fatalf("%s: accepted one twice behind %s", c.item, elements)
			}
		}
	}
}
