package grammar

import (
	"errors"
	"strings"
	"testing"

	"tenon/grammar/schema"
)

func mustSchema(t testing.TB, text string, o SchemaOptions) *Grammar {
	t.Helper()
	g, err := FromSchema([]byte(text), o)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return g
}

func TestFromSchema_instances(t *testing.T) {
	for name, c := range map[string]struct {
		schema  string
		yes, no []string
	}{
		"any value":          {`true`, []string{`1`, `"a"`, ` [ null , true ] `, `{"a":{"a":1}}`, `-0.5e+10`}, []string{``, `01`, `{"a":1,"a":2}`, `[1,]`, `{"a":1,}`, `"` + "\n" + `"`}},
		"keys in any order":  {`{"properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["b"],"additionalProperties":false}`, []string{`{"a":1,"b":"x"}`, `{"b":"x","a":1}`, `{"b":""}`}, []string{`{"a":1}`, `{"b":"","b":""}`, `{"b":"","c":1}`, `{"a":1.5,"b":""}`}},
		"keys with escapes":  {`{"properties":{"a\"ö😀":{"type":"integer"}},"required":["a\"ö😀"],"additionalProperties":false}`, []string{`{"a\"ö😀":1}`, `{"\u0061\u0022\u00F6\ud83d\uDE00":1}`}, []string{`{"a\"ö":1}`, `{"\U0061\"ö😀":1}`, `{"b\"ö😀":1}`}},
		"name in a name":     {`{"properties":{"a":{},"a\"":{},"ab":{}},"additionalProperties":false}`, []string{`{"a\u0062":1,"a\u0022":2,"\u0061":3}`, `{"a\"":1,"a":2}`}, []string{`{"a\u0063":1}`, `{"a\u0062":1,"ab":2}`}},
		"equal keys escaped": {`{}`, []string{`{"a":1,"b":1}`, `{"\u0061":1,"A":1}`}, []string{`{"a":1,"\u0061":1}`, `{"\n":1,"\u000a":2}`}},
		"pattern and named":  {`{"properties":{"x1":{"minimum":5}},"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":{"type":"string"}}`, []string{`{"x1":7,"x2":1,"y":"s"}`, `{}`}, []string{`{"x1":4}`, `{"x1":7.5}`, `{"x2":"s"}`, `{"y":1}`}},
		"number of keys":     {`{"minProperties":1,"maxProperties":2,"required":["a"]}`, []string{`{"a":1}`, `{"b":1,"a":1}`}, []string{`{}`, `{"b":1}`, `{"b":1,"c":1`, `{"a":1,"b":1,"c":1}`}},
		"dependencies":       {`{"dependentRequired":{"a":["b"],"b":["c"]}}`, []string{`{"a":1,"c":1,"b":1}`, `{"c":1}`, `{"b":1,"c":2}`}, []string{`{"a":1}`, `{"a":1,"b":2}`, `{"x":1,"a":1}`}},
		"property names":     {`{"propertyNames":{"enum":["a","bb"]}}`, []string{`{"a":1,"bb":2}`, `{"bb":2}`}, []string{`{"b":1}`, `{"a":1,"bb":1,`, `{"a":1,"a":1}`}},
		"lengths":            {`{"type":"string","minLength":2,"maxLength":3}`, []string{`"ab"`, `"ö😀b"`, `"\u00e4\ud83d\ude00"`, `"\n\"\\"`}, []string{`"a"`, `"abcd"`, `"\ud83d\ude00"`, `"abc\`}},
		"a million":          {`{"type":"string","maxLength":1000000}`, []string{`"` + strings.Repeat("a", 100000) + `"`}, []string{`"` + strings.Repeat("ab", 500001)}},
		"pattern and length": {`{"type":"string","pattern":"^(ab)+c?$","maxLength":5}`, []string{`"ab"`, `"ababc"`, `"\u0061b"`}, []string{`"ababab"`, `"ababa`, `"ababa\`, `"c"`}},
		"arrays":             {`{"prefixItems":[{"type":"null"}],"items":{"type":"integer"},"minItems":2,"maxItems":3}`, []string{`[null,1]`, `[null, 1, 2]`, `1`}, []string{`[]`, `[null]`, `[null,1,2,3]`, `[1,1]`, `[null,"a"]`}},
		"contains":           {`{"type":"array","contains":{"type":"integer"},"minContains":2,"maxContains":2,"maxItems":3}`, []string{`[1,2]`, `["a",1,2]`, `[1,"a",2]`}, []string{`[1]`, `["a","b"`, `[1,2,3]`, `[1,2,"a",`}},
		"unique":             {`{"type":"array","uniqueItems":true}`, []string{`[1,2,"1",[1],{"a":1,"b":2},{"a":1,"b":1}]`, `[]`}, []string{`[1,1]`, `[1,1.0]`, `[10,1e1]`, `["a","\u0061"]`, `[{"a":1,"b":2},{"b":2,"a":1}]`, `[[1],[ 1 ]]`}},
		"unique of few":      {`{"type":"array","uniqueItems":true,"items":{"enum":["a","ab",1,12,true]}}`, []string{`["ab","a",12,1,true]`, `[1.0,"a"]`}, []string{`["a","a"]`, `["a","ab",1,12,true,`, `[1,1.0]`}},
		"nested unique":      {`{"uniqueItems":true,"items":{"uniqueItems":true}}`, []string{`[[1,2],[2,1]]`, `[[],[1]]`}, []string{`[[1,1]]`, `[[1,2],[1,2]]`}},
		"unique objects of different sets": {`{"type":"array","prefixItems":[{"const":{"a":1}},{"const":{"a":2}},{"properties":{"a":{"enum":[1,2,3]}},"required":["a"],"additionalProperties":false,"type":"object"}],"items":false,"uniqueItems":true}`,
			[]string{`[{"a":1},{"a":2},{"a":3}]`, `[{"a":1},{"a":2}]`}, []string{`[{"a":1},{"a":2},{"a":2}]`, `[{"a":1},{"a":1}`}},
		"unique objects, some without what others require": {`{"type":"array","items":{"anyOf":[{"const":{"a":1}},{"type":"object","properties":{"a":{"const":1},"b":{"const":1}},"required":["a","b"],"additionalProperties":false}]},"uniqueItems":true}`,
			[]string{`[{"a":1},{"a":1,"b":1}]`, `[{"b":1,"a":1},{"a":1}]`}, []string{`[{"a":1},{"a":1}`}},
		"unique objects whose values are others": {`{"type":"array","items":{"properties":{"o":{"properties":{"a":{"const":1},"s":{"type":"string"}},"required":["a"],"additionalProperties":false,"type":"object"}},"required":["o"],"additionalProperties":false,"type":"object"},"uniqueItems":true}`,
			[]string{`[{"o":{"a":1}},{"o":{"a":1,"s":""}}]`, `[{"o":{"s":"","a":1}},{"o":{"a":1}}]`}, []string{`[{"o":{"a":1}},{"o":{"a":1}`}},
		"recursion": {`{"properties":{"next":{"$ref":"#"}},"additionalProperties":false}`, []string{`{"next":{"next":{}}}`}, []string{`{"next":{"nxt":{}}}`}},
		"enum and required of draft 4": {`{"$ref":"http://json-schema.org/draft-04/schema#"}`,
			[]string{`{"enum":[1,2],"required":["a"],"maximum":1,"exclusiveMaximum":true}`}, []string{`{"enum":[]`, `{"enum":[1,1]`, `{"required":[]`, `{"exclusiveMaximum":true}`}},
		"enum and required of draft 7": {`{"$ref":"http://json-schema.org/draft-07/schema#"}`, []string{`{"enum":[],"required":[]}`, `{"enum":[1,1]}`}, []string{`{"required":["a","a"]`}},
		"a key that is counted, whose value counts elements": {`{"oneOf":[{"propertyNames":{"maxLength":1}},{"additionalProperties":{"contains":false,"enum":[""],"minContains":2}},{"additionalProperties":{"contains":{},"maxContains":2}}]}`,
			[]string{`{"a":"aab","ab":2}`, `{"ab":[1,2]}`, `{"ab":{}}`}, []string{`{"a":"","ab":""}`, `{"ab":[1,2,`, `{"a":"aab","b":1}`}},
		"conditions behind else": {`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"if":{"required":["c"]},"then":{"required":["d"]},"else":{"required":["e"]}}}`,
			[]string{`{"a":1,"b":1}`, `{"c":1,"d":1}`, `{"e":1}`, `1`}, []string{`{}`, `{"a":1}`, `{"a":1,"c":1,"d":1}`, `{"c":1,"e":1}`, `{"b":1}`}},
		"conditions behind else, beside other keywords": {`{"type":"object","maxProperties":3,"if":{"required":["a"]},"then":{"required":["b"]},"else":{"maxProperties":2,"allOf":[{"required":["z"]}],"if":{"required":["c"]},"then":{"required":["d"]},"else":{"type":"object","required":["e"]}}}`,
			[]string{`{"a":1,"b":1,"x":1}`, `{"z":1,"e":1}`}, []string{`{}`, `1`, `{"a":1,"b":1,"x":1,"y":1`, `{"e":1}`, `{"c":1,"d":1}`, `{"c":1,"z":1}`, `{"z":1,"e":1,"f":1`}},
		"a condition behind then and else": {`{"if":{"required":["a"]},"then":{"$ref":"#/$defs/x"},"else":{"$ref":"#/$defs/x"},"$defs":{"x":{"if":{"required":["b"]},"then":{"required":["c"]},"else":{"maxProperties":1}}}}`,
			[]string{`{}`, `{"a":1}`, `{"b":1,"c":1}`, `{"a":1,"b":1,"c":1}`}, []string{`{"b":1}`, `{"a":1,"c":1}`, `{"a":1,"b":1}`}},
		"alternatives that lead back": {`{"anyOf":[{"const":1},{"$ref":"#/$defs/x"}],"$defs":{"x":{"anyOf":[{"const":2},{"$ref":"#/$defs/x"}]}}}`, []string{`1`}, []string{`2`}},
		"one of tagged": {`{"oneOf":[{"properties":{"k":{"enum":["a","b"]}},"required":["k"]},{"properties":{"k":{"enum":["b","c"]}},"required":["k"]},{"oneOf":[{"properties":{"k":{"const":"c"},"v":{"const":1}},"required":["k"]},{"properties":{"k":{"const":"d"}},"required":["k"]}]}],"type":"object"}`,
			[]string{`{"k":"a"}`, `{"k":"d"}`, `{"k":"c","v":2}`}, []string{`{"k":"b"}`, `{"k":"c"}`, `{"k":"c","v":1}`, `{"k":"e"`, `{}`}},
		"one of many texts": {`{"type":"string","minLength":2,"oneOf":[{"pattern":"new"},{"pattern":"old"},{"pattern":"draft"},{"pattern":"done"},{"pattern":"failed"},{"pattern":"paused"},{"pattern":"queued"},{"pattern":"^x+$"},{"pattern":"e[dw]"},{"pattern":"e[dw]"}]}`,
			[]string{`"older"`, `"a draft"`, `"done"`, `"xxx"`}, []string{`"new"`, `"ed"`, `"x"`, `"old and done"`, `"paused"`, `"none"`}},
		"one of": {`{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, []string{`{"a":1}`, `{"b":1,"c":1}`, `{"c":1,"a":1}`}, []string{`{}`, `{"a":1,"b":1}`, `{"c":1}`}},
	} {
		t.Run(name, func(t *testing.T) {
			g := mustSchema(t, c.schema, SchemaOptions{})
			for _, s := range c.yes {
				if !accepts(g, s) {
					t.Errorf("%.80s is refused: %v", s, g.Matcher(nil).AcceptBytes([]byte(s)))
				}
			}
			for _, s := range c.no {
				if !strings.HasSuffix(s, "}") && !strings.HasSuffix(s, "]") && len(s) > 1 && s[0] != '"' {
					if g.Matcher(nil).AcceptBytes([]byte(s)) == nil {
						t.Errorf("%.80s is a beginning of something accepted", s)
					}
				} else if accepts(g, s) {
					t.Errorf("%.80s is accepted", s)
				}
			}
		})
	}
}

func TestFromSchema_choices(t *testing.T) {
	text := `{"properties":{"a":{},"b":{},"c":{}},"required":["b"]}`
	for name, c := range map[string]struct {
		schema  string
		o       SchemaOptions
		yes, no []string
	}{
		"declared order": {text, SchemaOptions{Order: DeclaredOrder}, []string{`{"a":1,"b":2,"c":3,"d":4}`, `{"b":2}`, `{"b":1,"x":1,"y":2}`}, []string{`{"b":2,"a":1}`, `{"a":1,"c":3}`, `{"x":1}`, `{"b":1,"x":1,"c":1}`}},
		"declared order of unique objects": {`{"type":"array","items":{"type":"object","properties":{"a":{"const":1},"b":{"const":2}},"required":["a","b"]},"uniqueItems":true}`, SchemaOptions{Order: DeclaredOrder},
			[]string{`[{"a":1,"b":2},{"a":1,"b":2,"c":3}]`}, []string{`[{"a":1,"b":2},{"a":1,"b":2}`}},
		"bounded space":     {text, SchemaOptions{Space: BoundedSpace}, []string{`{"b": 2}`, "{\n    \"b\": 2,\n    \"a\": 1\n}", `{"b":1}`}, []string{`{  "b":1}`, ` {"b":1}`, `{"b":1} `, "{\n\n\"b\":1}", "{\n" + strings.Repeat(" ", 100)}},
		"no space":          {text, SchemaOptions{Space: NoSpace}, []string{`{"b":2}`}, []string{`{"b": 2}`}},
		"canonical escapes": {`{"properties":{"é\n":{}},"minLength":1}`, SchemaOptions{Escapes: CanonicalEscapes}, []string{`"a\n\"\u001f"`, `{"é\n":"/","x":1}`}, []string{`"\u0061"`, `"\/"`, `"\u000a"`, `{"\u00e9\n":1}`}},
		"common escapes":    {`{"properties":{"a+é":{}},"minLength":1}`, SchemaOptions{Escapes: CommonEscapes}, []string{`"\u0026\/\u001f\u00E9\ud83d\ude00\u007f\u005c"`, `{"a\u002b\u00e9":1}`}, []string{`"\u0061"`, `"\u0040"`, `"\ud83d"`, `{"\u0061+é":1}`}},
		"no extra keys": {`{"type":"object","properties":{"a":{"type":"object"},"b":{"properties":{"c":{}},"additionalProperties":true}},"allOf":[{"properties":{"d":{}}}],"patternProperties":{"^x-":{"type":"null"}},"required":["e"]}`, SchemaOptions{Extra: NoExtra},
			[]string{`{"e":1}`, `{"e":1,"a":{"z":1},"b":{"c":1,"z":1},"d":2,"x-y":null}`}, []string{`{"e":1,"z":1}`, `{"e":1,"x-y":1}`}},
		"no extra keys, but where they are needed": {`{"type":["object","array"],"properties":{"a":{}},"minProperties":2,"items":{"properties":{"b":{}},"propertyNames":{"maxLength":2}}}`, SchemaOptions{Extra: NoExtra},
			[]string{`{"a":1,"z":1}`, `{"y":1,"z":1}`, `[{"b":1,"zz":1}]`}, []string{`{"a":1}`, `[{"b":1,"zzz":1}]`}},
		"canonical numbers, where there are none": {`{"anyOf":[{"enum":[1e30,2]},{"minimum":1e25,"type":"integer"},{"const":25e-24}]}`, SchemaOptions{Numbers: CanonicalNumbers},
			[]string{`2`, `1` + strings.Repeat("0", 25), `1` + strings.Repeat("0", 30), `0.` + strings.Repeat("0", 22) + `25`}, []string{`1e30`, `0.` + strings.Repeat("0", 22) + `2`}},
		"canonical numbers, in times": {`{"type":["string","null"],"format":"time"}`, SchemaOptions{Numbers: CanonicalNumbers},
			[]string{`"10:00:00Z"`, `"10:00:00.123456789+01:00"`, `null`}, []string{`"10:00:00.` + strings.Repeat("0", 16) + `Z"`}},
		"times of which something else is said": {`{"type":"object","properties":{"a":{"format":"date-time","minLength":60},"b":{"not":{"format":"time"}}}}`, SchemaOptions{Numbers: CanonicalNumbers},
			[]string{`{"a":"2026-01-01T10:00:00.` + strings.Repeat("0", 40) + `Z"}`, `{"b":"10:00"}`}, []string{`{"b":"10:00:00.` + strings.Repeat("0", 40) + `Z"}`, `{"b":"15:59:60-08:00"}`}},
		"any numbers, in times": {`{"type":"string","format":"time"}`, SchemaOptions{}, []string{`"10:00:00.` + strings.Repeat("0", 40) + `Z"`}, []string{`"10:00:00."`}},
		"canonical numbers":     {`{"type":["number","integer"]}`, SchemaOptions{Numbers: CanonicalNumbers}, []string{`1`, `-1.25`, `0`}, []string{`1e5`, `1` + strings.Repeat("0", 30)}},
	} {
		t.Run(name, func(t *testing.T) {
			g := mustSchema(t, c.schema, c.o)
			for _, s := range c.yes {
				if !accepts(g, s) {
					t.Errorf("%s is refused: %v", s, g.Matcher(nil).AcceptBytes([]byte(s)))
				}
			}
			for _, s := range c.no {
				if accepts(g, s) {
					t.Errorf("%s is accepted", s)
				}
			}
		})
	}
}

func TestFromSchema_errorsAreTyped(t *testing.T) {
	var invalid *schema.InvalidError
	if _, err := FromSchema([]byte(`{"required":"a"}`), SchemaOptions{Tool: "get"}); !errors.As(err, &invalid) || invalid.Tool != "get" {
		t.Errorf("required that is no array: %v", err)
	}
	var unsat *schema.UnsatError
	if _, err := FromSchema([]byte(`{"type":"object","required":["a"],"properties":{"a":false}}`), SchemaOptions{}); !errors.As(err, &unsat) {
		t.Errorf("schema without instances: %v", err)
	}
	var unsupported *schema.UnsupportedError
	text := []byte(`{"type":"string","pattern":"(a)\\1"}`)
	if _, err := FromSchema(text, SchemaOptions{}); !errors.As(err, &unsupported) {
		t.Errorf("back reference: %v", err)
	}
	text2 := []byte(`{"contains":{"anyOf":[{"not":{"minimum":1}},{"enum":[1.5],"contains":{}}],"contains":{},"maxContains":1}}`)
	if _, err := FromSchema(text2, SchemaOptions{}); !errors.As(err, &unsupported) {
		t.Errorf("what only the elements that do not count are too much for: %v", err)
	}
	g, err := FromSchema(text, SchemaOptions{Lenient: true})
	if err != nil || len(g.Issues()) != 1 || g.Issues()[0].Keyword != "pattern" {
		t.Errorf("back reference, lenient: %v", err)
	}
}

func TestMask_ofSchemasEqualsMatchingTokenByToken(t *testing.T) {
	v := tinyVocab(t, `{`, `}`, `"`, `:`, `,`, `[`, `]`, `a`, `b`, `ab`, `"a`, `"a"`, `":`, `":1`, `1`, `2`, `12`, `.`, `e`, `\`, `u`, `0`, `061`, `n`, `\n`,
		` `, "\n", `a"`, `b",`, `","`, `{"`, `"}`, `1}`, `},`, `]}`, `"]`, `true`, `tr`, `ue`, `null`, "\xc3", "\xa4", "ä", `a","b":`, `":{"`, "\x01", "-", `":"`, "l", "r", "t", "f", "s", "d", "8", "c")
	for _, src := range []string{
		`%json{"properties":{"a":{"type":"integer"},"ab":{"type":"string","maxLength":2}},"required":["ab"],"additionalProperties":false}`,
		`%json{"properties":{"a":{"const":"b"}},"minProperties":1,"maxProperties":2}[space=bounded]`,
		`%json{"type":"object","patternProperties":{"^a":{"type":"integer"}},"additionalProperties":{"type":"null"}}[space=none]`,
		`%json{"type":"object","additionalProperties":{"type":"string","minLength":1,"maxLength":3}}[space=none]`,
		`%json{"type":"string","pattern":"^(a|ab)+$","maxLength":4}`,
		`%json{"type":"array","uniqueItems":true,"items":{"enum":["a","ab","b",1,12]}}[space=none]`,
		`%json{"type":"array","uniqueItems":true,"items":{"type":"string"}}[space=none]`,
		`%json{"type":"array","contains":{"const":1},"minContains":2,"maxItems":3}[space=none]`,
		`"a" %json{"type":"string"} "b"`,
		`%json{"type":"string","minLength":3}`,
		`%json{"type":["number","null"],"multipleOf":4}`,
		`%json{"enum":["a","b",{"a":[1]},12]}`,
		`%json{"type":"object","propertyNames":{"enum":["a","b"]},"minProperties":2}[space=none]`,
	} {
		checkMasks(t, "root ::= "+src, v, 3)
	}
}

// TestFromSchema_escapesOfAKeyAreThoseOfJSON: a key that is named is matched by other means than
// text, and must know the same escapes.
func TestFromSchema_escapesOfAKeyAreThoseOfJSON(t *testing.T) {
	g := mustSchema(t, `{"properties":{"\b\f\n\"/é":{"const":1}},"required":["\b\f\n\"/é"]}`, SchemaOptions{})
	for text, want := range map[string]bool{
		`{"\b\f\n\"/é":1}`: true, `{"\u0008\u000C\u000a\u0022\/\u00e9":1}`: true, `{"\u0008\u000c\u000A\u0022\/\u00E9":1}`: true,
		// an escape in the middle of a character
		"{\"\\b\\f\\n\\\"/\xc3\\ufffd\":1}": false,
		`{"\B\f\n\"/é":1}`:                  false, `{"\b\F\n\"/é":1}`: false, `{"\b\f\N\"/é":1}`: false, `{"\b\f\n\"/\U00e9":1}`: false, "{\"\\b\\f\n\\\"/é\":1}": false,
	} {
		if accepts(g, text) != want {
			t.Errorf("%s is accepted: %v", text, !want)
		}
	}
}

// TestFromSchema_declaredOrderLeavesEnoughKeysToCome: a key may not come next if those declared
// behind it are too few for minProperties.
func TestFromSchema_declaredOrderLeavesEnoughKeysToCome(t *testing.T) {
	g := mustSchema(t, `{"type":"object","properties":{"a":{"const":1},"b":{"const":1},"c":{"const":1}},"dependentRequired":{"c":["a"]},"minProperties":2,"additionalProperties":false}`, SchemaOptions{Order: DeclaredOrder, Space: NoSpace})
	for text, want := range map[string]bool{`{"a":1,"b":1}`: true, `{"a":1,"c":1}`: true, `{"b`: false, `{"c`: false, `{"a":1,"b":1,"c":1}`: true} {
		m := g.Matcher(nil)
		if got := m.AcceptBytes([]byte(text)) == nil; got != want {
			t.Errorf("%s is accepted: %v", text, got)
		}
	}
}
