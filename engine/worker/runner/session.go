package runner

import (
	"context"
	"io"
	"sync"

	"tenon/engine"
)

// mailboxTokens is how many tokens may wait for a reader before its turn pauses.
const mailboxTokens = 512

// wholeTokens is how many tokens of a whole turn are handed over at once. The way of a token to
// the server and through it takes 0.4 ms of CPU time from the threads that compute, which wait for
// each other; 32 tokens go it in the time of two.
const wholeTokens = 32

// mailbox holds a turn's updates between the loop and the session's reader. Tokens that nobody has
// read are handed over together.
type mailbox struct {
	drained func() // called, without the lock, when a full mailbox has been emptied
	whole   bool   // the reader is not woken for each token

	mu       sync.Mutex // guards what follows
	progress *engine.Progress
	tokens   []engine.Token
	check    *engine.Check // the last of tokens ends at it
	finish   *engine.Finish
	err      error
	begun    bool          // a token was put
	signal   chan struct{} // holds one element while there is something to take
}

func newMailbox(whole bool, drained func()) *mailbox {
	return &mailbox{drained: drained, whole: whole, signal: make(chan struct{}, 1)}
}

// put changes the contents and wakes the reader.
func (m *mailbox) put(change func(*mailbox)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(m)
	if m.gathers() {
		return
	}
	m.begun = m.begun || len(m.tokens) > 0
	select {
	case m.signal <- struct{}{}:
	default:
	}
}

// gathers tells whether more tokens are waited for before the reader is woken. The first is not
// kept from it: by its time is known when the answer began.
func (m *mailbox) gathers() bool {
	return m.whole && m.begun && len(m.tokens) < wholeTokens && m.progress == nil && m.check == nil && m.finish == nil && m.err == nil
}

// full tells whether the turn should pause.
func (m *mailbox) full() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.tokens) >= mailboxTokens
}

// take returns the next update in order, false if there is none.
func (m *mailbox) take() (u engine.Update, err error, ok bool) {
	wasFull := false
	defer func() {
		if wasFull {
			m.drained()
		}
	}()
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.progress != nil:
		u.Progress, m.progress = m.progress, nil
	case len(m.tokens) > 0:
		wasFull = len(m.tokens) >= mailboxTokens
		u.Tokens, m.tokens = m.tokens, nil
		u.Check, m.check = m.check, nil
	case m.err != nil:
		err = m.err
	case m.finish != nil:
		u.Finish = m.finish
	default:
		return u, nil, false
	}
	return u, err, true
}

// session is the reader's side of a turn.
type session struct {
	runner *Runner
	turn   *turn
	ended  bool // Next has returned the last update
}

// Next implements engine.Session.
func (s *session) Next(ctx context.Context) (engine.Update, error) {
	if s.ended {
		return engine.Update{}, io.EOF
	}
	for {
		u, err, ok := s.turn.mail.take()
		if ok {
			s.ended = err != nil || u.Finish != nil
			return u, err
		}
		select {
		case <-s.turn.mail.signal:
		case <-ctx.Done():
			return engine.Update{}, ctx.Err()
		}
	}
}

// Decide implements engine.Session.
func (s *session) Decide(ctx context.Context, v engine.Verdict) error {
	g, err := compile(ctx, v.Grammar)
	if err != nil {
		return err
	}
	return s.runner.ask(ctx, func(l *loop) error { return l.decide(s.turn, v, g) })
}

// Conclude implements engine.Session.
func (s *session) Conclude(ctx context.Context) error {
	return s.runner.ask(ctx, func(l *loop) error {
		l.conclude(s.turn)
		return nil
	})
}

// Close implements engine.Session.
func (s *session) Close() error {
	s.turn.cancel()
	s.runner.post(func(l *loop) { l.end(s.turn, engine.Cancelled) })
	return nil
}
