package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/store"
)

// Unload ends an instance, or all of a model, and returns once their memory is free. A load that
// nobody waits for is cancelled. What is busy or waited for is engine.ErrBusy, unless force is
// set: then running turns, and those that wait for a load, end with engine.ErrClosed. Of a model
// that is not loaded it is no error.
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
		if i.state != Loaded {
			f.refuse(i, engine.ErrClosed)
		}
		if i.state == Loaded || i.state == Loading {
			f.end(i)
		}
		if i.state == Ending {
			ended = append(ended, i.done)
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

// Keep sets the time to live of the instance that a name means, if there is one.
func (f *Fleet) Keep(name string, ttl time.Duration) {
	e, missing := f.options.Catalog.Resolve(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	if i, err := f.find(e, missing, Request{Name: name}); err == nil && i != nil {
		i.ttl = ttl
	}
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

// ErrReadOnly: the model lies in another program's folder, or one of the user's own.
var ErrReadOnly = errors.New("only models of tenon's own store are removed")

// Pull fetches a model into the store, as its reference says, and returns it as the catalogue
// then knows it.
func (f *Fleet) Pull(ctx context.Context, source string, progress func(store.Progress)) (catalog.Entry, error) {
	if f.options.Store == nil {
		return catalog.Entry{}, errors.ErrUnsupported
	}
	ref, err := store.ParseRef(source)
	if err != nil {
		return catalog.Entry{}, err
	}
	path, err := f.options.Store.Pull(ctx, ref, progress)
	if err != nil {
		return catalog.Entry{}, fmt.Errorf("pull %s: %w", source, err)
	}
	return f.options.Catalog.AddFile(path)
}

// Search asks the hub for repositories of models.
func (f *Fleet) Search(ctx context.Context, words string, most int) ([]string, error) {
	if f.options.Store == nil {
		return nil, errors.ErrUnsupported
	}
	return f.options.Store.Search(ctx, words, most)
}

// Files lists the models of a repository of the hub.
func (f *Fleet) Files(ctx context.Context, repo string) ([]store.HubFile, error) {
	if f.options.Store == nil {
		return nil, errors.ErrUnsupported
	}
	return f.options.Store.Files(ctx, repo)
}

// Remove deletes a model's files from the store. One that is loaded and idle is unloaded first.
func (f *Fleet) Remove(ctx context.Context, name string) error {
	e, err := f.options.Catalog.Resolve(name)
	if err != nil {
		return err
	}
	if f.options.Store == nil || !f.options.Store.Holds(e.Path) {
		return fmt.Errorf("remove %s (%s): %w", e.ID, e.Path, ErrReadOnly)
	}
	if err := f.Unload(ctx, e.ID, false); err != nil {
		return err
	}
	if err := f.options.Store.Remove(e.Path); err != nil {
		return err
	}
	f.options.Catalog.Forget(e.ID)
	return nil
}

// Alias gives a model another name for good, or takes one away that was given so, if model is "".
func (f *Fleet) Alias(alias, model string) error { return f.options.Catalog.Name(alias, model) }

// retargeter is an engine that other machines serve, and goes on with others.
type retargeter interface{ Retarget(urls []string) error }

// Reload takes the limits and times of new options, and what the catalogue now says of models.
// What is loaded stays as it was loaded, but for where it is served; what the catalogue has no
// more goes once it is idle.
func (f *Fleet) Reload(o Options) {
	at := map[string]catalog.Entry{}
	for _, e := range f.options.Catalog.All() {
		at[e.ID] = e
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.options.Most, f.options.HostCache = o.Most, o.HostCache
	f.options.TTL, f.options.QueueTimeout = o.TTL, o.QueueTimeout
	for _, i := range f.instances {
		e, ok := at[i.entry.ID]
		elsewhere := i.entry.Remote != nil
		i.gone = !ok || elsewhere && e.Remote == nil || !elsewhere && e.Remote != nil && !e.Remote.Fallback
		if r, can := i.engine.(retargeter); can && elsewhere && !i.gone && !slices.Equal(i.entry.Remote.URLs, e.Remote.URLs) {
			if err := r.Retarget(e.Remote.URLs); err != nil {
				slog.Error("other upstreams were not taken", "model", i.id, "error", err)
				continue
			}
			i.entry.Remote = e.Remote
		}
		i.entry.TTL, i.entry.Pinned, i.entry.Aliases = e.TTL, e.Pinned, e.Aliases
	}
	f.schedule()
}
