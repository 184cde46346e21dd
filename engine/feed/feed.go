// Package feed hands a turn's updates from the goroutine that reads them, off another process or
// machine, to the one that waits in a session's Next.
package feed

import (
	"context"
	"io"
	"sync"

	"tenon/engine"
)

// Feed is that part of a session. Put and End are for the goroutine that reads.
type Feed struct {
	updates chan received
	closed  chan struct{}
	once    sync.Once
	cancel  func()
	ended   bool // Next has returned the last update; used by its goroutine alone
}

type received struct {
	update engine.Update
	err    error
}

// New returns a feed whose Close calls cancel, once.
func New(cancel func()) *Feed {
	return &Feed{updates: make(chan received), closed: make(chan struct{}), cancel: cancel}
}

// Put hands an update or an error over. It is false once the session is closed.
func (r *Feed) Put(u engine.Update, err error) bool {
	select {
	case r.updates <- received{u, err}:
		return true
	case <-r.closed:
		return false
	}
}

// End says that nothing more comes.
func (r *Feed) End() { close(r.updates) }

// Closed tells whether Close was called.
func (r *Feed) Closed() bool {
	select {
	case <-r.closed:
		return true
	default:
		return false
	}
}

// Next is that of engine.Session.
func (r *Feed) Next(ctx context.Context) (engine.Update, error) {
	if r.ended {
		return engine.Update{}, io.EOF
	}
	select {
	case x, ok := <-r.updates:
		if !ok {
			return r.cancelled(), nil
		}
		r.ended = x.err != nil || x.update.Finish != nil
		return x.update, x.err
	case <-r.closed:
		return r.cancelled(), nil
	case <-ctx.Done():
		return engine.Update{}, ctx.Err()
	}
}

// cancelled is the finish of a closed session; what the far side counted has not been waited for.
func (r *Feed) cancelled() engine.Update {
	r.ended = true
	return engine.Update{Finish: &engine.Finish{Reason: engine.Cancelled}}
}

// Close is that of engine.Session.
func (r *Feed) Close() error {
	r.once.Do(func() {
		close(r.closed)
		r.cancel()
	})
	return nil
}
