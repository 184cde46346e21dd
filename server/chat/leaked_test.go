package chat

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/engine/enginetest"
	"tenon/templates"
	"tenon/tools"
)

// A call that another server let through as text is a call of the history, in every way of
// writing, the rest of the text stays; a setting leaves it as it came.
func TestLeaked_callsInAnAssistantsTextAreCalls(t *testing.T) {
	const args = `{"at":"a"}`
	for name, c := range map[string]struct {
		text, left string
		calls      int
	}{
		"hermes":       {"I look.\n<tool_call>\n{\"name\": \"look\", \"arguments\": " + args + "}\n</tool_call>", "I look.", 1},
		"two":          {"<tool_call>{\"name\": \"look\", \"arguments\": " + args + "}</tool_call>\n<tool_call>{\"name\": \"look\", \"arguments\": " + args + "}</tool_call>", "", 2},
		"react":        {"I look.\nAction: look\nAction Input: " + args, "I look.", 1},
		"made up":      {"Action: look\nAction Input: " + args + "\nObservation: b\nFinal Answer: b", "Action: look\nAction Input: " + args + "\nObservation: b\nFinal Answer: b", 0},
		"tags":         {"<tool_call>\n<function=look>\n<parameter=at>\na\n</parameter>\n</function>\n</tool_call>", "", 1},
		"half":         {"<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\"", "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\"", 0},
		"another tool": {"<tool_call>{\"name\": \"find\", \"arguments\": " + args + "}</tool_call>", "<tool_call>{\"name\": \"find\", \"arguments\": " + args + "}</tool_call>", 0},
		"no fit":       {"<tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call>", "<tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call>", 0},
		"prose":        {"I look at it with look.", "I look at it with look.", 0},
		"an example":   {"One calls so:\n```\n{\"name\": \"look\", \"arguments\": " + args + "}\n```\nThat is all.", "One calls so:\n```\n{\"name\": \"look\", \"arguments\": " + args + "}\n```\nThat is all.", 0},
	} {
		for _, family := range []string{"hermes", "json", "qwen3-coder", "gemma4"} {
			d, _ := tools.Lookup(family)
			r := request()
			r.Tools = []tools.Tool{anyTool}
			r.Conversation.Messages = []templates.Message{{Role: templates.User, Text: "x"}, {Role: templates.Assistant, Text: c.text}, {Role: templates.User, Text: c.text}}
			got, heals := readLeaked(Model{}, d, r)
			want := templates.Message{Role: templates.Assistant, Text: c.left}
			for range c.calls {
				want.Calls = append(want.Calls, templates.Call{Name: "look", Arguments: args})
			}
			if diff := cmp.Diff(want, got[1]); diff != "" || len(heals) != min(c.calls, 1) || got[2].Text != c.text {
				t.Errorf("%s, %s: %v (-want +got):\n%s", family, name, heals, diff)
			}
			no := false
			if got, heals := readLeaked(Model{Teaching: Teaching{Leaked: &no}}, d, r); got[1].Text != c.text || len(heals) > 0 {
				t.Errorf("%s, %s: it was to stay: %+v", family, name, got[1])
			}
		}
	}
}

// What the client sent stays as it is, the prompt shows the call, and the record says so; an
// answer that is gone on with is not touched.
func TestLeaked_thePromptShowsACall(t *testing.T) {
	const leaked = "Action: look\nAction Input: {\"at\": \"b\"}"
	r := request()
	r.Tools = []tools.Tool{anyTool}
	r.Conversation.Messages = append(r.Conversation.Messages, templates.Message{Role: templates.Assistant, Text: leaked}, templates.Message{Role: templates.User, Text: "and?"})
	for _, continued := range []bool{false, true} {
		if continued {
			r.Conversation.Messages = r.Conversation.Messages[:2]
		}
		m := Model{ID: "m", Engine: enginetest.Script(), Renderer: templates.Builtin{}, Dialect: tools.Fallback()}
		p, err := (&Service{}).plan(m, r)
		if err != nil {
			t.Fatal(err)
		}
		prompt := ""
		for _, s := range p.rendering.Segments {
			prompt += s.Text
		}
		healed := len(p.rendering.Heals) > 0 && p.rendering.Heals[0].Rule == templates.RuleLeakedCalls
		if strings.Contains(prompt, leaked) != continued || healed == continued || r.Conversation.Messages[1].Text != leaked {
			t.Errorf("continued %v: %+v\n%s", continued, p.rendering.Heals, prompt)
		}
	}
}
