package chat

import (
	"context"
	"reflect"
	"sync"
	"time"

	"tenon/engine"
	"tenon/server/chat/prepared"
)

// watch sees a turn from outside: what goes to the engine and comes from it, and which events
// leave. Nothing that happens in between can escape it, and nothing in between knows of it.
type watch struct {
	begin   time.Time
	choices int    // sessions that a turn without retries opens
	trace   *Trace // nil: the outcome is all that is wanted

	mu      sync.Mutex // guards what follows: sessions may run side by side
	opened  int
	outcome *Outcome
}

// model returns m with its engine watched.
func (w *watch) model(m Model) Model {
	w.outcome.Model = m.ID
	if w.trace != nil {
		w.trace.Source.take(m)
	}
	m.Engine = watchedEngine{m.Engine, w}
	return m
}

// planned takes down what was decided about the turn, and the request that it was decided for: it
// may have been shortened.
func (w *watch) planned(p planned, r Request) {
	w.outcome.Issues = len(p.issues)
	w.outcome.Failed = failedTools(r.Conversation)
	if w.trace != nil {
		w.trace.Source.Now = r.Conversation.Now
		w.trace.Request = r
		w.trace.plan(p)
	}
}

// sink returns a sink that sees the events before out does.
func (w *watch) sink(out Sink) Sink {
	return func(e Event) error {
		switch e.Kind {
		case CallEnd:
			w.outcome.Calls = append(w.outcome.Calls, e.Call)
		case Finished:
			w.outcome.Finishes = append(w.outcome.Finishes, e.Finish)
		case Text, Reasoning, CallStart:
			if w.outcome.FirstToken == 0 {
				w.outcome.FirstToken = time.Since(w.begin)
			}
		}
		if w.trace != nil {
			w.trace.Events = append(w.trace.Events, e)
		}
		return out(e)
	}
}

// end takes down how the turn ended. Run calls it when it returns.
func (w *watch) end(err error) {
	w.outcome.Took = time.Since(w.begin)
	w.outcome.Retries = max(w.opened-w.choices, 0)
	if err != nil {
		w.outcome.Err = AsError(err)
	}
	if w.trace != nil {
		w.trace.end(w.outcome)
	}
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
func (s *ModelSource) take(m Model) {
	info := m.Engine.Model()
	s.ChatTemplate, s.ToolFormat, s.Dialect = m.Template, m.ToolFormat, m.Dialect.Name()
	s.BOS, s.EOS, s.Context, s.Engine = info.Vocab.BOS, info.Vocab.EOS, info.Context, info.Can
	s.Markers = prepared.MarkerTexts(info)
	if markers, ok := infillMarkers(info); ok {
		s.Infill = markers[:]
	}
	if !reflect.DeepEqual(m.Teaching, Teaching{}) {
		s.Teaching = &m.Teaching
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
