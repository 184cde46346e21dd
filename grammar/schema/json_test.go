package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestDecodeJSON_keepsOrderAndSpelling(t *testing.T) {
	v, err := decodeJSON([]byte(`{"b":1.50,"a":[ -0e2 , "x\u00e9\ud83d\ude00\n" ],"b":2}`), 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.members) != 2 || v.members[0].key != "b" || v.members[1].key != "a" {
		t.Fatalf("members are %+v", v.members)
	}
	if got := v.get("b").text; got != "2" {
		t.Errorf("a repeated key has value %s, want the last one", got)
	}
	list := v.get("a")
	if list.items[0].text != "-0e2" || list.items[1].text != "xé😀\n" {
		t.Errorf("elements are %q and %q", list.items[0].text, list.items[1].text)
	}
	if p := list.items[1].pointer(); p != "/a/1" {
		t.Errorf("pointer is %q", p)
	}
}

func TestDecodeJSON_manyMembers(t *testing.T) {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	text := `{` + b.String() + `"k7":"again"}`
	v, err := decodeJSON([]byte(text), 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.members) != 50 || v.get("k7").text != "again" || v.get("k49").text != "49" || v.get("k50") != nil {
		t.Errorf("%d members, k7 is %+v", len(v.members), v.get("k7"))
	}
}

func TestDecodeJSON_refusesWhatIsNotJSON(t *testing.T) {
	for _, text := range []string{``, ` `, `{`, `[1,]`, `{"a"}`, `{"a":}`, `{a:1}`, `01`, `1.`, `.5`, `1e`, `+1`, `nul`, `"a`, "\"\n\"",
		`"\x"`, `"\u12"`, `1 2`, `{"a":1,}`, `[1 2]`, `-`, `'a'`} {
		if v, err := decodeJSON([]byte(text), 10); err == nil {
			t.Errorf("%q is read as %+v", text, v)
		}
	}
	if _, err := decodeJSON([]byte(strings.Repeat("[", 11)+strings.Repeat("]", 11)), 10); !errors.Is(err, errTooDeep) {
		t.Errorf("nesting beyond the limit: %v", err)
	}
}

func FuzzDecodeJSON(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.5e-3,"\u0041\ud800"],"b":null}`, `[true,false]`, "\"\xff\"", `{"a":1,"a":2}`, `1e700`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := decodeJSON(text, 100)
		if valid := json.Valid(text); (err == nil) != valid && !errors.Is(err, errTooDeep) {
			t.Errorf("decoded with error %v; encoding/json finds it valid: %v", err, valid)
		}
	})
}

func FuzzCompile(f *testing.F) {
	for _, text := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"],"additionalProperties":{"not":{"const":[1]}}}`,
		`{"oneOf":[{"required":["a"]},{"minProperties":2},{"propertyNames":{"maxLength":1}}],"unevaluatedProperties":false}`,
		`{"type":"array","prefixItems":[{"enum":[1,2]}],"contains":{"multipleOf":0.3},"maxContains":2,"uniqueItems":true}`,
		`{"$id":"http://a/b","$defs":{"x":{"$anchor":"y","$dynamicAnchor":"z"}},"$dynamicRef":"#z","if":{"minimum":1},"else":false}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","id":"x","dependencies":{"a":["b"],"c":{"maximum":1,"exclusiveMaximum":true}}}`,
	} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, lenient bool) {
		s, err := Compile(text, Options{Lenient: lenient, Limits: Limits{Alternatives: 100, Work: 20_000, Nodes: 20_000}})
		if err == nil && s.Root.Empty() {
			t.Error("an empty schema compiles")
		}
	})
}
