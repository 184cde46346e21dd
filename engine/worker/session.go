package worker

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"tenon/engine"
)

var _ engine.Session = (*session)(nil)

// session reads the lines of one turn.
type session struct {
	process *process
	id      string
	updates chan received // closed after the last
	cancel  context.CancelFunc
	once    sync.Once
	closed  chan struct{}
	ended   bool // Next has returned the last update; used by its goroutine alone
}

type received struct {
	update engine.Update
	err    error
}

// open sends a turn and waits until it is in the queue.
func (p *process) open(ctx context.Context, id string, t engine.Turn) (*session, error) {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel) // until the turn is open, ctx ends it
	resp, err := p.do(running, http.MethodPost, pathTurns, encodeTurn(id, t))
	if !stop() && err == nil {
		_ = resp.Body.Close() // nobody waits for it
		err = ctx.Err()
	}
	if err != nil {
		cancel()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	s := &session{process: p, id: id, updates: make(chan received), cancel: cancel, closed: make(chan struct{})}
	go s.read(resp.Body)
	return s, nil
}

// read passes the lines on until the turn ends, the child is lost or the session is closed.
func (s *session) read(body io.ReadCloser) {
	defer close(s.updates)
	defer body.Close()
	sent := false
	for lines := json.NewDecoder(body); ; {
		var l updateLine
		if err := lines.Decode(&l); err != nil {
			if !s.isClosed() {
				s.pass(received{err: s.process.explain(err, sent)})
			}
			return
		}
		if l.Error != nil {
			s.pass(received{err: l.Error.Err()})
			return
		}
		if l.Finish != nil {
			s.process.served.Store(true)
		}
		sent = sent || len(l.Tokens) > 0
		if !s.pass(received{update: l.update()}) || l.Finish != nil {
			return
		}
	}
}

func (s *session) pass(r received) bool {
	select {
	case s.updates <- r:
		return true
	case <-s.closed:
		return false
	}
}

func (s *session) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// Next implements engine.Session.
func (s *session) Next(ctx context.Context) (engine.Update, error) {
	if s.ended {
		return engine.Update{}, io.EOF
	}
	select {
	case r, ok := <-s.updates:
		if !ok {
			return s.cancelled(), nil
		}
		s.ended = r.err != nil || r.update.Finish != nil
		return r.update, r.err
	case <-s.closed:
		return s.cancelled(), nil
	case <-ctx.Done():
		return engine.Update{}, ctx.Err()
	}
}

// cancelled is the finish of a closed session; what the child counted has not been waited for.
func (s *session) cancelled() engine.Update {
	s.ended = true
	return engine.Update{Finish: &engine.Finish{Reason: engine.Cancelled}}
}

// Decide implements engine.Session.
func (s *session) Decide(ctx context.Context, v engine.Verdict) error {
	var answer struct{}
	return s.process.call(ctx, s.path(pathVerdict), v, &answer)
}

// Conclude implements engine.Session.
func (s *session) Conclude(ctx context.Context) error {
	var answer struct{}
	return s.process.call(ctx, s.path(pathConclude), struct{}{}, &answer)
}

// path is where the child takes what concerns this turn.
func (s *session) path(pattern string) string {
	return strings.Replace(pattern, "{id}", url.PathEscape(s.id), 1)
}

// Close implements engine.Session. The child notices the closed stream and frees the slot.
func (s *session) Close() error {
	s.once.Do(func() {
		close(s.closed)
		s.cancel()
	})
	return nil
}
