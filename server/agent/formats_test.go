package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server/agent"
	"tenon/server/chat"
	"tenon/templates"
	"tenon/tools"
)

// native is a model whose chat template shows tools in Hermes' way.
type native struct{ *enginetest.Scripted }

const hermes = `{% for m in messages %}<|im_start|>{{ m.role }}
{% if loop.first and tools %}{% for t in tools %}{{ t | tojson }}
{% endfor %}{% endif %}{{ m.content or '' }}{% for c in m.tool_calls or [] %}
<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`

func (n native) Acquire(context.Context, string) (chat.Model, func(), error) {
	t, err := templates.Parse(hermes, templates.Options{Markers: []string{"<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>"}})
	d, _ := tools.Lookup("hermes")
	return chat.Model{ID: "m", Engine: n.Scripted, Renderer: t, Dialect: d}, func() {}, err
}

// marked is a reply whose parts in «» are marker tokens.
func marked(text string) enginetest.Reply {
	var r enginetest.Reply
	for i, part := range strings.FieldsFunc(text, func(c rune) bool { return c == '«' || c == '»' }) {
		if i%2 == 0 {
			r.Tokens = append(r.Tokens, enginetest.Say(part).Tokens...)
		} else {
			r.Tokens = append(r.Tokens, engine.Token{ID: 256, Kind: engine.Symbol, Bytes: []byte(part)})
		}
	}
	return r
}

// S4-9, S4-26: loops of 1, 3 and 10 rounds in a native format, in ReAct, and in tenon's JSON with
// text around the calls.
func TestFormats_eachRunsTheLoop(t *testing.T) {
	for name, say := range map[string]func(q string) string{
		"json": func(q string) string { return "Let me see. " + lookup(q) + "\n" },
		"react": func(q string) string {
			return fmt.Sprintf("Thought: I look.\nAction: lookup\nAction Input: {\"q\": %q}\n", q)
		},
		"native": func(q string) string {
			return fmt.Sprintf("I look.\n«<tool_call>»\n{\"name\": \"lookup\", \"arguments\": {\"q\": %q}}\n«</tool_call>»", q)
		},
	} {
		for _, rounds := range []int{1, 3, 10} {
			n, e := &notes{}, []enginetest.Reply{}
			for i := range rounds {
				e = append(e, marked(say(fmt.Sprint("q", i))))
			}
			end := map[bool]string{true: "Thought: I know.\nFinal Answer: All is well.", false: "All is well."}[name == "react"]
			engine := enginetest.Script(append(e, enginetest.Say(end))...)
			engine.Info.Context = 1 << 16
			b := &bench{Service: agent.New(&chat.Service{Models: native{engine}}, allowed(n)), engine: engine}
			c := b.ask(t, func(r *chat.Request) {
				if name != "native" {
					r.ToolFormat = name
				}
			})
			if len(n.calls) != rounds || !strings.HasSuffix(strings.TrimSpace(c.Text), "All is well.") || strings.Contains(c.Text, "lookup") {
				t.Errorf("%s, %d rounds: %d calls, %q", name, rounds, len(n.calls), c.Text)
				continue
			}
			last := b.prompts()[rounds]
			for i := range rounds {
				if !strings.Contains(last, fmt.Sprintf("note %d", i+1)) {
					t.Errorf("%s: the last of %d prompts lacks result %d", name, rounds, i+1)
				}
			}
		}
	}
}

// S4-26: what a model writes in place of a call that can be read is text, and the turn ends.
func TestFormats_whatIsNoCallIsText(t *testing.T) {
	n := &notes{}
	b := newBench(allowed(n), `{"tool": "lookup", "arguments": {"q": `, "never asked for")
	b.engine.Info.Can = enginetest.Unmasked
	if c := b.ask(t, nil); len(n.calls) != 0 || c.Finish.Reason != chat.Stop {
		t.Errorf("%+v", c)
	}
}
