package tools

import (
	"encoding/json"
	"testing"

	"tenon/grammar"
)

// Go clients write null for what they do not set.
func TestHeal_nullKeywordsAreAbsent(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"object","required":null}`:                                        `{"type":"object"}`,
		`{"type":"object","properties":null,"$defs":null}`:                         `{"type":"object"}`,
		`{"properties":{"a":null,"b":{"enum":null,"items":null}}}`:                 `{"properties":{"a":{},"b":{}}}`,
		`{"anyOf":[null,{"type":null,"minLength":null}],"additionalProperties":1}`: `{"anyOf":[{},{}],"additionalProperties":1}`,
		`{"const":null,"default":null,"enum":[null,"x"],"description":"null"}`:     `{"const":null,"default":null,"enum":[null,"x"],"description":"null"}`,
		`{"properties":{"null":{"type":"null"},"required":{"type":["null"]}}}`:     `{"properties":{"null":{"type":"null"},"required":{"type":["null"]}}}`,
		`{"items":[null,true],"not":null,"maximum":1e400,"minimum":null}`:          `{"items":[{},true],"maximum":1e400}`,
		`{"default":{"required":null}, "required":null}`:                           `{"default":{"required":null}}`,
		`null`: `null`,
	} {
		if got := string(Heal(json.RawMessage(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// FuzzHeal: whatever the schema, what comes out is JSON, and healing it again changes nothing.
func FuzzHeal(f *testing.F) {
	f.Add([]byte(`{"properties":{"a":null},"required":null,"items":[null,{"const":null}]}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		if !json.Valid(schema) {
			return
		}
		once := Heal(schema)
		if !json.Valid(once) || string(Heal(once)) != string(once) {
			t.Errorf("%s: %s", schema, once)
		}
	})
}

// Issue 19: arguments are an object in every case, whatever the schema allows, in every dialect.
func TestArguments_areAnObjectWhateverTheSchemaAllows(t *testing.T) {
	for schema, callable := range map[string]bool{
		`{}`: true, `true`: true, `null`: true, `{"anyOf":[{"type":"string"},{"type":"object"}]}`: true, `{"type":["object","string","null"]}`: true,
		`{"$ref":"#/$defs/x","$defs":{"x":{"type":["string","object"]}}}`: true, `{"properties":{"a":{"type":"string"}}}`: true,
		`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/x","definitions":{"x":{}}}`: true,
		`{"type":"object","required":null,"properties":null}`:                                                   true,
		`{"type":"string"}`: false, `{"type":["string","array"],"allOf":[{}]}`: false, `{"anyOf":[{"type":"string"}]}`: false,
	} {
		tool := Tool{Name: "f", Parameters: json.RawMessage(schema)}
		for _, d := range Families() {
			p, err := d.Plan(Turn{Tools: []Tool{tool}})
			if err != nil {
				t.Fatalf("%s, %s: %v", d.Name(), schema, err)
			}
			if not := uncallable(p)["f"] != ""; not == callable {
				t.Errorf("%s, %s: %v", d.Name(), schema, p.Issues())
			}
		}
		held, _ := Arguments(json.RawMessage(schema))
		g, err := grammar.FromSchema(held, grammar.SchemaOptions{Lenient: true})
		for _, value := range []string{`"x"`, `null`, `[]`, `1`, `true`, `{}`} {
			fits := err == nil && writes(g, value)
			if want := callable && value == "{}"; fits != want {
				t.Errorf("%s: %s is accepted: %v (%s)", schema, value, fits, held)
			}
		}
	}
}

func writes(g *grammar.Grammar, text string) bool {
	m := g.Matcher(nil)
	return m.AcceptBytes([]byte(text)) == nil && m.Done()
}
