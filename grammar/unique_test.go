package grammar

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/grammar/grammartest"
	"tenon/grammar/schema"
)

// scarceItems are schemas that few objects satisfy. Beside each stand some of those objects, each
// in all orders of its keys.
var scarceItems = []struct {
	item string
	all  [][]string
}{
	{
		`{"type":"object","properties":{"a":{"enum":[1,2]}},"required":["a"],"additionalProperties":false}`,
		[][]string{{`{"a":1}`}, {`{"a":2}`}},
	},
	{
		`{"type":"object","properties":{"a":{"const":1},"b":{"const":2}},"additionalProperties":false}`,
		[][]string{{`{}`}, {`{"a":1}`}, {`{"b":2}`}, {`{"a":1,"b":2}`, `{"b":2,"a":1}`}},
	},
	{
		`{"type":"object","properties":{"a":{"enum":[1,2]},"s":{"type":"string"}},"required":["a"],"additionalProperties":false}`,
		[][]string{{`{"a":1}`}, {`{"a":2}`}, {`{"a":1,"s":""}`, `{"s":"","a":1}`}, {`{"a":2,"s":""}`, `{"s":"","a":2}`}},
	},
	{
		`{"type":"object","properties":{"a":{"enum":["x","xy"]},"b":{"type":"boolean"},"s":{"type":"number"}},"required":["a","s"],"additionalProperties":false}`,
		[][]string{
			{`{"a":"x","s":1}`, `{"s":1,"a":"x"}`},
			{`{"a":"xy","s":1}`, `{"s":1,"a":"xy"}`},
			{`{"a":"x","b":true,"s":1}`, `{"s":1,"b":true,"a":"x"}`},
			{`{"a":"x","b":false,"s":1}`, `{"b":false,"s":1.0,"a":"x"}`},
			{`{"a":"xy","b":true,"s":1}`, `{"s":1.00,"b":true,"a":"xy"}`},
			{`{"a":"xy","b":false,"s":1}`, `{"b":false,"a":"xy","s":1}`},
		},
	},
	{
		`{"type":["object","null"],"properties":{"a":{"enum":[1,12]},"b":{"enum":[1]},"s":{"pattern":"^a*$","type":"string"}},"required":["a","b"],"additionalProperties":false}`,
		[][]string{{`null`}, {`{"a":1,"b":1}`, `{"b":1,"a":1}`}, {`{"a":12,"b":1}`, `{"b":1,"a":12}`}, {`{"a":12,"b":1,"s":"a"}`, `{"s":"a","b":1,"a":12}`}},
	},
	{
		`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"enum":[1,2]},"s":{"type":"string"}},"required":["b"],"additionalProperties":false}},"required":["a"],"additionalProperties":false}`,
		[][]string{{`{"a":{"b":1}}`}, {`{"a":{"b":2}}`}, {`{"a":{"b":2,"s":"x"}}`, `{"a":{"s":"x","b":2}}`}},
	},
	{
		`{"anyOf":[{"type":"object","properties":{"k":{"const":1},"x":{"enum":[1,2]},"s":{"type":"string"}},"required":["k","x"],"additionalProperties":false},
			{"type":"object","properties":{"k":{"const":2},"x":{"enum":[1,3]},"s":{"type":"string"}},"required":["k","x"],"additionalProperties":false}]}`,
		[][]string{{`{"k":1,"x":1}`, `{"x":1,"k":1}`}, {`{"k":2,"x":1}`, `{"x":1,"k":2}`}, {`{"k":2,"x":3}`, `{"x":3,"k":2}`}, {`{"k":1,"x":2,"s":""}`, `{"s":"","x":2,"k":1}`}},
	},
	{
		`{"type":"object","properties":{"a":{"type":"array","items":{"enum":["x","y"]},"uniqueItems":true}},"required":["a"],"additionalProperties":false}`,
		[][]string{{`{"a":[]}`}, {`{"a":["x"]}`}, {`{"a":["y"]}`}, {`{"a":["x","y"]}`}, {`{"a":["y","x"]}`, `{"a":[ "y" , "\u0078"]}`}},
	},
	{
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"number"},"minItems":1,"maxItems":2},"s":{"type":"string"}},"required":["a"],"additionalProperties":false}`,
		[][]string{{`{"a":[1]}`}, {`{"a":[2]}`}, {`{"a":[1,2]}`, `{"a":[1.0,2]}`}, {`{"a":[1],"s":""}`, `{"s":"","a":[1.00]}`}, {`{"a":[1,2],"s":""}`, `{"s":"","a":[1,2]}`}},
	},
	{
		`{"anyOf":[{"type":"array","items":{"type":"boolean"},"minItems":1,"maxItems":2},{"type":"array","items":{"enum":["x",1,null]},"uniqueItems":true},{"const":true}]}`,
		[][]string{{`true`}, {`[]`}, {`[true]`}, {`[false]`}, {`[true,true]`}, {`[true,false]`}, {`["x"]`}, {`[1]`, `[1.0]`}, {`[null]`}, {`[1,"x",null]`}, {`[1,null,"x"]`}},
	},
}

// TestUnique_whatRunsOutNeverEndsInADeadEnd walks at random: no mask is empty, and what ends is
// valid.
func TestUnique_whatRunsOutNeverEndsInADeadEnd(t *testing.T) {
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

// TestUnique_everyChoiceOfDistinctElementsIsAccepted, and none with one twice.
func TestUnique_everyChoiceOfDistinctElementsIsAccepted(t *testing.T) {
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

// scarce makes up arrays of few different objects.
type scarce struct{ *rand.Rand }

func (w scarce) pick(options ...any) any { return options[w.IntN(len(options))] }

// value makes up a value that is likely to be there twice.
func (w scarce) value(depth int) any {
	if depth == 0 || w.IntN(4) == 0 {
		return w.pick(1, 2, "a", true)
	}
	if w.IntN(3) == 0 {
		return w.values(depth - 1)
	}
	object := map[string]any{}
	for range w.IntN(3) {
		object[w.pick("a", "b").(string)] = w.value(depth - 1)
	}
	return object
}

func (w scarce) values(depth int) []any {
	list := make([]any, w.IntN(4))
	for i := range list {
		list[i] = w.value(depth)
	}
	return list
}

// item makes up a set of few values.
func (w scarce) item(depth int) any {
	switch n := w.IntN(8); {
	case n == 0 || depth == 0:
		return map[string]any{"const": w.value(depth)}
	case n == 1:
		return map[string]any{"enum": []any{w.value(depth), w.value(depth)}}
	case n == 2:
		return map[string]any{"anyOf": []any{w.item(depth - 1), w.item(depth)}}
	case n <= 4:
		return w.inner(depth - 1)
	}
	object := map[string]any{"type": "object", "additionalProperties": w.pick(false, false, false, true), "properties": map[string]any{
		"a": w.item(depth - 1), "b": w.item(depth - 1), "c": w.pick(true, map[string]any{"type": "string"}, map[string]any{"type": "integer"}),
	}}
	if w.IntN(2) == 0 {
		object["required"] = w.pick([]any{"a"}, []any{"b"}, []any{"a", "b"})
	}
	if w.IntN(4) == 0 {
		object["maxProperties"] = w.pick(1, 2)
	}
	if w.IntN(4) == 0 {
		object["dependentRequired"] = w.pick(map[string]any{"a": []any{"b"}}, map[string]any{"a": []any{"b"}, "b": []any{"a"}})
	}
	return object
}

// inner makes up a set of few arrays.
func (w scarce) inner(depth int) any {
	s := map[string]any{"type": "array", "maxItems": w.pick(1, 2, 2), "items": w.pick(true, w.item(depth), w.item(depth), w.item(depth))}
	for _, x := range []struct {
		keyword string
		value   any
	}{
		{"uniqueItems", true}, {"minItems", 1}, {"prefixItems", []any{w.item(depth)}}, {"contains", w.item(0)}, {"not", map[string]any{"uniqueItems": true}},
	} {
		if w.IntN(5) == 0 {
			s[x.keyword] = x.value
		}
	}
	return s
}

func (w scarce) array() map[string]any {
	s := map[string]any{"type": "array", "uniqueItems": true}
	if w.IntN(6) == 0 {
		delete(s, "uniqueItems")
		s["not"], s["maxItems"] = map[string]any{"uniqueItems": true}, w.pick(2, 3)
	}
	switch w.IntN(4) {
	case 0:
		s["const"] = w.values(2)
	case 1:
		s["enum"] = []any{w.values(2), w.values(2), w.values(2)}
	case 2:
		s["prefixItems"] = []any{w.item(2), w.item(2)}
		s["items"] = w.pick(false, true, w.item(2))
	default:
		s["items"] = w.item(3)
	}
	if w.IntN(4) == 0 {
		s["contains"] = w.item(1)
	}
	return s
}

// TestUnique_agreesWithTheOracle: arrays of few different objects are accepted exactly where an
// independent validator finds them valid, and no walk ends where nothing is allowed.
func TestUnique_agreesWithTheOracle(t *testing.T) {
	v := walkVocab(t)
	var n walkCount
	valid := 0
	grammartest.Seeds(t, 300, func(seed uint64) {
		w := scarce{rand.New(rand.NewPCG(seed, 13))}
		text, err := json.Marshal(w.array())
		if err != nil {
			t.Fatal(err)
		}
		g, err := FromSchema(text, SchemaOptions{})
		var unsat *schema.UnsatError
		if err != nil && !errors.As(err, &unsat) {
			return
		}
		judge := grammartest.Oracle(t, text)
		for range 60 {
			raw, err := json.Marshal(w.values(2))
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			want := judge.Validate(decoded) == nil
			if want {
				valid++
			}
			if text2 := (spelling{Shuffle: w.Rand}).Spell(raw); g != nil && accepts(g, text2) != want || g == nil && want {
				t.Fatalf("%s: %s: should be %v", text, text2, want)
			}
		}
		n.walk(t, v, string(text), text)
	})
	t.Logf("%+v, %d valid", n, valid)
}

// TestUnique_manyNumbersInARowAreAccepted: the first that is free is several digits away then, in
// whatever spelling. What a row takes grows with its square: by default one row of each kind of
// items is long, each in another spelling or order, and the others are short; make test-corpus
// takes only long ones.
func TestUnique_manyNumbersInARowAreAccepted(t *testing.T) {
	for i, item := range []string{`{"type":"integer"}`, `{"type":"number","minimum":0}`, `{"type":["integer","string"]}`, `{"type":"integer","minimum":0,"maximum":65535}`} {
		for j, numbers := range []Numbers{AnyNumbers, CanonicalNumbers} {
			g := mustSchema(t, `{"type":"array","uniqueItems":true,"items":`+item+`}`, SchemaOptions{Numbers: numbers})
			for k, row := range []func(int) int{func(n int) int { return n }, func(n int) int { return n * 7919 % 65521 }} {
				length := 100
				switch {
				case os.Getenv(grammartest.AllEnv) != "":
					length = 700
				case i == 2*k+j:
					length = 300
				}
				text := []byte("[0")
				for n := range length {
					text = strconv.AppendInt(append(text, ','), int64(row(n+1)), 10)
				}
				if err := g.Matcher(nil).AcceptBytes(text); err != nil {
					t.Errorf("%s: %v", item, err)
				}
			}
		}
	}
}

// TestUnique_digitsAreAllowedWhereANumberIsFree: of many numbers most have been, and every digit
// is held against all that are left.
func TestUnique_digitsAreAllowedWhereANumberIsFree(t *testing.T) {
	v := walkVocab(t)
	grammartest.Seeds(t, 30, func(seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 17))
		step, least, count := []float64{0.1, 0.25, 0.5, 1, 5, 10}[rng.IntN(6)], rng.IntN(200)-100, 35+rng.IntN(150)
		number := func(i int) string {
			return strconv.FormatFloat(math.Round(float64(least+i)*step*100)/100+0, 'f', -1, 64)
		}
		schema := fmt.Sprintf(`{"type":"array","uniqueItems":true,"items":{"type":"number","minimum":%s,"maximum":%s,"multipleOf":%v}}`, number(0), number(count-1), step)
		m := mustSchema(t, schema, SchemaOptions{Space: NoSpace, Numbers: CanonicalNumbers}).Matcher(v)
		free, begun := map[string]bool{}, map[string]bool{"": true}
		read := "["
		for i := range count {
			spellings := []string{number(i)}
			if !strings.Contains(number(i), ".") {
				spellings = append(spellings, number(i)+".0")
			}
			used := i > 0 && rng.IntN(count) > int(seed)%count
			for _, text := range spellings {
				free[text] = !used
				for n := range text {
					begun[text[:n]] = true
				}
			}
			if used {
				read += number(i) + ","
			}
		}
		maps.DeleteFunc(free, func(_ string, is bool) bool { return !is })
		if err := m.AcceptBytes([]byte(read)); err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		for text := range begun {
			m := m.Clone()
			if (m.AcceptBytes([]byte(text)) == nil) != (begins(free, text) || text == "") {
				t.Errorf("%s: after %s, %q is wrongly allowed or not", schema, read, text)
			} else if begins(free, text) {
				compareDigits(t, m.Mask(), text, free)
			}
		}
	})
}

func compareDigits(t *testing.T, mask Mask, text string, free map[string]bool) {
	t.Helper()
	for _, d := range []byte("-.0123456789") {
		zero := text == "-" && d == '0' // has a spelling that is not among the free ones
		if got, want := mask.Allows(int32(d)), begins(free, text+string(rune(d))); got != want && !zero {
			t.Errorf("behind %q, %c is allowed: %v, want %v", text, d, got, want)
		}
	}
}

func begins(texts map[string]bool, prefix string) bool {
	for text := range texts {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}
