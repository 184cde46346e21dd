package fleet

import (
	"context"
	"fmt"
	"slices"

	"tenon/engine"
	"tenon/models/catalog"
)

// Unload ends an instance, or all of a model, and returns once their memory is free. What is busy is engine.ErrBusy, unless
// force is set: then running turns end with engine.ErrClosed. Of a model that is not loaded it is no error.
func (f *Fleet) Unload(ctx context.Context, name string, force bool) error {
	ended, err := f.unload(name, force)
	if err != nil {
		return err
	}
	for _, done := range ended {
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (f *Fleet) unload(name string, force bool) ([]<-chan struct{}, error) {
	e, missing := f.options.Catalog.Resolve(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	going, err := f.meant(name, e, missing)
	if err != nil {
		return nil, err
	}
	var ended []<-chan struct{}
	for _, i := range going {
		if !force && (i.users > 0 || len(i.waiters) > 0) {
			return nil, fmt.Errorf("unload %s: %w", i.id, engine.ErrBusy)
		}
	}
	for _, i := range going {
		if i.state == Loaded {
			f.end(i)
		}
		if i.state == Ending {
			ended = append(ended, i.ended)
		}
	}
	f.schedule()
	return ended, nil
}

// meant are the instances of a name: its own, else those of the model.
func (f *Fleet) meant(name string, e catalog.Entry, missing error) ([]*instance, error) {
	if i := f.named(name); i != nil {
		return []*instance{i}, nil
	}
	if missing != nil {
		return nil, missing
	}
	return slices.DeleteFunc(slices.Clone(f.instances), func(i *instance) bool { return i.entry.ID != e.ID }), nil
}

// Pin keeps a model's instances from being unloaded, but by Unload; or lets them go again.
func (f *Fleet) Pin(name string, pinned bool) error {
	e, err := f.Resolve(name)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pins[e.ID] = pinned
	f.schedule()
	return nil
}

// Resolve returns the model that a name means: an instance's, a model's or an alias.
func (f *Fleet) Resolve(name string) (catalog.Entry, error) {
	f.mu.Lock()
	i := f.named(name)
	f.mu.Unlock()
	if i != nil {
		return i.entry, nil
	}
	return f.options.Catalog.Resolve(name)
}
