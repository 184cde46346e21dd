package tools

import (
	"strings"
	"testing"
)

// A call in backticks or in a fence is an example where text stands before and behind, and a call everywhere else.
func TestExample_quotedCallsAreText(t *testing.T) {
	for _, c := range []struct {
		text  string
		calls int
	}{
		{"Use it: `CALL` like so.", 0},
		{"Use it: `CALL`", 1},
		{"`CALL`", 1},
		{"Use it: `x` CALL like so.", 1},
		{"As in `a`: CALL and `b`.", 1},
		{"Use it:\n```\nCALL\n```\nThat is all.", 0},
		{"Use it:\n```xml\nCALL\nCALL\n```\nThat is all.", 0},
		{"Use it:\n```\nCALL\n```", 1},
		{"```xml\nCALL\n```", 1},
		{"```\nCALL\n```\nDone.", 1},
		{"Use it:\n```\nCALL", 1},
		{"Code:\n```py\nx\n```\nNow:\nCALL\n```py\ny\n```\nok", 1},
	} {
		for family, call := range map[string]string{
			"hermes":      `<tool_call>{"name": "get_time", "arguments": {}}</tool_call>`,
			"kimi-k2":     `<|tool_call_begin|>functions.get_time:0<|tool_call_argument_begin|>{}<|tool_call_end|>`,
			"qwen3-coder": "<tool_call>\n<function=get_time>\n</function>\n</tool_call>",
			"glm-4.5":     "<tool_call>get_time\n</tool_call>",
			"lfm2":        "<|tool_call_start|>[get_time()]<|tool_call_end|>",
			"minimax-m3":  `]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="get_time">]<]minimax[>[</invoke>]<]minimax[>[</tool_call>`,
		} {
			d, _ := Lookup(family)
			p := planFor(t, d, Thinking{})
			raw := strings.ReplaceAll(c.text, "CALL", call)
			q := p.TextParser()
			if got := play(q, raw, 0, false); len(got.Calls) != c.calls {
				t.Errorf("%s: %q gives %d calls, %q, %v", family, raw, len(got.Calls), deref(got.Content), q.Notes())
			}
			checkProperties(t, p, []byte(raw), 6)
		}
	}
}
