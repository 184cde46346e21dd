package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"tenon/engine"
	"tenon/engine/feed"
)

// session is a turn on an upstream.
type session struct {
	*feed.Feed
	engine *Engine
	turn   turn
	cancel context.CancelCauseFunc

	begun, first time.Time
	usage        engine.Usage
	conclusion   conclusion
	last         *engine.Finish
	sent         bool // a token was handed over: the turn cannot begin again elsewhere
	concluded    atomic.Bool
}

// Why a turn's stream is given up.
var (
	errConcluded = errors.New("the turn was told to end")
	errSilent    = fmt.Errorf("%w: it has been silent for too long", errLost)
)

// run plays the turn, once more on another upstream where the first was lost or busy before it had
// said anything.
func (s *session) run(ctx context.Context) {
	defer s.End()
	s.begun = time.Now()
	var not *upstream
	for {
		at, err := s.engine.choose(ctx, s.turn, not)
		if err == nil {
			err = s.on(ctx, at.upstream)
			s.engine.done(at, err)
		}
		switch {
		case s.concluded.Load():
			s.finishLegally(engine.Finish{Reason: engine.Stop, Usage: s.usage})
		case s.last != nil && s.last.Reason == engine.Length:
			s.finishLegally(*s.last)
		case s.last != nil:
			s.finish(*s.last)
		case err == nil, s.Closed():
		case at.upstream != nil && not == nil && !s.sent && ctx.Err() == nil && (errors.Is(err, errLost) || errors.Is(err, engine.ErrBusy)) && s.engine.another(at.upstream):
			not = at.upstream
			continue
		case s.engine.ctx.Err() != nil:
			s.Put(engine.Update{}, engine.ErrClosed)
		case at.upstream != nil && errors.Is(err, errLost) && !s.sent:
			s.Put(engine.Update{}, fmt.Errorf("%w; nothing of the answer was sent, try again", err))
		default:
			s.Put(engine.Update{}, err)
		}
		return
	}
}

// on plays the turn on an upstream.
func (s *session) on(ctx context.Context, u *upstream) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := s.engine.options.Silence
	quiet := time.AfterFunc(silence, func() { cancel(errSilent) })
	defer quiet.Stop()
	a, t, err := s.engine.phrase(u, s.turn)
	if err != nil {
		return err
	}
	if t.syntax != nil {
		bytes, err := s.engine.bytes()
		if err != nil {
			return err // the model's markers are no vocabulary
		}
		s.conclusion = newConclusion(t.syntax, bytes, t.Budget.Tokens)
	}
	return play(ctx, u.client, a, t, func(d delta) bool {
		quiet.Reset(d.patience(silence))
		s.engine.seen(u)
		return s.take(d)
	})
}

// take hands over what an event says. It is false where nothing more is wanted.
func (s *session) take(d delta) bool {
	if d.progress != nil {
		s.usage.Prompt, s.usage.Cached = d.progress.Total, d.progress.Cached
		if !s.Put(engine.Update{Progress: d.progress}, nil) {
			return false
		}
	}
	if len(d.tokens) > 0 && !s.concluded.Load() {
		if s.first.IsZero() {
			s.first = time.Now()
		}
		if s.follow(&d); len(d.tokens) > 0 {
			s.sent = true
			if !s.Put(engine.Update{Tokens: d.tokens}, nil) {
				return false
			}
		}
	}
	s.last = d.finish
	return d.finish == nil
}

// follow counts what an event says, and ends the turn there where its budget holds no more than
// its end.
func (s *session) follow(d *delta) {
	for i := range d.tokens {
		s.engine.spell(&d.tokens[i])
		if !s.conclusion.token(d.tokens[i], s.left()-1) {
			d.tokens, d.finish = d.tokens[:i], &engine.Finish{Reason: engine.Length, Usage: s.usage}
			return
		}
		s.usage.Generated++
	}
}

// left is how many tokens the turn may still have.
func (s *session) left() int {
	if most := s.turn.Budget.Tokens; most > 0 {
		return most - s.usage.Generated
	}
	return math.MaxInt
}

// finishLegally ends a turn that was cut short with what its grammar wants for that.
func (s *session) finishLegally(f engine.Finish) {
	if rest := s.conclusion.rest(s.left()); len(rest) > 0 {
		f.Usage.Generated = cmp.Or(f.Usage.Generated, s.usage.Generated) + len(rest)
		if !s.Put(engine.Update{Tokens: rest}, nil) {
			return
		}
	}
	s.finish(f)
}

func (s *session) finish(f engine.Finish) {
	if s.first.IsZero() {
		s.first = time.Now()
	}
	if f.Timing == (engine.Timing{}) {
		f.Timing = engine.Timing{Prompt: s.first.Sub(s.begun), Decode: time.Since(s.first)}
	}
	if f.Usage.Prompt == 0 {
		f.Usage.Prompt = s.turn.size()
	}
	f.Usage.Generated = cmp.Or(f.Usage.Generated, s.usage.Generated)
	f.Usage.Cached = min(f.Usage.Cached, f.Usage.Prompt)
	s.engine.count(f.Usage)
	s.Put(engine.Update{Finish: &f}, nil)
}

// Decide implements engine.Session. No turn waits for a verdict here.
func (s *session) Decide(context.Context, engine.Verdict) error { return engine.ErrUnsupported }

// Conclude implements engine.Session: the rest is written here.
func (s *session) Conclude(context.Context) error {
	s.concluded.Store(true)
	s.cancel(errConcluded)
	return nil
}

// piece is a token of the local vocabulary.
type piece struct {
	text   string
	symbol bool
}

// spell gives a token with an id the bytes that the vocabulary has for it: the far side leaves out
// those of control tokens. Where it says others, a character that several tokens make up was held
// back, and the ids of the first of them are not known.
func (e *Engine) spell(t *engine.Token) {
	if e.options.Vocabulary == nil || t.ID == engine.NoID {
		return
	}
	for i := range t.Top {
		if one := &t.Top[i]; one.Bytes == nil {
			p, _ := e.pieceOf(one.ID) // without bytes, if it is none of the vocabulary
			one.Bytes = []byte(p.text)
		}
	}
	p, ok := e.pieceOf(t.ID)
	switch {
	case !ok:
		t.ID = engine.NoID
	case p.symbol:
		t.Bytes, t.Kind = []byte(p.text), engine.Symbol
	case t.Bytes == nil:
		t.Bytes = []byte(p.text)
	case p.text != string(t.Bytes):
		t.ID = engine.NoID
	}
}

// pieceOf is a token of the local vocabulary.
func (e *Engine) pieceOf(id int32) (piece, bool) {
	if kept, ok := e.pieces.Load(id); ok {
		return kept.(piece), true
	}
	v := e.options.Vocabulary
	text, err := v.Text(e.ctx, []int32{id}, true)
	if err != nil {
		return piece{}, false
	}
	p := piece{text: string(text)}
	for _, m := range v.Model().Vocab.Markers {
		p.symbol = p.symbol || m.ID == id
	}
	e.pieces.Store(id, p)
	return p, true
}
