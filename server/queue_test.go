package server_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/chat"
	"tenon/templates"
	"tenon/tools"
)

// streams are the requests that stream one turn, by protocol, and the words that only a finished
// answer has.
var streams = []struct{ path, body, finished string }{
	{"/v1/chat/completions", hello + `,"stream":true}`, "finish_reason\":\""},
	{"/v1/completions", `{"model":"scripted","max_tokens":100,"prompt":"hi","stream":true}`, "finish_reason\":\""},
	{"/v1/responses", `{"model":"scripted","input":"hi","stream":true}`, "response.completed"},
	{"/v1/messages", `{"model":"scripted","max_tokens":100,"messages":[{"role":"user","content":"hi"}],"stream":true}`, "message_delta"},
}

// begun is an answer whose headers have come; rest reads on to its end.
type begun struct {
	status int
	header http.Header
	rest   func() string
}

func ask(t *testing.T, s *httptest.Server, path, body string) begun {
	t.Helper()
	resp, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return begun{resp.StatusCode, resp.Header, func() string {
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}}
}

// Issue 7: a stream's headers leave once the request is queued, before it has a slot or a token.
func TestStream_headersLeaveBeforeTheFirstToken(t *testing.T) {
	for _, c := range streams {
		reply := enginetest.Say("late")
		reply.Hold = make(chan struct{})
		s, _ := startBeating(t, reply)
		resp := ask(t, s, c.path, c.body) // returns with the headers
		if resp.status != http.StatusOK || !strings.HasPrefix(resp.header.Get("Content-Type"), "text/event-stream") {
			t.Errorf("%s: %d %v", c.path, resp.status, resp.header)
		}
		close(reply.Hold)
		if body := resp.rest(); !strings.Contains(body, "l") || !strings.Contains(body, c.finished) {
			t.Errorf("%s: %s", c.path, body)
		}
	}
}

func TestQueue_waitThatIsTooLong(t *testing.T) {
	for _, c := range streams {
		timeout := enginetest.Reply{Err: engine.ErrQueueTimeout}
		s, _ := start(t, timeout, timeout)
		whole := ask(t, s, c.path, strings.Replace(c.body, `,"stream":true`, "", 1))
		if body := whole.rest(); whole.status != http.StatusServiceUnavailable && whole.status != 529 || !strings.Contains(body, "slot") {
			t.Errorf("%s: %d %s", c.path, whole.status, body)
		}
		body := ask(t, s, c.path, c.body).rest() // the headers have left
		if !strings.Contains(body, "error") || !strings.Contains(body, "slot") || strings.Contains(body, c.finished) {
			t.Errorf("%s: %s", c.path, body)
		}
	}
}

// Whatever a worker was at when it died: what has left is followed by the protocol's error event,
// never by a finish.
func TestStream_deadWorkerNeverFinishes(t *testing.T) {
	for _, c := range streams {
		for _, said := range []string{"", "some text", `{"tool": "get_weather", "argu`, `{"tool": "get_weather", "arguments": {"city": "Oslo"}}`} {
			reply := enginetest.Say(said)
			reply.Err = errors.Join(engine.ErrWorkerLost, errors.New("signal: killed"))
			s, e := start(t, reply)
			body := ask(t, s, c.path, c.body).rest()
			if !strings.Contains(body, "error") || !strings.Contains(body, "killed") || strings.Contains(body, c.finished) || strings.Contains(body, "[DONE]") {
				t.Errorf("%s after %q: %s", c.path, said, body)
			}
			if e.Running() != 0 {
				t.Errorf("%s after %q: the session is open", c.path, said)
			}
		}
	}
}

// stuck is a connection whose reader takes the headers and then nothing until it is released.
type stuck struct {
	*httptest.ResponseRecorder
	release chan struct{}
}

func (s *stuck) Write(b []byte) (int, error) {
	<-s.release
	return len(b), nil
}

// told is oneModel that tells when a turn has given its model back.
type told struct {
	oneModel
	released chan struct{}
}

func (m told) Acquire(ctx context.Context, name string) (chat.Model, func(), error) {
	model, _, err := m.oneModel.Acquire(ctx, name)
	return model, func() { close(m.released) }, err
}

// Issue 7: slow readers cannot hold a slot. The reader takes nothing, and still the turn ends: at
// its own end if the rest of the answer is short, else where the reader is too far behind.
func TestStream_readerThatTakesNothingHoldsNoSlot(t *testing.T) {
	for _, length := range []int{10, 100_000} {
		for _, c := range streams {
			o := options(t, enginetest.Say(strings.Repeat("x", length)))
			m := told{o.Models.(oneModel), make(chan struct{})}
			m.engine.Info.Context = 1 << 20
			o.Service.Models = m
			w := &stuck{httptest.NewRecorder(), make(chan struct{})}
			r := httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(strings.Replace(c.body, `"max_tokens":100,`, `"max_tokens":200000,`, 1)))
			done := make(chan struct{})
			go func() {
				defer close(done)
				server.New(o).ServeHTTP(w, r)
			}()
			<-m.released
			if m.engine.Running() != 0 {
				t.Errorf("%s: the slot is held", c.path)
			}
			close(w.release)
			<-done
		}
	}
}

// A connection that breaks frees the slot within a token, in the queue too.
func TestStream_brokenConnectionFreesItsSlot(t *testing.T) {
	for _, c := range streams {
		reply := enginetest.Say("never")
		reply.Hold = make(chan struct{})
		o := options(t, reply)
		m := told{o.Models.(oneModel), make(chan struct{})}
		o.Service.Models, o.Heartbeat = m, soon
		s := httptest.NewServer(server.New(o))
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		_, _ = bufio.NewReader(resp.Body).ReadString(0) // its end is what is waited for
		_ = resp.Body.Close()
		<-m.released
		if m.engine.Running() != 0 {
			t.Errorf("%s: the slot is held", c.path)
		}
		s.Close()
	}
}

// narrow is a scripted engine whose queue takes so many turns.
type narrow struct {
	*enginetest.Scripted
	places int
	open   *atomic.Int64 // sessions opened and not closed
}

func (n narrow) Open(ctx context.Context, turn engine.Turn) (engine.Session, error) {
	if n.open.Load() >= int64(n.places) {
		return nil, &engine.BusyError{RetryAfter: time.Second}
	}
	n.open.Add(1)
	session, err := n.Scripted.Open(ctx, turn)
	return leaving{session, sync.OnceFunc(func() { n.open.Add(-1) })}, err
}

type leaving struct {
	engine.Session
	leave func()
}

func (l leaving) Close() error {
	l.leave()
	return l.Session.Close()
}

// Issue 19: a request for 128 choices counts as 128 in the queue: one place short it is refused,
// and takes none.
func TestQueue_eachChoiceTakesAPlace(t *testing.T) {
	for places, want := range map[int]int{128: http.StatusOK, 127: http.StatusTooManyRequests} {
		replies := make([]enginetest.Reply, 128)
		for i := range replies {
			replies[i] = enginetest.Say("x")
		}
		o, open := options(t, replies...), atomic.Int64{}
		e := narrow{o.Models.(oneModel).engine, places, &open}
		o.Service.Models = fixed{chat.Model{ID: "scripted", Engine: e, Renderer: templates.Builtin{}, Dialect: tools.Fallback()}}
		rec := askWith(t, server.New(o), "/v1/chat/completions", hello+`,"n":128}`)
		if rec.Code != want || open.Load() != 0 || len(e.Turns()) != places {
			t.Errorf("%d places: %d, %d sessions of %d are open", places, rec.Code, open.Load(), len(e.Turns()))
		}
	}
}

// fixed serves one model.
type fixed struct{ chat.Model }

func (f fixed) Acquire(context.Context, string) (chat.Model, func(), error) {
	return f.Model, func() {}, nil
}
