package tools

import (
	"encoding/json"
	"testing"
)

// Names of elements are those of the schema, whatever letters they have (issue 22).
func TestElements_haveAnyName(t *testing.T) {
	for _, family := range []string{"minimax-m3", "minimax-m2", "qwen3-coder", "glm-4.5"} {
		d, _ := Lookup(family)
		for _, key := range []string{"-n", "x.y", "größe", "2nd", "$id", "a:b"} {
			schema := json.RawMessage(`{"type":"object","properties":{"` + key + `":{"type":"string"}},"required":["` + key + `"],"additionalProperties":false}`)
			p := planned(t, d, Turn{Tools: []Tool{{Name: "f", Parameters: schema}}, Parallel: true})
			text := map[string]string{
				"minimax-m3":  "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"f\">\n]<]minimax[>[<" + key + ">v]<]minimax[>[</" + key + ">\n]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
				"minimax-m2":  "<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"" + key + "\">v</parameter>\n</invoke>\n</minimax:tool_call>",
				"qwen3-coder": "<tool_call>\n<function=f>\n<parameter=" + key + ">\nv\n</parameter>\n</function>\n</tool_call>",
				"glm-4.5":     "<tool_call>f\n<arg_key>" + key + "</arg_key>\n<arg_value>v</arg_value>\n</tool_call>",
			}[family]
			accepts(t, p, text)
			if got := play(p.TextParser(), text, 1, false); len(got.Calls) != 1 || got.Calls[0].Arguments.(map[string]any)[key] != "v" {
				t.Errorf("%s, %q: %s", family, key, sayMessage(got))
			}
		}
	}
}
