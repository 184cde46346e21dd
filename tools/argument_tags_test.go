package tools

import (
	"encoding/json"
	"strings"
	"testing"
)

// Names of elements are those of the schema, whatever letters they have (issue 22).
func TestArgumentTags_haveAnyName(t *testing.T) {
	for _, family := range []string{"minimax-m3", "minimax-m2", "qwen3-coder", "glm-4.5", "gemma4"} {
		d, _ := Lookup(family)
		for _, key := range []string{"-n", "x.y", "größe", "2nd", "$id", "$ref", "a b", "a, b", "a:b", "a'b", "a=b", "@x", "x[]", "#1"} {
			if family == "gemma4" && strings.ContainsAny(key, ":,[#") {
				continue // which part its keys
			}
			schema := json.RawMessage(`{"type":"object","properties":{"` + key + `":{"type":"string"}},"required":["` + key + `"],"additionalProperties":false}`)
			p := planned(t, d, Turn{Tools: []Tool{{Name: "f", Parameters: schema}}, Parallel: true})
			text := map[string]string{
				"minimax-m3":  "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"f\">\n]<]minimax[>[<" + key + ">v]<]minimax[>[</" + key + ">\n]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
				"minimax-m2":  "<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"" + key + "\">v</parameter>\n</invoke>\n</minimax:tool_call>",
				"qwen3-coder": "<tool_call>\n<function=f>\n<parameter=" + key + ">\nv\n</parameter>\n</function>\n</tool_call>",
				"gemma4":      "<|tool_call>call:f{" + key + `:<|"|>v<|"|>}<tool_call|>`,
				"glm-4.5":     "<tool_call>f\n<arg_key>" + key + "</arg_key>\n<arg_value>v</arg_value>\n</tool_call>",
			}[family]
			accepts(t, p, text)
			element := "<" + key + ">v</" + key + ">\n"
			all := []string{text, "<f>\n" + element + "</f>"}
			switch family {
			case "qwen3-coder":
				all = append(all, "<tool_call>\n<function=f>\n"+element+"</function>\n</tool_call>")
			case "minimax-m2":
				all = append(all, "<invoke name=\"f\">\n"+element+"</invoke>")
			}
			for _, text := range all {
				if got := play(p.TextParser(), text, 1, false); len(got.Calls) != 1 || got.Calls[0].Arguments.(map[string]any)[key] != "v" {
					t.Errorf("%s, %q: %q: %s", family, key, text, sayMessage(got))
				}
			}
		}
	}
}

// An argument may be any that the schema takes, or be named in a part of it. Its element is read
// as one, however the text is cut.
func TestArgumentTags_namesThatPartsOfTheSchemaSay(t *testing.T) {
	d, _ := Lookup("qwen3-coder")
	for _, schema := range []string{`{"additionalProperties":{"type":"string"}}`, `{"allOf":[{"properties":{"a b":{"type":"string"}}}]}`} {
		p := planned(t, d, Turn{Tools: []Tool{{Name: "f", Parameters: json.RawMessage(schema)}}, Parallel: true})
		text := "<tool_call>\n<function=f>\n<a b>v</a b>\n</function>\n</tool_call>"
		if got := play(p.TextParser(), text, 0, false); len(got.Calls) != 1 || got.Calls[0].Arguments.(map[string]any)["a b"] != "v" {
			t.Errorf("%s: %s", schema, sayMessage(got))
		}
		checkProperties(t, p, []byte(text), 1)
	}
	p := planned(t, d, Turn{Tools: []Tool{{Name: "f", Parameters: json.RawMessage(`{"patternProperties":{"^a b":{"type":"string"}}}`)}}, Parallel: true})
	checkProperties(t, p, []byte("<tool_call>\n<function=f>\n<a bc>v</a bc>\n</function>\n</tool_call>"), 1)
}
