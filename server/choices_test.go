package server_test

import (
	"net/http"
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/grammar"
)

// choiceForms are the forms of tool_choice, as each protocol spells them; Messages has no
// allowed_tools.
var choiceForms = []struct {
	name                      string
	chat, responses, messages string
	oneCall                   bool
	accepts, refuses          []string // of choiceOutputs
}{
	{"auto", `"auto"`, `"auto"`, `{"type":"auto"}`, false, []string{"text", "f", "g", "f and g"}, nil},
	{"none", `"none"`, `"none"`, `{"type":"none"}`, false, []string{"text"}, []string{"f", "g", "f and g"}},
	{"required", `"required"`, `"required"`, `{"type":"any"}`, false, []string{"f", "g", "f and g"}, []string{"text"}},
	{"named", `{"type":"function","function":{"name":"g"}}`, `{"type":"function","name":"g"}`, `{"type":"tool","name":"g"}`, false, []string{"g"}, []string{"text", "f", "f and g"}},
	{"allowed", `{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"g"}}]}}`,
		`{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"g"}]}`, "", false, []string{"text", "g"}, []string{"f", "f and g"}},
	{"allowed and required", `{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"g"}}]}}`,
		`{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"g"}]}`, "", false, []string{"g"}, []string{"text", "f", "f and g"}},
	{"one call", `"auto"`, `"auto"`, `{"type":"auto","disable_parallel_tool_use":true}`, true, []string{"text", "f", "g"}, []string{"f and g"}},
	{"one call, required", `"required"`, `"required"`, `{"type":"any","disable_parallel_tool_use":true}`, true, []string{"f"}, []string{"text", "f and g"}},
}

// choiceOutputs are turns in tenon's own format.
var choiceOutputs = map[string]string{
	"text": "No.",
	"f":    `{"tool": "f", "arguments": {}}`, "g": `{"tool": "g", "arguments": {}}`,
	"f and g": `{"tool": "f", "arguments": {}}` + "\n" + `{"tool": "g", "arguments": {}}`,
}

// Every form of tool_choice masks what it forbids and nothing else, in every protocol; the prompt,
// and with it the cache, is the same under all of them.
func TestToolChoice_everyFormInEveryProtocol(t *testing.T) {
	const schema = `{"type":"object","properties":{}}`
	for _, p := range []struct{ path, head, tools, oneCall string }{
		{"/v1/chat/completions", `"messages":[{"role":"user","content":"hi"}]`,
			`[{"type":"function","function":{"name":"f","parameters":` + schema + `}},{"type":"function","function":{"name":"g","parameters":` + schema + `}}]`, `,"parallel_tool_calls":false`},
		{"/v1/responses", `"input":"hi"`, `[{"type":"function","name":"f","parameters":` + schema + `},{"type":"function","name":"g","parameters":` + schema + `}]`, `,"parallel_tool_calls":false`},
		{"/v1/messages", `"max_tokens":99,"messages":[{"role":"user","content":"hi"}]`, `[{"name":"f","input_schema":` + schema + `},{"name":"g","input_schema":` + schema + `}]`, ""},
	} {
		prompts := map[string]bool{}
		for _, form := range choiceForms {
			choice := map[string]string{"/v1/chat/completions": form.chat, "/v1/responses": form.responses, "/v1/messages": form.messages}[p.path]
			if choice == "" {
				continue
			}
			body := `{"model":"scripted",` + p.head + `,"tools":` + p.tools + `,"tool_choice":` + choice
			if form.oneCall {
				body += p.oneCall
			}
			s, engine := start(t, enginetest.Say("x"))
			if status, got := postTo(t, s, p.path, body+"}"); status != http.StatusOK {
				t.Fatalf("%s, %s: %d %s", p.path, form.name, status, got)
			}
			turn := engine.Turns()[0]
			prompts[turn.Prompt.String()] = true
			checkOutputs(t, p.path+", "+form.name, turn.Grammar, form.accepts, true)
			checkOutputs(t, p.path+", "+form.name, turn.Grammar, form.refuses, false)
		}
		for prompt := range prompts {
			if len(prompts) > 1 || !strings.Contains(prompt, "f()") {
				t.Errorf("%s: %d prompts, one of which is %s", p.path, len(prompts), prompt)
			}
		}
	}
}

func checkOutputs(t *testing.T, what, text string, outputs []string, want bool) {
	t.Helper()
	g, err := grammar.Parse(text, grammar.Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range outputs {
		m := g.Matcher(nil)
		if got := m.AcceptBytes([]byte(choiceOutputs[name])) == nil && m.Done(); got != want {
			t.Errorf("%s: %s is accepted: %v, want %v", what, name, got, want)
		}
	}
}
