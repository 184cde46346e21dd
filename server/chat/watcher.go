package chat

import (
	"context"

	"tenon/engine"
	"tenon/grammar"
	"tenon/templates"
)

// Watcher sees a turn from outside. Package record has one, which writes everything down.
type Watcher interface {
	// Model is told of the model that the turn has got. The turn runs on the one it returns,
	// whose engine may tell the watcher of its sessions.
	Model(Model) Model
	// Planned is told what was decided, or why nothing was.
	Planned(Decision, error)
	// Event is told of an event before it leaves.
	Event(Event)
	// Ended is told how the turn ended, when all else is done.
	Ended(error)
}

// Decision is what was decided about a turn before its engine saw it.
type Decision struct {
	Request   Request // it may have been shortened
	Turn      engine.Turn
	Rendering templates.Rendering
	Issues    []grammar.Issue // keywords of schemas that the mask does not enforce
	Ignored   []string        // fields that turned out to have no effect
}

func (p planned) decision(r Request) Decision {
	return Decision{r, p.turn, p.rendering, p.issues, p.ignored}
}

// Plan decides about a turn as [Service.Run] would, and does not run it.
func (s *Service) Plan(m Model, r Request) (Decision, error) {
	p, err := s.plan(m, r)
	return p.decision(r), err
}

// Watch begins to watch a turn, before it does anything. The turn runs under the context that it
// returns. nPredict is [Service.NPredict].
type Watch func(ctx context.Context, r Request, nPredict int) (context.Context, Watcher)

type watchKey struct{}

// WithWatch has the turns that run under the context watched.
func WithWatch(ctx context.Context, w Watch) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

// watched begins a turn's watch. Without one the watcher is nobody.
func (s *Service) watched(ctx context.Context, r Request) (context.Context, Watcher) {
	if watch, ok := ctx.Value(watchKey{}).(Watch); ok {
		return watch(ctx, r, s.NPredict)
	}
	return ctx, nobody{}
}

// seenBy has a watcher see the events that go to out.
func seenBy(w Watcher, out Sink) Sink {
	return func(e Event) error {
		w.Event(e)
		return out(e)
	}
}

// nobody watches nothing.
type nobody struct{}

func (nobody) Model(m Model) Model     { return m }
func (nobody) Planned(Decision, error) {}
func (nobody) Event(Event)             {}
func (nobody) Ended(error)             {}
