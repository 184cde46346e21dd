package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"tenon/engine"
	"tenon/engine/tokens"
	"tenon/grammar"
)

var _ engine.Engine = (*Runner)(nil)

// Options of a Runner. The zero value of a field is its default, which engine/defaults.go says.
type Options struct {
	Slots        int           // turns that run at once
	Queue        int           // turns that may wait
	QueueTimeout time.Duration // longest wait; negative: no limit
	BatchSize    int           // most tokens in one call of the model
	UBatchSize   int           // most prompt tokens in one
	// longest wait for a stream's next token beside prompts
	MaxPause time.Duration
	// bytes for copies of what no turn runs on; negative: none
	HostMemory int
	Disk       Disk // default: none
	GPU        bool // the model is evaluated there
	// each step brings a stream on by one token, and what the grammar forces
	NoDrafts bool
	// a smaller model of the same vocabulary, which says how turns may go on; it has a
	// sequence for each slot. Default: none
	Draft Evaluator

	took      func(batch []Entry) time.Duration // of a step; a test's clock
	tookDraft func(tokens int) time.Duration    // of one of the draft model's
}

// Disk is where copies are kept that outlive the runner.
type Disk struct {
	Path        string
	Bytes       int    // most that they may take
	Fingerprint string // of all that gives a copy its meaning: copies with another are deleted
}

func (o Options) withDefaults(b Backend) Options {
	o.Slots = cmp.Or(max(o.Slots, 0), engine.DefaultSlots)
	o.Queue = cmp.Or(max(o.Queue, 0), engine.DefaultQueue)
	o.BatchSize = cmp.Or(max(o.BatchSize, 0), engine.DefaultBatch)
	o.UBatchSize = cmp.Or(max(o.UBatchSize, 0), engine.MicroBatch(o.GPU))
	o.MaxPause = cmp.Or(max(o.MaxPause, 0), engine.DefaultMaxPause)
	o.HostMemory = cmp.Or(o.HostMemory, engine.DefaultHostMemory)
	o.QueueTimeout = cmp.Or(o.QueueTimeout, engine.DefaultQueueTimeout)
	o.BatchSize = max(min(o.BatchSize, b.Cells()), 1)
	o.UBatchSize = min(o.UBatchSize, o.BatchSize)
	o.Slots = min(o.Slots, b.Sequences())
	return o
}

// Runner runs turns on a Backend.
type Runner struct {
	backend   Backend
	options   Options
	model     engine.Model
	tokenizer *tokens.Tokenizer
	symbols   map[int32]bool // tokens that are markers

	stats atomic.Pointer[engine.Stats] // as of the loop's latest step
	wake  chan struct{}                // holds one element while calls are waiting
	done  chan struct{}                // closed when the loop has ended

	mu    sync.Mutex // guards calls
	calls []func(*loop)

	life sync.RWMutex // held for reading while the backend is used outside of the loop
	gone bool         // the backend is closed
}

// New starts a runner, which owns the backend from then on.
func New(b Backend, o Options) *Runner {
	o = o.withDefaults(b)
	r := &Runner{
		backend: b, options: o, model: b.Model(), tokenizer: newTokenizer(b),
		symbols: map[int32]bool{}, wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	r.model.Slots = o.Slots
	embeds := r.model.Can.Embeddings
	r.model.Can = engine.Everything
	r.model.Can.Embeddings = embeds
	for _, m := range r.model.Vocab.Markers {
		r.symbols[m.ID] = true
	}
	r.stats.Store(&engine.Stats{})
	go newLoop(r).run()
	return r
}

// Model implements engine.Engine.
func (r *Runner) Model() engine.Model { return r.model }

// Stats counts what the runner has done.
func (r *Runner) Stats() engine.Stats {
	s := *r.stats.Load()
	kept := grammar.Kept()
	s.Grammars, s.GrammarBytes = kept.Grammars, kept.GrammarBytes
	return s
}

// Tokens implements engine.Engine.
func (r *Runner) Tokens(ctx context.Context, p engine.Prompt) ([]int32, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	defer r.life.RUnlock()
	return r.tokenizer.Prompt(ctx, p)
}

// enter keeps the backend from being closed until life is unlocked.
func (r *Runner) enter() error {
	r.life.RLock()
	if r.gone {
		r.life.RUnlock()
		return engine.ErrClosed
	}
	return nil
}

// Text implements engine.Engine.
func (r *Runner) Text(_ context.Context, ids []int32, special bool) ([]byte, error) {
	return r.tokenizer.Text(ids, special), nil
}

// Open implements engine.Engine.
func (r *Runner) Open(ctx context.Context, request engine.Turn) (engine.Session, error) {
	t, err := r.newTurn(ctx, request)
	if err != nil {
		return nil, err
	}
	s := &session{runner: r, turn: t}
	if err := r.ask(ctx, func(l *loop) error { return l.enqueue(t) }); err != nil {
		_ = s.Close() // it may be in the queue by now; closing cannot go wrong
		return nil, err
	}
	return s, nil
}

// newTurn does what needs neither the model nor its memory.
func (r *Runner) newTurn(ctx context.Context, request engine.Turn) (*turn, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	defer r.life.RUnlock()
	if r.backend.Cells() == 0 {
		return nil, fmt.Errorf("%w: it only embeds", engine.ErrUnsupported)
	}
	ids, err := r.tokenizer.Prompt(ctx, request.Prompt)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, errors.New("the prompt is empty")
	}
	if limit := min(r.model.Context, r.backend.Cells()); len(ids) >= limit {
		return nil, &engine.ContextError{Prompt: len(ids), Context: limit}
	}
	g, err := compile(ctx, request.Grammar)
	if err != nil {
		return nil, err
	}
	t := newTurn(r, request, ids)
	if g != nil {
		t.obey(g, r.backend.Vocab())
	}
	if t.sampler, err = r.sampler(t, 0); err != nil {
		return nil, err
	}
	return t, nil
}

// sampler makes a turn's sampler. After a rewind it must not choose what it chose before: again
// shifts its seed.
func (r *Runner) sampler(t *turn, again uint32) (Sampler, error) {
	how := t.request.Sampling
	seed := *how.Seed + again
	how.Seed = &seed
	s, err := r.backend.NewSampler(how)
	if err != nil {
		return nil, fmt.Errorf("prepare sampling: %w", err)
	}
	s.Accept(t.tokens...)
	return s, nil
}

// Embed implements engine.Engine. Between two texts, turns take a step.
func (r *Runner) Embed(ctx context.Context, prompts []engine.Prompt) ([]engine.Embedding, error) {
	out := make([]engine.Embedding, len(prompts))
	for i, p := range prompts {
		ids, err := r.Tokens(ctx, p)
		if err != nil {
			return nil, err
		}
		out[i].Tokens = len(ids)
		err = r.ask(ctx, func(*loop) (err error) {
			out[i].Vector, err = r.backend.Embed(ctx, ids)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("embed: %w", err)
		}
	}
	return out, nil
}

// Close implements engine.Engine.
func (r *Runner) Close() error {
	r.post(func(l *loop) { l.closed = true })
	<-r.done
	r.life.Lock()
	defer r.life.Unlock()
	if r.gone {
		return nil
	}
	r.gone = true
	if r.options.Draft != nil {
		_ = r.options.Draft.Close() // it never fails
	}
	return r.backend.Close()
}

// post has the loop call f before its next step. It does not wait.
func (r *Runner) post(f func(*loop)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, f)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// ask is post that waits for f's answer.
func (r *Runner) ask(ctx context.Context, f func(*loop) error) error {
	answer := make(chan error, 1)
	r.post(func(l *loop) { answer <- f(l) })
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-r.done:
		return engine.ErrClosed
	}
}

// take returns what was posted.
func (r *Runner) take() []func(*loop) {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := r.calls
	r.calls = nil
	return calls
}
