package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/servertest"
)

// Issue 23: too long a prompt is refused in the words by which clients of each protocol know that
// they have to shorten it, with both figures: opencode's and Cline's patterns, Codex's code,
// Claude Code's sentence.
func TestOverflow_inEachProtocolsWords(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/chat/completions": "maximum context length is 63 tokens",
		"/v1/completions":      "maximum context length is 63 tokens",
		"/v1/responses":        "exceeds the context window",
		"/v1/messages":         "prompt is too long: ",
	} {
		for _, c := range streams {
			if c.path != path {
				continue
			}
			o := options(t)
			o.Models.(oneModel).engine.Info.Context = 64
			status, v := answer(t, server.New(o), "POST", path, strings.Replace(c.body, `"hi"`, `"`+strings.Repeat("hi ", 50)+`"`, 1))
			e := v["error"].(map[string]any)
			message := e["message"].(string)
			if status != http.StatusBadRequest || !strings.Contains(message, want) || !strings.Contains(message, "64") || !strings.Contains(message, "15") {
				t.Errorf("%s: %d %v", path, status, e)
			}
			if path == "/v1/messages" {
				if !strings.Contains(message, " tokens > 63 maximum") {
					t.Errorf("%s: %v", path, e)
				}
			} else if e["code"] != "context_length_exceeded" {
				t.Errorf("%s: %v", path, e)
			}
		}
	}
}

// A prompt that fills the context leaves no token for the answer: the maximum that is told is one
// that would be served.
func TestOverflow_theMaximumIsOneThatFits(t *testing.T) {
	o := options(t, enginetest.Say("x"))
	e := o.Models.(oneModel).engine
	size := 0
	for path, says := range map[string]string{"/v1/messages": "%d tokens > %d maximum", "/v1/chat/completions": "maximum context length is %[2]d tokens. However, your messages resulted in %[1]d tokens"} {
		body := `{"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`
		if size == 0 {
			_, v := answer(t, server.New(o), "POST", "/v1/messages/count_tokens", body)
			size = int(v["input_tokens"].(float64))
		}
		e.Info.Context = size
		_, v := answer(t, server.New(o), "POST", path, body)
		if said, _ := v["error"].(map[string]any)["message"].(string); !strings.Contains(said, fmt.Sprintf(says, size, size-1)) {
			t.Errorf("%s: %s", path, said)
		}
	}
}

// The words of an overflow that clients look for, each in its protocol: opencode's
// packages/opencode/src/provider/error.ts, Continue's
// extensions/cli/src/util/exponentialBackoff.ts, Zed's crates/anthropic/src/anthropic.rs, which
// reads the figure, too.
func TestOverflow_inTheWordsThatClientsLookFor(t *testing.T) {
	words := map[string][]string{
		"/v1/chat/completions": {"exceeds the context window", "maximum context length is 4095 tokens", "reduce the length of the messages", "context_length_exceeded", "maximum context length"},
		"/v1/responses":        {"exceeds the context window", "context_length_exceeded"},
		"/v1/messages":         {`"message":"prompt is too long: 25`, " tokens > 4095 maximum", "invalid_request_error"},
		"/api/v1/chat":         {"greater than the context length", "4096", `"param":"input"`},
	}
	long := strings.Repeat("word ", 5000)
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"model":"scripted","messages":[{"role":"user","content":"` + long + `"}]}`,
		"/v1/responses":        `{"model":"scripted","input":"` + long + `"}`,
		"/v1/messages":         `{"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":"` + long + `"}]}`,
		"/api/v1/chat":         `{"model":"scripted","input":"` + long + `"}`,
	} {
		_, o := servertest.Fleet(map[string]engine.Engine{"scripted": enginetest.Script(enginetest.Say("no"))})
		rec := httptest.NewRecorder()
		server.New(o).ServeHTTP(rec, httptest.NewRequest("POST", path, strings.NewReader(body)))
		for _, want := range words[path] {
			if rec.Code != http.StatusBadRequest || !strings.Contains(rec.Body.String(), want) {
				t.Errorf("%s: %d lacks %q: %s", path, rec.Code, want, rec.Body)
			}
		}
	}
}
