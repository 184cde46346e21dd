package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/chat"
	"tenon/templates"
	"tenon/tools"
)

func TestChat_badInputNamesTheField(t *testing.T) {
	s, _ := start(t)
	for body, want := range map[string]string{
		`{`:           "",
		`{"model":3}`: "model",
		`{"messages":[{"role":"user","content":"hi"}]}`:                                      "model",
		`{"model":"scripted"}`:                                                               "messages",
		hello + `,"max_tokens":0}`:                                                           "max_tokens",
		hello + `,"stream":true,"max_tokens":-2}`:                                            "max_tokens",
		`{"model":"scripted","messages":[{"role":"alien","content":""}]}`:                    "messages[0].role",
		`{"model":"scripted","messages":[{"role":"user","content":[{"type":"image_url"}]}]}`: "messages[0].content[0]",
	} {
		status, got := post(t, s, body)
		var e struct{ Error struct{ Param *string } }
		if err := json.Unmarshal([]byte(got), &e); err != nil || status != http.StatusBadRequest {
			t.Errorf("%s: status %d, %v: %s", body, status, err, got)
			continue
		}
		if p := e.Error.Param; (p == nil && want != "") || (p != nil && *p != want) {
			t.Errorf("%s: %s, want param %q", body, got, want)
		}
	}
}

func TestServer_errorsAreJSON(t *testing.T) {
	s, _ := start(t)
	if status, body := post(t, s, strings.Replace(hello, "scripted", "other", 1)+`}`); status != http.StatusNotFound || !strings.Contains(body, "scripted") {
		t.Errorf("unknown model: %d %s", status, body)
	}
	for path, want := range map[string]int{"/nowhere": http.StatusNotFound, "/v1/chat/completions": http.StatusMethodNotAllowed, "/health": http.StatusOK} {
		resp, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var body map[string]any
		if err := json.NewDecoder(resp.Body).Decode(&body); err != nil || resp.StatusCode != want {
			t.Errorf("GET %s: %d, %v", path, resp.StatusCode, err)
		}
		if resp.Header.Get("X-Request-Id") == "" {
			t.Errorf("GET %s: no request id", path)
		}
	}
}

func TestChat_tooLongAPromptIsCountedByPart(t *testing.T) {
	s, _ := start(t)
	status, body := post(t, s, `{"model":"scripted","messages":[{"role":"system","content":"`+strings.Repeat("s", 100)+`"},{"role":"user","content":"`+strings.Repeat("u", 5000)+`"}]`+weather)
	if status != http.StatusBadRequest || !strings.Contains(body, `"context_length_exceeded"`) {
		t.Fatalf("%d %s", status, body)
	}
	for _, want := range []string{"system 100", "history 5000", "tools ", "length of 4096"} {
		if !strings.Contains(body, want) {
			t.Errorf("%s lacks %q", body, want)
		}
	}
}

func TestChat_aClientThatLeavesFreesItsSlot(t *testing.T) {
	reply := enginetest.Say("never")
	reply.Hold = make(chan struct{})
	s, e := startBeating(t, reply)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(hello+`,"stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	_ = resp.Body.Close()
	for e.Running() > 0 { // bounded by the test's own time limit
		runtime.Gosched()
	}
}

func TestChat_anErrorAfterTheFirstByteIsAnEvent(t *testing.T) {
	reply := enginetest.Say("half an ")
	reply.Err = engine.ErrWorkerLost
	s, _ := start(t, reply, reply)
	if status, _ := post(t, s, hello+`}`); status != http.StatusServiceUnavailable {
		t.Errorf("whole: status %d", status)
	}
	status, body := post(t, s, hello+`,"stream":true}`)
	if status != http.StatusOK || !strings.Contains(body, `data: {"error":{`) || strings.Contains(body, "[DONE]") || strings.Contains(body, `"finish_reason":"`) {
		t.Errorf("stream: %d %s", status, body)
	}
}

func TestServer_drainingRefusesAllButProbes(t *testing.T) {
	o := options(t)
	o.Draining = func() bool { return true }
	s := httptest.NewServer(server.New(o))
	t.Cleanup(s.Close)
	if status, body := post(t, s, hello+`}`); status != http.StatusServiceUnavailable || !strings.Contains(body, "shutting down") {
		t.Errorf("%d %s", status, body)
	}
	for path, want := range map[string]string{
		"/health/live": `200 {"status":"ok"}`,
		"/health":      `503 {"status":"draining"}`,
	} {
		resp, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if got := fmt.Sprintf("%d %s", resp.StatusCode, bytes.TrimSpace(body)); got != want || err != nil {
			t.Errorf("%s: %s, %v; want %s", path, got, err, want)
		}
	}
}

// lostOnce is an engine whose worker had ended unnoticed before the first turn.
type lostOnce struct {
	*enginetest.Scripted
	lost bool
}

func (l *lostOnce) Open(ctx context.Context, t engine.Turn) (engine.Session, error) {
	if !l.lost {
		l.lost = true
		return nil, engine.ErrWorkerLost
	}
	return l.Scripted.Open(ctx, t)
}

func (l *lostOnce) Acquire(context.Context, string) (chat.Model, func(), error) {
	return chat.Model{ID: "scripted", Engine: l, Renderer: templates.Builtin{}, Dialect: tools.Fallback()}, func() {}, nil
}

func TestChat_aWorkerFoundDeadBeforeATurnIsStartedAgain(t *testing.T) {
	l := &lostOnce{Scripted: enginetest.Script(enginetest.Say("alive"))}
	o := options(t)
	o.Service = &chat.Service{Models: l}
	s := httptest.NewServer(server.New(o))
	t.Cleanup(s.Close)
	if status, body := post(t, s, hello+`}`); status != http.StatusOK || !strings.Contains(body, "alive") {
		t.Errorf("%d %s", status, body)
	}
}

// An engine that ends, or goes on otherwise than its grammar allows, inside a call of which a part
// has been sent: the call is not ended by values that no model wrote; every protocol tells an
// error, and no finish.
func TestProtocols_aCallThatLeavesItsGrammarIsAnError(t *testing.T) {
	for _, output := range []string{`{"tool": "get_weather", "arguments": {"city": "Os`, `{"tool": "get_weather", "arguments": {"city": "Oslo", 5}}`} {
		for path, c := range map[string]struct{ body, event, finish string }{
			"/v1/chat/completions": {hello + weather, `data: {"error":{`, `"finish_reason":"`},
			"/v1/responses": {`{"model":"scripted","input":"hi","tools":[{"type":"function","name":"get_weather","parameters":{"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}}]}`,
				"event: response.failed", "event: response.completed"},
			"/v1/messages": {`{"model":"scripted","max_tokens":999,"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"get_weather","input_schema":{"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}}]}`,
				"event: error", "event: message_stop"},
		} {
			s, _ := start(t, enginetest.Say(output), enginetest.Say(output))
			body := strings.TrimSuffix(c.body, "}")
			if status, got := postTo(t, s, path, body+"}"); status != http.StatusInternalServerError {
				t.Errorf("%s: %d %s", path, status, got)
			}
			status, got := postTo(t, s, path, body+`,"stream":true}`)
			if status != http.StatusOK || !strings.Contains(got, c.event) || strings.Contains(got, c.finish) || !strings.Contains(got, "get_weather") {
				t.Errorf("%s: %d %s", path, status, got)
			}
		}
	}
}
