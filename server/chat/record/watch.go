package record

import (
	"context"
	"reflect"
	"sync"
	"time"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/server/chat/prepared"
)

// watch sees a turn from outside: what goes to the engine and comes from it, and which events
// leave. Nothing that happens in between can escape it, and nothing in between knows of it.
type watch struct {
	begin, acquired time.Time
	choices         int            // sessions that a turn without retries opens
	trace           *Trace         // nil: the outcome is all that is wanted
	ended           func(*Outcome) // of the record's Begun

	mu      sync.Mutex // guards what follows: sessions may run side by side
	opened  int
	outcome *Outcome
}

// watch begins a turn of the record.
func (r *Record) watch(ctx context.Context, asked chat.Request, nPredict int) (context.Context, chat.Watcher) {
	w := &watch{begin: time.Now(), outcome: &Outcome{ToolSet: toolSet(asked.Tools)}, choices: max(asked.N, 1), ended: func(*Outcome) {}}
	w.outcome.Began = w.begin
	for _, t := range asked.Tools {
		w.outcome.Tools = append(w.outcome.Tools, t.Name)
	}
	r.mu.Lock()
	r.Outcomes = append(r.Outcomes, w.outcome)
	if r.Full {
		w.trace = &Trace{Model: asked.Model, Request: asked, Source: ModelSource{NPredict: nPredict}}
		r.Turns = append(r.Turns, w.trace)
	}
	r.mu.Unlock()
	if r.Begun != nil {
		ctx, w.ended = r.Begun(ctx, asked)
	}
	return ctx, w
}

// Model returns m with its engine watched.
func (w *watch) Model(m chat.Model) chat.Model {
	w.acquired, w.outcome.Model = time.Now(), m.ID
	if w.trace != nil {
		w.trace.Source.take(m)
	}
	m.Engine = watchedEngine{m.Engine, w}
	return m
}

// Planned takes down what was decided about the turn, and the request that it was decided for.
func (w *watch) Planned(d chat.Decision, err error) {
	w.outcome.Planning = time.Since(w.acquired)
	if err != nil {
		return
	}
	w.outcome.Issues = len(d.Issues)
	w.outcome.Failed = failedTools(d.Request.Conversation)
	if w.trace != nil {
		w.trace.Source.Now = d.Request.Conversation.Now
		w.trace.Request = d.Request
		w.trace.plan(d)
	}
}

// Event takes down an event.
func (w *watch) Event(e chat.Event) {
	switch e.Kind {
	case chat.CallEnd:
		w.outcome.Calls = append(w.outcome.Calls, e.Call)
	case chat.Finished:
		w.outcome.Finishes = append(w.outcome.Finishes, e.Finish)
	case chat.Text, chat.Reasoning, chat.CallStart:
		if w.outcome.FirstToken == 0 {
			w.outcome.FirstToken = time.Since(w.begin)
		}
	}
	if w.trace != nil {
		w.trace.Events = append(w.trace.Events, e)
	}
}

// Ended takes down how the turn ended.
func (w *watch) Ended(err error) {
	w.outcome.Took = time.Since(w.begin)
	w.outcome.Retries = max(w.opened-w.choices, 0)
	if err != nil {
		w.outcome.Err = chat.AsError(err)
	}
	if w.trace != nil {
		w.trace.end(w.outcome)
	}
	w.ended(w.outcome)
}

// watchedEngine is an engine whose sessions are watched.
type watchedEngine struct {
	engine.Engine
	watch *watch
}

func (e watchedEngine) Open(ctx context.Context, t engine.Turn) (engine.Session, error) {
	s, err := e.Engine.Open(ctx, t)
	w := e.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opened++
	watched := watchedSession{Session: s, watch: w}
	if w.trace != nil {
		watched.trace = w.trace.open(err)
	}
	if err != nil {
		return nil, err
	}
	return watched, nil
}

// watchedSession is a session whose updates and verdicts are watched.
type watchedSession struct {
	engine.Session
	watch *watch
	trace *SessionTrace // nil without a trace
}

func (s watchedSession) Next(ctx context.Context) (engine.Update, error) {
	u, err := s.Session.Next(ctx)
	if s.trace != nil {
		s.trace.add(u, err)
	}
	return u, err
}

func (s watchedSession) Decide(ctx context.Context, v engine.Verdict) error {
	s.watch.mu.Lock()
	s.watch.outcome.Checks++
	if v.Rewind {
		s.watch.outcome.Rewinds++
	}
	s.watch.mu.Unlock()
	if s.trace != nil {
		s.trace.Steps = append(s.trace.Steps, Step{Verdict: &v})
	}
	return s.Session.Decide(ctx, v)
}

func (s watchedSession) Conclude(ctx context.Context) error {
	if s.trace != nil {
		s.trace.Steps = append(s.trace.Steps, Step{Concluded: true})
	}
	return s.Session.Conclude(ctx)
}

// take copies what a plan depends on of the model.
func (s *ModelSource) take(m chat.Model) {
	info := m.Engine.Model()
	s.ChatTemplate, s.ToolFormat, s.Dialect = m.Template, m.ToolFormat, m.Dialect.Name()
	s.BOS, s.EOS, s.Context, s.Engine = info.Vocab.BOS, info.Vocab.EOS, info.Context, info.Can
	s.Markers = prepared.MarkerTexts(info)
	if markers, ok := prepared.InfillMarkers(info); ok {
		s.Infill = markers[:]
	}
	if !reflect.DeepEqual(m.Teaching, prepared.Teaching{}) {
		s.Teaching = &m.Teaching
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
