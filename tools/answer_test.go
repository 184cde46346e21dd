package tools_test

import (
	"testing"

	"tenon/grammar"
	"tenon/tools"
)

// A model that may write any number writes zeros until its budget ends: seen with a small one and
// the official SDKs' structured output.
func TestAnswer_numbersDoNotGoOnForever(t *testing.T) {
	for name, a := range map[string]tools.Answer{
		"schema": {Syntax: "json_schema", Definition: `{"type":"object","properties":{"n":{"type":"integer"}}}`},
		"object": {Syntax: "json_object"},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := tools.Fallback().Plan(tools.Turn{Answer: &a, Thinking: tools.Thinking{Off: true}})
			if err != nil {
				t.Fatal(err)
			}
			g, err := grammar.Parse(plan.Grammar(), grammar.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Parser().Feed([]byte(`{"n": 1000000000000000}`)); err != nil {
				t.Errorf("a number of common length: %v", err)
			}
			if err := g.Parser().Feed([]byte(`{"n": 10000000000000000000000000000000000000000`)); err == nil {
				t.Error("forty zeros were accepted")
			}
		})
	}
}
