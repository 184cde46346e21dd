package tools

import "testing"

// A call in thinking is an idea where the thought goes on behind it, and where a call stands
// behind the thought. Else it is the call.
func TestThinking_callBehindItIsMeant(t *testing.T) {
	const hermes = "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}</tool_call>"
	const hermesIdea = "<tool_call>{\"name\": \"get_time\", \"arguments\": {}}</tool_call>"
	const react, reactIdea = "Action: get_weather\nAction Input: {\"city\": \"Rome\"}", "Action: get_time\nAction Input: {}"
	for _, c := range []struct{ family, raw, name string }{
		{"react", "<think>I could do\n" + reactIdea + "\nbut no.</think>\n" + react, "get_weather"},
		{"react", "<think>I could do\n" + reactIdea + "\n</think>\n" + react, "get_weather"},
		{"react", "<think>I could do\nAction: get_time\n</think>\n" + react, "get_weather"},
		{"react", "<think>I could do\nAction: get_time\nbut no.</think>\nThought: x\n" + react, "get_weather"},
		{"react", "<think>I do\n" + reactIdea + "\n</think>", "get_time"},
		{"react", "<think>I do\n" + reactIdea, "get_time"},
		{"react", "<think>I do\n" + reactIdea + "\nObservation: 9", "get_time"},
		{"react", "<think>I do\n" + reactIdea + "\nbut no.</think>It is 9.", ""},
		{"hermes", "<think>I could do\n" + hermesIdea + "\nbut no.</think>\n" + hermes, "get_weather"},
		{"hermes", "<think>I could do\n" + hermesIdea + "\n</think>\n" + hermes, "get_weather"},
		{"hermes", "<think>I could do\n" + hermesIdea + "</think>" + hermes, "get_weather"},
		{"hermes", "<think>I do\n" + hermesIdea + "\n</think>\nSo.", "get_time"},
		{"hermes", "<think>I do\n" + hermesIdea + "\n</think>\n", "get_time"},
	} {
		d, _ := Lookup(c.family)
		for _, parallel := range []bool{false, true} {
			p := planned(t, d, Turn{Tools: defaultTools(t), Parallel: parallel})
			got := play(p.TextParser(), c.raw, 0, false)
			if len(got.Calls) > 1 || (len(got.Calls) > 0) != (c.name != "") || c.name != "" && got.Calls[0].Name != c.name {
				t.Errorf("%s: %q became %s, %q", c.family, c.raw, sayMessage(got), deref(got.Reasoning))
			}
			checkProperties(t, p, []byte(c.raw), 3)
		}
	}
}
