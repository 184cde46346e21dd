package enginetest

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"tenon/engine"
)

var _ engine.Engine = (*Scripted)(nil)

// Scripted is an engine that answers each turn with the next of its Replies, whatever the prompt
// and the grammar say, and remembers the turns it was asked for. Its tokens are bytes: id = byte
// value, and one id above 255 per marker.
type Scripted struct {
	// Markers must have ids above 255; Context 0 means 4096, Slots 0 means 1, no Can means
	// Everything
	Info engine.Model
	// Play answers a turn in place of the replies, for clients that ask in an order of their
	// own; nil: the replies do. It may be called from any goroutine.
	Play func(engine.Turn) Reply

	mu       sync.Mutex // guards what follows
	replies  []Reply
	turns    []engine.Turn
	verdicts []engine.Verdict
	open     int
	closed   bool
}

// Reply is one scripted turn.
type Reply struct {
	Tokens []engine.Token
	Reason engine.Reason // "" is engine.Stop
	Err    error         // returned by Next after the tokens, in place of the finish
	// if set, the reply waits before each token until it can receive or the session is closed
	Hold   chan struct{}
	Checks []int            // after so many of the tokens a check comes, with the last of them
	Read   *engine.Progress // told before the tokens, if set
	// what goes on from where a verdict takes the output back to, one after the other; none:
	// the same tokens
	Again []Reply
	// what is said in place of the rest once the session is told to conclude
	Ending []engine.Token
}

// Unmasked is what an engine can do that has a model, but follows no grammar.
var Unmasked = engine.Can{IDs: true, Tokenizer: engine.LocalTokenizer, Mask: engine.NoMask, Symbols: true, Logprobs: true}

// Textual is what an engine can do that takes text and gives text.
var Textual = engine.Can{Tokenizer: engine.NoTokenizer, Mask: engine.NoMask, Sampling: "temperature,top_p"}

// Say is a reply of plain text, one token a rune.
func Say(text string) Reply {
	var r Reply
	for _, c := range text {
		r.Tokens = append(r.Tokens, engine.Token{ID: int32(string(c)[0]), Bytes: []byte(string(c))})
	}
	return r
}

// Script returns an engine that plays the replies in order. A turn beyond the last gets an empty
// reply.
func Script(replies ...Reply) *Scripted {
	return &Scripted{replies: replies}
}

// Turns returns the turns opened so far.
func (s *Scripted) Turns() []engine.Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.turns)
}

// Verdicts returns the verdicts given so far.
func (s *Scripted) Verdicts() []engine.Verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.verdicts)
}

// Running returns how many sessions are open.
func (s *Scripted) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// Model implements engine.Engine.
func (s *Scripted) Model() engine.Model {
	m := s.Info
	if m.Context == 0 {
		m.Context = 4096
	}
	if m.Slots == 0 {
		m.Slots = 1
	}
	if m.Can == (engine.Can{Embeddings: m.Can.Embeddings}) {
		embeds := m.Can.Embeddings
		m.Can = engine.Everything
		m.Can.Embeddings = embeds
	}
	return m
}

// Tokens implements engine.Engine: one token a byte, one a marker.
func (s *Scripted) Tokens(_ context.Context, p engine.Prompt) ([]int32, error) {
	if !s.Model().Can.Tokenizes() {
		return nil, engine.ErrUnsupported
	}
	return s.prompt(p), nil
}

func (s *Scripted) prompt(p engine.Prompt) (ids []int32) {
	for _, piece := range p {
		ids = append(ids, s.tokens(piece)...)
	}
	return ids
}

func (s *Scripted) tokens(p engine.Piece) []int32 {
	if p.Origin == engine.Kept {
		return p.Tokens
	}
	if p.Origin == engine.Symbolic {
		if i := slices.IndexFunc(s.Info.Vocab.Markers, func(m engine.Marker) bool { return m.Text == p.Text }); i >= 0 {
			return []int32{s.Info.Vocab.Markers[i].ID}
		}
	}
	ids := make([]int32, len(p.Text))
	for i := range ids {
		ids[i] = int32(p.Text[i])
	}
	return ids
}

// Text implements engine.Engine.
func (s *Scripted) Text(_ context.Context, ids []int32, special bool) ([]byte, error) {
	if !s.Model().Can.Tokenizes() {
		return nil, engine.ErrUnsupported
	}
	var b []byte
	for _, id := range ids {
		if id < 256 {
			b = append(b, byte(id))
		} else if i := slices.IndexFunc(s.Info.Vocab.Markers, func(m engine.Marker) bool { return m.ID == id }); i >= 0 && special {
			b = append(b, s.Info.Vocab.Markers[i].Text...)
		}
	}
	return b, nil
}

// Open implements engine.Engine.
func (s *Scripted) Open(_ context.Context, t engine.Turn) (engine.Session, error) {
	ids, m := s.prompt(t.Prompt), s.Model()
	if len(ids) >= m.Context {
		return nil, &engine.ContextError{Prompt: len(ids), Context: m.Context}
	}
	if t.Exact && t.Grammar != "" && m.Can.Mask != engine.ExactMask {
		return nil, engine.ErrInexact
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, engine.ErrClosed
	}
	s.turns = append(s.turns, t)
	s.open++
	var r Reply
	if s.Play != nil {
		r = s.Play(t)
	} else if len(s.replies) > 0 {
		r, s.replies = s.replies[0], s.replies[1:]
	}
	return &scriptedSession{engine: s, reply: r, turn: t, prompt: len(ids), done: make(chan struct{})}, nil
}

// Embed implements engine.Engine.
func (s *Scripted) Embed(context.Context, []engine.Prompt) ([]engine.Embedding, error) {
	return nil, engine.ErrUnsupported
}

// Close implements engine.Engine.
func (s *Scripted) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

type scriptedSession struct {
	engine *Scripted
	reply  Reply
	turn   engine.Turn
	prompt int
	ended  bool

	sent    int // of the reply's tokens
	kept    int // tokens from before the last rewind
	rewound int
	parked  bool

	once sync.Once
	done chan struct{} // closed by Close
}

func (s *scriptedSession) Next(ctx context.Context) (engine.Update, error) {
	if s.ended {
		return engine.Update{}, io.EOF
	}
	if read := s.reply.Read; read != nil {
		s.reply.Read = nil
		return engine.Update{Progress: read}, nil
	}
	reason := s.reply.Reason
	if n := s.turn.Budget.Tokens; n > 0 && s.kept+s.sent == n && s.sent < len(s.reply.Tokens) {
		reason = engine.Length
	} else if s.sent < len(s.reply.Tokens) || s.parked {
		return s.token(ctx)
	} else if s.reply.Err != nil {
		s.ended = true
		return engine.Update{}, s.reply.Err
	}
	if reason == "" {
		reason = engine.Stop
	}
	return s.finish(reason), nil
}

func (s *scriptedSession) token(ctx context.Context) (engine.Update, error) {
	select {
	case <-s.done:
		return s.finish(engine.Cancelled), nil
	case <-ctx.Done():
		return engine.Update{}, ctx.Err()
	default:
	}
	hold := s.reply.Hold
	if s.parked {
		hold = make(chan struct{}) // whoever reads on without a verdict waits for ever
	}
	if hold != nil {
		select {
		case <-hold:
		case <-s.done:
			return s.finish(engine.Cancelled), nil
		case <-ctx.Done():
			return engine.Update{}, ctx.Err()
		}
	}
	u := engine.Update{Tokens: slices.Clone(s.reply.Tokens[s.sent : s.sent+1])}
	can := s.engine.Model().Can
	if t := &u.Tokens[0]; !can.IDs {
		t.ID = engine.NoID
	}
	if t := &u.Tokens[0]; !can.Symbols && t.Kind == engine.Symbol {
		t.Kind = engine.Sampled
	}
	s.sent++
	if s.parked = slices.Contains(s.reply.Checks, s.sent); s.parked {
		u.Check = &engine.Check{Offset: s.kept}
	}
	return u, nil
}

func (s *scriptedSession) finish(r engine.Reason) engine.Update {
	s.ended = true
	usage := engine.Usage{Prompt: s.prompt, Generated: s.kept + s.sent, Rewound: s.rewound}
	return engine.Update{Finish: &engine.Finish{Reason: r, Usage: usage}}
}

// Decide implements engine.Session.
func (s *scriptedSession) Decide(_ context.Context, v engine.Verdict) error {
	if !s.parked {
		return errors.New("the session waits for no verdict")
	}
	s.engine.mu.Lock()
	s.engine.verdicts = append(s.engine.verdicts, v)
	s.engine.mu.Unlock()
	s.parked = false
	if v.Rewind {
		s.rewind(v.Offset)
	}
	return nil
}

func (s *scriptedSession) rewind(offset int) {
	s.rewound += s.kept + s.sent - offset
	again := s.reply
	if len(s.reply.Again) > 0 {
		again = s.reply.Again[0]
		again.Again = s.reply.Again[1:]
		s.kept, s.sent = offset, 0
	} else {
		s.sent = offset - s.kept
	}
	s.reply = again
}

// Conclude implements engine.Session.
func (s *scriptedSession) Conclude(context.Context) error {
	s.reply.Tokens = slices.Concat(s.reply.Tokens[:s.sent], s.reply.Ending)
	s.reply.Ending = nil
	return nil
}

// Close implements engine.Session.
func (s *scriptedSession) Close() error {
	s.once.Do(func() {
		close(s.done)
		s.engine.mu.Lock()
		s.engine.open--
		s.engine.mu.Unlock()
	})
	return nil
}
