package server_test

import (
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/server"
)

// S1-9: a call in the history that lacks its id, its name, its arguments or all of them heals, in
// every protocol, and stays with its result.
func TestHistory_aCallThatLacksAPartHeals(t *testing.T) {
	const tools = `"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object"}}}]`
	chat := func(call, id string) string {
		return `{"model":"scripted","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[` + call + `]},` +
			`{"role":"tool","tool_call_id":"` + id + `","content":"the result"}],` + tools + `}`
	}
	const messages, responses = "/v1/messages", "/v1/responses"
	for name, c := range map[string]struct{ path, body, named string }{
		"chat: no id":         {"/v1/chat/completions", chat(`{"type":"function","function":{"name":"get_weather","arguments":"{}"}}`, ""), "get_weather"},
		"chat: no function":   {"/v1/chat/completions", chat(`{"id":"c1","type":"function"}`, "c1"), "unnamed_tool"},
		"chat: empty name":    {"/v1/chat/completions", chat(`{"id":"c1","type":"function","function":{"name":"","arguments":"{}"}}`, "c1"), "unnamed_tool"},
		"chat: no arguments":  {"/v1/chat/completions", chat(`{"id":"c1","type":"function","function":{"name":"get_weather"}}`, "c1"), "get_weather"},
		"chat: cut arguments": {"/v1/chat/completions", chat(`{"id":"c1","type":"function","function":{"name":"get_weather","arguments":"{\"city\": \"Os"}}`, "c1"), "Os"},
		"messages: empty name": {messages, `{"model":"scripted","max_tokens":50,"messages":[{"role":"user","content":"hi"},
			{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"the result"}]}],
			"tools":[{"name":"get_weather","input_schema":{"type":"object"}}]}`, "unnamed_tool"},
		"messages: nothing but the type": {messages, `{"model":"scripted","max_tokens":50,"messages":[{"role":"user","content":"hi"},
			{"role":"assistant","content":[{"type":"tool_use"}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"the result"}]}],
			"tools":[{"name":"get_weather","input_schema":{"type":"object"}}]}`, "unnamed_tool"},
		"responses: empty name": {responses, `{"model":"scripted","input":[{"role":"user","content":"hi"},
			{"type":"function_call","call_id":"c1","name":"","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"the result"}],
			"tools":[{"type":"function","name":"get_weather","parameters":{"type":"object"}}]}`, "unnamed_tool"},
		"responses: no arguments": {responses, `{"model":"scripted","input":[{"role":"user","content":"hi"},
			{"type":"function_call","call_id":"c1","name":"get_weather"},{"type":"function_call_output","call_id":"c1","output":"the result"}],
			"tools":[{"type":"function","name":"get_weather","parameters":{"type":"object"}}]}`, "get_weather"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, enginetest.Say("fine"))
			rec := askWith(t, server.New(o), c.path, c.body)
			if rec.Code != 200 {
				t.Fatalf("%d %s", rec.Code, rec.Body)
			}
			prompt := o.Models.(oneModel).engine.Turns()[0].Prompt.String()
			_, history, _ := strings.Cut(prompt, "hi")
			call, _, found := strings.Cut(history, "the result")
			if !found || !strings.Contains(call, c.named) {
				t.Errorf("the call %q and its result are not beside each other:\n%s", c.named, prompt)
			}
		})
	}
}
