package conform

import (
	"encoding/json"
	"fmt"
	"testing"
)

// What is said of arguments, and what becomes of them, does not depend on the order in which a map
// is ranged over: the same 50 times.
func TestConform_saysTheSameEachTime(t *testing.T) {
	object := func(key func(i int) string, value string, n int) (all string) {
		for i := range n {
			all += fmt.Sprintf(`,%q:%s`, key(i), value)
		}
		return "{" + all[1:] + "}"
	}
	letter := func(i int) string { return string(rune('a' + i)) }
	named := "" // more schemas with an $id than are taken
	for i := range maxIDs + 3 {
		named += fmt.Sprintf(`,"k%d":{"$id":"i%d","$defs":{"d":{"type":"integer"}},"properties":{"a":{"$ref":"#/$defs/d"}}}`, i, i)
	}
	for _, c := range []struct{ schema, args string }{
		{`{"properties":{"p":{"$ref":"i5"}},"$defs":{` + named[1:] + `}}`, `{"p":{"a":"x"}}`},
		{`{"properties":` + object(letter, `{"type":"integer","minimum":3}`, 6) + `}`, object(letter, `"x"`, 6)},
		{`{"properties":{"q":{"type":"string"}},"additionalProperties":false}`, object(letter, "1", 6)},
		{`{"patternProperties":{"a":{"type":"string"},"b":{"type":"boolean"},"^ab":{"type":"array"}}}`, `{"ab":"true","abb":1}`},
		{`{"patternProperties":{"a":{"type":"string","maxLength":2},"b":{"type":"integer"}},"properties":{"q":{"anyOf":[{"required":["z"]},{"maxProperties":1}]}}}`, `{"ab":"1","q":{"x":1,"y":2}}`},
		{`{"properties":` + object(letter, `{"type":"blob"}`, 5) + `,"patternProperties":{"(":{},")":{},"[":{}}}`, `{"a":1e999,"b":-1e999,"c":1e-999}`},
		{`{"propertyNames":{"maxLength":1},"unevaluatedProperties":false,"properties":{"a":{}}}`, `{"aa":1,"bb":2,"cc":3,"dd":4}`},
		{`{"dependentRequired":{"a":["x"],"b":["y"],"c":["z"]},"dependentSchemas":{"a":{"minProperties":9},"b":{"minProperties":8}}}`, `{"a":1,"b":2,"c":3}`},
	} {
		said := func() string {
			s, err := compile(json.RawMessage(c.schema), nil)
			if err != nil {
				t.Fatal(err)
			}
			out, repairs, err := s.Conform([]byte(c.args))
			return fmt.Sprintf("%v %s %v %v %+v %s", s.loose, out, repairs, err, s.Faults([]byte(c.args)), s.Beyond())
		}
		first := said()
		for range 50 {
			if again := said(); again != first {
				t.Errorf("%s:\n%s\n%s", c.schema, first, again)
				break
			}
		}
	}
}
