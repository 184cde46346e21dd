package tools

import (
	"strings"
	"testing"
)

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
