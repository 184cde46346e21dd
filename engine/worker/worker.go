package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"tenon/engine"
	"tenon/engine/breaker"
)

var (
	_ engine.Engine   = (*Worker)(nil)
	_ engine.Reporter = (*Worker)(nil)
)

// Worker is a model in a child process. When the child dies, the turns on it fail with a
// *LostError and the next call starts another one. After breaker.Most such ends in a row it rests
// before another is tried.
type Worker struct {
	options Options
	model   engine.Model
	turns   atomic.Uint64 // ids
	done    chan struct{} // closed by Close

	mu       sync.Mutex // guards what follows
	current  *process   // nil while there is none
	starting *attempt   // nil unless a child is being started
	failures breaker.Breaker
	restarts int64 // of all time
	last     error // the latest failure
	closed   bool
}

// attempt is one start that any number of calls wait for.
type attempt struct {
	done    chan struct{} // closed when the others are set
	process *process
	err     error
}

// Start starts a worker and waits until its model is loaded. When ctx ends before that, the child
// is killed. An error of the file itself (not a GGUF, cut off, an architecture that the engine
// does not know) says so.
func Start(ctx context.Context, o Options) (*Worker, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Binary == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find the worker's program: %w", err)
		}
		o.Binary = self
	}
	p, err := launch(ctx, o)
	if err != nil {
		return nil, err
	}
	w := &Worker{options: o, model: p.model, done: make(chan struct{}), current: p}
	go w.watch(p)
	return w, nil
}

// launch starts one child and waits for its model.
func launch(ctx context.Context, o Options) (*process, error) {
	o.trim()
	p, err := spawn(o)
	if err != nil {
		return nil, err
	}
	if err := p.load(ctx, o.Progress); err != nil {
		p.kill()
		return nil, err
	}
	if err := (measurements{dir: o.StateDir}).put(p.found); err != nil {
		o.Log.Warn("it will be measured again", "model", o.Name, "error", err)
	}
	if len(p.sandbox.Missing) > 0 {
		o.Log.Warn("the worker is not fully confined", "model", o.Name, "missing", p.sandbox.Missing)
	}
	return p, nil
}

// Model implements engine.Engine.
func (w *Worker) Model() engine.Model { return w.model }

// Tokens implements engine.Engine.
func (w *Worker) Tokens(ctx context.Context, prompt engine.Prompt) ([]int32, error) {
	var a tokensAnswer
	err := w.call(ctx, pathTokens, tokensRequest{Prompt: encodePrompt(prompt)}, &a)
	return a.IDs, err
}

// Text implements engine.Engine.
func (w *Worker) Text(ctx context.Context, ids []int32, special bool) ([]byte, error) {
	var a textAnswer
	err := w.call(ctx, pathText, textRequest{IDs: ids, Special: special}, &a)
	return a.Text, err
}

// Embed implements engine.Engine.
func (w *Worker) Embed(ctx context.Context, prompts []engine.Prompt) ([]engine.Embedding, error) {
	r := embedRequest{Prompts: make([][]wirePiece, len(prompts))}
	for i, p := range prompts {
		r.Prompts[i] = encodePrompt(p)
	}
	var a embedAnswer
	err := w.call(ctx, pathEmbed, r, &a)
	return a.Embeddings, err
}

// Stats implements engine.Reporter. It counts what the present child has done, and starts none.
func (w *Worker) Stats(ctx context.Context) (engine.Stats, error) {
	w.mu.Lock()
	p, restarts := w.current, w.restarts
	w.mu.Unlock()
	var s engine.Stats
	if p != nil && p.alive() {
		if err := p.call(ctx, pathStats, nil, &s); err != nil {
			return s, err
		}
	}
	if p != nil {
		s.Confinement = &p.sandbox // as it said before it opened the model
	}
	s.Restarts = restarts
	return s, nil
}

// PID is the process id of the present child, 0 if there is none: for whoever measures its memory.
func (w *Worker) PID() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.current == nil || !w.current.alive() {
		return 0
	}
	return w.current.cmd.Process.Pid
}

// Open implements engine.Engine.
func (w *Worker) Open(ctx context.Context, t engine.Turn) (engine.Session, error) {
	p, err := w.acquire(ctx)
	if err != nil {
		return nil, err
	}
	return p.open(ctx, strconv.FormatUint(w.turns.Add(1), 10), t)
}

// Close implements engine.Engine.
func (w *Worker) Close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	close(w.done)
	p, a := w.current, w.starting
	w.current = nil
	w.mu.Unlock()
	if p != nil {
		p.stop()
	}
	w.options.trim()
	if a != nil {
		<-a.done
	}
	return nil
}

func (w *Worker) call(ctx context.Context, path string, body, answer any) error {
	p, err := w.acquire(ctx)
	if err != nil {
		return err
	}
	return p.call(ctx, path, body, answer)
}

// acquire returns the living child, starting one if there is none.
func (w *Worker) acquire(ctx context.Context) (*process, error) {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil, engine.ErrClosed
	}
	if w.current != nil && w.current.alive() {
		defer w.mu.Unlock()
		return w.current, nil
	}
	if w.current != nil {
		w.note(w.current) // it ended just now
	}
	if w.starting == nil {
		if left, open := w.failures.Open(time.Now()); open {
			defer w.mu.Unlock()
			return nil, w.resting(left)
		}
		w.starting = &attempt{done: make(chan struct{})}
		go w.restart(w.starting, w.failures.Backoff())
	}
	a := w.starting
	w.mu.Unlock()
	select {
	case <-a.done:
		return a.process, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// restart starts a child in place of the one that ended.
func (w *Worker) restart(a *attempt, after time.Duration) {
	defer close(a.done)
	wait := time.NewTimer(after)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-w.done:
	}
	p, err := w.relaunch()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.starting = nil
	switch {
	case w.closed:
		if err == nil {
			p.kill()
		}
		a.err = engine.ErrClosed
	case err != nil:
		w.failures.Failed(time.Now())
		w.last, a.err = err, err
	default:
		w.current, a.process = p, p
		w.restarts++
		go w.watch(p)
	}
}

// relaunch is launch until Close.
func (w *Worker) relaunch() (*process, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-w.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	return launch(ctx, w.options)
}

// watch notes the end of a child, also when nobody is using it.
func (w *Worker) watch(p *process) {
	<-p.done
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.current == p {
		w.note(p)
	}
}

// note counts a child's end as a failure. The caller holds w.mu.
func (w *Worker) note(p *process) {
	<-p.done
	w.current = nil
	if w.closed {
		return
	}
	if p.served.Load() {
		w.failures.Worked()
	}
	w.failures.Failed(time.Now())
	w.last = errors.New(p.reason)
	w.options.Log.Error("worker ended", "model", w.options.Name, "reason", p.reason, "failures", w.failures.Failures())
}

// Down is why no turn can run now: too many children in a row ended before they had served one,
// and the next is not tried yet. It is nil as long as a request would start one.
func (w *Worker) Down() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	left, open := w.failures.Open(time.Now())
	if w.current != nil || w.starting != nil || !open {
		return nil
	}
	return w.resting(left)
}

// resting is the error of every call while no child is tried. The caller holds w.mu.
func (w *Worker) resting(left time.Duration) error {
	why := w.last.Error()
	var lost *LostError
	if errors.As(w.last, &lost) {
		why = lost.Reason // without its advice to try again
	}
	return fmt.Errorf("%w: the worker of model %q failed %d times in a row and is tried again in %s; the last time: %s",
		engine.ErrWorkerLost, w.options.Name, w.failures.Failures(), left.Round(time.Second), why)
}
