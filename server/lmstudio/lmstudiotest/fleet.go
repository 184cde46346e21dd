// Package lmstudiotest is a fleet of scripted models, for tests of what speaks LM Studio's protocols and for runs of its SDKs.
package lmstudiotest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/server/lmstudio"
	"tenon/templates"
	"tenon/tools"
)

var (
	_ chat.Models    = (*Fleet)(nil)
	_ lmstudio.Fleet = (*Fleet)(nil)
)

// Fleet is models that load at once, each by its own engine.
type Fleet struct {
	engines map[string]engine.Engine
	models  []lmstudio.Model
	thinks  bool

	mu        sync.Mutex // guards what follows
	instances []lmstudio.Instance
	loads     []lmstudio.Load
	count     int
	users     int
}

// New returns a fleet without models, whose models may think.
func New() *Fleet { return &Fleet{engines: map[string]engine.Engine{}, thinks: true} }

// Add puts a model in.
func (f *Fleet) Add(m lmstudio.Model, e engine.Engine) *Fleet {
	f.engines[m.Key] = e
	f.models = append(f.models, m)
	return f
}

// Models implements lmstudio.Fleet.
func (f *Fleet) Models() []lmstudio.Model { return f.models }

// Instances implements lmstudio.Fleet.
func (f *Fleet) Instances() []lmstudio.Instance {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.instances)
}

// Loads are the wishes that were granted.
func (f *Fleet) Loads() []lmstudio.Load {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.loads)
}

// Users is how many turns hold a model.
func (f *Fleet) Users() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.users
}

// Load implements lmstudio.Fleet. It tells the progress 0.5.
func (f *Fleet) Load(_ context.Context, l lmstudio.Load) (lmstudio.Instance, error) {
	m, ok := lmstudio.FindModel(f, l.Key)
	if !ok {
		return lmstudio.Instance{}, lmstudio.UnknownModel(f, l.Key)
	}
	if l.Progress != nil {
		l.Progress(0.5)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	id, err := f.name(m, l.ID)
	if err != nil {
		return lmstudio.Instance{}, err
	}
	f.count++
	f.loads = append(f.loads, l)
	info := f.engines[m.Key].Model()
	i := lmstudio.Instance{
		Model: m, ID: id, Reference: fmt.Sprintf("ref-%d", f.count), Context: info.Context, TTL: l.TTL, Settings: l.Settings,
		Defaults: info.Defaults, BOS: info.Vocab.BOS, EOS: info.Vocab.EOS,
	}
	if l.Settings.Context > 0 {
		i.Context = l.Settings.Context
	}
	f.instances = append(f.instances, i)
	return i, nil
}

// name is what an instance is called. The lock is held.
func (f *Fleet) name(m lmstudio.Model, asked string) (string, error) {
	taken := func(id string) bool {
		return slices.ContainsFunc(f.instances, func(i lmstudio.Instance) bool { return i.ID == id })
	}
	if asked != "" {
		if taken(asked) {
			return "", chat.Invalidf("identifier", "a model with the identifier %q already exists", asked)
		}
		return asked, nil
	}
	id := m.Key
	for n := 2; taken(id); n++ {
		id = fmt.Sprintf("%s:%d", m.Key, n)
	}
	return id, nil
}

// Unload implements lmstudio.Fleet.
func (f *Fleet) Unload(_ context.Context, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := len(f.instances)
	f.instances = slices.DeleteFunc(f.instances, func(i lmstudio.Instance) bool { return i.ID == id })
	if len(f.instances) == before {
		return &chat.Error{Kind: chat.NotFound, Message: "no model is called " + id}
	}
	return nil
}

// Acquire implements chat.Models: a model that is not loaded is loaded.
func (f *Fleet) Acquire(ctx context.Context, name string) (chat.Model, func(), error) {
	i, ok := lmstudio.FindInstance(f, name)
	if !ok {
		var err error
		if i, err = f.Load(ctx, lmstudio.Load{Key: name, OnDemand: true}); err != nil {
			return chat.Model{}, nil, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.users++
	for n := range f.instances {
		if f.instances[n].Reference == i.Reference {
			f.instances[n].LastUsed = time.Now()
		}
	}
	release := sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.users--
	})
	return chat.Model{ID: i.ID, Engine: f.engines[i.Key], Renderer: templates.Builtin{}, Dialect: tools.Fallback(), Thinks: f.thinks}, release, nil
}

// Embedder is an engine that embeds: each text becomes a vector of its length and its number of words.
type Embedder struct{ engine.Engine }

// Model implements engine.Engine.
func (e Embedder) Model() engine.Model {
	m := e.Engine.Model()
	m.Embeddings = true
	return m
}

// Embed implements engine.Engine.
func (Embedder) Embed(_ context.Context, prompts []engine.Prompt) (out []engine.Embedding, err error) {
	for _, p := range prompts {
		text := p.String()
		out = append(out, engine.Embedding{Vector: []float32{float32(len(text)), float32(len(strings.Fields(text)))}, Tokens: len(text)})
	}
	return out, nil
}
