package loader

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server/chat"
	"tenon/server/chat/prepared"
)

var (
	_ chat.Peeker = (*Loader)(nil)
	_ chat.Peeker = (*fleet.Fleet)(nil)
	_ chat.Keeper = (*Loader)(nil)
	_ chat.Keeper = (*fleet.Fleet)(nil)
)

// Manager loads engines. *fleet.Fleet implements it.
type Manager interface {
	Acquire(ctx context.Context, r fleet.Request) (*fleet.Lease, error)
}

// Options say how models are talked to. The zero value finds everything out by itself.
type Options struct {
	// Teaching is how a model is helped with its tools, by its id; nil: no model is.
	Teaching func(id string) prepared.Teaching
	// By model; that of "" is for all that are not named. ToolFormat is "", "auto" or a
	// dialect's name.
	ToolFormat map[string]string
	// what a request does not set; it wins over the model's file
	Sampling map[string]engine.Sampling
	// of all models: what somebody has set for them
	Chosen engine.Sampling
	// likewise, with what is built in: what the file does not set either
	Defaults engine.Sampling
	// where what was found out of chat templates is kept; "": nowhere
	StateDir string
}

// Loader prepares what a manager loads: it parses the chat template, probes it and finds the
// dialect, once per instance.
type Loader struct {
	manager Manager
	options atomic.Pointer[Options]

	mu       sync.Mutex          // guards what follows
	warnings map[string][]string // by model
	traits   map[string]Traits   // by file and template
}

// New prepares the models of m.
func New(m Manager, o Options) *Loader {
	l := &Loader{manager: m, warnings: map[string][]string{}, traits: map[string]Traits{}}
	l.Configure(o)
	return l
}

// Configure takes other options. Turns that run go on as they began; the next ones of a loaded
// model are prepared anew.
func (l *Loader) Configure(o Options) { l.options.Store(&o) }

// Warnings are what whoever runs a model should know of it: why its chat template is not used.
// They are known once the model was acquired.
func (l *Loader) Warnings(id string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.warnings[id]
}

// teaching is a model's.
func (o Options) teaching(id string) prepared.Teaching {
	if o.Teaching == nil {
		return prepared.Teaching{}
	}
	return o.Teaching(id)
}

// toolFormat is a model's own, else that of all.
func (o Options) toolFormat(id string) string {
	if f, ok := o.ToolFormat[id]; ok {
		return f
	}
	return o.ToolFormat[""]
}

// sampling is a model's own, and what its file does not set either. Upstreams have defaults of
// their own, and some refuse what they are told.
func (o Options) sampling(e catalog.Entry) (own, defaults engine.Sampling) {
	if e.Remote != nil {
		return o.Sampling[e.ID], o.Chosen
	}
	return o.Sampling[e.ID].Or(e.Sampling), o.Defaults
}

// Acquire implements chat.Models.
func (l *Loader) Acquire(ctx context.Context, name string) (chat.Model, func(), error) {
	lease, err := l.manager.Acquire(ctx, fleet.Request{Name: name})
	if err != nil {
		return chat.Model{}, nil, OfFleet(err)
	}
	m, err := l.prepare(lease)
	if err != nil {
		lease.Release()
		return chat.Model{}, nil, err
	}
	return m, lease.Release, nil
}

// Idle implements chat.Peeker.
func (l *Loader) Idle(name string) bool {
	p, ok := l.manager.(chat.Peeker)
	return ok && p.Idle(name)
}

// Keep implements chat.Keeper.
func (l *Loader) Keep(name string, ttl time.Duration) {
	if k, ok := l.manager.(chat.Keeper); ok {
		k.Keep(name, ttl)
	}
}

// prepare returns what goes with the instance, which is made for the first that asks.
func (l *Loader) prepare(lease *fleet.Lease) (chat.Model, error) {
	id := lease.Entry.ID
	o := l.options.Load()
	own, defaults := o.sampling(lease.Entry)
	made, err := lease.Prepared(o, func() (any, error) {
		m, err := prepared.Prepare(lease.Entry, lease.Engine, prepared.Options{
			ToolFormat: o.toolFormat(id), Teaching: o.teaching(id), Sampling: own, Defaults: defaults, StateDir: o.StateDir,
		})
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.warnings[id] = m.Warnings
		for _, warning := range m.Warnings {
			slog.Warn(warning, "model", id)
		}
		return m, nil
	})
	if err != nil {
		return chat.Model{}, err
	}
	return made.(chat.Model), nil
}

// OfFleet gives an error of the fleet or its catalogue its kind; other errors stay as they are.
func OfFleet(err error) error {
	var missing *catalog.NotFoundError
	var ambiguous *catalog.AmbiguousError
	var load *fleet.LoadError
	var taken *fleet.TakenError
	switch {
	case errors.As(err, &missing) && missing.Name == "":
		return chat.NoModel()
	case errors.As(err, &missing):
		return chat.UnknownModel(missing.Name, missing.Known)
	case errors.As(err, &ambiguous):
		return &chat.Error{Kind: chat.Invalid, Field: "model", Message: ambiguous.Error(), Err: err}
	case errors.As(err, &taken):
		return &chat.Error{Kind: chat.Invalid, Field: "identifier", Message: taken.Error(), Err: err}
	case errors.As(err, &load):
		return &chat.Error{Kind: chat.Unavailable, Message: load.Error(), Err: err}
	}
	return err
}
