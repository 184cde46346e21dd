package remote

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tenon/engine"
)

// far plays llama-servers, by host. Its tokens are bytes.
type far struct {
	mu       sync.Mutex
	hosts    map[string]*farHost
	sent     []string // hosts that turns went to
	requests []map[string]any
}

type farHost struct {
	down    bool
	ignores bool   // grammars
	width   int    // of the model: another one is another model
	status  int    // of a turn; 0: 200
	retry   string // Retry-After
	body    func(r *http.Request) io.Reader
}

func newFar(hosts ...string) *far {
	f := &far{hosts: map[string]*farHost{}}
	for _, h := range hosts {
		f.hosts[h] = &farHost{width: 64}
	}
	return f
}

func (f *far) change(host string, do func(*farHost)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do(f.hosts[host])
}

func (f *far) turns() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, f.sent...)
}

// RoundTrip implements http.RoundTripper.
func (f *far) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.hosts[r.URL.Host]
	if h == nil || h.down {
		return nil, errors.New("connection refused")
	}
	answer := &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Header: http.Header{}, Request: r}
	say := func(v any) (*http.Response, error) {
		b, err := json.Marshal(v)
		answer.Body = io.NopCloser(strings.NewReader(string(b)))
		return answer, err
	}
	var in map[string]any
	if r.Body != nil {
		_ = json.NewDecoder(r.Body).Decode(&in) // of a GET there is none
	}
	switch r.URL.Path {
	case "/props":
		return say(map[string]any{"default_generation_settings": map[string]any{"n_ctx": 4096}, "total_slots": 2, "chat_template": "{{ x }}", "eos_token": "</s>"})
	case "/v1/models":
		return say(map[string]any{"data": []any{map[string]any{"id": "m", "meta": map[string]any{"n_vocab": 256, "n_embd": h.width}}}})
	case "/tokenize":
		ids := []int{}
		for _, b := range []byte(in["content"].(string)) {
			ids = append(ids, int(b))
		}
		return say(map[string]any{"tokens": ids})
	}
	if in["grammar"] == unlikely {
		text := "qzx-1-zqx"
		if h.ignores {
			text = " Paris."
		}
		answer.Body = io.NopCloser(strings.NewReader(`data: {"content":"` + text + `","tokens":[1],"stop":false}` + "\n\n" + `data: {"content":"","tokens":[],"stop":true}` + "\n\n"))
		return answer, nil
	}
	f.sent, f.requests = append(f.sent, r.URL.Host), append(f.requests, in)
	if h.status != 0 {
		answer.StatusCode, answer.Status = h.status, http.StatusText(h.status)
		answer.Header.Set("Retry-After", h.retry)
		answer.Header.Set("Location", "http://elsewhere/completion")
		return say(map[string]any{"error": map[string]any{"message": "no"}})
	}
	answer.Body = io.NopCloser(h.body(r))
	return answer, nil
}

func transcript(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// says is a body that is a text.
func says(text string) func(*http.Request) io.Reader {
	return func(*http.Request) io.Reader { return strings.NewReader(text) }
}

func connectTo(t *testing.T, f *far, urls ...string) *Engine {
	t.Helper()
	e, err := Connect(t.Context(), Options{Name: "m", URLs: urls, Log: slog.New(slog.DiscardHandler), transport: f})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// answer is what a turn came to.
type answer struct {
	text   string
	tokens []engine.Token
	finish *engine.Finish
	err    error
}

func ask(t *testing.T, e *Engine, turn engine.Turn) (a answer) {
	t.Helper()
	s, err := e.Open(t.Context(), turn)
	if err != nil {
		return answer{err: err}
	}
	defer func() { _ = s.Close() }()
	for {
		u, err := s.Next(t.Context())
		if a.err = err; err != nil {
			return a
		}
		for _, token := range u.Tokens {
			a.text += string(token.Bytes)
			a.tokens = append(a.tokens, token)
		}
		if a.finish = u.Finish; u.Finish != nil {
			return a
		}
	}
}

func plain() engine.Turn { return engine.Turn{Prompt: engine.Plain("a prompt"), Logprobs: -1} }
