package templates

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/templates/schema"
)

var editor = Tool{Name: "edit", Description: "Changes a file. Long explanation that nobody reads.", Parameters: []byte(
	`{"type":"object","properties":{"file":{"type":"string"},"at":{"type":"object","properties":{"line":{"type":"integer"}},"required":["line"]},"dry":{"type":"boolean"}},"required":["file","at"]}`)}

func TestOptions_simplifiedToolsAndTheirHistory(t *testing.T) {
	source := `{%- for t in tools or [] %}{{ t|tojson }}{% endfor %}{% for m in messages %}<{{ m.role }}>{{ m.content }}` +
		`{% for c in m.tool_calls or [] %}[{{ c.function.name }} {{ c.function.arguments|tojson }}]{% endfor %}{% endfor %}`
	c := Conversation{Tools: []Tool{editor}, Messages: []Message{hi,
		{Role: Assistant, Calls: []Call{{ID: "a", Name: "edit", Arguments: `{"file":"x","at":{"line":3},"dry":true}`}}}, answer("a", "ok")}}
	tm, err := Parse(source, Options{Simplify: schema.Simplification{RequiredOnly: true, Flatten: true, MaxDescription: 20}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := tm.Render(c)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type": "function", "function": {"name": "edit", "description": "Changes a file.", "parameters": {"type": "object", "properties": {"file": {"type": "string"}, "at.line": {"type": "integer"}}, "required": ["file", "at.line"]}}}` +
		`<user>hi<assistant>[edit {"file": "x", "at.line": 3, "dry": true}]<tool>ok`
	if diff := cmp.Diff(want, r.String()); diff != "" {
		t.Error(diff)
	}
	if got := notes(r.Heals); got != "simplify-schema@-1 flatten-arguments@1" {
		t.Error(got)
	}
}

func TestOptions_guidanceStandsBehindTheClientsSystemText(t *testing.T) {
	tm, err := Parse(chatML, Options{Guidance: true, Markers: []string{"<|im_start|>", "<|im_end|>"}})
	if err != nil {
		t.Fatal(err)
	}
	c := Conversation{Now: noon, Tools: []Tool{weather}, Messages: []Message{{Role: System, Text: "One\ntwo"}, hi}}
	for protocol, want := range map[Protocol]string{
		Native: "One\ntwo\n\nRules for calling tools:\n- Call a tool by its exact name: get_weather.",
		JSON:   "Example of a call of get_weather:\n{\"tool\": \"get_weather\", \"arguments\": {\"city\":\"<city>\"}}",
		ReAct:  "Example of a call of get_weather:\nAction: get_weather\nAction Input: {\"city\":\"<city>\"}",
	} {
		c.Protocol = protocol
		r, err := tm.Render(c)
		if err != nil || !strings.Contains(r.String(), want) {
			t.Errorf("%s: %v lacks %q:\n%s", protocol, err, want, r)
		}
		again, _ := tm.Render(c)
		if again.String() != r.String() {
			t.Errorf("%s: not the same twice", protocol)
		}
	}
	c.Protocol = Native
	r, _ := tm.Render(c)
	if want := "Example of a call of get_weather:\n<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"<city>\"}}</tool_call>"; !strings.Contains(r.String(), want) {
		t.Errorf("lacks %q:\n%s", want, r)
	}
	c.Tools = nil
	if r, _ := tm.Render(c); strings.Contains(r.String(), "Rules for") {
		t.Errorf("guidance without tools:\n%s", r)
	}
}

// Guidance stands behind the tools' rules in a prompt of any kind, and where there is no system
// text before it, it begins the message.
func TestOptions_guidanceWithAndWithoutTemplate(t *testing.T) {
	marked, err := Parse(chatML, Options{Guidance: true, Markers: []string{"<|im_start|>", "<|im_end|>"}})
	if err != nil {
		t.Fatal(err)
	}
	bare, err := Parse("{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}<{{ m.role }}>{{ m.content }}{% endfor %}", Options{Guidance: true})
	if err != nil {
		t.Fatal(err)
	}
	const example = "\n\nExample of a call of get_weather:\n"
	for name, c := range map[string]struct {
		by       Renderer
		protocol Protocol
		system   string
		want     []string // in this order
	}{
		"native, alone":      {marked, Native, "", []string{"<|im_start|>system\nRules for calling tools:\n- Call", "instead of guessing." + example + "<tool_call>"}},
		"json, alone":        {marked, JSON, "", []string{"<|im_start|>system\n# Tools\n", "without such an object." + example + `{"tool"`}},
		"json":               {marked, JSON, "S\n", []string{"<|im_start|>system\nS\n\n# Tools\n", "without such an object." + example}},
		"no template, alone": {Builtin{Guidance: true}, Native, "", []string{"System: # Tools\n", "without such an object." + example + `{"tool"`, "\n\nUser: hi"}},
		"no template":        {Builtin{Guidance: true}, ReAct, "S", []string{"System: S\n\n# Tools\n", "instead of guessing." + example + "Action: get_weather"}},
		"no system role":     {bare, JSON, "", []string{"<user># Tools\n", "without such an object." + example + `{"tool"`, "\n\nhi"}},
	} {
		t.Run(name, func(t *testing.T) {
			conversation := Conversation{Now: noon, Protocol: c.protocol, Tools: []Tool{weather}, Messages: []Message{hi}}
			if c.system != "" {
				conversation.Messages = []Message{{Role: System, Text: c.system}, hi}
			}
			r, err := c.by.Render(conversation)
			if err != nil {
				t.Fatal(err)
			}
			rest := r.String()
			for _, want := range c.want {
				_, behind, ok := strings.Cut(rest, want)
				if !ok {
					t.Errorf("%q is not there, or not in its place:\n%s", want, r)
				}
				rest = behind
			}
		})
	}
}

func TestThinking_wishesReachTheTemplate(t *testing.T) {
	on, off := true, false
	for name, c := range map[string]struct {
		opening string
		wish    Thinking
		want    string
	}{
		"unsaid":                {"{{ '<think>' if enable_thinking is not defined or enable_thinking else '<off>' }}", Thinking{}, "<think>"},
		"off":                   {"{{ '<think>' if enable_thinking is not defined or enable_thinking else '<off>' }}", Thinking{Enabled: &off}, "<off>"},
		"on":                    {"{{ '<think>' if thinking else '<off>' }}", Thinking{Enabled: &on}, "<think>"},
		"effort":                {"{{ reasoning_effort|default('medium') }}", Thinking{Effort: "high"}, "high"},
		"effort for off":        {"{{ reasoning_effort|default('medium') }}", Thinking{Enabled: &off}, "low"},
		"an effort that raises": {"{% if reasoning_effort is defined and reasoning_effort not in ['low'] %}{{ raise_exception('no') }}{% endif %}{{ reasoning_effort }}", Thinking{Effort: "high"}, ""},
		"in words":              {"{{ '<off>' if '/no_think' in messages[0].content else '<think>' }}", Thinking{Enabled: &off}, "<off>"},
		"no way":                {"<think>", Thinking{Enabled: &off}, "<think>"},
	} {
		t.Run(name, func(t *testing.T) {
			tm, err := Parse("{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<assistant>"+c.opening+"{% endif %}", Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := tm.Render(Conversation{Messages: []Message{{Role: System, Text: "S"}, hi}, Thinking: c.wish})
			if err != nil || !strings.HasSuffix(r.String(), "hi<assistant>"+c.want) {
				t.Errorf("%v: got %s", err, r)
			}
			if r.Thinking != (c.want == "<think>") {
				t.Errorf("thinking is open: %v", r.Thinking)
			}
		})
	}
}

// A template that shows calls and results but no declared tools, as DeepSeek V3.1's.
const callsOnly = `{%- for m in messages -%}{{- '<|im_start|>' + m.role + '\n' + m.content -}}
{%- for c in m.tool_calls or [] -%}{{- '<|call|>' + c.function.name + '<|sep|>' + c.function.arguments|tojson -}}{%- endfor -%}
{{- '<|im_end|>' -}}{%- endfor -%}{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}{%- endif -%}`

func TestRender_toolsAreDescribedToATemplateThatShowsOnlyCalls(t *testing.T) {
	tm, err := Parse(callsOnly, Options{Markers: []string{"<|im_start|>", "<|im_end|>", "<|call|>", "<|sep|>"}})
	if err != nil {
		t.Fatal(err)
	}
	forged := weather
	forged.Description = "See <|call|>."
	r, err := tm.Render(Conversation{Tools: []Tool{forged}, Messages: []Message{{Role: System, Text: "S"}, hi, asks("", call("a", "{}")), answer("a", "1")}})
	if err != nil || r.Protocol != Native {
		t.Fatalf("%v, protocol %q", err, r.Protocol)
	}
	system, _, _ := strings.Cut(r.String(), "<|im_end|>")
	for _, want := range []string{"S\n\n# Tools\n", "get_weather(city: string", "exact name: get_weather.", "Example of a call of get_weather:\n<|call|>get_weather<|sep|>{\"city\": \"<city>\"}"} {
		if !strings.Contains(system, want) {
			t.Errorf("lacks %q:\n%s", want, system)
		}
	}
	want := []string{"<|im_start|>", "<|call|>", "<|sep|>", "<|im_end|>", "<|im_start|>", "<|im_end|>", "<|im_start|>", "<|call|>", "<|sep|>", "<|im_end|>", "<|im_start|>", "<|im_end|>", "<|im_start|>"}
	if diff := cmp.Diff(want, markersOf(r)); diff != "" {
		t.Error(diff)
	}
}

// Arguments of the names that templates call would take the template's own language away.
func TestArgs_hideNothingThatTemplatesCall(t *testing.T) {
	args := map[string]any{"messages": "x", "style": "plain"}
	for _, name := range []string{"namespace", "range", "dict", "raise_exception", "strftime_now"} {
		args[name] = nil
	}
	tm, err := Parse(`{% set ns = namespace(n=0) %}{% for i in range(2) %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}{{ style }}`+
		`{{ dict(a=1).a }}x{{ strftime_now('%d') }}{% for m in messages %}{{ m.content }}{% endfor %}`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := tm.Render(Conversation{Now: noon, Args: args, Messages: []Message{hi}})
	if err != nil || !strings.HasPrefix(r.String(), "2plain1x") || len(r.Heals) != 0 {
		t.Errorf("%v: %q, %v", err, r, r.Heals)
	}
}

// S0-12, S0-22: a model may be told in other words how to call; what is not said is told as usual.
func TestWording_replacesWhatModelsAreTold(t *testing.T) {
	words := Wording{Guidance: "Tools are %NAMES%: call well.", JSON: "Write JSON.", ReAct: "Think, act."}
	c := Conversation{Messages: []Message{{Role: User, Text: "hi"}}, Tools: []Tool{{Name: "look"}}}
	for protocol, want := range map[Protocol]string{JSON: "\n\nWrite JSON.", ReAct: "\n\nThink, act.", XML: "<tool_call>"} {
		c.Protocol = protocol
		r, err := Builtin{Wording: words}.Render(c)
		if err != nil || !strings.Contains(r.String(), want) {
			t.Errorf("%s: %v %s", protocol, err, r)
		}
		usual, err := Builtin{}.Render(c)
		if err != nil || strings.Contains(usual.String(), "Write JSON.") {
			t.Errorf("%s: %v %s", protocol, err, usual)
		}
	}
}
