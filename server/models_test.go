package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/chat"
)

func TestModels_oneAnswerForThreeReaders(t *testing.T) {
	s, _ := start(t)
	get := func(path string) map[string]any {
		resp, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var v map[string]any
		if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	list := get("/v1/models")
	if list["object"] != "list" || list["has_more"] != false || list["first_id"] != "scripted" || len(list["models"].([]any)) != 1 {
		t.Errorf("%v", list)
	}
	if m := get("/v1/models/GPT-4o"); m["id"] != "gpt-4o" || m["state"] != "loaded" || m["context_length"] != float64(4096) || m["max_input_tokens"] != float64(4096) {
		t.Errorf("%v", m)
	}
	if m := get("/v1/models/script"); m["id"] != "scripted" {
		t.Errorf("a part of a name: %v", m)
	}
	if e := get("/v1/models/some/other")["error"].(map[string]any); e["code"] != "model_not_found" {
		t.Errorf("%v", e)
	}
}

func TestModels_anthropicsClientsGetTheirErrors(t *testing.T) {
	s, _ := start(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/models/other", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Anthropic-Version", "2023-06-01")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var body struct{ Type string }
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil || resp.StatusCode != http.StatusNotFound || body.Type != "error" {
		t.Errorf("%d %v %+v", resp.StatusCode, err, body)
	}
}

// A client that reads what a request may use before the model is loaded relies on it afterwards.
func TestModels_contextIsKnownBeforeTheModelIsLoaded(t *testing.T) {
	idle := fleet.Status{Entry: catalog.Entry{ID: "m", Context: 2048, ContextTrained: 32768}, State: fleet.NotLoaded}
	s := httptest.NewServer(server.New(server.Options{Service: &chat.Service{}, Models: listed{idle}}))
	defer s.Close()
	resp, err := http.Get(s.URL + "/v1/models/m")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var m struct {
		Length int `json:"context_length"`
		Most   int `json:"max_context_length"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&m); err != nil || m.Length != 2048 || m.Most != 32768 {
		t.Errorf("%+v, %v", m, err)
	}
}

// Issue 26: a model that is served elsewhere was said to take 0 tokens until it is loaded.
func TestModels_26_whatIsNotKnownIsLeftOut(t *testing.T) {
	far := fleet.Status{Entry: catalog.Entry{ID: "m"}, State: fleet.NotLoaded}
	w := httptest.NewRecorder()
	server.New(server.Options{Service: &chat.Service{}, Models: listed{far}}).ServeHTTP(w, httptest.NewRequest("GET", "/v1/models/m", nil))
	if text := w.Body.String(); w.Code != http.StatusOK || strings.Contains(text, "_length") || strings.Contains(text, "max_") || strings.Contains(text, "n_ctx") {
		t.Errorf("%d %s", w.Code, text)
	}
}

type listed []fleet.Status

func (l listed) Status() []fleet.Status { return l }

// Ollama's routes are of one protocol: what another one's header says is nothing to them.
func TestOllama_errorsKeepTheirShapeWhateverTheHeaders(t *testing.T) {
	h := server.New(options(t))
	for _, path := range []string{"/api/show", "/api/pull"} {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(`{"model":"nobody"}`))
		r.Header.Set("Anthropic-Version", "2023-06-01")
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		var v struct{ Error string }
		if err := json.Unmarshal(rec.Body.Bytes(), &v); err != nil || rec.Code != http.StatusNotFound || v.Error == "" {
			t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
		}
	}
}
