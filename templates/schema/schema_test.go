package schema

import (
	"strings"
	"testing"
)

func TestTidy(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"says nothing": {
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Args","type":"object","properties":{"max_results":{"title":"Max Results","type":"integer"}},"additionalProperties":false,"required":[]}`,
			`{"type":"object","properties":{"max_results":{"type":"integer"}}}`,
		},
		"properties that are named like keywords stay": {
			`{"type":"object","properties":{"title":{"type":"string"},"$schema":{"type":"string"},"$defs":{"type":"object"},"required":{"type":"boolean"}},"required":["title"]}`,
			`{"type":"object","properties":{"title":{"type":"string"},"$schema":{"type":"string"},"$defs":{"type":"object"},"required":{"type":"boolean"}},"required":["title"]}`,
		},
		"a title that says something stays": {
			`{"properties":{"q":{"title":"What to look for"}}}`, `{"properties":{"q":{"title":"What to look for"}}}`,
		},
		"schemas of other properties stay": {
			`{"additionalProperties":{"type":"integer","title":"n"}}`, `{"additionalProperties":{"type":"integer","title":"n"}}`,
		},
		"schemas in every keyword that holds some": {
			`{"items":[{"$id":"a"}],"additionalItems":{"$id":"a"},"unevaluatedItems":{"$id":"a"},"unevaluatedProperties":{"$id":"a"},"dependencies":{"p":{"$id":"a"},"q":["$id"]},"dependentSchemas":{"p":{"$id":"a"}}}`,
			`{"items":[{}],"additionalItems":{},"unevaluatedItems":{},"unevaluatedProperties":{},"dependencies":{"p":{},"q":["$id"]},"dependentSchemas":{"p":{}}}`,
		},
		"null in a choice": {
			`{"properties":{"a":{"anyOf":[{"type":"string","minLength":1},{"type":"null"}],"default":null,"title":"A"},"b":{"type":["integer","null"]}}}`,
			`{"properties":{"a":{"type":"string","minLength":1,"default":null,"nullable":true},"b":{"type":"integer","nullable":true}}}`,
		},
		"a choice that cannot be merged stays": {
			`{"type":"string","anyOf":[{"type":"string"},{"type":"null"}]}`, `{"type":"string","anyOf":[{"type":"string"},{"type":"null"}]}`,
		},
		"references": {
			`{"properties":{"a":{"$ref":"#/$defs/P","description":"where"}},"$defs":{"P":{"type":"object","properties":{"x":{"$ref":"#/$defs/N"}}},"N":{"type":"number"}}}`,
			`{"properties":{"a":{"type":"object","properties":{"x":{"type":"number"}},"description":"where"}}}`,
		},
		"a recursive reference stays with its definition": {
			`{"$defs":{"T":{"type":"array","items":{"$ref":"#/$defs/T"}}},"properties":{"t":{"$ref":"#/$defs/T"}}}`,
			`{"properties":{"t":{"type":"array","items":{"$ref":"#/$defs/T"}}},"$defs":{"T":{"type":"array","items":{"$ref":"#/$defs/T"}}}}`,
		},
		"a reference to elsewhere stays":  {`{"$ref":"https://example.com/x.json"}`, `{"$ref":"https://example.com/x.json"}`},
		"numbers and letters as they are": {`{"maximum":1e400,"description":"<é>"}`, `{"maximum":1e400,"description":"<é>"}`},
		"no object":                       {`true`, `true`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Tidy([]byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestTidy_referencesThatDoubleStayBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range 40 {
		b.WriteString(`"d` + itoa(i) + `":{"properties":{"a":{"$ref":"#/$defs/d` + itoa(i+1) + `"},"b":{"$ref":"#/$defs/d` + itoa(i+1) + `"}}},`)
	}
	b.WriteString(`"d40":{"type":"string"}}}`)
	got, err := Tidy([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) > 1<<20 {
		t.Errorf("%d bytes", len(got))
	}
}

func itoa(i int) string { return string(print(i)) }

func TestTidy_brokenIsAnError(t *testing.T) {
	for _, in := range []string{``, `{`, `{} {}`, strings.Repeat(`{"a":`, 1000)} {
		if _, err := Tidy([]byte(in)); err == nil {
			t.Errorf("%.20q: no error", in)
		}
	}
}

func TestSignature(t *testing.T) {
	for name, c := range map[string]struct{ description, schema, want string }{
		"none": {"Now.", ``, "f()\n  Now."},
		"types": {
			"Current weather\nof a city.",
			`{"type":"object","properties":{"city":{"type":"string","description":"its name"},"days":{"type":"integer","minimum":1,"maximum":7,"default":1},"unit":{"type":"string","enum":["c","f"]},"at":{"type":"array","items":{"type":"number"}},"tags":{"type":"array","items":{"enum":["a","b"]}}},"required":["city"]}`,
			"f(city: string, days?: integer (1 to 7, default 1), unit?: \"c\" | \"f\", at?: number[], tags?: (\"a\" | \"b\")[])\n  Current weather\n  of a city.\n  city: its name",
		},
		"nested": {
			"", `{"properties":{"o":{"type":"object","properties":{"x":{"type":"string","pattern":"^a","description":"letter"}},"required":["x"]}}}`,
			"f(o?: {x: string (pattern \"^a\")})\n  o.x: letter",
		},
		"choices": {
			"", `{"properties":{"v":{"anyOf":[{"type":"string"},{"type":"integer"}]},"n":{"type":"string","nullable":true},"any":{},"yes":true},"required":["v"]}`,
			`f(v: string | integer, n?: string (or null), any?: any, yes?: true)`,
		},
		"what has no form stays": {
			"", `{"type":"object","properties":{"a":{"type":"string"}},"minProperties":1}`, `f(a?: string) where {"minProperties":1}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Signature("f", c.description, []byte(c.schema)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func FuzzTidy(f *testing.F) {
	f.Add(`{"properties":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}},"$defs":{"a":{"items":{"$ref":"#"}}}}`)
	f.Fuzz(func(t *testing.T, in string) {
		once, err := Tidy([]byte(in))
		if err != nil {
			return
		}
		if twice, err := Tidy(once); err != nil {
			t.Errorf("%s: %v (%s)", once, err, twice)
		}
		_ = Signature("f", "", once)
	})
}

func TestComplete_everyPropertyHasTypeAndDescription(t *testing.T) {
	got := Complete([]byte(`{"type":"object","properties":{"a":{"enum":["x"]},"b":true,"c":{"type":["integer","string"],"description":"n"},"d":{"items":{"properties":{"e":{}}}}}}`))
	want := `{"type":"object","properties":{"a":{"enum":["x"],"type":"string","description":""},"b":{"type":"any","description":""},` +
		`"c":{"type":"integer","description":"n"},"d":{"items":{"properties":{"e":{"type":"any","description":""}},"type":"object","description":"","additionalProperties":{}},` +
		`"type":"array","description":""}},"description":""}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDescribe_everySchemaIsAnObject(t *testing.T) {
	for declared, want := range map[string]string{
		`true`:  `{"description":"","properties":{}}`,
		`false`: `{"not":{},"description":"","properties":{}}`,
		`{"properties":{"a":true,"b":false,"c":{"items":true}}}`: `{"properties":{"a":{"description":""},"b":{"not":{},"description":""},` +
			`"c":{"items":{"description":""},"description":""}},"description":""}`,
		`{"properties":true}`:                    `{"properties":{},"description":""}`,
		`{"properties":{"a":{"type":"object"}}}`: `{"properties":{"a":{"type":"object","description":"","additionalProperties":{}}},"description":""}`,
	} {
		if got := Describe([]byte(declared)); string(got) != want {
			t.Errorf("%s:\ngot  %s\nwant %s", declared, got, want)
		}
	}
}

func TestExample_holdsWhatIsRequired(t *testing.T) {
	got := Example([]byte(`{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer","minimum":3},"unit":{"enum":["c","f"]},` +
		`"on":{"type":"boolean"},"when":{"type":"string","format":"date"},"tags":{"type":"array","items":{"type":"string"}},"o":{"type":"object","properties":{"x":{"type":["null","string"]}},"required":["x"]},` +
		`"any":{"anyOf":[{"type":"number"},{"type":"string"}]},"d":{"default":"main"},"skip":{"type":"string"}},"required":["path","n","unit","on","when","tags","o","any","d"]}`))
	want := `{"path":"<path>","n":3,"unit":"c","on":true,"when":"2026-01-31","tags":["<tag>"],"o":{"x":null},"any":1,"d":"main"}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for in, want := range map[string]string{
		`"a":{"$ref":"#/$defs/day"}`:                                                                      `"2026-01-31"`,
		`"a":{"allOf":[{"type":"integer"},{"exclusiveMinimum":4}]}`:                                       `5`,
		`"a":{"oneOf":[{"type":"null"},{"const":7}]}`:                                                     `7`,
		`"a":{"type":"number","minimum":7,"multipleOf":2.5}`:                                              `7.5`,
		`"a":{"type":"integer","exclusiveMaximum":3}`:                                                     `2`,
		`"a":{"type":"string","minLength":6}`:                                                             `"<a>..."`,
		`"a":{"type":"string","maxLength":2}`:                                                             `"x"`,
		`"a":{"type":"string","pattern":"^[A-Z]{2}-\\d+(x|y)?$"}`:                                         `"AA-1"`,
		`"a":{"type":"array","minItems":2,"prefixItems":[{"type":"boolean"}],"items":{"type":"integer"}}`: `[true,1]`,
		`"a":{"type":"array","maxItems":0}`:                                                               `[]`,
		`"b":{}`:                                                                                          `"<a>"`,
	} {
		if got := Example([]byte(`{"$defs":{"day":{"format":"date"}},"properties":{` + in + `},"required":["a"]}`)); string(got) != `{"a":`+want+`}` {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	for _, in := range []string{
		`{"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}},"required":["a","b"]}`,
		`{"properties":{"a":{"$ref":"#/x"}},"required":["a"],"x":{"type":"array","minItems":1000000,"items":{"$ref":"#/x"}}}`,
	} {
		if got := Example([]byte(in)); string(got) != "{}" {
			t.Errorf("%s: an example without end: %.200s", in, got)
		}
	}
	for _, in := range []string{``, `true`, `{`, `{"properties":{"a":{"$ref":"#"}}}`} {
		if got := Example([]byte(in)); string(got) != "{}" {
			t.Errorf("%q: %s", in, got)
		}
	}
}
