package server_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/chat"
	"tenon/server/streamtest"
)

// heartbeats are what keeps a stream alive, by protocol. Comments do not: Codex throws them away
// before it sets its timer back.
var heartbeats = map[string]string{
	"/v1/chat/completions": `"delta":{}`,
	"/v1/completions":      `"text":"","logprobs":null,"finish_reason":null`,
	"/v1/responses":        "event: response.in_progress\n",
	"/v1/messages":         "event: ping\n",
}

// serveFor runs a request in the bubble and calls during while it is answered.
func serveFor(t *testing.T, o server.Options, path, body string, during func()) *httptest.ResponseRecorder {
	t.Helper()
	rec, done := httptest.NewRecorder(), make(chan struct{})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	go func() {
		defer close(done)
		server.New(o).ServeHTTP(rec, r)
	}()
	during()
	<-done
	return rec
}

// Issue 23: while a turn waits for a slot or its prompt is read, every 5 s an event says that the
// stream lives, and what comes out is a stream that the strictest clients read.
func TestHeartbeat_eventsWhileTheTurnIsQueued(t *testing.T) {
	for _, c := range streams {
		synctest.Test(t, func(t *testing.T) {
			reply := enginetest.Say("late")
			reply.Hold = make(chan struct{})
			rec := serveFor(t, options(t, reply), c.path, c.body, func() {
				// the bubble's clock, not the machine's
				<-time.After(3*5*time.Second + time.Second)
				close(reply.Hold)
			})
			body, want := rec.Body.String(), 3
			if c.path == "/v1/responses" {
				want++ // the protocol's own
			}
			// of Chat's the first has the role, and the finish has an empty delta too
			if strings.Count(body, heartbeats[c.path]) != want || !strings.Contains(body, c.finished) || strings.Contains(body, "\n:") {
				t.Errorf("%s: %s", c.path, body)
			}
			if err := streamtest.Check(c.path, body); err != nil {
				t.Errorf("%s: %v\n%s", c.path, err, body)
			}
		})
	}
}

// held is oneModel whose model takes its time to load, or fails then.
type held struct {
	oneModel
	takes time.Duration
	err   error
}

func (m held) Acquire(ctx context.Context, name string) (chat.Model, func(), error) {
	select {
	case <-time.After(m.takes):
	case <-ctx.Done():
		return chat.Model{}, nil, ctx.Err()
	}
	if m.err != nil {
		return chat.Model{}, nil, m.err
	}
	return m.oneModel.Acquire(ctx, name)
}

// Issue 23: the stream opens while its model loads. What fails before the first heartbeat is due
// keeps its status, what fails later is an event; a whole answer gets neither heartbeats nor
// another status.
func TestHeartbeat_aModelThatLoadsOpensTheStream(t *testing.T) {
	failure := &chat.Error{Kind: chat.Unavailable, Message: "there is no memory for it"}
	for _, c := range streams {
		for _, load := range []held{{takes: 12 * time.Second}, {takes: 12 * time.Second, err: failure}, {takes: 4 * time.Second, err: failure}} {
			synctest.Test(t, func(t *testing.T) {
				o := options(t, enginetest.Say("late"))
				load.oneModel = o.Models.(oneModel)
				o.Service.Models = load
				body := c.body
				rec := serveFor(t, o, c.path, body, func() {})
				told := rec.Body.String()
				opened := load.takes > 5*time.Second
				if opened != (rec.Code == http.StatusOK) || opened != strings.Contains(told, heartbeats[c.path]) {
					t.Errorf("%s, %v, %v: %d %s", c.path, load.takes, load.err, rec.Code, told)
				}
				if strings.Contains(told, c.finished) != (load.err == nil) || strings.Contains(told, failure.Message) != (load.err != nil) {
					t.Errorf("%s, %v, %v: %s", c.path, load.takes, load.err, told)
				}
				if err := streamtest.Check(c.path, told); opened && err != nil {
					t.Errorf("%s, %v, %v: %v\n%s", c.path, load.takes, load.err, err, told)
				}
				whole := serveFor(t, o, c.path, strings.Replace(body, `,"stream":true`, "", 1), func() {})
				if (whole.Code == http.StatusOK) != (load.err == nil) || strings.Contains(whole.Body.String(), "event:") {
					t.Errorf("%s, whole, %v, %v: %d %s", c.path, load.takes, load.err, whole.Code, whole.Body)
				}
			})
		}
	}
}

// Issue 23: the setting says how long a stream may be silent, and the engine's failure after
// heartbeats is an event.
func TestHeartbeat_theSettingSetsItsPace(t *testing.T) {
	for _, c := range streams {
		synctest.Test(t, func(t *testing.T) {
			reply := enginetest.Say("x")
			reply.Hold = make(chan struct{})
			reply.Err = errors.Join(engine.ErrWorkerLost, errors.New("signal: killed"))
			o := options(t, reply)
			o.Heartbeat = time.Second
			rec := serveFor(t, o, c.path, c.body, func() {
				<-time.After(20500 * time.Millisecond)
				close(reply.Hold)
			})
			if n := strings.Count(rec.Body.String(), heartbeats[c.path]); n < 19 || n > 21 || !strings.Contains(rec.Body.String(), "killed") {
				t.Errorf("%s: %d heartbeats: %s", c.path, n, rec.Body)
			}
		})
	}
}

// Issue 23: a call that is held back until it is whole, as one that the mask does not enforce, is
// silent for the client.
func TestHeartbeat_eventsWhileACallIsHeldBack(t *testing.T) {
	for _, c := range streams {
		if c.path == "/v1/completions" {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			reply := enginetest.Say(`{"tool": "book", "arguments": {"pin": "abcdef"}}`)
			reply.Hold = make(chan struct{})
			body := strings.TrimSuffix(c.body, "}") + `,"tools":[` + bookTool(c.path) + `]}`
			rec := serveFor(t, options(t, reply), c.path, body, func() {
				for range len(reply.Tokens) - 2 {
					reply.Hold <- struct{}{}
				}
				<-time.After(31 * time.Second)
				close(reply.Hold)
			})
			told := rec.Body.String()
			if n := strings.Count(told, heartbeats[c.path]); n < 6 || !strings.Contains(told, `book`) {
				t.Errorf("%s: %d heartbeats: %s", c.path, n, told)
			}
			if err := streamtest.Check(c.path, told); err != nil {
				t.Errorf("%s: %v\n%s", c.path, err, told)
			}
		})
	}
}

// bookTool declares a tool whose schema the mask does not enforce, in a path's protocol.
func bookTool(path string) string {
	const schema = `{"type":"object","required":["pin"],"properties":{"pin":{"type":"string"}},"dependentRequired":{"a":["b"],"b":["c"]},"maxProperties":3}`
	switch path {
	case "/v1/messages":
		return `{"name":"book","input_schema":` + schema + `}`
	case "/v1/responses":
		return `{"type":"function","name":"book","parameters":` + schema + `}`
	}
	return `{"type":"function","function":{"name":"book","parameters":` + schema + `}}`
}
