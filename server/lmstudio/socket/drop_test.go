package socket_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server/chat/loader"
	"tenon/server/lmstudio"
	"tenon/server/lmstudio/socket"
	"tenon/server/servertest"
)

// A connection that drops ends what runs on it and frees what it held: 250 of them, and 1,000 with
// TENON_ALL, dropped at random places.
func TestSocket_droppedConnectionsLeaveNothing(t *testing.T) {
	s := serve(t).load(t, "m")
	before := runtime.NumGoroutine()
	script := []string{
		`{"authVersion":1,"clientIdentifier":"guest:a","clientPasskey":"b"}`,
		`{"type":"rpcCall","endpoint":"listLoaded","callId":1}`,
		`{"type":"channelCreate","endpoint":"predict","channelId":1,"creationParameter":` + ask("[[a]]x…[[/]]") + `}`,
		`{"type":"channelCreate","endpoint":"predict","channelId":2,"creationParameter":` + ask(`[[b]]{"tool": "get_weather", "arguments": {"city": "…[[/]]`, setting("tools", weather)) + `}`,
		`{"type":"channelSend","channelId":1,"message":{"type":"cancel"}}`,
		`{"type":"rpcCall","endpoint":"countTokens","callId":2,"parameter":{"specifier":{"type":"query","query":{}},"inputString":"x"}}`,
	}
	r := rand.New(rand.NewPCG(1, 2))
	var wg sync.WaitGroup
	room := make(chan struct{}, 32)
	connections := 250
	if os.Getenv("TENON_ALL") != "" {
		connections = 1000
	}
	for range connections {
		sent, read, cut := r.IntN(len(script)+1), r.IntN(6), r.IntN(2) == 0
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			s.drop(t, script[:sent], read, cut)
		})
	}
	wg.Wait()
	settle(t, func() bool { return s.engine.Running() == 0 && s.users() == 0 && s.open.Load() == 0 })
	settle(t, func() bool { return runtime.NumGoroutine() <= before+8 })
}

// What frames hold is counted until what they began has ended, and is bounded; a frame that is too
// long ends its socket. Other sockets go on.
func TestSocket_whatFramesHoldIsBounded(t *testing.T) {
	var held atomic.Int64
	s := serve(t, func(o *socket.Options) {
		o.MaxFrame = 60_000
		o.Hold = func(n int64) error {
			if held.Add(n) > 90_000 && n > 0 {
				return errors.New("too much")
			}
			return nil
		}
	}).load(t, "m")
	other := s.dial(t, "system")
	c := s.dial(t, "llm")
	c.send(`{"type":"channelCreate","endpoint":"predict","channelId":1,"creationParameter":` + ask(strings.Repeat("x", 50_000)+"[[a]]x…[[/]]") + `}`)
	for !strings.Contains(c.next(), `"fragment"`) {
	}
	if n := held.Load(); n < 50_000 {
		t.Errorf("%d bytes are held", n)
	}
	for _, far := range []int{50_000, 70_000} { // beyond all together, and beyond one
		full := s.dial(t, "llm")
		full.send(`{"type":"rpcCall","endpoint":"countTokens","callId":1,"parameter":{"inputString":"` + strings.Repeat("x", far) + `"}}`)
		if _, _, err := full.ws.Read(t.Context()); err == nil {
			t.Errorf("a frame of %d bytes is taken", far)
		}
	}
	if f := other.call("version", ""); f.Type != "rpcResult" {
		t.Errorf("%+v", f)
	}
	c.send(`{"type":"channelSend","channelId":1,"message":{"type":"cancel"}}`)
	success(t, c.until())
	settle(t, func() bool { return held.Load() == 0 })
}

// A prediction whose connection drops ends before its next token: none is given here.
func TestSocket_aDroppedConnectionEndsItsPredictionBetweenTokens(t *testing.T) {
	reply := enginetest.Say("0123456789")
	reply.Hold = make(chan struct{})
	s := serveEngine(t, enginetest.Script(reply)).load(t, "m")
	c := s.dial(t, "llm")
	c.send(`{"type":"channelCreate","endpoint":"predict","channelId":1,"creationParameter":` + ask("hi") + `}`)
	for range 3 {
		reply.Hold <- struct{}{}
	}
	for !strings.Contains(c.next(), `"content":"2"`) {
	}
	_ = c.ws.CloseNow()
	settle(t, func() bool { return s.engine.Running() == 0 && s.users() == 0 && s.open.Load() == 0 })
}

// Issue 20: a load that the client has cancelled, or whose connection drops, ends.
func TestSocket_aLoadEndsWithItsChannel(t *testing.T) {
	e := servertest.Obedient(engine.Model{Context: 1 << 16, Slots: 4})
	cancelled := make(chan struct{})
	f, all := servertest.Fleet(map[string]engine.Engine{"m": e}, func(o *fleet.Options) {
		o.Start = func(ctx context.Context, _ catalog.Entry, _ fleet.Grant, progress func(float64)) (engine.Engine, error) {
			progress(0.5)
			<-ctx.Done()
			cancelled <- struct{}{}
			return nil, ctx.Err()
		}
	})
	t.Cleanup(func() { _ = f.Close() })
	s := serveEngine(t, e, func(o *socket.Options) { o.Models = lmstudio.Models{Fleet: f, Traits: all.Traits} })
	for _, kind := range []string{`"loadModel","creationParameter":{"modelKey":"m",`, `"getOrLoad","creationParameter":{"identifier":"m",`} {
		for _, leave := range []func(*client){
			func(c *client) { c.send(`{"type":"channelSend","channelId":1,"message":{"type":"cancel"}}`) },
			func(c *client) { _ = c.ws.CloseNow() },
		} {
			c := s.dial(t, "llm")
			c.send(`{"type":"channelCreate","channelId":1,"endpoint":` + kind + `"loadConfigStack":{"layers":[]}}}`)
			for !strings.Contains(c.next(), `"progress":0.5`) {
			}
			leave(c)
			<-cancelled
			settle(t, func() bool { return len(f.Instances()) == 0 })
		}
	}
}

// What a client could not read is told to the machine's log, cut, and to no reader of the streamed
// log: its SDK could not read that either, and would warn of it.
func TestSocket_aWarningIsNotEchoed(t *testing.T) {
	var log lockedBuffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	s := serve(t).load(t, "m")
	c := s.dial(t, "diagnostics")
	c.send(`{"type":"channelCreate","endpoint":"streamLogs","channelId":1}`)
	c.call("nothing", "") // answered behind the channel's begin
	c.send(`{"type":"communicationWarning","warning":"` + strings.Repeat("é", 1<<20) + `"}`)
	c.call("nothing", "")
	success(t, s.dial(t, "llm").open("predict", ask("[[a]]x[[/]]", `{"key":"ext.unknown","value":1}`)))
	if f := c.next(); !strings.Contains(f, "settings without effect") {
		t.Errorf("%.200s", f)
	}
	if said := log.String(); !strings.Contains(said, "could not read a packet") || len(said) > 2000 || !utf8.ValidString(said) {
		t.Errorf("%d bytes: %.300s", len(said), said)
	}
}

// lockedBuffer is a log that is written and read by different goroutines.
type lockedBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// drop connects, sends frames, reads a few, and is gone: without a word, or with a close.
func (s *served) drop(t *testing.T, frames []string, read int, cut bool) {
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, s.url+"/llm", nil) //nolint:bodyclose // the socket takes the body over
	if err != nil {
		t.Error(err)
		return
	}
	for _, f := range frames {
		if err := ws.Write(ctx, websocket.MessageText, []byte(f)); err != nil {
			t.Error(err)
		}
	}
	for range min(read, len(frames)) {
		if _, _, err := ws.Read(ctx); err != nil {
			t.Error(err)
		}
	}
	if cut {
		_ = ws.CloseNow()
	} else {
		_ = ws.Close(websocket.StatusGoingAway, "")
	}
}

// settle waits until something holds; how long that takes is no matter.
func settle(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(hang); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("something is left behind")
		}
	}
}

// A server that drains ends idle sockets at once, and others when nothing runs on them any more.
func TestSocket_drains(t *testing.T) {
	stopping := make(chan struct{})
	s := serve(t, func(o *socket.Options) { o.Stopping = stopping }).load(t, "m")
	s.dial(t, "system")
	busy := s.dial(t, "llm")
	busy.send(`{"type":"channelCreate","endpoint":"predict","channelId":1,"creationParameter":` + ask("[[a]]x…[[/]]") + `}`)
	for !strings.Contains(busy.next(), `"fragment"`) {
	}
	close(stopping)
	settle(t, func() bool { return s.open.Load() == 1 })
	busy.send(`{"type":"channelSend","channelId":1,"message":{"type":"cancel"}}`)
	success(t, busy.until())
	settle(t, func() bool { return s.open.Load() == 0 })
}

// What silence would leave waiting for ever is answered: unknown endpoints, signals, parameters
// that cannot be read.
func TestSocket_nothingIsLeftUnanswered(t *testing.T) {
	s := serve(t).load(t, "m", "e")
	for _, ns := range socket.Namespaces {
		c := s.dial(t, ns)
		if f := c.call("noSuchThing", ""); f.Type != "rpcError" || f.Error.Title == "" {
			t.Errorf("%s: %+v", ns, f)
		}
		if all := c.open("noSuchThing", "{}"); all[0].Type != "channelError" {
			t.Errorf("%s: %+v", ns, all)
		}
		c.send(`{"type":"signalSubscribe","endpoint":"x","subscribeId":1,"creationParameter":{}}`)
		if f := c.next(); !strings.Contains(f, `"signalError"`) {
			t.Error(f)
		}
		c.send(`{"type":"keepAlive"}`)
		if f := c.next(); f != `{"type":"keepAliveAck"}` {
			t.Error(f)
		}
	}
	if f := s.dial(t, "llm").call("tokenize", `[1]`); f.Type != "rpcError" {
		t.Errorf("%+v", f)
	}
	if all := s.dial(t, "llm").open("predict", `{"history":7}`); all[0].Type != "channelError" {
		t.Errorf("%+v", all)
	}
}

// A first frame that is none of the protocol is refused with a text, which the SDKs demand.
func TestSocket_refusesOtherFirstFrames(t *testing.T) {
	s := serve(t)
	for _, frame := range []string{`{}`, `7`, `{"authVersion":2,"clientIdentifier":"a","clientPasskey":"b"}`, `{"authVersion":1,"clientIdentifier":"` + strings.Repeat("x", 300) + `"}`} {
		c := s.connect(t, "llm")
		c.send(frame)
		if got := c.next(); !strings.HasPrefix(got, `{"error":"`) || !strings.HasSuffix(got, `,"success":false}`) {
			t.Errorf("%.40s: %s", frame, got)
		}
	}
}

// Who has shown no key yet has no frame kept that is larger than the first one can be.
func TestSocket_theFirstFrameIsSmall(t *testing.T) {
	s := serve(t)
	most := strings.Repeat(`\ud83d\ude00`, 256)
	c := s.connect(t, "llm")
	c.send(`{"authVersion":1,"clientIdentifier":"` + most + `","clientPasskey":"` + most + `"}`)
	if got := c.next(); got != `{"success":true}` {
		t.Error(got)
	}
	c.send(`{"type":"rpcCall","endpoint":"countTokens","callId":1,"parameter":{"inputString":"` + strings.Repeat("x", 1<<20) + `"}}`)
	c.next() // larger ones are taken now
	stranger := s.connect(t, "llm")
	large := `{"authVersion":1,"clientIdentifier":"` + strings.Repeat("x", 100_000) + `"}`
	// the server may end the connection before it has all
	_ = stranger.ws.Write(t.Context(), websocket.MessageText, []byte(large))
	if _, got, err := stranger.ws.Read(t.Context()); err == nil {
		t.Errorf("it was read and answered: %s", got)
	}
}

// A bug is the error of one call, not the end of the server.
func TestSocket_aPanicIsTheErrorOfOneCall(t *testing.T) {
	s := serve(t, func(o *socket.Options) {
		o.Models.Traits = func(catalog.Entry) loader.Traits { panic("a bug") }
	})
	c := s.dial(t, "system")
	for range 2 {
		if f := c.call("listDownloadedModels", ""); f.Type != "rpcError" || !strings.Contains(f.Error.Title, "internal") {
			t.Errorf("%+v", f)
		}
	}
	if all := s.dial(t, "llm").open("getOrLoad", `{"identifier":"m","loadConfigStack":{"layers":[]}}`); all[0].Type != "channelError" {
		t.Errorf("%+v", all)
	}
}
