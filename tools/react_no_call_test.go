package tools

import "testing"

// A step that calls nothing leaves no label, and of what says that nothing is called nothing at
// all. What may be a line of a text stays one. Both also where no tool may be called.
func TestReact_stepsThatCallNothing(t *testing.T) {
	d, _ := Lookup("react")
	plans := []*Plan{planFor(t, d, Thinking{}), planned(t, d, Turn{Tools: defaultTools(t), Choice: Choice{Mode: None}})}
	for _, c := range []struct{ raw, content, thought string }{
		{"Action: launch Action Input: {}", "launch {}", ""},
		{"**Action:** launch, **Action Input:** {}", "launch, {}", ""},
		{"Action: launch(a=1)", "launch(a=1)", ""},
		{"Action: launch(a=1)\nNow I wait.", "launch(a=1)\nNow I wait.", ""},
		{"I go.\nAction: launch(a=1)", "I go.\n launch(a=1)", ""},
		{"Action: launch {\"a\": 1}\nThought: y", "launch {\"a\": 1}", "y"},
		{"Action: launch<|im_end|>", "launch", ""},
		{"Thought: x\nAction: launch\nObservation: ok\nFinal Answer: 4", "launch\n ok\n 4", "x"},
		{"Action: None\nFinal Answer: 4", "4", ""},
		{"Thought: x\nAction: None\nThe answer is 4.", "The answer is 4.", "x"},
		{"Thought: x\nAction: None\nAction Input: None\nFinal Answer: 4", "4", "x"},
		{"Action: None Action Input: {}\nFinal Answer: 4", "4", ""},
		{"Action: None\nAction Input: It is 4.", "It is 4.", ""},
		{"Thought: x\nAction:\nFinal Answer: 4", "4", "x"},
		{"Action: none", "", ""},
		{"Action: N/A\n", "", ""},
		{"Thought: x\nAction: `None`.<|im_end|>", "", "x"},
		{"```\nThought: x\nAction: None\n```", "", "x"},
		{"```\nThought: x\nAction: launch Action Input: {}\n```", "```\n launch {}\n```", "x"},

		{"Dear team,\nAction: get_time\nmust be called before get_weather.\nThanks", "Dear team,\nAction: get_time\nmust be called before get_weather.\nThanks", ""},
		{"Our rule is this.\nAction: get_time\nOwner: Bob\n", "Our rule is this.\nAction: get_time\nOwner: Bob\n", ""},
		{"Action: get_time\nOwner: Bob", "Action: get_time\nOwner: Bob", ""},
		{"So:\nAction: get_time()\n\nand wait.", "So:\nAction: get_time()\n\nand wait.", ""},
		{"Action: movies are fun.", "Action: movies are fun.", ""},
		{"Action: no\nOwner: Bob", "Action: no\nOwner: Bob", ""},
		{"Action: none\nOwner: Bob", "Action: none\nOwner: Bob", ""},
		{"Status: ok\nAction: none", "Status: ok\nAction: none", ""},
		{"Status: ok\nAction: N/A\nOwner: Bob", "Status: ok\nAction: N/A\nOwner: Bob", ""},
		{"Genres:\nAction: 12\nComedy: 3", "Genres:\nAction: 12\nComedy: 3", ""},
		{"Action: Buy\nTarget: 50", "Action: Buy\nTarget: 50", ""},
		{"Final Answer: To do:\nAction: launch(a=1)\nand wait.", "To do:\nAction: launch(a=1)\nand wait.", ""},
		{"Action: describe the Action Input: field.", "Action: describe the Action Input: field.", ""},
		{"So:\n```\nAction: launch\nAction Input: {}\nFinal Answer: 4\n```\nand more.", "So:\n```\nAction: launch\nAction Input: {}\nFinal Answer: 4\n```\nand more.", ""},
	} {
		for i, p := range plans {
			if i > 0 && c.raw[0] == '`' {
				continue // code is looked into for calls alone
			}
			q := p.TextParser()
			got := play(q, c.raw, 0, false)
			if len(got.Calls) > 0 || deref(got.Content) != c.content || deref(got.Reasoning) != c.thought {
				t.Errorf("%q became %s, %q", c.raw, sayMessage(got), deref(got.Reasoning))
			}
			if c.content == "" && (len(q.Notes()) > 0 || q.Refused() != nil) {
				t.Errorf("%q: nothing was to be called, %+v", c.raw, q.Notes())
			}
			checkProperties(t, p, []byte(c.raw), 3)
		}
	}
}

// A step without arguments is a call where a step's end or its next label follows it.
func TestReact_stepWithoutArguments(t *testing.T) {
	d, _ := Lookup("react")
	p := planFor(t, d, Thinking{})
	for raw, content := range map[string]string{
		"Action: get_time":                                                                   "",
		"I look.\nAction: get_time\n\n":                                                      "I look.",
		"I look.\nAction: get_time<|im_end|>":                                                "I look.",
		"I look.\nAction: get_time\nObservation: 9\nIt is 9.":                                "I look.",
		"I look.\nAction: get_time\n\nThought: y":                                            "I look.",
		"I look.\nAction: get_time\nAction: get_weather\nAction Input: {\"city\": \"Rome\"}": "I look.",
		"I look.\nAction: get_time\nAction Input:\n":                                         "I look.",
		"```\nAction: get_time\n```":                                                         "",
		"Action: get_time()\n\nNow I wait.":                                                  "Now I wait.",
		"Thought: x\nAction: get_time\nNow I wait.":                                          "Now I wait.",
	} {
		got := play(p.TextParser(), raw, 0, false)
		if len(got.Calls) != 1 || got.Calls[0].Name != "get_time" || deref(got.Content) != content {
			t.Errorf("%q became %s", raw, sayMessage(got))
		}
		checkProperties(t, p, []byte(raw), 3)
	}
}

// Code around a step goes with it, whatever the step begins with, and so does code around its
// thought; in every family. An example in a text stays one, and code that a thought shows is the
// thought's.
func TestReact_stepsInCode(t *testing.T) {
	const step = "Action: get_weather\nAction Input: {\"city\": \"Rome\"}"
	for _, c := range []struct {
		raw, content, thought string
		calls                 int
	}{
		{"```\nThought: x\n" + step + "\n```", "", "x", 1},
		{"```text\nThought: x\n" + step + "\n```\n", "", "x", 1},
		{"````tool_code\r\nThought: x\n\n" + step + "\n````", "", "x", 1},
		{"```\nThought: x\n" + step, "", "x", 1},
		{"```\nThought: x\n" + step + "\n```\nDone.", "Done.", "x", 1},
		{"```\nThought: x\n" + step + "\nObservation: 20\nFinal Answer: 20\n```", "", "x", 1},
		{"```\n" + step + "\nThought: y\n```", "", "y", 1},
		{"I look.\n```\nThought: x\n" + step + "\n```", "I look.", "x", 1},
		{"```\nThought: x\n```\n" + step, "", "x", 1},
		{"```\nThought: x\n```\n```\n" + step + "\n```", "", "x", 1},
		{"```\nThought: `ls`\n\n```py\nx\n```\n" + step + "\n```", "", "`ls`\n\n```py\nx\n```", 1},
		{"The log:\n```\nThought: x\n" + step + "\n```\nshows it.", "The log:\n```\nThought: x\n" + step + "\n```\nshows it.", "", 0},
		{"The log:\n```\nThought: x\n" + step + "\nObservation: 20\n```\nshows it.", "The log:\n```\nThought: x\n" + step + "\nObservation: 20\n```\nshows it.", "", 0},
		{"So:\n```\nThought: x\nFinal Answer: 4\n```\nand more.", "So:\n```\nThought: x\nFinal Answer: 4\n```\nand more.", "", 0},
	} {
		for _, family := range []string{"react", "hermes", "llama3", "qwen3-coder", "gpt-oss", "json"} {
			d, _ := Lookup(family)
			p := planFor(t, d, Thinking{})
			got := play(p.TextParser(), c.raw, 0, false)
			if len(got.Calls) != c.calls || deref(got.Content) != c.content || deref(got.Reasoning) != c.thought {
				t.Errorf("%s: %q became %s, %q", family, c.raw, sayMessage(got), deref(got.Reasoning))
			}
			checkProperties(t, p, []byte(c.raw), 3)
		}
	}
	d, _ := Lookup("react")
	p := planFor(t, d, Thinking{})
	for raw, want := range map[string][2]string{
		"```\nThought: x\nFinal Answer: 4\n```":             {"```\n 4\n```", "x"},
		"```\nThought: x\n```\nThe answer is 4.":            {"The answer is 4.", "x"},
		"Thought: x\n```\n" + step + "\n```":                {"", "x"},
		"Thought: x `y`\n\n```sh\nls\n```\nFinal Answer: 4": {"4", "x `y`\n\n```sh\nls\n```"},
		"Thought: x\n```\ny\nFinal Answer: 4":               {"4", "x\n```\ny"},
	} {
		if got := play(p.TextParser(), raw, 0, false); deref(got.Content) != want[0] || deref(got.Reasoning) != want[1] {
			t.Errorf("%q became %s, %q", raw, sayMessage(got), deref(got.Reasoning))
		}
		checkProperties(t, p, []byte(raw), 3)
	}
}
