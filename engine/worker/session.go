package worker

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"tenon/engine"
	"tenon/engine/feed"
)

// session reads the lines of one turn.
type session struct {
	*feed.Feed
	process *process
	id      string
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
	s := &session{feed.New(cancel), p, id}
	go s.read(resp.Body)
	return s, nil
}

// read passes the lines on until the turn ends, the child is lost or the session is closed: the
// child notices the closed stream and frees the slot.
func (s *session) read(body io.ReadCloser) {
	defer s.End()
	defer body.Close()
	sent := false
	for lines := json.NewDecoder(body); ; {
		var l updateLine
		if err := lines.Decode(&l); err != nil {
			if !s.Closed() {
				s.Put(engine.Update{}, s.process.explain(err, sent))
			}
			return
		}
		if l.Error != nil {
			s.Put(engine.Update{}, l.Error.Err())
			return
		}
		if l.Finish != nil {
			s.process.served.Store(true)
		}
		sent = sent || len(l.Tokens) > 0
		if !s.Put(l.update(), nil) || l.Finish != nil {
			return
		}
	}
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
