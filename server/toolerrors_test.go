package server_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/server"
)

// S0 (the rate of success in real use), S1-27, S3-20: what clients send back as an error is
// counted by model and tool, once; each call has a line in the log, and what it says only where
// prompts are logged.
func TestToolErrors_areCountedAndCallsLogged(t *testing.T) {
	const body = `{"model":"scripted","max_tokens":100,"messages":[{"role":"user","content":"hi"},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"no","is_error":true}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"no","is_error":true}]}],` +
		`"tools":[{"name":"Bash","input_schema":{"type":"object","required":["command"],"properties":{"command":{"type":"string"}}}}]}`
	for _, prompts := range []bool{false, true} {
		var log bytes.Buffer
		o := options(t, enginetest.Say(`{"tool": "Bash", "arguments": {"command": "ls /secret"}}`))
		o.Log, o.LogPrompts = slog.New(slog.NewTextHandler(&log, nil)), prompts
		h := server.New(o)
		if rec := askWith(t, h, "/v1/messages", body); rec.Code != 200 {
			t.Fatal(rec.Body)
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
		metrics := rec.Body.String()
		if !strings.Contains(metrics, `tenon_tool_errors_total{model="scripted",tool="Bash"} 1`) || strings.Contains(metrics, `tool="Read"`) {
			t.Error("the errors are not counted as they were told")
		}
		if sets := linesOf(metrics, "tenon_tool_set_errors_total"); !regexp.MustCompile(`\{kind="result",protocol="messages",set="[0-9a-f]+"\} 1\n`).MatchString(sets) {
			t.Errorf("by set of tools they are counted as\n%s", sets)
		}
		text := log.String()
		if !strings.Contains(text, `msg="tool call"`) || !strings.Contains(text, "tool=Bash") || !strings.Contains(text, `msg="tool error"`) {
			t.Error(text)
		}
		var line string
		for l := range strings.Lines(text) {
			if strings.Contains(l, `msg="tool call"`) {
				line = l
			}
		}
		if strings.Contains(line, "secret") != prompts {
			t.Errorf("prompts logged %t: %s", prompts, line)
		}
	}
}

// What a server executed was counted when it did: that a client sends it back is no error of a
// tool of the client's.
func TestToolErrors_whatTheServerExecutedIsNotCountedAgain(t *testing.T) {
	for path, body := range map[string]string{
		"/v1/chat/completions": `"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"server_tool_calls":[{"id":"c1","type":"mcp_call","server_label":"notes","name":"find","arguments":"{}","error":"no"}]},{"role":"user","content":"so"}]`,
		"/v1/messages": `"max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"mcp_tool_use","id":"c1","name":"find","server_name":"notes","input":{}},` +
			`{"type":"mcp_tool_result","tool_use_id":"c1","is_error":true,"content":[{"type":"text","text":"no"}]}]},{"role":"user","content":"so"}]`,
		"/v1/responses": `"input":[{"role":"user","content":"hi"},{"type":"mcp_call","id":"c1","server_label":"notes","name":"find","arguments":"{}","error":"no"},{"role":"user","content":"so"}]`,
	} {
		var log bytes.Buffer
		o := options(t, enginetest.Say("Well."))
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		h := server.New(o)
		if rec := askWith(t, h, path, `{"model":"scripted",`+body+`}`); rec.Code != 200 {
			t.Fatal(path, rec.Body)
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
		if counted := linesOf(rec.Body.String(), "tenon_tool_errors_total"); strings.Contains(counted, "find") || strings.Contains(log.String(), `msg="tool error"`) {
			t.Errorf("%s: %s%s", path, counted, &log)
		}
	}
}

// S3-20: what was no valid call has a line too, with the names that there were; what it said only
// where prompts are logged.
func TestToolErrors_whatWasNoCallIsLogged(t *testing.T) {
	const body = `{"model":"scripted","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"Bash","parameters":{"type":"object","required":["command"]}}}]}`
	for _, prompts := range []bool{false, true} {
		var log bytes.Buffer
		bad := enginetest.Say(`{"tool": "Bash", "arguments": {"delete_everything": true}}`)
		o := options(t, bad, bad)
		o.Models.(oneModel).engine.Info.Can = enginetest.Unmasked
		o.Log, o.LogPrompts = slog.New(slog.NewTextHandler(&log, nil)), prompts
		if rec := askWith(t, server.New(o), "/v1/chat/completions", body); rec.Code != 200 {
			t.Fatal(rec.Body)
		}
		line := log.String()
		if !strings.Contains(line, `msg="no valid call"`) || !strings.Contains(line, "available=[Bash]") || !strings.Contains(line, "tried_again=1") {
			t.Error(line)
		}
		if strings.Contains(line, "delete_everything") != prompts {
			t.Errorf("prompts logged %t: %s", prompts, line)
		}
	}
}

// S0-17: what a turn cost that was tried again shows in a header, of a stream behind it, in every
// protocol; a turn at its first try has none.
func TestRetries_showInAHeader(t *testing.T) {
	const (
		chatTool = `"tools":[{"type":"function","function":{"name":"Bash","parameters":{"type":"object","required":["command"]}}}]`
		flatTool = `"tools":[{"type":"function","name":"Bash","parameters":{"type":"object","required":["command"]}}]`
		ownTool  = `"tools":[{"name":"Bash","input_schema":{"type":"object","required":["command"]}}]`
	)
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"model":"scripted","messages":[{"role":"user","content":"hi"}],` + chatTool,
		"/v1/responses":        `{"model":"scripted","input":"hi",` + flatTool,
		"/v1/messages":         `{"model":"scripted","max_tokens":100,"messages":[{"role":"user","content":"hi"}],` + ownTool,
	} {
		for _, stream := range []string{`}`, `,"stream":true}`} {
			for want, first := range map[string]string{"1": `{"tool": "Bash", "arguments": {"wrong": true}}`, "": "Hello."} {
				o := options(t, enginetest.Say(first), enginetest.Say(`{"tool": "Bash", "arguments": {"command": "ls"}}`))
				o.Models.(oneModel).engine.Info.Can = enginetest.Unmasked
				s := httptest.NewServer(server.New(o))
				resp, err := http.Post(s.URL+path, "application/json", strings.NewReader(body+stream))
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				s.Close()
				if got := resp.Header.Get("X-Tenon-Retries") + resp.Trailer.Get("X-Tenon-Retries"); err != nil || resp.StatusCode != http.StatusOK || got != want {
					t.Errorf("%s%s: %v, %q tries more, want %q: %s", path, stream, err, got, want, text)
				}
			}
		}
	}
}
