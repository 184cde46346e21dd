package servertest

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/chat"
	"tenon/server/chat/loader"
	"tenon/templates"
)

// Fleet serves engines by their models' names, through a real fleet: they can be loaded and
// unloaded. None has a chat template; all may think.
func Fleet(engines map[string]engine.Engine, change ...func(*fleet.Options)) (*fleet.Fleet, server.Options) {
	known := &catalog.Catalog{}
	for _, id := range slices.Sorted(maps.Keys(engines)) {
		known.Entries = append(known.Entries, catalog.Entry{
			ID: id, Path: "/models/" + id + "-Q4_K_M.gguf", Architecture: "llama", Quantization: "Q4_K_M", ContextTrained: engines[id].Model().Context, Layers: 26, Size: 7,
		})
	}
	o := fleet.Options{Catalog: known, Start: func(_ context.Context, e catalog.Entry, _ fleet.Grant, progress func(float64)) (engine.Engine, error) {
		progress(0.5)
		return open{engines[e.ID]}, nil
	}}
	for _, c := range change {
		c(&o)
	}
	f := fleet.New(o)
	traits := func(e catalog.Entry) loader.Traits {
		one, ok := engines[e.ID] // others were fetched
		return loader.Traits{Embeds: ok && one.Model().Can.Embeddings, Tools: true, Thinks: true}
	}
	models := thinkers{loader.New(f, loader.Options{Teaching: func(string) chat.Teaching { return severalCalls }})}
	return f, server.Options{
		Service: &chat.Service{Models: models}, Models: f, LMStudio: f, Traits: traits, Version: "1.0", Log: slog.New(slog.DiscardHandler),
	}
}

// open is an engine that is used again after it was unloaded.
type open struct{ engine.Engine }

func (open) Close() error { return nil }

// thinkers are models that may think.
type thinkers struct{ *loader.Loader }

// Acquire implements chat.Models.
func (t thinkers) Acquire(ctx context.Context, name string) (chat.Model, func(), error) {
	m, release, err := t.Loader.Acquire(ctx, name)
	m.Thinks, m.Renderer = true, templates.Builtin{}
	return m, release, err
}
