package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"tenon/engine"
	"tenon/engine/feed"
	"tenon/engine/remote/chat"
	"tenon/grammar"
)

var (
	_ engine.Engine   = (*Engine)(nil)
	_ engine.Reporter = (*Engine)(nil)
)

// Options say where a model is served. URLs must not be empty.
type Options struct {
	Name string // of the model, for errors and log lines
	// URLs of upstreams that serve the same model, see [Address].
	URLs []string
	Key  string // that they want, "" if none
	CA   string // file of certificates (PEM) that are trusted beside the system's
	// Vocabulary turns prompts into ids and ids into text, where the model's file or its
	// tokenizer is here as well; it is closed with the engine. nil: the upstream's tokenizer
	// is asked, or prompts go as text.
	Vocabulary engine.Engine
	Context    int           // most tokens of a turn; 0: what the upstreams take
	Silence    time.Duration // longest silence of a turn's stream; default 5 minutes
	Check      time.Duration // how often upstreams are looked at; default 10 s
	Log        *slog.Logger  // default slog.Default()

	transport http.RoundTripper // of tests
}

// Engine is a model that other machines serve.
type Engine struct {
	options Options
	http    *http.Client
	pieces  sync.Map                             // of the vocabulary, by id: piece
	bytes   func() (v *grammar.Vocab, err error) // see newBytes
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup

	mu sync.Mutex // guards what follows, and the upstreams' fields that are so marked
	balance
	checked chan struct{} // closed, and made anew, when a check of an upstream ends
	model   engine.Model
	stats   engine.Stats
}

// Connect asks the upstreams what they serve, probes whether they keep to grammars, and returns
// once one of them answers. The others are looked at from time to time, as all are that were lost.
func Connect(ctx context.Context, o Options) (*Engine, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Silence == 0 {
		o.Silence = 5 * time.Minute
	}
	if o.Check == 0 {
		o.Check = 10 * time.Second
	}
	e := &Engine{options: o, http: &http.Client{CheckRedirect: noRedirects}, checked: make(chan struct{})}
	e.ctx, e.stop = context.WithCancel(context.Background())
	e.bytes = sync.OnceValues(func() (*grammar.Vocab, error) { return newBytes(e.Model().Vocab.Markers) })
	if err := e.open(ctx); err != nil {
		_ = e.Close() // that it did not open says more
		return nil, err
	}
	e.running.Go(e.watch)
	return e, nil
}

func (e *Engine) open(ctx context.Context) error {
	if e.http.Transport = e.options.transport; e.http.Transport == nil {
		var err error
		if e.http.Transport, err = newTransport(e.options.CA); err != nil {
			return err
		}
	}
	e.http.Transport = tracing{e.http.Transport}
	if err := e.target(e.options.URLs); err != nil {
		return err
	}
	var failed []error
	all := e.all()
	for _, u := range all {
		if err := e.connect(ctx, u); err != nil {
			failed = append(failed, err)
			e.options.Log.Warn("an upstream is not there", "model", e.options.Name, "upstream", u.client.base.Host, "error", err)
		}
	}
	if len(failed) == len(all) {
		return fmt.Errorf("no upstream serves %s: %w", e.options.Name, errors.Join(failed...))
	}
	return nil
}

// target makes upstreams of addresses. Known ones are kept; only their weight changes.
func (e *Engine) target(urls []string) error {
	var all []*upstream
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, text := range urls {
		a, err := ParseAddress(text)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(e.upstreams, func(u *upstream) bool { return u.address.same(a) })
		if at < 0 {
			all = append(all, &upstream{client: &client{base: a.Base, key: e.options.Key, http: e.http, anthropic: a.API == Messages}, address: a})
			continue
		}
		all = append(all, e.upstreams[at])
	}
	for i, u := range all { // all can be read
		a, _ := ParseAddress(urls[i])
		u.address.Weight = a.Weight
	}
	e.upstreams = all
	e.sum()
	return nil
}

// Retarget goes on with other upstreams. New ones are asked what they serve; those that are left
// out get no more turns, and end the ones that they have. Keys and certificates stay.
func (e *Engine) Retarget(urls []string) error {
	if err := e.target(urls); err != nil {
		return err
	}
	e.rouse()
	return nil
}

// Answers tells whether an upstream is there to take a turn.
func (e *Engine) Answers(ctx context.Context) bool {
	return e.find(ctx, nil, func() *upstream { return e.best(request{}, nil) }, func(*upstream) {}) == nil
}

func (e *Engine) isUp(u *upstream) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return u.up
}

// all are the upstreams.
func (e *Engine) all() []*upstream {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.upstreams // a list is replaced, not changed
}

// Model implements engine.Engine. What the engine can do is what all upstreams can that are up.
func (e *Engine) Model() engine.Model {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.model
}

// Stats implements engine.Reporter.
func (e *Engine) Stats(context.Context) (engine.Stats, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.stats, nil
}

// Tokens implements engine.Engine.
func (e *Engine) Tokens(ctx context.Context, p engine.Prompt) ([]int32, error) {
	if v := e.vocabulary(); v != nil {
		return v.Tokens(ctx, p)
	}
	t, err := e.far(ctx)
	if err != nil {
		return nil, err
	}
	return t.tokens(ctx, p)
}

// vocabulary is the one here, where prompts go by it.
func (e *Engine) vocabulary() engine.Engine {
	if e.Model().Can.Tokenizer != engine.LocalTokenizer {
		return nil
	}
	return e.options.Vocabulary
}

// Text implements engine.Engine.
func (e *Engine) Text(ctx context.Context, ids []int32, special bool) ([]byte, error) {
	if v := e.vocabulary(); v != nil {
		return v.Text(ctx, ids, special)
	}
	t, err := e.far(ctx)
	if err != nil {
		return nil, err
	}
	return t.text(ctx, ids)
}

// tokenizer is an API that tokenizes.
type tokenizer interface {
	tokens(ctx context.Context, p engine.Prompt) ([]int32, error)
	text(ctx context.Context, ids []int32) ([]byte, error)
}

// far is the tokenizer of an upstream.
func (e *Engine) far(ctx context.Context) (t tokenizer, err error) {
	if !e.Model().Can.Tokenizes() {
		return nil, engine.ErrUnsupported
	}
	able := func(u *upstream) bool { _, ok := u.api.(tokenizer); return ok && u.up }
	err = e.find(ctx, nil, func() *upstream {
		if at := slices.IndexFunc(e.upstreams, able); at >= 0 {
			return e.upstreams[at]
		}
		return nil
	}, func(u *upstream) { t = u.api.(tokenizer) })
	return t, err
}

// Embed implements engine.Engine.
func (e *Engine) Embed(context.Context, []engine.Prompt) ([]engine.Embedding, error) {
	return nil, engine.ErrUnsupported
}

// Open implements engine.Engine. The turn waits in the upstream's queue.
func (e *Engine) Open(ctx context.Context, request engine.Turn) (engine.Session, error) {
	if e.ctx.Err() != nil {
		return nil, engine.ErrClosed
	}
	t, err := e.prepare(ctx, request)
	if err != nil {
		return nil, err
	}
	// it outlives ctx, and is of its trace
	running, cancel := context.WithCancelCause(trace.ContextWithSpan(e.ctx, trace.SpanFromContext(ctx)))
	s := &session{engine: e, turn: t, cancel: cancel, Feed: feed.New(func() { cancel(nil) })}
	go s.run(running) // until its end is taken, or it is closed
	return s, nil
}

// prepare does what needs no upstream that is chosen.
func (e *Engine) prepare(ctx context.Context, request engine.Turn) (turn, error) {
	t := turn{Turn: request}
	m := e.Model()
	var err error
	if m.Can.Chat != "" {
		if t.talk, err = chat.Read(request.Prompt); err != nil {
			return t, err
		}
	}
	if m.Can.Tokenizes() {
		if t.ids, err = e.Tokens(ctx, request.Prompt); err != nil {
			return t, err
		}
		if len(t.ids) >= m.Context && m.Context > 0 {
			return t, &engine.ContextError{Prompt: len(t.ids), Context: m.Context}
		}
		for _, marker := range m.Vocab.Markers {
			if marker.End {
				t.ends = append(t.ends, marker.ID)
			}
		}
	}
	for _, u := range e.all() { // what cannot be is said before the turn waits
		if !e.isUp(u) {
			continue
		}
		if _, _, err := e.phrase(u, t); err != nil {
			return t, err
		}
	}
	return t, nil
}

// Close implements engine.Engine.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.stop() // no check begins after it
	e.mu.Unlock()
	e.running.Wait()
	if v := e.options.Vocabulary; v != nil {
		return v.Close()
	}
	return nil
}

// turn is one as it is sent.
type turn struct {
	engine.Turn
	ids     []int32            // of the prompt; nil: it goes as text
	ends    []int32            // tokens that end an answer, as far as they are known
	grammar string             // printed; "": none
	syntax  *grammar.Grammar   // that is kept to; nil: none is
	talk    *chat.Conversation // that the prompt is, where the engine chats
}

// size is how many tokens the prompt has, or about how many.
func (t turn) size() int {
	if t.ids != nil {
		return len(t.ids)
	}
	return len(t.Prompt.String()) / 4
}
