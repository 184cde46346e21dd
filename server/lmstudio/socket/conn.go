package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"tenon/server/chat"
)

// namespace is which socket it is.
type namespace string

const (
	llm       namespace = "llm"
	embedding namespace = "embedding"
)

const (
	authPatience = 10 * time.Second // for the first frame
	pingEvery    = 20 * time.Second // how often a silent reader is asked whether it is there
	mostRunning  = 256              // calls and channels of one socket at once
	mostWaiting  = 16 << 10         // calls beyond: SDKs send one for each text of a list
)

// conn is one socket.
type conn struct {
	server *Server
	ns     namespace
	ws     *websocket.Conn
	out    *outbox
	ctx    context.Context // ends with the socket; holds the caller
	cancel func()
	work   sync.WaitGroup // calls and channels

	mu       sync.Mutex // guards what follows
	channels map[int]*channel
	running  int      // calls and channels
	waiting  []func() // calls that wait for one of them to end
	draining bool     // the socket ends once nothing runs
}

func newConn(ctx context.Context, cancel func(), s *Server, ns namespace, ws *websocket.Conn) *conn {
	c := &conn{server: s, ns: ns, ws: ws, ctx: ctx, cancel: cancel, channels: map[int]*channel{}}
	c.out = &outbox{ws: ws, fail: cancel}
	return c
}

// serve runs the socket to its end, and waits for what runs on it.
func (c *conn) serve() {
	defer func() { _ = c.ws.CloseNow() }() // it has ended either way
	if !c.authenticate() {
		return
	}
	var watching sync.WaitGroup
	watching.Go(c.watch)
	c.read()
	c.cancel()
	c.work.Wait()
	c.out.close()
	watching.Wait()
}

// watch ends a socket whose reader is gone without a word, or on which nothing runs when the
// server drains.
func (c *conn) watch() {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	stopping := c.server.Stopping
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-stopping:
			stopping = nil
			c.drain()
		case <-tick.C:
			ctx, cancel := context.WithTimeout(c.ctx, pingEvery)
			if c.ws.Ping(ctx) != nil {
				c.cancel()
			}
			cancel()
		}
	}
}

// drain has the socket end once nothing runs on it.
func (c *conn) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.draining = true
	c.settle()
}

// read takes frames until the socket ends.
func (c *conn) read() {
	for {
		kind, r, err := c.ws.Reader(c.ctx)
		if err != nil {
			return
		}
		held := &holding{hold: c.server.Hold}
		raw, err := io.ReadAll(io.TeeReader(r, held))
		var f clientFrame
		switch {
		case err != nil:
			// the close waits for the client
			held.release()
			// it may have ended
			_ = c.ws.Close(websocket.StatusTryAgainLater, clipped(err.Error()))
			return
		case kind != websocket.MessageText || json.Unmarshal(raw, &f) != nil:
			c.warn("a frame is no JSON object of the protocol")
			held.release()
		case !c.frame(f, held):
			held.release()
		}
	}
}

// holding counts the bytes of a frame, as long as something needs them.
type holding struct {
	hold  func(int64) error
	bytes int64
}

func (h *holding) Write(p []byte) (int, error) {
	h.bytes += int64(len(p))
	return len(p), h.hold(int64(len(p)))
}

func (h *holding) release() {
	_ = h.hold(-h.bytes)
	h.bytes = 0
}

// frame acts on a frame, and tells whether it began what needs the frame, and will release it.
func (c *conn) frame(f clientFrame, held *holding) (begun bool) {
	switch f.Type {
	case "rpcCall":
		return c.call(f, held)
	case "channelCreate":
		return c.create(f, held)
	case "channelSend":
		c.deliver(f)
	case "keepAlive":
		c.out.send(serverFrame{Type: "keepAliveAck"})
	case "communicationWarning":
		slog.Warn("an LM Studio client could not read a packet", "namespace", string(c.ns), "kind", clipped(f.Kind), "warning", clipped(f.Warning))
	case "channelAck", "signalUnsubscribe", "writableSignalUnsubscribe", "writableSignalUpdate":
	case "signalSubscribe", "writableSignalSubscribe":
		c.out.send(serverFrame{Type: strings.TrimSuffix(f.Type, "Subscribe") + "Error", SubscribeID: &f.SubscribeID, Error: c.encodeError(c.unknown("signal", f.Endpoint))})
	default:
		c.warn(fmt.Sprintf("a frame of type %q is not known", clipped(f.Type)))
	}
	return false
}

func (c *conn) warn(text string) {
	c.out.send(serverFrame{Type: "communicationWarning", Warning: text})
}

// clipped is a client's text as it may stand in a log: it can be as long as a frame.
func clipped(text string) string {
	const most = 500
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

func (c *conn) unknown(kind, endpoint string) error {
	return &chat.Error{Kind: chat.NotSupportedHere, Message: fmt.Sprintf("the %s %s/%s is not served here", kind, c.ns, endpoint)}
}

// call answers a call.
func (c *conn) call(f clientFrame, held *holding) (begun bool) {
	var result any
	answer := func(err error) {
		if err != nil {
			c.out.send(serverFrame{Type: "rpcError", CallID: &f.CallID, Error: c.encodeError(err)})
			return
		}
		c.out.send(serverFrame{Type: "rpcResult", CallID: &f.CallID, Result: result})
	}
	run, ok := calls[c.ns][f.Endpoint]
	if !ok {
		answer(c.unknown("call", f.Endpoint))
		return false
	}
	return c.start(f.Endpoint, true, held, func() (err error) {
		result, err = run(c.ctx, c, f.Parameter)
		return err
	}, answer)
}

// start runs a call or channel in a goroutine of its own, and then tells how it ended.
// A call may have to wait for others.
func (c *conn) start(endpoint string, waits bool, held *holding, run func() error, tell func(error)) (begun bool) {
	var err error
	if managing[endpoint] {
		err = c.server.Manage(c.ctx)
	}
	if err == nil {
		err = c.begin(func() {
			defer held.release()
			tell(guarded(run))
		}, waits)
	}
	if err != nil {
		tell(err)
	}
	return err == nil
}

// create opens a channel and runs it.
func (c *conn) create(f clientFrame, held *holding) (begun bool) {
	end := func(err error) {
		if err != nil {
			c.out.send(serverFrame{Type: "channelError", ChannelID: &f.ChannelID, Error: c.encodeError(err)})
			return
		}
		c.out.send(serverFrame{Type: "channelClose", ChannelID: &f.ChannelID})
	}
	run, ok := channels[c.ns][f.Endpoint]
	if !ok {
		end(c.unknown("channel", f.Endpoint))
		return false
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	ch := &channel{conn: c, id: f.ChannelID, ctx: ctx, cancel: cancel}
	c.mu.Lock()
	c.channels[f.ChannelID] = ch
	c.mu.Unlock()
	return c.start(f.Endpoint, false, held, func() error { return run(ch, f.CreationParameter) }, func(err error) {
		ch.end()
		end(err)
	})
}

// guarded turns a bug into an error of one call: it runs in no handler whose panics are caught.
func guarded(run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("panic in a socket", "panic", p, "stack", string(debug.Stack()))
			err = &chat.Error{Message: "internal error; the log has it"}
		}
	}()
	return run()
}

// begin runs a call or channel, or has it wait until another has ended.
func (c *conn) begin(run func(), waits bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.draining:
		return &chat.Error{Kind: chat.Unavailable, Message: "the server is shutting down"}
	case c.running < mostRunning:
		c.running++
		c.work.Go(func() {
			for ; run != nil; run = c.next() {
				run()
			}
		})
	case waits && len(c.waiting) < mostWaiting:
		c.waiting = append(c.waiting, run)
	default:
		return &chat.Error{Kind: chat.Busy, Message: fmt.Sprintf("%d calls and channels are open on this socket; no more may be", mostRunning)}
	}
	return nil
}

// next is what has waited longest, in the place of what has ended; nil: nothing waits.
func (c *conn) next() (run func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) > 0 {
		run, c.waiting = c.waiting[0], c.waiting[1:]
		return run
	}
	c.running--
	c.settle()
	return nil
}

// settle ends a draining socket on which nothing runs, once all has been sent. The caller holds
// mu.
func (c *conn) settle() {
	if c.draining && c.running == 0 {
		go func() {
			c.out.close()
			c.cancel()
		}()
	}
}

// deliver gives a channel what its client says: all that any of them can say is that it wants no
// more.
func (c *conn) deliver(f clientFrame) {
	c.mu.Lock()
	ch := c.channels[f.ChannelID]
	c.mu.Unlock()
	var m struct {
		Type string `json:"type"`
	}
	if ch == nil || json.Unmarshal(f.Message, &m) != nil {
		return // the channel had ended before the client knew
	}
	if m.Type == "cancel" || m.Type == "stop" {
		ch.cancel(errStopped)
	}
}

// errStopped is why a channel's context ends when its client wants no more.
var errStopped = errors.New("stopped by the client")

// channel is an open channel. Packets are sent from one goroutine.
type channel struct {
	conn   *conn
	id     int
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu   sync.Mutex // guards what follows
	last packet     // what is sent again whenever the channel is silent for long
	beat *time.Timer
}

// stopped tells whether the client wanted no more.
func (ch *channel) stopped() bool { return errors.Is(context.Cause(ch.ctx), errStopped) }

// send sends a packet of a kind.
func (ch *channel) send(kind string, p packet) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.write(kind, p)
}

// progress sends a packet that is sent again whenever the channel is silent for long. The SDKs
// report only what grows.
func (ch *channel) progress(kind string, p packet) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.last = p
	if ch.beat == nil {
		ch.beat = time.AfterFunc(ch.conn.server.Beat, func() {
			ch.mu.Lock()
			defer ch.mu.Unlock()
			if ch.last != nil {
				ch.write(kind, ch.last)
			}
		})
	}
	ch.write(kind, p)
}

// write sends a packet. The caller holds mu.
func (ch *channel) write(kind string, p packet) {
	if ch.beat != nil {
		ch.beat.Reset(ch.conn.server.Beat)
	}
	p["type"] = kind
	ch.conn.out.send(serverFrame{Type: "channelSend", ChannelID: &ch.id, Message: p})
}

// quiet ends the repetition: a success is followed by nothing but the close.
func (ch *channel) quiet() {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.last = nil
	if ch.beat != nil {
		ch.beat.Stop()
	}
}

// end forgets the channel.
func (ch *channel) end() {
	ch.quiet()
	ch.cancel(nil)
	ch.conn.mu.Lock()
	defer ch.conn.mu.Unlock()
	if ch.conn.channels[ch.id] == ch {
		delete(ch.conn.channels, ch.id)
	}
}
