package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
)

// far plays upstreams, by host. Their tokens are bytes.
type far struct {
	mu       sync.Mutex
	hosts    map[string]*farHost
	sent     []string // hosts that turns went to
	requests []map[string]any
}

type farHost struct {
	owner   string // of the model, in the list; "": as the api says
	api     API    // "": a llama-server
	version string // of a vLLM
	blind   bool   // it tells no ids: it cuts no text, and ignores what asks for them
	down    bool
	hangs   bool // on what is asked of it; asked counts that, and hanging what waits
	asked   int
	hanging int
	ignores bool // grammars
	// them, which leaves the ids of its tokens to be found out; who chats refuses tools
	refuses bool
	newer   bool   // it refuses max_tokens
	chokes  bool   // on tools: its answer is an error
	thinks  string // the only type of thinking that it does not refuse; "": all
	deaf    bool   // it shows the model no tools
	crowded bool   // it answers no probe
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

// grammar is what a host of the kind takes for a turn's grammar.
func (h *farHost) grammar(in map[string]any) any {
	switch {
	case h.api == VLLM && slices.Contains([]string{"0.9.0", "0.11.2"}, h.version):
		return in["guided_grammar"]
	case h.api == VLLM:
		held, _ := in["structured_outputs"].(map[string]any)
		return held["grammar"]
	case h.api == SGLang:
		held, _ := in["sampling_params"].(map[string]any)
		return held["ebnf"]
	}
	return in["grammar"]
}

// isProbe tells whether the prompt's ids are those of the probe.
func isProbe(in map[string]any) bool {
	ids, ok := in["prompt"].([]any)
	if !ok {
		ids, _ = in["input_ids"].([]any)
	}
	text, _ := in["text"].(string)
	if messages, ok := in["messages"].([]any); ok {
		b, _ := json.Marshal(messages) // it was read from JSON
		return strings.Contains(string(b), probePrompt)
	}
	for _, id := range ids {
		text += string(rune(id.(float64)))
	}
	return strings.HasPrefix(text, probePrompt)
}

// says is a whole answer.
func (h *farHost) says(text string) string {
	ids := []int{}
	for _, b := range []byte(text) {
		ids = append(ids, int(b))
	}
	if h.blind {
		ids = nil
	}
	var event any
	switch h.api {
	case VLLM, OpenAI:
		event = map[string]any{"id": "x", "choices": []any{map[string]any{"index": 0, "text": text, "token_ids": ids, "finish_reason": "stop"}}}
	case Chat:
		event = map[string]any{"id": "x", "choices": []any{map[string]any{"delta": map[string]any{"content": text}, "finish_reason": "stop"}}}
	case Messages:
		event = map[string]any{"type": "message_delta", "delta": map[string]any{"text": text, "stop_reason": "end_turn"}}
	case SGLang:
		event = map[string]any{"text": text, "output_ids": ids, "meta_info": map[string]any{"finish_reason": map[string]any{"type": "stop"}, "completion_tokens": len(ids)}}
	default:
		event = map[string]any{"content": text, "tokens": []int{1}, "stop": true}
	}
	b, _ := json.Marshal(event) // it is plain
	return "data: " + string(b) + "\n\ndata: [DONE]\n\n"
}

// refusesThinking tells whether it is asked to think in a way that it does not know.
func (h *farHost) refusesThinking(in map[string]any) bool {
	how, asked := in["thinking"].(map[string]any)
	return asked && h.thinks != "" && how["type"] != h.thinks
}

// probed is the answer to a probe.
func (h *farHost) probed(in map[string]any) string {
	text := " Paris."
	if h.chokes && in["tools"] != nil {
		return "data: {\"error\":{\"code\":500,\"message\":\"does not match the format\"}}\n\n"
	}
	if h.grammar(in) == unlikely && !h.ignores {
		text = "qzx-1-zqx"
	}
	said := h.says(text)
	if h.api == Chat { // a prompt is as long as its request
		read := len(fmt.Sprint(in["messages"])) + len(fmt.Sprint(in["tools"]))*b2i(!h.deaf)
		said = strings.Replace(said, `"id":"x"`, fmt.Sprintf(`"id":"x","usage":{"prompt_tokens":%d}`, read), 1)
	}
	return said
}

// RoundTrip implements http.RoundTripper.
func (f *far) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.hosts[r.URL.Host]
	if h != nil && h.hangs {
		h.asked++
		h.hanging++
		f.mu.Unlock()
		<-r.Context().Done()
		f.mu.Lock()
		h.hanging--
		return nil, r.Context().Err()
	}
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
		if h.api == OpenAI || h.api == Chat || h.api == Messages { // as LM Studio answers
			return say(map[string]any{"error": "unexpected endpoint"})
		}
		return say(map[string]any{"default_generation_settings": map[string]any{"n_ctx": 4096}, "total_slots": 2, "chat_template": "{{ x }}", "eos_token": "</s>"})
	case "/v1/models":
		return say(map[string]any{"data": []any{map[string]any{
			"id": "m", "meta": map[string]any{"n_vocab": 256, "n_embd": h.width}, "owned_by": cmp.Or(h.owner, string(h.api)), "root": fmt.Sprint("/models/", h.width), "max_model_len": 4096 * b2i(h.api != "" && h.owner != "short"),
		}}})
	case "/tokenize":
		if h.blind {
			answer.StatusCode, answer.Status = http.StatusNotFound, "404 Not Found"
			return say(map[string]any{"detail": "Not Found"})
		}
		text, ok := in["content"].(string) // llama-server's name for it
		if !ok {
			text = in["prompt"].(string)
		}
		ids := []int{}
		for _, b := range []byte(text) {
			ids = append(ids, int(b))
		}
		return say(map[string]any{"tokens": ids})
	}
	if r.URL.Path == "/v1/completions" && (h.api == Chat || h.api == Messages) {
		answer.StatusCode, answer.Status = http.StatusNotFound, "404 Not Found"
		return say(map[string]any{"error": "this is a chat model"})
	}
	if prompt, ok := in["prompt"].(string); strings.HasPrefix(prompt, probePrompt) || !ok && isProbe(in) {
		if h.crowded {
			answer.StatusCode, answer.Status = http.StatusTooManyRequests, "429 Too Many Requests"
			return say(map[string]any{"error": "busy"})
		}
		if h.refuses && (h.grammar(in) != nil || in["tools"] != nil) || h.newer && in["max_tokens"] != nil || h.refusesThinking(in) {
			answer.StatusCode, answer.Status = http.StatusBadRequest, "400 Bad Request"
			return say(map[string]any{"error": "Invalid grammar specification"})
		}
		answer.Body = io.NopCloser(strings.NewReader(h.probed(in)))
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
	return connectWith(t, f, nil, urls...)
}

// vocabulary is one of bytes, and two markers.
func vocabulary() engine.Engine {
	v := enginetest.Script()
	v.Info.Vocab.Markers = []engine.Marker{{ID: 256, Text: "<call>"}, {ID: 258, Text: "</call>"}, {ID: 257, Text: "</s>", Control: true, End: true}}
	v.Info.Template = "{{ y }}"
	return v
}

func connectWith(t *testing.T, f *far, v engine.Engine, urls ...string) *Engine {
	t.Helper()
	for i, u := range urls {
		// which is not found out
		if h := f.hosts[strings.TrimPrefix(u, "http://")]; h != nil && h.api == Messages {
			urls[i] = u + "#api=messages"
		}
	}
	e, err := Connect(t.Context(), Options{Name: "m", URLs: urls, Vocabulary: v, Log: slog.New(slog.DiscardHandler), transport: f})
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
			if token.Kind != engine.Symbol {
				a.text += string(token.Bytes)
			}
			a.tokens = append(a.tokens, token)
		}
		if a.finish = u.Finish; u.Finish != nil {
			return a
		}
	}
}

// plain is a turn of a text, which is a conversation to who wants one.
func plain() engine.Turn {
	return engine.Turn{Prompt: engine.Plain(`{"messages":[{"role":"user","text":"a prompt"}]}`), Logprobs: -1}
}

// shifted is a vocabulary whose ids are others.
type shifted struct{ engine.Engine }

func (s shifted) Tokens(ctx context.Context, p engine.Prompt) ([]int32, error) {
	ids, err := s.Engine.Tokens(ctx, p)
	for i := range ids {
		ids[i]++
	}
	return ids, err
}
