package conform

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const schema = `{"type": "object", "properties": {
	"n": {"type": "integer"}, "x": {"type": "number"}, "b": {"type": "boolean"}, "s": {"type": "string"},
	"list": {"type": "array", "items": {"type": "string"}},
	"rows": {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "integer"}}, "required": ["k"]}},
	"o": {"type": "object", "properties": {"file_path": {"type": "string"}}, "additionalProperties": false},
	"unit": {"enum": ["celsius", "fahrenheit"]},
	"day": {"type": "string", "format": "date"},
	"either": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
	"opt": {"type": "integer"},
	"ref": {"$ref": "#/$defs/count"}
}, "additionalProperties": false, "$defs": {"count": {"type": "integer"}}}`

// A keyword that says nothing about other types must not be escaped by a change of type.
func TestConform_typeIsNotChangedToSlipThrough(t *testing.T) {
	for schema, args := range map[string]string{
		`{"properties":{"x":{"maximum":3}}}`:    `{"x":9}`,
		`{"properties":{"x":{"minLength":3}}}`:  `{"x":"12"}`,
		`{"properties":{"x":{"pattern":"^a"}}}`: `{"x":"true"}`,
	} {
		if out, _, err := Compile(json.RawMessage(schema)).Conform([]byte(args)); err == nil {
			t.Errorf("%s: %s became %s", schema, args, out)
		}
	}
}

func TestConform_changesSpellingOnly(t *testing.T) {
	for args, c := range map[string]struct {
		want  string
		rules []string
	}{
		`{"n": 3, "s": "x"}`:              {`{"n": 3, "s": "x"}`, nil},
		`{"n": "3"}`:                      {`{"n":3}`, []string{NumberFromString}},
		`{"x": " 2.5 "}`:                  {`{"x":2.5}`, []string{NumberFromString}},
		`{"b": "True"}`:                   {`{"b":true}`, []string{BooleanFromString}},
		`{"s": 12}`:                       {`{"s":"12"}`, []string{StringFromScalar}},
		`{"s": {"a": 1}}`:                 {`{"s":"{\"a\": 1}"}`, []string{StringFromJSON}},
		`{"list": "a"}`:                   {`{"list":["a"]}`, []string{WrapInArray}},
		`{"list": "[\"a\", \"b\"]"}`:      {`{"list":["a","b"]}`, []string{JSONFromString}},
		`{"list": {"item": ["a", "b"]}}`:  {`{"list":["a","b"]}`, []string{UnwrapArray}},
		`{"n": [3]}`:                      {`{"n":3}`, []string{UnwrapArray}},
		`{"n": ["3"]}`:                    {`{"n":3}`, []string{NumberFromString, UnwrapArray}},
		`{"o": [{"file_path": "a"}]}`:     {`{"o":{"file_path":"a"}}`, []string{UnwrapArray}},
		`{"s": ["a"]}`:                    {`{"s":"[\"a\"]"}`, []string{StringFromJSON}},
		`{"rows": {"k": "1"}}`:            {`{"rows":[{"k":1}]}`, []string{NumberFromString, WrapInArray}},
		`{"o": "{'file_path': 'a'}"}`:     {`{"o":{"file_path":"a"}}`, []string{JSONFromString}},
		`{"o": {"filePath": "a"}}`:        {`{"o":{"file_path":"a"}}`, []string{KeySpelling}},
		`{"unit": "Celsius"}`:             {`{"unit":"celsius"}`, []string{EnumSpelling}},
		`{"unit": "'celsius'"}`:           {`{"unit":"celsius"}`, []string{EnumSpelling}},
		`{"day": " 2026-01-02\n"}`:        {`{"day":"2026-01-02"}`, []string{TrimSpace}},
		`{"day": "2026-01-02T00:00:00Z"}`: {`{"day":"2026-01-02"}`, []string{DateFromTime}},
		`{"n": "+007"}`:                   {`{"n":7}`, []string{NumberFromString}},
		`{"either": "7"}`:                 {`{"either":7}`, []string{NumberFromString}},
		`{"opt": null, "n": 1}`:           {`{"n":1}`, []string{DropNull}},
		`{"ref": "5"}`:                    {`{"ref":5}`, []string{NumberFromString}},
	} {
		out, repairs, err := Compile(json.RawMessage(schema)).Conform([]byte(args))
		if err != nil || string(out) != c.want {
			t.Errorf("%s: %s, %v; want %s", args, out, err, c.want)
			continue
		}
		var rules []string
		for _, r := range repairs {
			rules = append(rules, r.Rule)
		}
		if diff := cmp.Diff(c.rules, rules); diff != "" {
			t.Errorf("%s: rules -want +got:\n%s", args, diff)
		}
	}
}

func TestConform_inventsNothing(t *testing.T) {
	for _, args := range []string{`{"n": "three"}`, `{"n": 3.5}`, `{"unit": "kelvin"}`, `{"zzz": 1}`, `{"b": "maybe"}`, `{"rows": [{}]}`, `{"o": {"x": 1}}`, `{"day": "tomorrow"}`,
		`{"n": "3 apples"}`, `{"n": [3, 4]}`, `{"n": [[3]]}`, `{"list": {"a": ["b"]}}`, `{"n": [null]}`, `{"b": "yes"}`, `{"unit": "celsiu"}`, `{"Opt": 1, "OPT": 2}`} {
		if out, repairs, err := Compile(json.RawMessage(schema)).Conform([]byte(args)); err == nil {
			t.Errorf("%s became %s by %v", args, out, repairs)
		}
	}
}

// Where a value can be read in two ways, or was cut off, none is chosen.
func TestConform_doesNotGuess(t *testing.T) {
	for sub, values := range map[string][]string{
		`{"type":"array","items":{"type":"string"}}`:                           {`"[draft]"`, `"[a, b]"`, `"[1, 2"`, `"[\"a\", \"b"`, `{}`, `{"a": 1}`},
		`{"type":"array","items":{"type":"array","items":{"type":"integer"}}}`: {`[1, 2]`, `["1"]`},
		`{"type":"object"}`:  {`"{\"a\": 1"`, `"{\"a\": \"b}"`, `"{\"a\": yes}"`},
		`{"type":"number"}`:  {`"1e400"`, `"-1e999999999"`, `"NaN"`, `"1,000"`},
		`{"type":"integer"}`: {`"3.5"`, `"1e-3"`, `"three"`},
		`{"anyOf":[{"type":"string","enum":["Red"]},{"type":"string","enum":["rEd"]}]}`:   {`"RED"`},
		`{"type":"object","properties":{"a":{"type":"integer"},"id":{"type":"integer"}}}`: {`{"a": "x", "ID": "y"}`},
		`{"type":"string","format":"date"}`:                                               {`"2026-01-02T10:00:00Z"`, `"2026-01-02T00:00:00+02:00"`, `"2026/01/02"`, `20260102`},
		`{"type":"boolean"}`:                                                              {`"yes"`, `"1"`, `1`, `"on"`, `""`},
		`{"type":"array","items":{"type":"integer"}}`:                                     {`"1,2"`, `""`, `null`},
	} {
		s := Compile(json.RawMessage(`{"type":"object","properties":{"v":` + sub + `},"required":["v"]}`))
		for _, v := range values {
			if out, repairs, err := s.Conform([]byte(`{"v": ` + v + `}`)); err == nil {
				t.Errorf("%s: %s became %s by %v", sub, v, out, repairs)
			}
		}
	}
}

// A key that a schema leaves open is the caller's own: it is not renamed because something else
// was at fault.
func TestConform_keysThatMayStandStay(t *testing.T) {
	const open = `{"type":"object","properties":{"count":{"type":"integer"},"id":{"type":"integer"},"file_path":{"type":"string"}},"required":["file_path"]}`
	out, _, err := Compile(json.RawMessage(open)).Conform([]byte(`{"count": "3", "ID": "x", "filePath": "a"}`))
	if want := `{"count":3,"ID":"x","file_path":"a"}`; err != nil || string(out) != want {
		t.Errorf("%s, %v; want %s", out, err, want)
	}
}

func TestConform_valueComesBeforeTheSameInAnArray(t *testing.T) {
	for sub, c := range map[string][2]string{
		`{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"integer"}]}`: {`"1"`, `1`},
		`{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"integer"}}]}`: {`"[1, 2]"`, `[1,2]`},
		`{"type":"array","items":{"type":"array","items":{"type":"integer"}}}`:       {`1`, `[[1]]`},
		`{"type":"array","items":{"type":"object"}}`:                                 {`"{\"a\": 1}"`, `[{"a":1}]`},
	} {
		s := Compile(json.RawMessage(`{"properties":{"v":` + sub + `}}`))
		if out, _, err := s.Conform([]byte(`{"v":` + c[0] + `}`)); err != nil || string(out) != `{"v":`+c[1]+`}` {
			t.Errorf("%s: %s became %s, %v; want %s", sub, c[0], out, err, c[1])
		}
	}
}

// A number that the validator or a reader cannot hold is no value, in arguments and in schemas: it
// ends no process.
func TestConform_numbersBeyondADouble(t *testing.T) {
	for _, n := range []string{"1e400000000", "-1e400000000", "1e-400000000", "1e400", "1e-400", "0e-99999999999999999999", "1e99999999999999999999", strings.Repeat("9", 400)} {
		for _, sub := range []string{`{"type":"number","maximum":5}`, `{"type":"integer"}`, `{"multipleOf":0.1}`, `{"minimum":0}`, `{}`, `{"type":"array","items":{"type":"number","minimum":1}}`} {
			s := Compile(json.RawMessage(`{"properties":{"v":` + sub + `}}`))
			for _, v := range []string{n, `"` + n + `"`, `"[` + n + `]"`, "[" + n + "]"} {
				args := []byte(`{"v":` + v + `}`)
				out, _, err := s.Conform(args)
				if err == nil && !(v[0] == '"' && string(out) == string(args)) {
					t.Errorf("%s: %.60s became %.60s", sub, args, out)
				}
				_ = s.Faults(args)
			}
		}
		for _, k := range []string{"maximum", "minimum", "exclusiveMinimum", "multipleOf", "maxLength", "minItems", "const", "default"} {
			s := Compile(json.RawMessage(`{"properties":{"v":{"type":"number","` + k + `":` + n + `}}}`))
			if _, _, err := s.Conform([]byte(`{"v":5}`)); err != nil && k != "const" {
				t.Errorf("%s %.20s: %v", k, n, err)
			}
		}
	}
}

// Patterns that backtrack for ever cost what a few of them cost, however many values there are.
func TestConform_slowPatternsAreBounded(t *testing.T) {
	s := Compile(json.RawMessage(`{"properties":{"v":{"items":{"type":"string","pattern":"^(a+)+\\1$"}}}}`))
	value := `"` + strings.Repeat("a", 40) + `!"`
	if _, _, err := s.Conform([]byte(`{"v":[` + strings.Repeat(value+",", 200) + value + `]}`)); err == nil {
		t.Error("they match")
	}
	if s.effort.timeouts < 0 {
		t.Errorf("%d timeouts too many", -s.effort.timeouts)
	}
	if _, _, err := s.Conform([]byte(`{"v":["aa"]}`)); err != nil {
		t.Errorf("later arguments: %v", err)
	}
}

func TestCompile_leavesOutWhatItCannotUse(t *testing.T) {
	for raw, args := range map[string]string{
		`{"type": "dict", "properties": {"a": {"type": "float"}}}`:  `{"a": 1.5}`,
		`{"properties": {"a": {"type": "string", "pattern": "("}}}`: `{"a": "x"}`,
		`{"properties": {"a": {"$ref": "#/$defs/none"}}}`:           `{"a": 1}`,
		`{"properties": {"a": {"$ref": "https://example.com/x"}}}`:  `{"a": 1}`,
	} {
		s := Compile(json.RawMessage(raw))
		if err := s.Validate([]byte(args)); err != nil || s.Loose() {
			t.Errorf("%s: %v, loose %v", raw, err, s.Loose())
		}
	}
}

func TestField_readsTextBySchema(t *testing.T) {
	s := Compile(json.RawMessage(schema))
	for _, c := range []struct{ key, text, want string }{
		{"s", "3", `"3"`}, {"s", `"q"`, `"\"q\""`}, {"n", " 3 ", "3"}, {"b", "True", "true"}, {"list", "['a']", `["a"]`},
		{"rows", `[{"k": 1}]`, `[{"k": 1}]`}, {"other", "hello there", `"hello there"`}, {"either", "true", "true"},
	} {
		if got := string(s.Field(c.key, c.text)); got != c.want {
			t.Errorf("%s = %q is %s, want %s", c.key, c.text, got, c.want)
		}
	}
}

// A few lines of unions of unions, reached by pointer or by anchor, have millions of alternatives.
// A value that fits the first is found at once; for one that fits none the look at them ends.
func TestConform_unionsOfUnions(t *testing.T) {
	for _, ref := range []string{`{"$ref":"#/$defs/w%d"}`, `{"$ref":"#w%d"}`} {
		definitions := `"w0":{"$anchor":"w0","type":"integer"}`
		for i := 1; i < 12; i++ {
			one := fmt.Sprintf(ref, i-1)
			definitions += fmt.Sprintf(`,"w%d":{"$anchor":"w%d","anyOf":[%s,%s,%s,%s,%s]}`, i, i, one, one, one, one, one)
		}
		s := Compile([]byte(`{"properties":{"anyOf":{"items":` + fmt.Sprintf(ref, 11) + `}},"$defs":{` + definitions + `}}`))
		if s.Beyond() != "" || s.Loose() {
			t.Errorf("%s: %s, %v", ref, s.Beyond(), s.Loose())
		}
		for args, fits := range map[string]bool{`{"anyOf":[1,2,3]}`: true, `{"anyOf":["x"]}`: false} {
			if err := s.Validate([]byte(args)); (err == nil) != fits {
				t.Errorf("%s: %s: %v", ref, args, err)
			}
		}
	}
}

// Schemas that are branches of their own end the search for what they say.
func TestSchema_recursionEnds(t *testing.T) {
	for _, definition := range []string{`{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}`, `{"allOf":[{"$ref":"#/$defs/a"}]}`, `{"oneOf":[{"$ref":"#/$defs/a"},{"type":"string"}]}`, `{"$ref":"#/$defs/a"}`} {
		s := Compile([]byte(`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":` + definition + `}}`))
		if s.OnlyString("a") || s.Declares("b") || s.Beyond() != "" {
			t.Errorf("%s: %v, %v, %v", definition, s.OnlyString("a"), s.Declares("b"), s.Beyond())
		}
		_, _, _ = s.Conform([]byte(`{"a":"null"}`)) // ends
	}
}
