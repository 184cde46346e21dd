package tools

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Arguments that are valid JSON end at their brace. What follows may have quotes and braces of its
// own: a result that the model made up, the next step, an answer. The calls before it leave.
func TestParser_whatFollowsWholeArgumentsIsNoneOfThem(t *testing.T) {
	const args = `{"city": "Rome"}`
	const step = "Action: get_weather\nAction Input: " + args
	const call = `{"name": "get_weather", "arguments": ` + args + `}`
	const result = `Observation: Sunny {"t": "20"}`
	for _, c := range []struct {
		families, raw string
		calls         int
	}{
		{"react hermes llama3 json qwen3-coder gemma glm-4.5", step + result, 1},
		// one step, one call,
		{"react hermes llama3 json qwen3-coder gemma glm-4.5", step + strings.Replace(step, "Rome", "Oslo", 1), 1},
		{"react hermes", step + `Sunny "20" {"t": "20"}`, 1},
		{"react hermes", step + `**Observation:** Sunny {"t": "20"}`, 1},
		{"react hermes", step + `20 degrees {"t": "20"}`, 1},
		{"kimi-k2", "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>" + args + result, 1},
		{"kimi-k2", "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>" + args + ` "ok"}`, 1},
		{"gpt-oss", "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>" + args + ` "ok"}`, 1},
		{"gpt-oss", "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>" + args + result, 1},
		{"deepseek-v3.1", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>" + args + result, 1},
		{"devstral", "[TOOL_CALLS]get_weather[ARGS]" + args + result, 1},
		{"functionary-v3.1", "<function=get_weather>" + args + result, 1},
		{"functionary-v3.2", ">>>get_weather\n" + args + result, 1},
		{"mistral", "[TOOL_CALLS][" + call + "]" + result, 1},
		{"xlam", "[" + call + "]" + result, 1},
		{"granite3", "<|tool_call|>[" + call + "]" + result, 1},
		{"firefunction-v2", " functools[" + call + "]" + result, 1},
		{"llama3 json", call + result, 1},
		{"llama3 json", call + "\n" + `{"t": "20"}`, 1},
		{"llama3 json", call + "\n" + strings.Replace(call, "Rome", "Oslo", 1) + "\n" + `{"t": "20"}`, 2},
	} {
		for family := range strings.FieldsSeq(c.families) {
			d, _ := Lookup(family)
			p := planFor(t, d, Thinking{})
			got := play(p.TextParser(), c.raw, 0, false)
			if len(got.Calls) != c.calls {
				t.Errorf("%s: %q: %s", family, c.raw, sayMessage(got))
			}
			for i, call := range got.Calls {
				if city := []string{"Rome", "Oslo"}[i]; !cmp.Equal(call.Arguments, any(map[string]any{"city": city})) {
					t.Errorf("%s: %q: %s", family, c.raw, sayMessage(got))
				}
			}
			checkProperties(t, p, []byte(c.raw), 3)
		}
	}
}

// Where a string seems to end too early, at a quote inside of it, the arguments go on.
func TestParser_argumentsGoOnBehindAQuoteInAString(t *testing.T) {
	for raw, want := range map[string]string{
		`{"path": "a", "content": "f("}X")"}`:         `f("}X")`,
		`{"path": "a", "content": "sed 's/"}x/y/g'"}`: `sed 's/"}x/y/g'`,
		`{"path": "a", "content": "say "}x" now"}`:    `say "}x" now`,
		`{"path": "a", "content": "x"}" now"}`:        `x"}" now`,
		`{"path": "a", "content": "echo \"it's\"}x"}`: `echo "it's"}x`,
	} {
		d, _ := Lookup("react")
		p := planFor(t, d, Thinking{})
		raw = "Action: write_file\nAction Input: " + raw
		got := play(p.TextParser(), raw, 0, false)
		if len(got.Calls) != 1 || !cmp.Equal(got.Calls[0].Arguments, any(map[string]any{"path": "a", "content": want})) {
			t.Errorf("%q: %s", raw, sayMessage(got))
		}
		checkProperties(t, p, []byte(raw), 3)
	}
}

// Each of many calls without anything between them is read once.
func TestWork_whatFollowsWholeArguments(t *testing.T) {
	const call = `{"name": "get_weather", "parameters": {"city": "Rome"}}`
	const step = "Action: get_weather\nAction Input: {\"city\": \"Rome\"}"
	for _, c := range []struct{ family, unit string }{
		{"react", step},
		{"react", step + `Observation: Sunny {"t": "20"}`},
		{"react", step + `x "y`},
		{"hermes", step},
		{"llama3", call + `Observation: Sunny {"t": "20"}`},
		{"llama3", call + "\n{\"t\": \"20\"}"},
		{"kimi-k2", `{"city": "Rome"} "ok"}`},
		{"devstral", "[TOOL_CALLS]get_weather[ARGS]{\"city\": \"Rome\"}x"},
		{"mistral", "[TOOL_CALLS][" + strings.Replace(call, "parameters", "arguments", 1) + "]x"},
	} {
		d, _ := Lookup(c.family)
		p := planFor(t, d, Thinking{})
		text := strings.Repeat(c.unit, 1<<14/len(c.unit))
		less, more := worked(p.TextParser(), text[:len(text)/4]), worked(p.TextParser(), text)
		t.Logf("%s: %q: %d bytes, %d looked at; %d in a quarter", c.family, c.unit, len(text), more, less)
		if more > 64*len(text) || more > 5*less {
			t.Errorf("%s: %q: %d bytes are looked at in %d, %d in a quarter of it", c.family, c.unit, more, len(text), less)
		}
	}
}
