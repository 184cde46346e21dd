package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/servertest"
)

// asks are requests that would be answered, by protocol.
var asks = []struct{ name, path, body string }{
	{"chat", "/v1/chat/completions", hello + `}`},
	{"completions", "/v1/completions", `{"model":"scripted","prompt":"hi"}`},
	{"responses", "/v1/responses", `{"model":"scripted","input":"hi"}`},
	{"messages", "/v1/messages", `{"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`},
}

// refusing is an engine that takes no turn.
type refusing struct {
	*enginetest.Scripted
	err error
}

func (r refusing) Open(context.Context, engine.Turn) (engine.Session, error) { return nil, r.err }

// withEngine is a server whose engine refuses.
func withEngine(err error) http.Handler {
	return server.New(servertest.Options(servertest.Model{ID: "scripted", Engine: refusing{enginetest.Script(), err}}))
}

// loadingAt is a server that is not ready.
type loadingAt float64

func (l loadingAt) Ready() (string, float64, error) { return "big-model", float64(l), nil }

// Issue 7: each failure has its status, its protocol's own shape (conforms), and says what is
// wrong, whether a stream was asked for or not.
func TestStatuses_ofEveryFailureInEveryProtocol(t *testing.T) {
	key, err := server.NewKey("sesame", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		handler http.Handler
		change  func(path, body string) (string, string)
		status  int
		says    string
		retry   string // the header Retry-After
	}{
		{"broken JSON", handler(t, nothing), func(p, b string) (string, string) { return p, b[:len(b)-1] }, 400, "not valid JSON", ""},
		{"no model", handler(t, nothing), replace(`"model":"scripted",`, ""), 400, "model", ""},
		{"no key", handler(t, func(o *server.Options) { o.Keys = []server.Key{key} }), nil, 401, "API key", ""},
		{"wrong host", handler(t, func(o *server.Options) { o.AllowedHosts = []string{"localhost"} }), nil, 403, "--allowed-hosts", ""},
		{"unknown model", handler(t, nothing), replace("scripted", "gpt-none"), 404, "there is: scripted", ""},
		{"unknown route", handler(t, nothing), func(p, b string) (string, string) { return p + "/a/b/nowhere", b }, 404, "/nowhere", ""},
		{"too large a body", handler(t, func(o *server.Options) { o.MaxBody = 20 }), nil, 413, "--max-body", ""},
		{"too long a prompt", handler(t, nothing), replace(`"hi"`, `"`+strings.Repeat("x", 5000)+`"`), 400, "4096", ""},
		{"a full queue", withEngine(&engine.BusyError{RetryAfter: 6500 * time.Millisecond}), nil, 429, "queue is full", "7"},
		{"no slot in time", withEngine(engine.ErrQueueTimeout), nil, 503, "slot", ""},
		{"a worker that is lost", withEngine(engine.ErrWorkerLost), nil, 503, "", ""},
		{"a model that is loading", handler(t, func(o *server.Options) { o.Readiness = loadingAt(.42) }), nil, 503, "big-model is loading, 42 %", "5"},
		{"draining", handler(t, func(o *server.Options) { o.Draining = func() bool { return true } }), nil, 503, "shutting down", "5"},
		{"a bug", withEngine(errors.New("a nil map")), nil, 500, "", ""},
	} {
		for _, p := range asks {
			for _, stream := range []bool{false, true} {
				path, body := p.path, p.body
				if stream {
					body = strings.TrimSuffix(body, "}") + `,"stream":true}`
				}
				if c.change != nil {
					path, body = c.change(path, body)
				}
				rec := askWith(t, c.handler, path, body)
				if rec.Code != c.status || !strings.HasPrefix(rec.Header().Get("Content-Type"), "application/json") || !strings.Contains(rec.Body.String(), c.says) {
					t.Errorf("%s, %s: %d %s, want %d with %q", c.name, p.name, rec.Code, rec.Body, c.status, c.says)
				}
				if got := rec.Header().Get("Retry-After"); got != c.retry {
					t.Errorf("%s, %s: Retry-After %q, want %q", c.name, p.name, got, c.retry)
				}
				if rec.Header().Get("X-Request-Id") == "" {
					t.Errorf("%s, %s: no request id", c.name, p.name)
				}
			}
		}
	}
}

func nothing(*server.Options) {}

func replace(old, with string) func(path, body string) (string, string) {
	return func(p, b string) (string, string) { return p, strings.Replace(b, old, with, 1) }
}

// The bodies of the three protocols' errors, in full: what clients branch on.
// What an upstream refuses once the turn is in its queue keeps its status in a stream, too:
// nothing has been said by then, and clients try again by status. A stream of responses tells it
// as events.
func TestStatuses_ofATurnThatFailsBeforeItSpeaks(t *testing.T) {
	busy := &enginetest.Scripted{Play: func(engine.Turn) enginetest.Reply {
		return enginetest.Reply{Err: &engine.BusyError{RetryAfter: 7 * time.Second}}
	}}
	h := server.New(servertest.Options(servertest.Model{ID: "scripted", Engine: busy}))
	for _, p := range asks {
		if p.name == "responses" {
			continue
		}
		rec := askWith(t, h, p.path, strings.TrimSuffix(p.body, "}")+`,"stream":true}`)
		if rec.Code != http.StatusTooManyRequests || rec.Header().Get("Retry-After") != "7" {
			t.Errorf("%s: %d %v %s", p.name, rec.Code, rec.Header(), rec.Body)
		}
	}
}

func TestStatuses_shapesAreTheProtocolsOwn(t *testing.T) {
	h := withEngine(&engine.BusyError{RetryAfter: time.Second})
	for _, p := range asks {
		want := `{"error":{"message":"open a turn on scripted: all slots are taken and the queue is full","type":"rate_limit_error","param":null,"code":"rate_limit_exceeded"}}`
		if p.name == "messages" {
			want = `{"type":"error","error":{"type":"rate_limit_error","message":"open a turn on scripted: all slots are taken and the queue is full"},"request_id":"req_1"}`
		}
		rec := askWith(t, h, p.path, p.body, "X-Request-Id", "req_1")
		if got := strings.TrimSpace(rec.Body.String()); got != want {
			t.Errorf("%s: %s\nwant %s", p.name, got, want)
		}
	}
}

func TestStatuses_methodsThatARouteDoesNotHave(t *testing.T) {
	h := conforms(t, handler(t, nothing))
	for path, allow := range map[string]string{
		"/v1/chat/completions": "POST", "/v1/completions": "POST", "/v1/responses": "POST", "/v1/messages": "POST", "/v1/embeddings": "POST",
		"/v1/rerank": "POST", "/tokenize": "POST",
	} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
		if rec.Code != http.StatusMethodNotAllowed || !strings.Contains(rec.Header().Get("Allow"), allow) || !json.Valid(rec.Body.Bytes()) {
			t.Errorf("GET %s: %d %v %s", path, rec.Code, rec.Header(), rec.Body)
		}
	}
}

// Issue 7: /v1/rerank is 404 where the model cannot, and no model of this version can.
func TestRerank_noModelHereCan(t *testing.T) {
	rec := askWith(t, handler(t, nothing), "/v1/rerank", `{"model":"scripted","query":"q","documents":["d"]}`)
	if rec.Code != http.StatusNotFound || !strings.Contains(rec.Body.String(), "rerank") {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

// While models load, everything that needs none is served.
func TestLoading_probesAndListsAreServed(t *testing.T) {
	h := handler(t, func(o *server.Options) { o.Readiness = loadingAt(.42) })
	for path, want := range map[string]int{"/health": 503, "/health/live": 200, "/v1/models": 200, "/metrics": 200} {
		if got := status(h, httptest.NewRequest(http.MethodGet, path, nil)); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/health", nil))
	if got := strings.TrimSpace(rec.Body.String()); got != `{"status":"loading","model":"big-model","progress":0.42}` {
		t.Error(got)
	}
}

// logged runs a request and returns its line of the access log.
func logged(t *testing.T, change func(*server.Options), r *http.Request) (line map[string]any, rec *httptest.ResponseRecorder) {
	t.Helper()
	var log bytes.Buffer
	h := handler(t, func(o *server.Options) {
		o.Log = slog.New(slog.NewJSONHandler(&log, nil))
		change(o)
	})
	rec = httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatalf("not one line: %v: %s", err, log.String())
	}
	return line, rec
}

// Issue 7: the id of a request is in its answer and in its log line, its client's own if it sent
// one.
func TestLog_theAnswersIDIsInIt(t *testing.T) {
	for _, p := range asks {
		for _, own := range []string{"", "mine-1"} {
			r := httptest.NewRequest(http.MethodPost, p.path, strings.NewReader(p.body))
			if own != "" {
				r.Header.Set("X-Request-Id", own)
			}
			line, rec := logged(t, nothing, r)
			id := rec.Header().Get("X-Request-Id")
			if id == "" || line["id"] != id || own != "" && id != own {
				t.Errorf("%s: %q in the answer, %v in the log", p.name, id, line["id"])
			}
		}
	}
}

// Issue 7: a client that leaves is logged with 499, before and after the first byte.
func TestLog_aClientThatLeavesIs499(t *testing.T) {
	for _, p := range asks {
		for _, stream := range []string{"", `,"stream":true`} {
			ctx, cancel := context.WithCancel(t.Context())
			reply := enginetest.Say("never")
			reply.Hold = make(chan struct{})
			body := strings.TrimSuffix(p.body, "}") + stream + "}"
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, p.path, strings.NewReader(body))
			line, _ := logged(t, func(o *server.Options) {
				m := o.Models.(oneModel)
				m.engine.Play = func(engine.Turn) enginetest.Reply { cancel(); return reply }
			}, r)
			if line["status"] != float64(499) || line["path"] != p.path {
				t.Errorf("%s%s: %v", p.name, stream, line)
			}
			cancel()
		}
	}
	broken := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", io.MultiReader(strings.NewReader(`{"model":`), brokenBody{}))
	if line, _ := logged(t, nothing, broken); line["status"] != float64(499) {
		t.Errorf("a body that breaks off: %v", line)
	}
}

// brokenBody is a connection that ends.
type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
