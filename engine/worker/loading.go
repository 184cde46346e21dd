package worker

import (
	"context"
	"sync"

	"tenon/engine"
)

// loading is a model on its way.
type loading struct {
	done chan struct{} // closed when engine and err are set

	mu       sync.Mutex // guards what follows
	progress float64
	changed  chan struct{} // closed and replaced at each report
	measured map[string]string
	engine   engine.Engine
	err      error
}

func newLoading() *loading {
	return &loading{done: make(chan struct{}), changed: make(chan struct{})}
}

// report takes steps of at least a hundredth; smaller ones would only fill the line.
func (l *loading) report(progress float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if progress-l.progress < 0.01 {
		return
	}
	l.progress = progress
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *loading) state() (float64, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.progress, l.changed
}

// remember is for Options.Remember.
func (l *loading) remember(key, value string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.measured == nil {
		l.measured = map[string]string{}
	}
	l.measured[key] = value
}

func (l *loading) finish(e engine.Engine, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.engine, l.err = e, err
	close(l.done)
}

// close closes the engine, if there is one by now.
func (l *loading) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.engine == nil {
		return nil
	}
	return l.engine.Close()
}

func (l *loading) wait(ctx context.Context) (engine.Engine, error) {
	select {
	case <-l.done:
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.engine, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
