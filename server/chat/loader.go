package chat

import (
	"context"
	"errors"
	"sync"

	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server/chat/prepared"
)

var (
	_ Models = (*Loader)(nil)
	_ Peeker = (*Loader)(nil)
	_ Peeker = (*fleet.Manager)(nil)
)

// Manager loads engines. *fleet.Manager implements it.
type Manager interface {
	Acquire(ctx context.Context, name string) (catalog.Entry, engine.Engine, func(), error)
}

// LoaderOptions say how models are talked to. The zero value finds everything out by itself.
type LoaderOptions struct {
	// By model; that of "" is for all that are not named.
	ToolFormat map[string]string // "", "auto" or a dialect's name
	Teaching   map[string]Teaching
	Sampling   map[string]engine.Sampling // what a request does not set; it wins over the model's file
}

// Teaching is how a model is helped with its tools.
type Teaching = prepared.Teaching

// Loader prepares what a manager loads: it parses the chat template, probes it and finds the dialect, once per model.
type Loader struct {
	manager Manager
	options LoaderOptions

	mu     sync.Mutex               // guards models
	models map[string]preparedModel // by id
}

type preparedModel struct {
	engine engine.Engine // what it was prepared for; another one after a reload
	model  Model
}

// NewLoader prepares the models of m.
func NewLoader(m Manager, o LoaderOptions) *Loader {
	return &Loader{manager: m, options: o, models: map[string]preparedModel{}}
}

// Warnings are what whoever runs a model should know of it: why its chat template is not used. They are known once the
// model was acquired.
func (l *Loader) Warnings(id string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.models[id].model.Warnings
}

// teaching is a model's own, else that of all.
func (o LoaderOptions) teaching(id string) Teaching {
	if t, ok := o.Teaching[id]; ok {
		return t
	}
	return o.Teaching[""]
}

// toolFormat is a model's own, else that of all.
func (o LoaderOptions) toolFormat(id string) string {
	if f, ok := o.ToolFormat[id]; ok {
		return f
	}
	return o.ToolFormat[""]
}

// Acquire implements Models.
func (l *Loader) Acquire(ctx context.Context, name string) (Model, func(), error) {
	entry, e, release, err := l.manager.Acquire(ctx, name)
	if err != nil {
		return Model{}, nil, loadError(err)
	}
	m, err := l.prepare(entry, e)
	if err != nil {
		release()
		return Model{}, nil, err
	}
	return m, release, nil
}

// Idle implements Peeker.
func (l *Loader) Idle(name string) bool {
	p, ok := l.manager.(Peeker)
	return ok && p.Idle(name)
}

// prepare returns what was prepared before, or prepares it. Two requests at once may do it twice; the results are equal.
func (l *Loader) prepare(entry catalog.Entry, e engine.Engine) (Model, error) {
	l.mu.Lock()
	p, ok := l.models[entry.ID]
	l.mu.Unlock()
	if ok && p.engine == e {
		return p.model, nil
	}
	m, err := prepared.Prepare(entry, e, prepared.Options{
		ToolFormat: l.options.toolFormat(entry.ID), Teaching: l.options.teaching(entry.ID), Sampling: l.options.Sampling[entry.ID],
	})
	if err != nil {
		return Model{}, err
	}
	l.mu.Lock()
	l.models[entry.ID] = preparedModel{engine: e, model: m}
	l.mu.Unlock()
	return m, nil
}

func loadError(err error) error {
	var missing *fleet.NotFoundError
	var load *fleet.LoadError
	switch {
	case errors.As(err, &missing) && missing.Name == "":
		return NoModel()
	case errors.As(err, &missing):
		return UnknownModel(missing.Name, missing.Known)
	case errors.As(err, &load):
		return &Error{Kind: Unavailable, Message: load.Error(), Err: err}
	}
	return err
}
