package tools

import (
	"encoding/json"
	"testing"
)

// Behind the marker of the arguments, the input of a free-form tool may stand as it is: what else
// would a model write of a patch.
func TestFreeform_inputAsItIs(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: a.go\n-x := []int{1}\n+x := map[string]int{\"a\": 1}\n*** End Patch"
	quoted, err := json.Marshal(patch)
	if err != nil {
		t.Fatal(err)
	}
	for family, c := range map[string]struct{ open, end string }{
		"kimi-k2":       {"<|tool_calls_section_begin|><|tool_call_begin|>functions.apply_patch:0<|tool_call_argument_begin|>", "<|tool_call_end|><|tool_calls_section_end|>"},
		"devstral":      {"[TOOL_CALLS]apply_patch[ARGS]", "</s>"},
		"mistral-small": {"[TOOL_CALLS]apply_patch[CALL_ID]123456789[ARGS]", ""},
		"deepseek-v3.1": {"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>apply_patch<｜tool▁sep｜>", "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
		"solar-open":    {"<|tool_call:begin|>abcdefghij<|tool_call:name|>apply_patch<|tool_call:args|>", "<|tool_call:end|>"},
	} {
		d, _ := Lookup(family)
		p, err := d.Plan(Turn{Tools: []Tool{{Name: "apply_patch", Freeform: &Freeform{}}, {Name: "get_time"}}, Parallel: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, input := range []string{patch, `{"input": ` + string(quoted) + "}"} {
			raw := c.open + input + c.end
			for _, size := range []int{0, 1, 7} {
				got := play(p.TextParser(), raw, size, false)
				if len(got.Calls) != 1 || got.Calls[0].Input != patch || got.Content != nil {
					t.Errorf("%s: %q in pieces of %d gives %+v, text %q", family, raw, size, got.Calls, deref(got.Content))
				}
			}
		}
	}
}
