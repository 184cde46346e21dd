package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tenon/cmd/config"
	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
)

// A model of the settings file that other machines serve is asked what it can do, with the key.
func TestShow_aModelThatOtherMachinesServe(t *testing.T) {
	alone(t)
	keys := map[string]bool{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys[r.Header.Get("Authorization")] = true
		answers := map[string]string{
			"/props":      `{"default_generation_settings":{"n_ctx":512},"total_slots":2,"chat_template":"{{ messages[0].content }}"}`,
			"/v1/models":  `{"data":[{"id":"x","meta":{"n_vocab":9}}]}`,
			"/tokenize":   `{"tokens":[1,2]}`,
			"/completion": "data: {\"content\":\"Paris\",\"stop\":true}\n\n",
		}
		_, _ = w.Write([]byte(answers[r.URL.Path]))
	}))
	t.Cleanup(s.Close)
	t.Setenv("TENON_CONFIG", write(t, "c.yaml", "models:\n  far:\n    remote: "+s.URL+"\n    remote-key-file: "+write(t, "key", "secret\n")+"\n"))
	out, _, err := execute(t, "show", "far")
	if err != nil || !strings.Contains(out, "served at\t"+s.URL) || !strings.Contains(out, "guarantees\tcalls: validated, not constrained;") {
		t.Errorf("%v\n%s", err, out)
	}
	if len(keys) != 1 || !keys["Bearer secret"] {
		t.Errorf("keys %v", keys)
	}
	out, _, err = execute(t, "list", "--json")
	var list []struct{ ID, Source string }
	if err != nil || json.Unmarshal([]byte(out), &list) != nil || len(list) != 1 || list[0].ID != "far" || list[0].Source != "remote" {
		t.Errorf("%v\n%s", err, out)
	}
}

// An upstream that renders conversations by itself has a template of its own, and takes tools or
// not.
func TestShow_anUpstreamThatChats(t *testing.T) {
	for tools, want := range map[bool]string{true: "as its API has them", false: "told in words"} {
		alone(t)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			switch {
			case r.URL.Path == "/v1/models":
				_, _ = w.Write([]byte(`{"data":[{"id":"x","max_model_len":512}]}`))
			case r.URL.Path != "/v1/chat/completions" || !tools && strings.Contains(string(body), `"tools"`):
				w.WriteHeader(http.StatusBadRequest)
			default:
				_, _ = w.Write([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"Paris\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"))
			}
		}))
		t.Cleanup(s.Close)
		t.Setenv("TENON_CONFIG", write(t, "c.yaml", "models:\n  far:\n    remote: "+s.URL+"/v1#api=chat\n"))
		out, _, err := execute(t, "show", "far")
		if err != nil || !strings.Contains(out, "tools\t"+want) || !strings.Contains(out, "guarantees\tcalls: validated, not constrained;") || strings.Contains(out, "built-in") {
			t.Errorf("tools %t: %v\n%s", tools, err, out)
		}
	}
}

func TestRemote_whatIsWrongIsSaidAtStart(t *testing.T) {
	alone(t)
	for text, want := range map[string]string{
		"remote: ftp://a":                             "expected http://host:port",
		"remote: [\"http://a#weight=-1\"]":            "expected a weight",
		"source: nowhere.gguf\n    remote-key-env: K": "go with remote",
		"remote: http://a\n    remote-fallback: true": "goes with a source",
		"remote: http://a\n    remote-fallback: 1":    "expected true or false",
		"remote: \"http://a#api=tgi\"":                "there is no api",
		"remote: \"http://a#api=chat,model=x\"":       "and & comes between values (set by models: far (",
		"remote: http://a\n    remote-tls: yes":       "no key \"remote-tls\"",
		"remote: http://a\n    draft: small":          "draft: the model is not loaded here",
	} {
		t.Setenv("TENON_CONFIG", write(t, "c.yaml", "models:\n  far:\n    "+text+"\n"))
		if _, _, err := execute(t, "show", "far"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	t.Setenv("SOME_KEY", "k")
	_ = os.Unsetenv("NO_KEY")
	if key, err := remoteKey(catalog.Remote{KeyEnv: "SOME_KEY"}); key != "k" || err != nil {
		t.Errorf("%q %v", key, err)
	}
	if _, err := remoteKey(catalog.Remote{KeyEnv: "NO_KEY"}); err == nil {
		t.Error("a key that is not there is none")
	}
}

// farEngine is an engine that other machines serve.
type farEngine struct {
	*enginetest.Scripted
	urls []string
}

func (f *farEngine) Retarget(urls []string) error { f.urls = urls; return nil }

// Other upstreams are taken while the model is loaded and a turn runs.
func TestReload_takesOtherUpstreams(t *testing.T) {
	on := &farEngine{Scripted: enginetest.Script()}
	entry := "models:\n  far:\n    remote: "
	a, rewrite := reloading(t, entry+"http://a\n", always(on))
	before, release, err := a.loader.Acquire(t.Context(), "far")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	rewrite(entry + "[http://b, \"http://c#weight=2\"]\n")
	notes, err := a.reload(t.Context())
	after, done, failed := a.loader.Acquire(t.Context(), "far")
	if err != nil || failed != nil || !slices.Equal(notes, []string{"far: remote http://b, http://c#weight=2: now"}) || !slices.Equal(on.urls, []string{"http://b", "http://c#weight=2"}) || after.Engine != before.Engine {
		t.Errorf("%v, %v, %q, at %q", err, failed, notes, on.urls)
	}
	done()
	rewrite(entry + "ftp://b\n")
	if _, err := a.reload(t.Context()); err == nil || on.urls[0] != "http://b" {
		t.Errorf("%v, at %q", err, on.urls)
	}
}

// tokenizerFolder has a tokenizer.json whose tokens are bytes, and a template.
func tokenizerFolder(t *testing.T) string {
	t.Helper()
	vocab, next := map[string]int{}, rune(256)
	for b := range 256 {
		letter := rune(b)
		if b <= ' ' || b >= 0x7f && b <= 0xa0 || b == 0xad {
			letter = next
			next++
		}
		vocab[string(letter)] = b
	}
	text, err := json.Marshal(map[string]any{
		"model": map[string]any{"type": "BPE", "vocab": vocab}, "pre_tokenizer": map[string]any{"type": "ByteLevel"},
	})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, content := range map[string]string{"tokenizer.json": string(text), "chat_template.jinja": "{{ messages[0].content }}"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// A tokenizer.json gives the vocabulary, if the server cuts a text as it does.
func TestShow_aModelWithATokenizerOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		file  string // behind the folder
		shift int    // of the server's ids
		want  string
	}{{"", 0, "text_is_data: yes"}, {"/tokenizer.json", 0, "text_is_data: yes"}, {"", 1, "has another vocabulary"}} {
		alone(t)
		var prompts []any
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var in struct{ Prompt any }
			if r.Method == http.MethodPost {
				// what it cannot read stays nil
				_ = json.NewDecoder(r.Body).Decode(&in)
			}
			switch r.URL.Path {
			case "/v1/models":
				_, _ = w.Write([]byte(`{"data":[{"id":"x","root":"x","owned_by":"vllm","max_model_len":512}]}`))
			case "/version":
				_, _ = w.Write([]byte(`{"version":"0.12.0"}`))
			case "/tokenize":
				ids := []int{}
				for _, b := range []byte(in.Prompt.(string)) {
					ids = append(ids, int(b)+c.shift)
				}
				_ = json.NewEncoder(w).Encode(map[string]any{"tokens": ids})
			default:
				prompts = append(prompts, in.Prompt)
				_, _ = w.Write([]byte("data: {\"choices\":[{\"text\":\"P\",\"token_ids\":[80],\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"))
			}
		}))
		t.Cleanup(s.Close)
		t.Setenv("TENON_CONFIG", write(t, "c.yaml", "models:\n  far:\n    remote: "+s.URL+"\n    source: "+tokenizerFolder(t)+c.file+"\n"))
		out, _, err := execute(t, "show", "far")
		if !strings.Contains(out+fmt.Sprint(err), c.want) {
			t.Errorf("%v: %v\n%s", c, err, out)
		}
		for _, p := range prompts {
			if ids, ok := p.([]any); !ok || len(ids) == 0 {
				t.Errorf("%v: the prompt %v is none of ids", c, p)
			}
		}
		if c.shift == 0 && len(prompts) == 0 {
			t.Errorf("%v: nothing was asked", c)
		}
	}
}

// Without weights nothing can be loaded here.
func TestRemote_aTokenizerIsNoFallback(t *testing.T) {
	alone(t)
	t.Setenv("TENON_CONFIG", write(t, "c.yaml", "models:\n  far:\n    remote: http://a\n    remote-fallback: true\n    source: "+tokenizerFolder(t)+"\n"))
	if _, _, err := execute(t, "show", "far"); err == nil || !strings.Contains(err.Error(), "a source that is a GGUF file") {
		t.Errorf("%v", err)
	}
}

// What an upstream is told of sampling is what was set: the defaults built in are those of models
// that are loaded here.
func TestSampling_upstreamsGetWhatWasSet(t *testing.T) {
	for text, want := range map[string]engine.Sampling{
		"models:\n  far:\n    remote: http://a\n":                           {},
		"temp: 0.8\nmodels:\n  far:\n    remote: http://a\n":                {Numbers: engine.Numbers{Temperature: new(float32(0.8))}},
		"top-k: 3\nmodels:\n  far:\n    remote: http://a\n    temp: 0.25\n": {Numbers: engine.Numbers{Temperature: new(float32(0.25)), TopK: new(3)}},
	} {
		a, _ := reloading(t, text, always(&farEngine{Scripted: enginetest.Script()}))
		m, release, err := a.loader.Acquire(t.Context(), "far")
		if err != nil {
			t.Fatal(err)
		}
		release()
		if got := m.Sampling.Or(m.Defaults); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v", text, got)
		}
		told, err := a.explain("far")
		if err != nil {
			t.Fatal(err)
		}
		if own := (config.Value{Name: "top-p", From: "the upstream"}); !slices.Contains(told.([]config.Value), own) {
			t.Errorf("%q: %+v", text, told)
		}
	}
}
