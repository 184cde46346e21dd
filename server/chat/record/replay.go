package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server/chat"
	"tenon/server/chat/loader"
	"tenon/server/chat/prepared"
)

// Replay runs a saved record again: the same requests, on an engine that says what it said then,
// so that no model is needed. What is planned, parsed and repaired is computed anew. The record
// that it returns is compared with [Compare].
func Replay(ctx context.Context, saved *Record) (*Record, error) {
	if len(saved.Turns) == 0 {
		return nil, errors.New("the record holds no turn")
	}
	again := &Record{ID: saved.ID, Method: saved.Method, Path: saved.Path, Body: saved.Body, Full: true}
	ctx = With(ctx, again)
	for i, t := range saved.Turns {
		if t.Source.Dialect == "" {
			return nil, fmt.Errorf("turn %d never reached a model: %v", i, t.Failure)
		}
		options := loader.Options{
			ToolFormat: map[string]string{"": t.Source.ToolFormat},
			Teaching:   func(string) prepared.Teaching { return t.Source.teaching() },
		}
		s := &chat.Service{
			Models: loader.New(&replayed{trace: t}, options), NPredict: t.Source.NPredict, Now: func() time.Time { return t.Source.Now },
		}
		r := t.Request
		r.Model = t.Model
		_ = s.Run(ctx, r, t.reader()) // how it ended is part of the record
	}
	return again, nil
}

// PlanOnly plans a turn as it would be served by a model that is not loaded, and tells what a
// record would tell of that, and what whoever runs the model should know. The conversation's date
// is the request's.
func PlanOnly(source ModelSource, r chat.Request) (t *Trace, warnings []string, err error) {
	t = &Trace{Model: r.Model, Source: source, Request: r}
	m, err := prepared.Prepare(catalog.Entry{ID: r.Model}, &replayed{trace: t}, prepared.Options{ToolFormat: source.ToolFormat, Teaching: source.teaching()})
	if err != nil {
		return nil, nil, err
	}
	if d, _, ok := m.Format(r.ToolFormat); ok {
		t.Source.Dialect = d.Name()
	}
	d, err := (&chat.Service{}).Plan(m, r)
	if err != nil {
		return nil, m.Warnings, chat.AsError(err)
	}
	t.plan(d)
	t.Request.Ignored = append(t.Request.Ignored, d.Ignored...)
	return t, m.Warnings, nil
}

func (s ModelSource) teaching() prepared.Teaching {
	if s.Teaching == nil {
		return prepared.Teaching{}
	}
	return *s.Teaching
}

// reader takes the events as the client did, which may have left.
func (t *Trace) reader() chat.Sink {
	left := len(t.Events)
	return func(chat.Event) error {
		if left--; left <= 0 && t.Failure != nil && t.Failure.Kind == chat.ClientGone.String() {
			return context.Canceled
		}
		return nil
	}
}

// replayed is the model of a trace: its sessions are those of the trace, in order.
type replayed struct {
	trace *Trace

	mu     sync.Mutex // guards opened
	opened int
}

func (r *replayed) Acquire(context.Context, fleet.Request) (*fleet.Lease, error) {
	return fleet.NewLease(catalog.Entry{ID: r.trace.Model}, r), nil
}

func (r *replayed) Model() engine.Model {
	s := r.trace.Source
	m := engine.Model{Context: s.Context, Template: s.ChatTemplate, Slots: 1, Can: s.Engine, Vocab: engine.Vocab{BOS: s.BOS, EOS: s.EOS}}
	if m.Can == (engine.Can{}) { // planned without a model
		m.Can = engine.Everything
	}
	m.Metadata = map[string]string{}
	for i, text := range s.Markers {
		m.Vocab.Markers = append(m.Vocab.Markers, engine.Marker{ID: int32(i), Text: text})
		if place := slices.Index(s.Infill, text); place >= 0 && place < len(prepared.InfillKeys) {
			m.Metadata[prepared.InfillKeys[place][0]] = strconv.Itoa(i)
		}
	}
	return m
}

func (r *replayed) Open(context.Context, engine.Turn) (engine.Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opened == len(r.trace.Sessions) {
		return nil, errors.New("the record holds no further session")
	}
	s := r.trace.Sessions[r.opened]
	r.opened++
	if s.Refused != nil {
		return nil, s.Refused.Err()
	}
	return &replayedSession{steps: s.Steps}, nil
}

// Tokens counts a token a byte: the record does not hold how the model splits texts.
func (r *replayed) Tokens(_ context.Context, p engine.Prompt) ([]int32, error) {
	return make([]int32, len(p.String())), nil
}

func (r *replayed) Text(context.Context, []int32, bool) ([]byte, error) {
	return nil, engine.ErrUnsupported
}

func (r *replayed) Embed(context.Context, []engine.Prompt) ([]engine.Embedding, error) {
	return nil, engine.ErrUnsupported
}

func (r *replayed) Close() error { return nil }

type replayedSession struct {
	steps []Step
}

func (s *replayedSession) Next(context.Context) (engine.Update, error) {
	for len(s.steps) > 0 {
		step := s.steps[0]
		s.steps = s.steps[1:]
		if step.Error != nil {
			return engine.Update{}, step.Error.Err()
		}
		if step.Verdict == nil && !step.Concluded { // what it was told is decided anew
			return step.update(), nil
		}
	}
	return engine.Update{}, io.ErrUnexpectedEOF // the turn had ended here, and now wants more
}

func (s *replayedSession) Decide(context.Context, engine.Verdict) error { return nil }
func (s *replayedSession) Conclude(context.Context) error               { return nil }
func (s *replayedSession) Close() error                                 { return nil }

func (s Step) update() engine.Update {
	u := engine.Update{Progress: s.Progress, Tokens: make([]engine.Token, len(s.Tokens)), Check: s.Check, Finish: s.Finish}
	for i, t := range s.Tokens {
		u.Tokens[i] = t.token()
	}
	return u
}

func (t TokenTrace) token() engine.Token {
	out := engine.Token{ID: t.ID, Bytes: t.Raw}
	if t.Raw == nil {
		out.Bytes = []byte(t.Text)
	}
	for kind, name := range tokenKinds {
		if name == t.Kind {
			out.Kind = kind
		}
	}
	return out
}
