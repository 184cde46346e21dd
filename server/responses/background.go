package responses

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"tenon/server/chat"
	"tenon/server/sse"
	"tenon/server/wire"
)

// Bounds of responses in the background. Each is kept from its beginning, so the store's bounds hold
// for it, too.
const (
	mostBackground = 64 // at once
	mostOfOne      = 16 // of one key
)

// mostEvents is how many bytes of one response's events can be asked for again. A test sets less.
var mostEvents = 8 << 20

// background starts a response that goes on without its client, and answers with it as it begins.
func (a *API) background(w http.ResponseWriter, r *http.Request, d *decoder, b *builder, stream bool) {
	log := &events{keeps: stream, grew: make(chan struct{})}
	ctx, left, err := a.detach(r.Context(), b, log)
	if err != nil {
		writeError(w, err)
		return
	}
	b.emit, b.response.Status = log.add, "queued"
	_ = b.send(event{Type: "response.created", Response: b.snapshot()}) // the log takes every event
	_ = b.send(event{Type: "response.queued", Response: b.snapshot()})
	owner, queued := chat.CallerKey(ctx), b.snapshot()
	if err := a.put(d, b, owner); err != nil {
		left()
		writeError(w, unkept(err))
		return
	}
	go func() {
		defer left()
		if err := a.runAlone(ctx, d, b); err != nil {
			_ = b.fail(wire.OfInput(err))
			_ = a.keep(d, b, owner) // whoever asks is told that it did not come to its end
		}
	}()
	if stream {
		a.follow(w, r, log, 0)
		return
	}
	wire.WriteJSON(w, http.StatusOK, queued)
}

// runAlone is run where no connection's handler meets a panic.
func (a *API) runAlone(ctx context.Context, d *decoder, b *builder) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("panic in a background response", "response", b.response.ID, "panic", p, "stack", string(debug.Stack()))
			err = &chat.Error{Message: "internal error; the log has it under " + b.response.ID}
		}
	}()
	return a.run(ctx, b.Add, d, b)
}

// detach has a response go on when its client leaves, until the store is drained. left must be called
// when it has ended.
func (a *API) detach(ctx context.Context, b *builder, log *events) (detached context.Context, left func(), err error) {
	ends, done, ok := a.store.enter()
	if !ok {
		return nil, nil, chat.Stopped()
	}
	ctx, watched := context.WithoutCancel(ctx), func() {}
	if a.Watch != nil {
		ctx, watched = a.Watch(ctx)
	}
	ctx, ended, err := a.track(ctx, &b.response, log)
	stop := context.AfterFunc(ends, func() { a.end(b.response.ID, context.Cause(ends)) })
	left = func() {
		stop()
		ended()
		watched()
		done()
	}
	if err != nil {
		left()
	}
	return ctx, left, err
}

// full says that a key's response in the background would be one too many. a.mu is held.
func (a *API) full(owner string) error {
	all, own := 0, 0
	for _, run := range a.running {
		if run.log == nil {
			continue
		}
		if all++; run.owner == owner {
			own++
		}
	}
	if all < mostBackground && own < mostOfOne {
		return nil
	}
	return &chat.Error{Kind: chat.Busy, Field: "background", RetryAfter: 5 * time.Second,
		Message: fmt.Sprintf("there are %d responses in the background, %d of this key; there may be %d, of one key %d", all, own, mostBackground, mostOfOne)}
}

// end ends a running response for a reason.
func (a *API) end(id string, why error) {
	a.mu.Lock()
	run, ok := a.running[id]
	a.mu.Unlock()
	if ok {
		run.cancel(why)
	}
}

// events are those of a response in the background, for whoever follows it.
type events struct {
	keeps bool // they can be asked for

	mu    sync.Mutex // guards what follows
	now   *response  // as it was last sent
	all   []sent
	first int // the number of the first that is still there
	bytes int
	ended bool
	grew  chan struct{} // closed once there is more
}

type sent struct {
	kind string
	data json.RawMessage
}

func (l *events) add(e event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(e)
}

// beat adds a heartbeat. It has a number of its own, as every event has.
func (l *events) beat() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !over(l.now.Status) {
		_ = l.append(event{Type: "response." + l.now.Status, Response: l.now}) // it was encoded before
	}
}

// append numbers an event. l.mu is held.
func (l *events) append(e event) error {
	e.Sequence = l.first + len(l.all)
	if e.Response != nil {
		l.now = e.Response
	}
	if !l.keeps {
		return nil
	}
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode event %s: %w", e.Type, err)
	}
	l.all, l.bytes = append(l.all, sent{e.Type, data}), l.bytes+len(data)
	for ; l.bytes > mostEvents; l.first++ {
		l.bytes -= len(l.all[0].data)
		l.all = l.all[1:]
	}
	close(l.grew)
	l.grew = make(chan struct{})
	return nil
}

// end says that no event follows. nil has none.
func (l *events) end() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	close(l.grew)
	l.grew = make(chan struct{})
}

// since are the events from a number on; more is closed once there are others, and nil if there will
// be none.
func (l *events) since(number int) (all []sent, more <-chan struct{}, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if number < l.first || !l.keeps {
		return nil, nil, false
	}
	all = l.all[min(number-l.first, len(l.all)):]
	if l.ended {
		return all, nil, true
	}
	return all, l.grew, true
}

// latest is the response as it was last sent.
func (l *events) latest() *response {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// follow sends the events from a number on until the response has ended or its reader has left. A
// reader may be slow: nothing waits for it.
func (a *API) follow(w http.ResponseWriter, r *http.Request, log *events, from int) {
	all, more, ok := log.since(from)
	if !ok {
		writeError(w, chat.Invalidf("starting_after", "the events behind it are kept no more, or were not asked for with stream; leave stream out"))
		return
	}
	out := sse.NewWriter(w)
	defer out.Close()
	for ; ok; all, more, ok = log.since(from) {
		for _, e := range all {
			if from++; out.Event(e.kind, e.data) != nil {
				return
			}
			out.Wait()
		}
		if more == nil {
			return
		}
		beat := time.NewTimer(cmp.Or(a.heartbeat, sse.DefaultEvery))
		select {
		case <-more:
		case <-r.Context().Done():
			return
		case <-beat.C:
			log.beat()
		}
		beat.Stop()
	}
}

// again serves GET /v1/responses/{id}?stream=true: the events of a response in the background. Those
// of one that has ended are gone but for the last, which has the whole response.
func (a *API) again(w http.ResponseWriter, r *http.Request, log *events, kept json.RawMessage) {
	from := 0
	if text := r.URL.Query().Get("starting_after"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			writeError(w, chat.Invalidf("starting_after", "is %q; expected the number of an event", text))
			return
		}
		from = n + 1
	}
	if log != nil {
		a.follow(w, r, log, from)
		return
	}
	var head struct {
		Status     string
		Background bool
	}
	if err := json.Unmarshal(kept, &head); err != nil || !head.Background {
		writeError(w, chat.Invalidf("stream", "is for responses in the background; leave it out"))
		return
	}
	out := sse.NewWriter(w)
	defer out.Close()
	last := struct {
		Type     string          `json:"type"`
		Sequence int             `json:"sequence_number"`
		Response json.RawMessage `json:"response"`
	}{ending(head.Status), from, kept}
	_ = out.Event(last.Type, last) // a reader that is gone cannot be told
}

// over tells whether a status is a response's last.
func over(status string) bool { return status != "queued" && status != "in_progress" }

// interrupted is a response that was kept before it was complete, and runs no more.
func interrupted(body json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body, &members) // it was marshalled here
	members["status"] = json.RawMessage(`"failed"`)
	members["error"] = json.RawMessage(`{"code":"server_error","message":"the server ended while this response was made, or could not keep it"}`)
	out, _ := json.Marshal(members) // it was just read
	return out
}
