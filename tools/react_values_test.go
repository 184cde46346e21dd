package tools

import (
	"encoding/json"
	"strings"
	"testing"
)

// reactTools are tools with one string, which one demands and one does not.
func reactTools(t testing.TB) []Tool {
	text := func(key string, required bool) json.RawMessage {
		s := map[string]any{"type": "object", "properties": map[string]any{key: map[string]any{"type": "string"}}}
		if required {
			s["required"] = []string{key}
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return append(defaultTools(t), Tool{Name: "bash", Parameters: text("command", true)}, Tool{Name: "search", Parameters: text("query", false)})
}

// reactTexts are turns and the value that their text is; "-" where there is no call.
var reactTexts = []struct{ raw, want string }{
	// labels
	{"Action: bash\nAction Inputs: ls", "ls"},
	{"Action: bash\nInputs: ls", "ls"},
	{"Action: bash\nInputs = ls", "ls"},
	{"Action: bash\nParameters: ls", "ls"},
	{"Action: bash\nArgs: ls", "ls"},
	{"Action: bash\nArgument: ls", "ls"},
	{"Action: bash\nAction Arguments: ls", "ls"},
	{"Action: bash\nAction Input (command): ls", "ls"},
	{"Action: bash\nAction Input - ls", "ls"},
	{"Action: bash\nAction Input = ls", "ls"},
	{"Action: bash\nAction Input\nls", "ls"},
	{"Action: bash\n**Action Input**\nls", "ls"},
	{"Action: bash\nInputting: ls", "-"},
	{"Action: bash\nArguments to pass: ls", "-"},
	{"Action: search\nThe Inputs are: ls", "-"},
	{"Thought: x\nAction: search\nArguments to pass: ls", "-"},
}

// The text behind the label of arguments is the value, the whole value, and nothing else (S4-12):
// what stands around it is none of it, and what looks like its end within it is. Where that is not
// known there is no call.
func TestReact_textOfArguments(t *testing.T) {
	for _, c := range reactTexts {
		for _, family := range []string{"react", "hermes", "command-r-plus"} {
			d, _ := Lookup(family)
			p := planned(t, d, Turn{Tools: reactTools(t), Parallel: true})
			got := play(p.TextParser(), c.raw, 0, false)
			said := "-"
			if len(got.Calls) == 1 {
				said = ""
				for _, v := range got.Calls[0].Arguments.(map[string]any) {
					said = v.(string)
				}
			}
			if said != c.want || c.want != "-" && got.Content != nil {
				t.Errorf("%s: %q gives %q, want %q: %s", family, c.raw, said, c.want, sayMessage(got))
			}
			checkProperties(t, p, []byte(c.raw), 3)
		}
	}
}

// An object that is the whole call takes its label along.
func TestReact_callInAnObject(t *testing.T) {
	for _, raw := range []string{
		"Action:\n```json\n{\"action\": \"get_weather\", \"action_input\": {\"city\": \"Rome\"}}\n```",
		"Thought: x\nAction:\n```\n{\"action\": \"get_weather\", \"action_input\": {\"city\": \"Rome\"}}\n```\nObservation: 20",
		"Action: {\"action\": \"get_weather\", \"action_input\": {\"city\": \"Rome\"}}",
	} {
		for _, family := range []string{"react", "hermes", "command-r-plus"} {
			d, _ := Lookup(family)
			p := planFor(t, d, Thinking{})
			got := play(p.TextParser(), raw, 0, false)
			if len(got.Calls) != 1 || got.Calls[0].Name != "get_weather" || got.Content != nil && !strings.Contains(raw, "Observation") {
				t.Errorf("%s: %q: %s", family, raw, sayMessage(got))
			}
			checkProperties(t, p, []byte(raw), 3)
		}
	}
}
