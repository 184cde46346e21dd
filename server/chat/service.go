package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"tenon/engine"
	"tenon/server/chat/prepared"
)

// Models finds and loads models. Package loader has one.
type Models interface {
	// Acquire returns the model that name means, loaded, and what gives it back; "" means the
	// only one there is. An unknown name is an *Error of kind NotFound that lists the names
	// there are.
	Acquire(ctx context.Context, name string) (Model, func(), error)
}

// Model is a loaded model and how to talk to it.
type Model = prepared.Model

// Teaching is how a model is helped with its tools.
type Teaching = prepared.Teaching

// Service runs turns. Models must be set; all methods may be called from any goroutine.
type Service struct {
	Models   Models
	Default  string // model of requests that name none or one there is not; "": none
	NPredict int    // most tokens of any answer; 0 or less: no limit of the server's own
	// least bytes of a streamed piece of text, thinking or arguments, where more follows; 0:
	// each token is one
	MinDelta int

	Now func() time.Time // nil: time.Now

	suspects suspects

	dates dates // a conversation's prompt keeps the date it began with
}

// Run generates the turn that r asks for and gives its events to sink, which is called from one
// goroutine at a time. It returns once the last choice has finished, or with an *Error; cancelling
// ctx frees the slots within one token.
func (s *Service) Run(ctx context.Context, r Request, sink Sink) (err error) {
	r.Model = s.Named(r.Model)
	ctx, w := s.watched(ctx, r)
	defer func() { w.Ended(err) }()
	m, release, err := s.acquire(ctx, &r.Model)
	if err != nil {
		return AsError(err)
	}
	defer release()
	if k, ok := s.Models.(Keeper); ok && r.TTL > 0 {
		k.Keep(r.Model, r.TTL)
	}
	m, r, sink = w.Model(m), s.dated(ctx, r), seenBy(w, s.joined(r, sink))
	r, p, dropped, err := s.decide(ctx, m, r)
	w.Planned(p.decision(r), err)
	if err != nil {
		return AsError(err)
	}
	key := p.key(m.ID)
	if err := s.suspects.refuse(key, s.now()); err != nil {
		return err
	}
	sessions, err := open(ctx, m, p, max(r.N, 1))
	// it ended unnoticed before this turn: nothing was sent, so a new one may try
	if errors.Is(err, engine.ErrWorkerLost) {
		sessions, err = open(ctx, m, p, max(r.N, 1))
	}
	if err != nil {
		return AsError(explainOverflow(ctx, m, r, err))
	}
	defer closeAll(sessions)
	defer func() { // from here on it runs
		if died := errors.Is(err, engine.ErrWorkerLost); died || err == nil {
			s.suspects.ended(key, died, s.now())
		}
	}()
	if err := sink(Event{Kind: Started, Model: r.Model, Issues: p.issues, Ignored: p.ignored, Dropped: dropped, Weaker: weaker(p.can)}); err != nil {
		return gone(err)
	}
	return answering{s, m, r, p}.runAll(ctx, sessions, sink)
}

// acquire returns the model that a request names, or the default; the name is what answers call it
// then.
func (s *Service) acquire(ctx context.Context, name *string) (Model, func(), error) {
	if *name = s.Named(*name); *name == "" {
		return Model{}, nil, NoModel()
	}
	m, release, err := s.Models.Acquire(ctx, *name)
	if s.Default != "" && err != nil && AsError(err).Kind == NotFound {
		m, release, err = s.Models.Acquire(ctx, s.Default)
	}
	if err != nil {
		return m, nil, fmt.Errorf("acquire model %q: %w", *name, err)
	}
	return m, release, nil
}

// Named is what answers call the model of a request: the name that it asks for, or the default's.
func (s *Service) Named(model string) string { return cmp.Or(model, s.Default) }

// decide plans a turn, with as much of its conversation as it allows to be left out.
func (s *Service) decide(ctx context.Context, m Model, r Request) (Request, planned, int, error) {
	if r.Truncate {
		return s.truncate(ctx, m, r)
	}
	p, err := s.plan(m, r)
	return r, p, 0, err
}

// Keeper is [Models] that unload what is idle.
type Keeper interface {
	// Keep sets how long the loaded model of a name stays when it is idle.
	Keep(name string, ttl time.Duration)
}

// Peeker tells of a model without loading it. Of [Models] that implement it, those that are not
// loaded are not loaded to count tokens.
type Peeker interface {
	// Idle tells that a model of the name is there and not loaded.
	Idle(name string) bool
}

// Count returns how many tokens the prompt of r has, as a run would be charged for it, or about
// how many if the model is not loaded.
func (s *Service) Count(ctx context.Context, r Request) (Tokens, error) {
	if s.idle(ctx, s.Named(r.Model)) {
		n, err := estimate(r)
		return n, AsErrorOrNil(err)
	}
	return with(ctx, s.acquire, r.Model, func(m Model) (Tokens, error) {
		p, err := s.plan(m, s.dated(ctx, r))
		if err != nil {
			return Tokens{}, err
		}
		return count(ctx, m, p.turn.Prompt)
	})
}

// idle tells that the model that serves a name is there and not loaded.
func (s *Service) idle(ctx context.Context, name string) bool {
	p, ok := s.Models.(Peeker)
	if !ok || p.Idle(name) || s.Default == "" || !p.Idle(s.Default) {
		return ok && p.Idle(name)
	}
	// where no model has the name, nothing is loaded
	_, release, err := s.Models.Acquire(ctx, name)
	if err != nil {
		return AsError(err).Kind == NotFound
	}
	release()
	return false
}

// dated gives the conversation its date, and has its planning end with ctx.
func (s *Service) dated(ctx context.Context, r Request) Request {
	r.Conversation.Stop = ctx.Err
	r.Conversation.Now = s.now()
	if !r.Forget {
		r.Conversation.Now = s.dates.of(r.CacheKey, r.Conversation, r.Conversation.Now)
	}
	return r
}

func (s *Service) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// open begins the sessions of all choices. The prompt is evaluated once: the engine shares what
// they have in common.
func open(ctx context.Context, m Model, p planned, n int) ([]engine.Session, error) {
	var sessions []engine.Session
	for i := range n {
		session, err := openChoice(ctx, m, p, i)
		if err != nil {
			closeAll(sessions)
			return nil, err
		}
		sessions = append(sessions, session)
	}
	return sessions, nil
}

func openChoice(ctx context.Context, m Model, p planned, index int) (engine.Session, error) {
	turn := p.turn
	if seed := turn.Sampling.Seed; seed != nil {
		next := *seed + uint32(index)
		turn.Sampling.Seed = &next
	}
	session, err := m.Engine.Open(ctx, turn)
	if err != nil {
		return nil, fmt.Errorf("open a turn on %s: %w", m.ID, err)
	}
	return session, nil
}

func closeAll(sessions []engine.Session) {
	for _, s := range sessions {
		_ = s.Close() // the turn has ended either way; there is nobody to tell
	}
}

// runAll runs every choice. Several run side by side, their events in one sink.
func (a answering) runAll(ctx context.Context, sessions []engine.Session, sink Sink) error {
	if len(sessions) == 1 {
		return AsErrorOrNil(a.choice(sessions[0], 0, sink).run(ctx))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, done := make(chan Event), make(chan error, len(sessions))
	for i, session := range sessions {
		send := func(e Event) error {
			select {
			case events <- e:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		run := a.choice(session, i, send)
		go func() { done <- run.run(ctx) }()
	}
	return gather(cancel, events, done, len(sessions), sink)
}

// gather passes events on until every choice has ended; the first failure ends the others.
func gather(cancel func(), events <-chan Event, done <-chan error, running int, sink Sink) error {
	var first error
	fail := func(err error) {
		if first == nil && err != nil {
			first = err
			cancel()
		}
	}
	for running > 0 {
		select {
		case e := <-events:
			if first == nil {
				if err := sink(e); err != nil {
					fail(gone(err))
				}
			}
		case err := <-done:
			running--
			fail(err)
		}
	}
	return AsErrorOrNil(first)
}

func gone(err error) *Error {
	return &Error{Kind: ClientGone, Message: "the client is gone", Err: err}
}
