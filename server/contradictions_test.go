package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/engine/enginetest"
)

// Issue 7: what contradicts itself is a 400 that names the place, in every protocol.
func TestContradictions_areRefusedInEveryProtocol(t *testing.T) {
	const (
		chatTool     = `{"type":"function","function":{"name":"f"}}`
		flatTool     = `{"type":"function","name":"f"}`
		messagesTool = `{"name":"f","input_schema":{"type":"object"}}`
	)
	h := handler(t, nothing)
	for _, c := range []struct{ name, path, fields, field string }{
		{"a choice without tools", "/v1/chat/completions", `,"tool_choice":"required"`, "tool_choice"},
		{"a choice without tools", "/v1/responses", `,"tool_choice":"required"`, "tool_choice"},
		{"a choice without tools", "/v1/messages", `,"tool_choice":{"type":"any"}`, "tool_choice"},
		{"a named tool that is not declared", "/v1/chat/completions", `,"tool_choice":{"type":"function","function":{"name":"g"}},"tools":[` + chatTool + `]`, "tool_choice"},
		{"a named tool that is not declared", "/v1/responses", `,"tool_choice":{"type":"function","name":"g"},"tools":[` + flatTool + `]`, "tool_choice"},
		{"a named tool that is not declared", "/v1/messages", `,"tool_choice":{"type":"tool","name":"g"},"tools":[` + messagesTool + `]`, "tool_choice"},
		{"an allowed tool that is not declared", "/v1/chat/completions", `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"g"}}]}},"tools":[` + chatTool + `]`, "tool_choice"},
		{"an allowed tool that is not declared", "/v1/responses", `,"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"g"}]},"tools":[` + flatTool + `]`, "tool_choice"},
		{"two tools of a name", "/v1/chat/completions", `,"tools":[` + chatTool + `,` + chatTool + `]`, "tools[1]"},
		{"two tools of a name", "/v1/responses", `,"tools":[` + flatTool + `,` + flatTool + `]`, "tools[1]"},
		{"two tools of a name", "/v1/messages", `,"tools":[` + messagesTool + `,` + messagesTool + `]`, "tools[1]"},
		{"a function's schema that is none", "/v1/chat/completions", `,"tools":[` + chatTool + `,{"type":"function","function":{"name":"g","parameters":[]}}]`, "tools[1].function.parameters"},
		{"an older function's schema that is none", "/v1/chat/completions", `,"functions":[{"name":"g","parameters":7}]`, "functions[0].parameters"},
		{"a schema that is none, behind a hosted tool", "/v1/responses", `,"tools":[{"type":"web_search"},{"type":"function","name":"g","parameters":[]}]`, "tools[1].parameters"},
		{"a schema that is none, in a namespace", "/v1/responses", `,"tools":[{"type":"namespace","name":"n","description":"d","tools":[` + flatTool + `,{"type":"function","name":"g","parameters":[]}]}]`, "tools[0].tools[1].parameters"},
		{"a schema that is none, behind a hosted tool", "/v1/messages", `,"tools":[{"type":"bash_20250124","name":"bash"},{"name":"g","input_schema":[]}]`, "tools[1].input_schema"},
		{"two demands on the answer", "/v1/chat/completions", `,"grammar":"root ::= \"a\"","response_format":{"type":"json_object"}`, "response_format"},
		{"two demands on the answer", "/v1/responses", `,"grammar":"root ::= \"a\"","text":{"format":{"type":"json_object"}}`, "text.format"},
		{"two demands on the answer", "/v1/messages", `,"grammar":"root ::= \"a\"","output_config":{"format":{"type":"json_schema","schema":{}}}`, "output_config.format"},
		{"a pattern that is none", "/v1/chat/completions", `,"tools":[{"type":"custom","custom":{"name":"c","format":{"type":"grammar","grammar":{"syntax":"regex","definition":"("}}}}]`, "tools[0].custom.format.grammar.definition"},
		{"a pattern that is none", "/v1/responses", `,"tools":[` + flatTool + `,{"type":"custom","name":"c","format":{"type":"grammar","syntax":"regex","definition":"[z-a]"}}]`, "tools[1].format.definition"},
		{"a strict tool that cannot be", "/v1/chat/completions", `,"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"type":"object","properties":{"a":{"pattern":"(a)\\1"}},"required":["a"],"additionalProperties":false}}}]`, "tools[0]"},
	} {
		for _, p := range allProtocols {
			if p.path != c.path {
				continue
			}
			for _, stream := range []string{"", `,"stream":true`} {
				rec := askWith(t, h, p.path, "{"+p.minimal+c.fields+stream+"}")
				if rec.Code != http.StatusBadRequest || !strings.HasPrefix(named(t, rec.Body.Bytes()), c.field) {
					t.Errorf("%s, %s%s: %d %s, want one that names %s", c.name, c.path, stream, rec.Code, rec.Body, c.field)
				}
			}
		}
	}
}

// Issue 7: images, audio and files are a 400 that names the part, on every model; nothing is
// fetched because a request names it.
func TestParts_thatAreNotTextAreNamedAndNotFetched(t *testing.T) {
	h := handler(t, nothing)
	outside := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was fetched", r.URL) }))
	defer outside.Close()
	for _, c := range []struct{ path, content, message, field string }{
		{"/v1/chat/completions", `[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"http://127.0.0.1:1/x.png"}}]`, "messages", "messages[0].content[1]"},
		{"/v1/chat/completions", `[{"type":"input_audio","input_audio":{"data":"AA==","format":"wav"}}]`, "messages", "messages[0].content[0]"},
		{"/v1/chat/completions", `[{"type":"file","file":{"file_id":"f"}}]`, "messages", "messages[0].content[0]"},
		{"/v1/responses", `[{"type":"input_image","image_url":"file:///etc/passwd"}]`, "input", "input[0].content[0]"},
		{"/v1/responses", `[{"type":"input_text","text":"a"},{"type":"input_file","file_url":"http://127.0.0.1:1/"}]`, "input", "input[0].content[1]"},
		{"/v1/responses", `[{"type":"input_audio","input_audio":{}}]`, "input", "input[0].content[0]"},
		{"/v1/messages", `[{"type":"image","source":{"type":"url","url":"http://127.0.0.1:1/x.png"}}]`, "messages", "messages[0].content[0]"},
		{"/v1/messages", `[{"type":"document","source":{"type":"url","url":"http://127.0.0.1:1/x.pdf"}}]`, "messages", "messages[0].content[0].source.type"},
		{"/v1/messages", `[{"type":"document","source":{"type":"file","file_id":"f"}}]`, "messages", "messages[0].content[0].source.type"},
	} {
		rec := askWith(t, h, c.path, `{"model":"scripted","max_tokens":9,"max_output_tokens":9,"`+c.message+`":[{"role":"user","content":`+strings.ReplaceAll(c.content, "http://127.0.0.1:1", outside.URL)+`}]}`)
		if got := named(t, rec.Body.Bytes()); rec.Code != http.StatusBadRequest || !strings.HasPrefix(got, c.field) {
			t.Errorf("%s %s: %d %s", c.path, c.content, rec.Code, rec.Body)
		}
	}
}

// Issue 7: with a named choice the finish reason is tool_calls, not OpenAI's stop.
func TestChat_aNamedChoiceEndsInToolCalls(t *testing.T) {
	for _, choice := range []string{`"required"`, `{"type":"function","function":{"name":"get_weather"}}`} {
		reply := enginetest.Say(`{"tool": "get_weather", "arguments": {"city": "Oslo"}}`)
		s, _ := start(t, reply, reply)
		for _, stream := range []string{"", `,"stream":true`} {
			_, body := post(t, s, hello+`,"tool_choice":`+choice+stream+weather)
			if !strings.Contains(body, `"finish_reason":"tool_calls"`) {
				t.Errorf("%s%s: %s", choice, stream, body)
			}
		}
	}
}

// A pattern that is valid and beyond what is enforced is told, and refused nowhere.
func TestCustom_aPatternThatCannotBeEnforcedIsTold(t *testing.T) {
	rec := askWith(t, handler(t, nothing), "/v1/responses", `{"model":"scripted","input":"hi","tools":[{"type":"custom","name":"c","format":{"type":"grammar","syntax":"regex","definition":"(a)\\1"}}]}`)
	if rec.Code != http.StatusOK || !strings.Contains(rec.Header().Get("X-Tenon-Issues"), "c#/regex dropped") {
		t.Errorf("%d %v %s", rec.Code, rec.Header(), rec.Body)
	}
}
