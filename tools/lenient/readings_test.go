package lenient

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// keysOf is the shape of an object with some keys, inside of which any may stand.
func keysOf(keys ...string) Shape {
	return func(key string) (Shape, bool) {
		for _, k := range keys {
			if k == key {
				return nil, true
			}
		}
		return nil, false
	}
}

func TestReadings_endStringsBeforeKnownKeysFirst(t *testing.T) {
	for text, want := range map[string][]string{
		`{"a": "say "hi" now"}`:                {`[{"a":"say \"hi\" now"}]`},
		`{"a": "{"k": "v"} and {"l": "m"} x"}`: {`[{"a":"{\"k\": \"v\"} and {\"l\": \"m\"} x"}]`},
		`{"a": "x", "b": "y"}`:                 {`[{"a":"x","b":"y"}]`, `[{"a":"x\", \"b\": \"y"}]`},
		`{"a": "f("x", c)"} {"b": 'it's'}`:     {`[{"a":"f(\"x\", c)"},{"b":"it's"}]`},
		`{a: ["x "y"", 1, None], 'b': -1.5}`:   {`[{"a":["x \"y\"",1,null],"b":-1.5}]`},
		"{\"a\": \"x\n\\\"y\\\\\"}":            {`[{"a":"x\n\"y\\"}]`},
		`{"a": "x" "b": "y"}`:                  {`[{"a":"x\" \"b\": \"y"}]`},
		`{"a": "x"`:                            nil,
		`{"c": "x"}`:                           nil,
		`{"a": x}`:                             nil,
		``:                                     nil,
		`{"a": "b`:                             nil,
	} {
		found, all := Readings([]byte(text), keysOf("a", "b"))
		var got []string
		for _, r := range found {
			got = append(got, string(r.JSON))
		}
		if diff := cmp.Diff(want, got); diff != "" || !all {
			t.Errorf("%s: all %v, -want +got:\n%s", text, all, diff)
		}
	}
}

func TestReadings_tellWhetherQuotesComeInPairs(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a": "say "hi""}`:        true,
		`{"a": "sed 's/"//g'"}`:    false,
		`{"a": "f("x", {"k": 1)"}`: false,
		`{"a": "5 (or"}`:           true, // no quote, so nothing is in doubt
	} {
		found, _ := Readings([]byte(text), nil)
		if len(found) != 1 || found[0].Paired != want {
			t.Errorf("%s: %+v", text, found)
		}
	}
}

func TestCallReadings_readAllCallsOfAList(t *testing.T) {
	call := func(name string) (Shape, bool) { return keysOf("a", "b"), name == "f" || name == "g" }
	for text, want := range map[string]string{
		`[f(a="x "y" z", b=1), g()]`:  `[{"name":"f","arguments":{"a":"x \"y\" z","b":1}},{"name":"g","arguments":{}}]`,
		"f(a=\"x(\"y\", c=1)\")\ng()": `[{"name":"f","arguments":{"a":"x(\"y\", c=1)"}},{"name":"g","arguments":{}}]`,
		`[f(a="g(a="x")]")]`:          `[{"name":"f","arguments":{"a":"g(a=\"x\")]"}}]`,
		`[f(a=("x", True),)]`:         `[{"name":"f","arguments":{"a":["x",true]}}]`,
	} {
		found, _ := CallReadings([]byte(text), call)
		if len(found) == 0 || string(found[0].JSON) != want {
			t.Errorf("%s: %+v", text, found)
		}
	}
}

// However a text is made, reading it all ways costs a bounded number of looks at its bytes, and no
// stack without end.
func TestReadings_costIsBounded(t *testing.T) {
	for _, unit := range []string{`"`, `{"a":"`, `",`, `["`, `"}`, `{"a": "b", `, `"a", `, ` `, `[`, `\"`} {
		text := []byte(`{"a": "` + strings.Repeat(unit, 200_000/len(unit)))
		looks := 0
		shape := func(string) (Shape, bool) { looks++; return nil, true }
		if found, all := Readings(text, shape); len(found) > 0 && all {
			t.Errorf("%q: %d readings", unit, len(found))
		}
		if looks > 64*len(text) {
			t.Errorf("%q: %d keys were asked for", unit, looks)
		}
	}
}

func FuzzReadings(f *testing.F) {
	f.Add(`{"a": "x "y" z", "b": [1, {'c': None}]}`)
	f.Add("[f(a=\"x\", b={'k': 1})]\ng()")
	f.Fuzz(func(t *testing.T, text string) {
		found, _ := Readings([]byte(text), keysOf("a", "b"))
		calls, _ := CallReadings([]byte(text), func(string) (Shape, bool) { return nil, true })
		for _, r := range append(found, calls...) {
			if !json.Valid(r.JSON) || r.JSON[0] != '[' {
				t.Fatalf("%q became %q", text, r.JSON)
			}
		}
	})
}

// What a reading of a torn text has mended is named, each rule once, and only what the reading
// took.
func TestReadings_nameTheirRules(t *testing.T) {
	for text, want := range map[string][]string{
		`{"a": "say "hi" now"}`:              {UnescapedQuote},
		"{\"a\": \"say \"hi\"\nnow\"}":       {RawControl, UnescapedQuote},
		`{'a': 'it's 'so'', b: True,}`:       {BareKey, PythonLiteral, QuoteStyle, TrailingComma, UnescapedQuote},
		`{"a": "x \d "y" z", "b": [1, 2, ]}`: {BadEscape, TrailingComma, UnescapedQuote},
		`{"a": 1}`:                           nil,
	} {
		found, _ := Readings([]byte(text), keysOf("a", "b"))
		if len(found) == 0 {
			t.Errorf("no reading of %s", text)
		} else if diff := cmp.Diff(want, found[0].Repairs); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
