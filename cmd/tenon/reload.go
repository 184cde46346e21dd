package main

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"tenon/cmd/config"
)

// reload reads the settings again, as SIGHUP and POST /tenon/v1/reload ask. Running requests are not touched. The notes say for each
// change when it takes effect; an error leaves everything as it was.
func (a *app) reload(context.Context) (notes []string, err error) {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	old := a.settings.Load()
	loader, err := old.loader.Again(os.Environ())
	if err != nil {
		return nil, err
	}
	next := perModel{loader, map[string]config.Model{}}
	if err := next.check(); err != nil {
		return nil, err
	}
	for id, m := range old.entries {
		if i := slices.IndexFunc(loader.Models, func(n config.Model) bool { return n.Name == m.Name }); i >= 0 {
			next.entries[id] = loader.Models[i]
		}
	}
	for _, m := range loader.Models { // of a model at hand that had no entry
		if e, err := a.manager.Resolve(m.Name); err == nil {
			next.entries[e.ID] = m
		}
	}
	options, err := next.options()
	if err != nil {
		return nil, err
	}
	a.settings.Store(&next)
	a.loader.Configure(options)
	for _, c := range old.loader.Changes(loader) {
		notes = append(notes, note(c))
	}
	return notes, nil
}

// note says when a change takes effect.
func note(c config.Change) string {
	name := c.Name
	if c.Value != "" {
		name += " " + c.Value
	}
	if c.Model != "" {
		name = c.Model + ": " + name
	}
	sampled := slices.Contains(slices.Collect(maps.Values(samplingFlags)), c.Name)
	switch {
	case slices.Contains([]string{"tool-format", "simplify-tools", "tool-guidance", "routing-thought"}, c.Name), sampled && c.Model != "":
		return name + ": from the next request on"
	case config.PerModel(c.Name) && !sampled && c.Name != "chat-template-file":
		return name + ": when the model is next loaded"
	}
	return name + ": when the server is next started"
}

// reloadOnHangup reloads on each SIGHUP until ctx ends.
func (a *app) reloadOnHangup(ctx context.Context) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			notes, err := a.reload(ctx)
			if err != nil {
				slog.Error("the settings were not reloaded", "error", err)
				continue
			}
			slog.Info("the settings were reloaded", "changes", notes)
		}
	}
}
