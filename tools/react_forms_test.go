package tools

import "testing"

// ReAct as models write it (S4-12), and one call a reply (S4-4, S4-24).
func TestReAct_formsThatModelsWrite(t *testing.T) {
	d, _ := Lookup("react")
	for _, raw := range []string{
		"Thought: x\nAction: get_weather\nAction Input: {\"city\": \"Rome\"}",
		"Thought: x\nAction : get_weather\nAction Input : {\"city\": \"Rome\"}",
		"Thought: x\naction: get_weather\naction input: {\"city\": \"Rome\"}",
		"Thought: x\nACTION: get_weather\nACTION INPUT: {\"city\": \"Rome\"}",
		"Thought: x\nAction: get_weather Action Input: {\"city\": \"Rome\"}",
		"Thought: x\nAction: get_weather, Action Input: {\"city\": \"Rome\"}",
		"I look.\n\nAction: get_weather\nAction Input:\n{\n\"city\":\n\"Rome\"\n}",
		"Action: get_weather\nAction Input: {\"city\": \"Rome\"}\nAction: get_weather\nAction Input: {\"city\": \"Oslo\"}",
		"Action: get_weather\nAction Input: {\"city\": \"Rome\"}\nObservation: 20\nThought: done\nFinal Answer: 20",
	} {
		p := planFor(t, d, Thinking{})
		got := play(p.TextParser(), raw, 0, false)
		if len(got.Calls) != 1 || got.Calls[0].Arguments.(map[string]any)["city"] != "Rome" {
			t.Errorf("%q: %s", raw, sayMessage(got))
		}
	}
}
