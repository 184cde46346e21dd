package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/chat"
)

func answer(t *testing.T, h http.Handler, method, path, body string) (int, map[string]any) {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(method, path, strings.NewReader(body)))
	var v map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &v); err != nil {
		t.Fatalf("%s %s: %v: %s", method, path, err, rec.Body)
	}
	return rec.Code, v
}

// Issue 23: each client reads the context window in a spelling of its own, before a model is
// loaded, too.
func TestContextWindow_inEverySpellingOfModelsThatAreNotLoaded(t *testing.T) {
	idle := fleet.Status{Entry: catalog.Entry{ID: "m", Aliases: []string{"other"}, Context: 2048, ContextTrained: 32768, Architecture: "qwen3", Size: 5}, State: fleet.NotLoaded}
	loaded := fleet.Status{Entry: catalog.Entry{ID: "m", Aliases: []string{"other"}, ContextTrained: 32768, Architecture: "qwen3"}, State: fleet.Loaded, Model: engine.Model{Context: 2048, Slots: 2, Template: "{{ x }}"}}
	for _, status := range []fleet.Status{idle, loaded} {
		h := server.New(server.Options{Service: &chat.Service{}, Models: listed{status}})
		_, m := answer(t, h, "GET", "/v1/models/m", "")
		for _, key := range []string{"context_length", "loaded_context_length", "max_model_len", "max_input_tokens", "max_output_tokens", "max_tokens"} {
			if m[key] != float64(2048) {
				t.Errorf("%s: %s is %v", status.State, key, m[key])
			}
		}
		if meta, _ := m["meta"].(map[string]any); meta["n_ctx"] != float64(2048) || meta["n_ctx_train"] != float64(32768) || m["max_context_length"] != float64(32768) {
			t.Errorf("%s: %v", status.State, m)
		}
		_, props := answer(t, h, "GET", "/props", "")
		if settings, _ := props["default_generation_settings"].(map[string]any); settings["n_ctx"] != float64(2048) || props["model_path"] != "m" {
			t.Errorf("%s: %v", status.State, props)
		}
		_, shown := answer(t, h, "POST", "/api/show", `{"model":"OTHER:latest"}`)
		if info, _ := shown["model_info"].(map[string]any); info["general.architecture"] != "qwen3" || info["qwen3.context_length"] != float64(2048) {
			t.Errorf("%s: %v", status.State, shown)
		}
	}
}

// Issue 23: what Copilot and others ask of Ollama before they use the OpenAI routes.
func TestOllama_probesAreAnswered(t *testing.T) {
	h := server.New(options(t))
	if status, v := answer(t, h, "GET", "/api/version", ""); status != http.StatusOK || !strings.HasPrefix(v["version"].(string), "0.") {
		t.Errorf("%d %v", status, v)
	}
	_, tags := answer(t, h, "GET", "/api/tags", "")
	list := tags["models"].([]any)
	first := list[0].(map[string]any)
	if len(list) != 2 || first["name"] != "scripted" || first["model"] != "scripted" || first["details"].(map[string]any)["format"] != "gguf" {
		t.Errorf("%v", tags)
	}
	_, shown := answer(t, h, "POST", "/api/show", `{"name":"scripted"}`)
	if c := shown["capabilities"].([]any); len(c) != 2 || c[1] != "tools" {
		t.Errorf("%v", shown)
	}
	for body, want := range map[string]int{`{"model":"none"}`: http.StatusNotFound, `{`: http.StatusBadRequest} {
		if status, v := answer(t, h, "POST", "/api/show", body); status != want || v["error"] == nil {
			t.Errorf("%s: %d %v", body, status, v)
		}
	}
}

// Issue 23: clients that insist on a name get the default model under it, in every protocol;
// without a default they are refused.
func TestDefaultModel_servesEveryName(t *testing.T) {
	for _, c := range streams {
		for _, name := range []string{`"claude-sonnet-4-5"`, `""`} {
			body := strings.Replace(strings.Replace(c.body, `"scripted"`, name, 1), `,"stream":true`, "", 1)
			o := options(t, enginetest.Say("hello"))
			status, v := answer(t, server.New(o), "POST", c.path, body)
			if want := map[bool]int{true: http.StatusBadRequest, false: http.StatusNotFound}[name == `""`]; status != want || v["error"] == nil {
				t.Errorf("%s as %s without a default: %d %v", c.path, name, status, v)
			}
			o.Service.Default = "gpt-4o" // an alias of it
			status, v = answer(t, server.New(o), "POST", c.path, body)
			told, _ := json.Marshal(v)
			if status != http.StatusOK || !strings.Contains(string(told), "hello") {
				t.Errorf("%s as %s: %d %s", c.path, name, status, told)
			}
			if want := strings.Trim(name, `"`); want != "" && v["model"] != want {
				t.Errorf("%s as %s: the answer is of %v", c.path, name, v["model"])
			}
		}
	}
	o := options(t)
	o.Service.Default = "scripted"
	if status, v := answer(t, server.New(o), "GET", "/v1/models/claude-sonnet-4-5", ""); status != http.StatusOK || v["id"] != "claude-sonnet-4-5" || v["context_length"] != float64(4096) {
		t.Errorf("%d %v", status, v)
	}
}

// Issue 23: too long a prompt is refused in the words by which clients of each protocol know that
// they have to shorten it, with both figures: opencode's and Cline's patterns, Codex's code,
// Claude Code's sentence.
func TestOverflow_inEachProtocolsWords(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/chat/completions": "maximum context length is 64 tokens",
		"/v1/completions":      "maximum context length is 64 tokens",
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
				if !strings.Contains(message, " tokens > 64 maximum") {
					t.Errorf("%s: %v", path, e)
				}
			} else if e["code"] != "context_length_exceeded" {
				t.Errorf("%s: %v", path, e)
			}
		}
	}
}
