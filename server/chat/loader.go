package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"tenon/engine"
	"tenon/models"
	"tenon/templates"
	"tenon/templates/schema"
	"tenon/tools"
)

var (
	_ Models = (*Loader)(nil)
	_ Peeker = (*Loader)(nil)
	_ Peeker = (*models.Manager)(nil)
)

// Manager loads engines. *models.Manager implements it.
type Manager interface {
	Acquire(ctx context.Context, name string) (models.Entry, engine.Engine, func(), error)
}

// LoaderOptions say how models are talked to. The zero value finds everything out by itself.
type LoaderOptions struct {
	// By model; that of "" is for all that are not named.
	ToolFormat map[string]string // "", "auto" or a dialect's name
	Teaching   map[string]Teaching
}

// Teaching is how a model is helped with its tools, for models that get lost in what clients declare.
type Teaching struct {
	Simplify schema.Simplification `json:"simplify"`
	Guidance bool                  `json:"guidance"` // rules and examples of calls in the system message
	// Routing is how many tokens a model that does not think has for saying which tool it means before it calls one; it is sent
	// as reasoning. 0: none. A request that turns thinking off has none either.
	Routing int `json:"routing,omitempty"`
}

// Loader prepares what a manager loads: it parses the chat template, probes it and finds the dialect, once per model.
type Loader struct {
	manager Manager
	options LoaderOptions

	mu       sync.Mutex // guards prepared
	prepared map[string]preparedModel
}

type preparedModel struct {
	engine engine.Engine // what it was prepared for; another one after a reload
	model  Model
}

// NewLoader prepares the models of m.
func NewLoader(m Manager, o LoaderOptions) *Loader {
	return &Loader{manager: m, options: o, prepared: map[string]preparedModel{}}
}

// Warnings are what whoever runs a model should know of it: why its chat template is not used. They are known once the
// model was acquired.
func (l *Loader) Warnings(id string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.prepared[id].model.Warnings
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
func (l *Loader) prepare(entry models.Entry, e engine.Engine) (Model, error) {
	l.mu.Lock()
	p, ok := l.prepared[entry.ID]
	l.mu.Unlock()
	if ok && p.engine == e {
		return p.model, nil
	}
	m, err := l.build(entry, e)
	if err != nil {
		return Model{}, err
	}
	l.mu.Lock()
	l.prepared[entry.ID] = preparedModel{engine: e, model: m}
	l.mu.Unlock()
	return m, nil
}

func loadError(err error) error {
	var missing *models.NotFoundError
	var load *models.LoadError
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

// build finds out how to talk to a model. A chat template in the model's file that cannot be used costs the model its own
// prompt format, not its service: the built-in rendering takes over, and the log says why. One that is named in its place must be
// usable.
func (l *Loader) build(entry models.Entry, e engine.Engine) (Model, error) {
	info := e.Model()
	source := info.Template
	if entry.Template != "" {
		b, err := os.ReadFile(entry.Template)
		if err != nil {
			return Model{}, fmt.Errorf("read the chat template of %s: %w", entry.ID, err)
		}
		source = string(b)
	}
	markers := markerTexts(info)
	teaching := l.options.teaching(entry.ID)
	m := Model{
		ID: entry.ID, Engine: e, Dialect: tools.Fallback(), kept: newKeptTurns(),
		Renderer: templates.Builtin{Simplify: teaching.Simplify, Guidance: teaching.Guidance},
		Template: source, ToolFormat: l.options.toolFormat(entry.ID), Teaching: teaching,
	}
	if source == "" {
		return m, l.setFormat(&m)
	}
	t, err := templates.Parse(source, templates.Options{
		BOS: info.Vocab.BOS, EOS: info.Vocab.EOS, Markers: markers, Simplify: teaching.Simplify, Guidance: teaching.Guidance,
		CallWriter: func(p templates.Probe) templates.WriteCalls { return CallWriter(source, p) },
	})
	if err != nil && entry.Template != "" {
		return Model{}, fmt.Errorf("chat template of %s: %s: %w", entry.ID, entry.Template, err)
	}
	if err != nil {
		m.Warnings = append(m.Warnings, "the chat template cannot be used, the built-in rendering takes over: "+err.Error())
		slog.Warn("the chat template cannot be used; the built-in rendering takes over", "model", entry.ID, "error", err)
		return m, l.setFormat(&m)
	}
	m.Renderer = t
	m.Thinks = len(t.Probe().ThinkingMarkers) > 0 || t.Probe().PrefilledThought
	if m.Dialect, err = tools.Detect(evidence(source, markers, t.Probe())); err != nil {
		return Model{}, fmt.Errorf("find the dialect of %s: %w", entry.ID, err)
	}
	if m.Dialect.Scaffold() {
		m.Protocol = templates.JSON // the template may show calls, but no dialect reads them
	}
	return m, l.setFormat(&m)
}

// CallWriter is how the family of a template that shows no calls writes them, nil if none is known.
func CallWriter(source string, p templates.Probe) templates.WriteCalls {
	d, err := tools.Detect(evidence(source, nil, p))
	if err != nil || d.Scaffold() {
		return nil
	}
	if _, ok := d.Write(nil); !ok {
		return nil
	}
	return func(calls []templates.Call) []templates.Written {
		list := make([]tools.Call, len(calls))
		for i, c := range calls {
			list[i] = tools.Call{Name: c.Name, Arguments: json.RawMessage(c.Arguments)}
		}
		pieces, _ := d.Write(list) // as above
		out := make([]templates.Written, len(pieces))
		for i, p := range pieces {
			out[i] = templates.Written(p)
		}
		return out
	}
}

func evidence(source string, markers []string, p templates.Probe) tools.Evidence {
	e := tools.Evidence{Template: source, Markers: markers}
	for _, r := range []string{p.Evidence.Call, p.Evidence.TwoCalls, p.Evidence.TextCall, p.Evidence.Typed, p.Evidence.Answer} {
		if r != "" {
			e.Renderings = append(e.Renderings, r)
		}
	}
	return e
}

// setFormat applies the server's own tool_format.
func (l *Loader) setFormat(m *Model) error {
	d, protocol, err := format(*m, m.ToolFormat)
	if err != nil {
		return err
	}
	m.Dialect, m.Protocol = d, protocol
	return nil
}
