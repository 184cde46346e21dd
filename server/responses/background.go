package responses

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"tenon/server/chat"
	"tenon/server/wire"
)

// Bounds of responses in the background. Each is kept from its beginning, so the store's bounds
// hold for it, too.
const (
	mostBackground = 64 // at once
	mostOfOne      = 16 // of one key
)

// background starts a response that goes on without its client, and answers with it as it begins.
func (a *API) background(w http.ResponseWriter, r *http.Request, d *decoder, b *builder) {
	b.response.Status = "queued"
	queued, now := b.snapshot(), &atomic.Pointer[response]{}
	now.Store(queued)
	b.emit = func(e event) {
		if e.Response != nil {
			now.Store(e.Response)
		}
	}
	ctx, left, err := a.detach(r.Context(), b, now)
	if err != nil {
		writeError(w, err)
		return
	}
	owner := chat.CallerKey(ctx)
	if err := a.put(d, b, owner); err != nil {
		left()
		writeError(w, unkept(err))
		return
	}
	held, release := context.WithCancel(context.WithoutCancel(ctx))
	go a.store.hold(held, queued.ID, func() []byte { return bodyOf(now.Load()) }, func(why error) { a.end(queued.ID, why) })
	go func() {
		defer left()
		defer release()
		if err := a.runAlone(ctx, d, b); err != nil {
			b.fail(wire.OfInput(err))
			// whoever asks is told that it did not come to its end
			_ = a.keep(d, b, owner)
		}
	}()
	wire.WriteJSON(w, http.StatusOK, queued)
}

func bodyOf(r *response) []byte {
	body, _ := json.Marshal(r) // it was made here
	return body
}

// runAlone is run where no connection's handler meets a panic.
func (a *API) runAlone(ctx context.Context, d *decoder, b *builder) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("panic in a background response", "response", b.response.ID, "panic", p, "stack", string(debug.Stack()))
			err = &chat.Error{Message: "internal error; the log has it under " + b.response.ID}
		}
	}()
	return a.run(ctx, b.Add, d)
}

// detach has a response go on when its client leaves, until the store is drained. left must be
// called when it has ended.
func (a *API) detach(ctx context.Context, b *builder, now *atomic.Pointer[response]) (detached context.Context, left func(), err error) {
	ends, done, ok := a.store.enter()
	if !ok {
		return nil, nil, chat.Stopped()
	}
	ctx, watched := context.WithoutCancel(ctx), func() {}
	if a.Watch != nil {
		ctx, watched = a.Watch(ctx)
	}
	ctx, ended, err := a.track(ctx, &b.response, now)
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
		if run.now == nil {
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

// over tells whether a status is a response's last.
func over(status string) bool { return status != "queued" && status != "in_progress" }
