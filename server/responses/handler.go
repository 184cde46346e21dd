package responses

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"tenon/server/chat"
	"tenon/server/sse"
	"tenon/server/wire"
)

// Service runs and counts turns. *chat.Service implements it.
type Service interface {
	Named(model string) string // what answers call the model that a request asks for
	Run(ctx context.Context, r chat.Request, sink chat.Sink) error
	Count(ctx context.Context, r chat.Request) (chat.Tokens, error)
}

// API serves the protocol's endpoints. Make it with New.
type API struct {
	// observes a response in the background until it has ended; nil: nobody does
	Watch func(context.Context) (context.Context, func())

	service Service
	store   *Store

	heartbeat time.Duration
	mu        sync.Mutex // guards running
	running   map[string]running
}

// running is a response that is being generated.
type running struct {
	owner  string
	cancel context.CancelCauseFunc
	ended  chan struct{} // closed once the response changes no more
	made   *response     // to be read once it has ended
	begun  response      // as it was before anything was generated
	// of one in the background, as far as it is; nil: it is another
	now *atomic.Pointer[response]
}

// errCancelled is why a response's context ends when it is cancelled from another connection.
var errCancelled = errors.New("the response was cancelled")

// New returns the endpoints of a service. Responses are kept in store; nil: in memory. A stream is
// silent no longer than heartbeat; 0: [sse.DefaultEvery].
func New(s Service, store *Store, heartbeat time.Duration) *API {
	if store == nil {
		store, _ = OpenStore(StoreOptions{}) // it touches no disk, so it cannot fail
	}
	return &API{service: s, store: store, heartbeat: heartbeat, running: map[string]running{}}
}

// Create serves POST /v1/responses.
func (a *API) Create(w http.ResponseWriter, r *http.Request) {
	d, request, err := a.decode(r)
	if err != nil {
		writeError(w, err)
		return
	}
	wire.SetIgnored(w, d.turn.Ignored)
	b := newBuilder(request, d)
	if b.response.Store {
		b.settled = func() error { return a.keep(d, b, chat.CallerKey(r.Context())) }
	}
	d.turn.Whole = !request.Stream
	if len(d.turn.Conversation.Messages) == 0 {
		a.probe(w, r, request, d, b)
		return
	}
	if request.Background {
		a.background(w, r, d, b)
		return
	}
	// only those in the background can be too many
	ctx, ended, _ := a.track(r.Context(), &b.response, nil)
	defer ended()
	if request.Stream {
		a.stream(ctx, w, d, b, ended)
		return
	}
	if err = a.run(ctx, wire.Announce(w, b.Add), d); err == nil {
		err = b.unkept
	}
	ended()
	if err != nil {
		writeError(w, err)
		return
	}
	wire.WriteJSON(w, http.StatusOK, b.response)
}

// run generates the response. One that is cancelled from another connection ends with what it has.
func (a *API) run(ctx context.Context, sink chat.Sink, d *decoder) error {
	err := a.service.Run(ctx, d.turn, sink)
	if err != nil && errors.Is(context.Cause(ctx), errCancelled) {
		return sink(chat.Event{Kind: chat.Finished, Finish: chat.Finish{Reason: chat.Cancelled}})
	}
	return err
}

func (a *API) decode(r *http.Request) (*decoder, createRequest, error) {
	owner := chat.CallerKey(r.Context())
	d := &decoder{
		find: func(id string) (*stored, error) { return a.store.get(r.Context(), id, owner) },
		item: func(id string) (item, error) { return a.store.item(r.Context(), id, owner) },
	}
	request, err := d.request(r.Body)
	request.Model = a.service.Named(request.Model)
	d.turn.CacheKey = owner
	return d, request, err
}

// probe answers a request without input: nothing is generated, the server only says that it is
// there (Codex asks so).
func (a *API) probe(w http.ResponseWriter, r *http.Request, request createRequest, d *decoder, b *builder) {
	if _, err := a.service.Count(r.Context(), d.turn); err != nil && chat.AsError(err).Kind == chat.NotFound {
		writeError(w, err)
		return
	}
	if request.Stream {
		out := sse.NewWriter(w)
		defer out.Close()
		b.emit = func(e event) { out.Event(e.Type, e) }
		out.Beat(a.heartbeat, b.beat)
	}
	b.add(chat.Event{Kind: chat.Started})
	b.add(chat.Event{Kind: chat.Finished, Finish: chat.Finish{Reason: chat.Stop}})
	if !request.Stream {
		wire.WriteJSON(w, http.StatusOK, b.response)
	}
}

// stream calls ended when the response is complete: its reader may be slow.
func (a *API) stream(ctx context.Context, w http.ResponseWriter, d *decoder, b *builder, ended func()) {
	out := sse.NewWriter(w)
	b.emit = func(e event) { out.Event(e.Type, e) }
	out.Beat(a.heartbeat, b.beat)
	defer out.Close()
	defer ended()
	err := a.run(ctx, wire.Streamed(w, out, b.add), d)
	wire.Ended(w, out, err, func(w http.ResponseWriter, e *chat.Error) { writeError(w, e) }, func(e *chat.Error) { b.fail(wire.OfInput(e)) })
}

// track makes a response cancellable from another connection until ended is called, which may be
// more than once.
func (a *API) track(ctx context.Context, made *response, now *atomic.Pointer[response]) (tracked context.Context, ended func(), err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	run := running{owner: chat.CallerKey(ctx), cancel: cancel, ended: make(chan struct{}), made: made, begun: *made, now: now}
	ended = sync.OnceFunc(func() {
		cancel(nil)
		a.mu.Lock()
		delete(a.running, made.ID)
		a.mu.Unlock()
		close(run.ended)
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	if now != nil {
		err = a.full(run.owner)
	}
	if err == nil {
		a.running[made.ID] = run
	}
	return ctx, ended, err
}

// keep stores a finished response, before its client is told that it has finished. One that cannot
// be written, because the disk is full say, has failed: its client would go on from it. One that
// is too large is only not kept.
func (a *API) keep(d *decoder, b *builder, owner string) error {
	err := a.put(d, b, owner)
	if err != nil {
		slog.Error("a response is not kept", "error", err)
	}
	if err == nil || errors.Is(err, errTooLarge) {
		return nil
	}
	return unkept(err)
}

func unkept(err error) *chat.Error {
	return &chat.Error{Kind: chat.Unavailable, Err: err, RetryAfter: chat.AsError(err).RetryAfter, Message: fmt.Sprintf("the response cannot be kept (%v); send store: false, or have room made for it", err)}
}

// put stores a response as it is. One that is not complete is stored as failed: it is read from
// the store only where nothing runs any more, because the server ended or could not keep the rest.
func (a *API) put(d *decoder, b *builder, owner string) error {
	shown := b.response
	var running json.RawMessage
	if !over(shown.Status) {
		running = bodyOf(&shown)
		shown.Status, shown.Error = "failed", &responseError{"server_error", "the server ended while this response was made, or could not keep it"}
	}
	s := &stored{ID: b.response.ID, Owner: owner, Body: bodyOf(&shown), Running: running, Unfinished: !over(b.response.Status)}
	if d.past != nil {
		s.Previous, s.before = d.past.ID, d.past.whole()
	}
	for i, it := range d.items {
		if it.ID == "" {
			it.ID = fmt.Sprintf("item_%s_%d", b.response.ID, i)
		}
		it.Tools = wire.WithoutCredentials(it.Tools)
		s.Conversation = append(s.Conversation, it)
		if raw, err := json.Marshal(it.listed()); err == nil {
			s.Input = append(s.Input, raw)
		}
	}
	for _, out := range b.response.Output {
		var it item
		if raw, err := json.Marshal(out); err == nil && json.Unmarshal(raw, &it) == nil {
			s.Conversation = append(s.Conversation, it)
		}
	}
	return a.store.put(s)
}

// Get serves GET /v1/responses/{id}.
func (a *API) Get(w http.ResponseWriter, r *http.Request, id string) {
	if r.URL.Query().Get("stream") == "true" {
		writeError(w, chat.Invalidf("stream", "is not supported here: a kept response has no events; leave it out"))
		return
	}
	owner := chat.CallerKey(r.Context())
	a.mu.Lock()
	run, runs := a.running[id] // asked first: it is kept before it runs no more
	a.mu.Unlock()
	s, err := a.store.get(r.Context(), id, owner)
	switch {
	case runs && run.owner == owner && run.now != nil:
		wire.WriteJSON(w, http.StatusOK, run.now.Load())
	case runs && run.owner == owner && run.begun.Store && errors.Is(err, errNotThere):
		wire.WriteJSON(w, http.StatusOK, run.begun)
	case err == nil:
		wire.WriteJSON(w, http.StatusOK, s.Body)
	default:
		writeError(w, noResponse(id, err))
	}
}

// Delete serves DELETE /v1/responses/{id}. One in the background is cancelled first.
func (a *API) Delete(w http.ResponseWriter, r *http.Request, id string) {
	owner := chat.CallerKey(r.Context())
	a.mu.Lock()
	run := a.running[id]
	a.mu.Unlock()
	if run.now != nil && run.owner == owner {
		run.cancel(errCancelled)
		<-run.ended
	}
	if err := a.store.delete(r.Context(), id, owner); err != nil {
		writeError(w, noResponse(id, err))
		return
	}
	wire.WriteJSON(w, http.StatusOK, deleted{ID: id, Object: "response", Deleted: true})
}

// Cancel serves POST /v1/responses/{id}/cancel. It answers with the response as it ended.
func (a *API) Cancel(w http.ResponseWriter, r *http.Request, id string) {
	a.mu.Lock()
	run, ok := a.running[id]
	a.mu.Unlock()
	if owner := chat.CallerKey(r.Context()); !ok || run.owner != owner {
		if err := a.store.cancel(r.Context(), id, owner); err != nil {
			writeError(w, err)
			return
		}
		a.Get(w, r, id)
		return
	}
	run.cancel(errCancelled)
	select {
	case <-run.ended:
		wire.WriteJSON(w, http.StatusOK, run.made)
	case <-r.Context().Done():
	}
}

// InputItems serves GET /v1/responses/{id}/input_items, newest first unless order=asc.
func (a *API) InputItems(w http.ResponseWriter, r *http.Request, id string) {
	s, err := a.store.get(r.Context(), id, chat.CallerKey(r.Context()))
	if err != nil {
		writeError(w, noResponse(id, err))
		return
	}
	q := r.URL.Query()
	limit := 20
	if text := q.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 100 {
			writeError(w, chat.Invalidf("limit", "is %q; expected 1 to 100", text))
			return
		}
		limit = n
	}
	all := slices.Clone(s.Input)
	switch order := q.Get("order"); order {
	case "asc":
	case "", "desc":
		slices.Reverse(all)
	default:
		writeError(w, chat.Invalidf("order", "is %q; expected asc or desc", order))
		return
	}
	if after := q.Get("after"); after != "" {
		i := slices.IndexFunc(all, func(raw json.RawMessage) bool { return itemID(raw) == after })
		if i < 0 {
			writeError(w, chat.Invalidf("after", "is %q, which is no item of this response", after))
			return
		}
		all = all[i+1:]
	}
	page := itemList{Object: "list", Data: all[:min(limit, len(all))], HasMore: len(all) > limit}
	if n := len(page.Data); n > 0 {
		first, last := itemID(page.Data[0]), itemID(page.Data[n-1])
		page.FirstID, page.LastID = &first, &last
	} else {
		page.Data = []json.RawMessage{}
	}
	wire.WriteJSON(w, http.StatusOK, page)
}

func itemID(raw json.RawMessage) string {
	var it item
	_ = json.Unmarshal(raw, &it) // it was marshalled here
	return it.ID
}

// InputTokens serves POST /v1/responses/input_tokens.
func (a *API) InputTokens(w http.ResponseWriter, r *http.Request) {
	d, _, err := a.decode(r)
	if err == nil {
		wire.SetIgnored(w, d.turn.Ignored)
		var n chat.Tokens
		if n, err = a.service.Count(r.Context(), d.turn); err == nil {
			wire.SetEstimate(w, n)
			wire.WriteJSON(w, http.StatusOK, tokenCount{"response.input_tokens", n.N})
			return
		}
	}
	writeError(w, err)
}

// noResponse says why a response cannot be had: it is not there, or the store cannot tell.
func noResponse(id string, err error) error {
	if !errors.Is(err, errNotThere) {
		return err
	}
	return &chat.Error{Kind: chat.NoRoute, Code: "response_not_found", Message: fmt.Sprintf("there is no response %q; it was not stored, was deleted, or is too old", id)}
}
