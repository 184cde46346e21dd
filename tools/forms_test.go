package tools

import "testing"

// Forms that models write and no transcript has: each is read by a rule of its own, which no other
// test would miss.
func TestForms_thatNoTranscriptHas(t *testing.T) {
	schema := []byte(`{"type":"object","properties":{"a":{}},"required":["a"]}`)
	for name, x := range map[string]struct{ family, text, want string }{
		"the marker before the next call is missing": {"glm-4.5", "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>x</arg_value>\n</tool_call>\nf\n<arg_key>a</arg_key>\n<arg_value>y</arg_value>\n</tool_call> and text",
			`{"content":"and text","tool_calls":[{"name":"f","arguments":{"a":"x"}},{"name":"f","arguments":{"a":"y"}}]}`},
		"a bare object in two pairs of braces": {"hermes", `Sure: {{"name": "f", "arguments": {"a": "x"}}}`,
			`{"content":"Sure:","tool_calls":[{"name":"f","arguments":{"a":"x"}}],"repairs":["doubled-braces","missing-opener"]}`},
		"the code ends before the brackets do": {"hermes", "```json\n{\"name\": \"f\", \"arguments\": {\"a\": \"x\"}\n```\nDone.",
			`{"content":"Done.","tool_calls":[{"name":"f","arguments":{"a":"x"}}],"repairs":["missing-close","missing-opener"]}`},
		"the code ends behind a number": {"json", "```json\n{\"name\": \"f\", \"arguments\": {\"a\": 1\n```\nDone.",
			`{"content":"Done.","tool_calls":[{"name":"f","arguments":{"a":1}}],"repairs":["missing-close"]}`},
		"the bars of the tags are plain ones": {"deepseek-v3.2", "<|DSML|function_calls>\n<|DSML|invoke name=\"f\">\n<|DSML|parameter name=\"a\" string=\"true\">x</|DSML|parameter>\n</|DSML|invoke>\n</|DSML|function_calls>",
			`{"content":null,"tool_calls":[{"name":"f","arguments":{"a":"x"}}]}`},
		"a key is closed twice": {"glm-4.5", "<tool_call>f\n<arg_key>a</arg_key></arg_key>\n<arg_value>x</arg_value></arg_key>\n</tool_call>",
			`{"content":null,"tool_calls":[{"name":"f","arguments":{"a":"x"}}]}`},
		"a call of no tool, before one that ends too late": {"hermes", "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"x\"}}\n{\"name\":\"g\",\"arguments\":{}}\n{\"name\":\"f\",\"arguments\":{\"a\":\"y}}</tool_call> text",
			`{"content":"{\"name\":\"g\",\"arguments\":{}} text","tool_calls":[{"name":"f","arguments":{"a":"x"}},{"name":"f","arguments":{"a":"y"}}],"repairs":["missing-quote"],"notes":1}`},
		"a pair of escapes is one letter": {"hermes", `<tool_call>{"name": "f", "arguments": {'a': "\ud83d\ude00"}}</tool_call>`,
			`{"content":null,"tool_calls":[{"name":"f","arguments":{"a":"😀"}}],"repairs":["quote-style"]}`},
	} {
		d, _ := Lookup(x.family)
		p := planned(t, d, Turn{Tools: []Tool{{Name: "f", Parameters: schema}}, Parallel: true})
		for _, piece := range []int{1, len(x.text)} {
			if got := sayMessage(play(p.TextParser(), x.text, piece, false)); got != x.want {
				t.Errorf("%s, in pieces of %d: %s", name, piece, got)
			}
		}
	}
}

// What a model wrote of an argument's tag is one if its end stands on the same line. The next line
// may not have come yet: what has been decided by then holds.
func TestForms_theRestOfAnArgumentsTagStandsOnOneLine(t *testing.T) {
	d, _ := Lookup("seed-oss")
	plan := planFor(t, d, Thinking{})
	for _, rest := range []string{`days">`, `days" x="1">`, "days\"\n>", "days\" x=\"1\"\n>", "days\n>"} {
		raw := "<seed:tool_call>\n<function=get_weather>\n<parameter=city>Rome</parameter>\n" + rest + "\n3\n</parameter>\n</function>\n</seed:tool_call><seed:eos>"
		for seed := range uint64(20) {
			checkProperties(t, plan, []byte(raw), seed)
		}
	}
}
