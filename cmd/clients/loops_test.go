package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Issue 24: loops of 1, 3 and 10 rounds with a real model, in tenon's JSON and in ReAct. A base
// model goes on as the conversation has begun: with one call after the other, until the limit of
// rounds.
func TestLoops(t *testing.T) {
	if opts.tenon == "" || opts.gguf == "" || opts.only != "" || opts.remote != "" {
		t.Skip("make clients runs it")
	}
	for _, rounds := range []int{1, 3, 10} {
		dir := t.TempDir()
		config := filepath.Join(dir, "tenon.yaml")
		endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("done, now the next step")) }))
		t.Cleanup(endpoint.Close)
		settings := fmt.Sprintf(`agent-rounds: %d
agent-equal-calls: 100
agent-journal: %s/journal
tools:
  next_step:
    description: Do the next step of the work.
    schema: '{"type":"object","properties":{"step":{"type":"integer","minimum":1,"maximum":99}},"required":["step"],"additionalProperties":false}'
    url: %s
    approval: allow
`, rounds, dir, endpoint.URL)
		if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		o := opts
		o.dir, o.config = dir, config
		served, err := serveReal(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		h, _, err := served.handler(t.Context(), client{})
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"json", "react"} {
			r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", bytes.NewReader(steps(served.id, format)))
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			var answer struct {
				Choices []struct {
					Message struct {
						Calls []struct{ Name, Output string } `json:"server_tool_calls"`
					}
				}
			}
			if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || len(answer.Choices) != 1 {
				t.Fatalf("%d %s", rec.Code, rec.Body)
			}
			calls := answer.Choices[0].Message.Calls
			t.Logf("%s, %d rounds: %d calls, limit %q", format, rounds, len(calls), rec.Header().Get("X-Tenon-Limit"))
			if len(calls) < rounds || rec.Header().Get("X-Tenon-Limit") != "rounds" || !strings.HasPrefix(calls[rounds-1].Output, "done") {
				t.Errorf("%s, %d rounds: %s", format, rounds, rec.Body)
			}
		}
		served.close()
	}
}

// steps is a request in which three steps have been made.
func steps(model, format string) []byte {
	messages := []map[string]any{{"role": "user", "content": "Do all 50 steps of the work, one after the other. Call next_step for each."}}
	for i := 1; i <= 3; i++ {
		id := fmt.Sprint("call_", i)
		messages = append(messages,
			map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{"id": id, "type": "function", "function": map[string]any{"name": "next_step", "arguments": fmt.Sprintf(`{"step": %d}`, i)}}}},
			map[string]any{"role": "tool", "tool_call_id": id, "content": "done, now the next step"})
	}
	body, _ := json.Marshal(map[string]any{ // what is built here always marshals
		"model": model, "messages": messages, "tool_format": format, "temperature": 0, "max_tokens": 400, "parallel_tool_calls": false,
		"tools": []any{map[string]any{"type": "mcp", "server_label": "http", "require_approval": "never"}},
	})
	return body
}
