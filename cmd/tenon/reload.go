package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"tenon/cmd/config"
)

// reload reads the settings again, as SIGHUP and POST /tenon/v1/reload ask, and finds models and
// adapters as at the start. Running requests are not touched. The notes say for each change when
// it takes effect; an error leaves everything as it was.
func (a *app) reload(context.Context) (notes []string, err error) {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	old := a.settings.Load()
	loader, err := old.loader.Again(os.Environ())
	if err != nil {
		return nil, err
	}
	models, _, next, err := a.read(loader)
	if err != nil {
		return nil, err
	}
	options, err := next.options()
	if err != nil {
		return nil, err
	}
	offered, stale := a.offers.after(loader)
	if a.journal == nil {
		if a.journal, err = openJournal(loader, offered); err != nil {
			return nil, err
		}
	}
	for _, c := range old.loader.Changes(loader) {
		notes = append(notes, note(c))
	}
	for _, fault := range next.faults {
		notes = append(notes, "left out: "+fault.Error())
	}
	served := a.known.All()
	a.settings.Store(&next)
	a.known.Replace(models)
	a.manager.Reload(limits(loader.Settings))
	for _, e := range served {
		if _, ok := a.known.Find(e.ID); !ok {
			notes = append(notes, e.ID+" is no longer served: it goes once it is idle")
			continue
		}
		if is, _, _ := next.adapter(e.ID); !reflect.DeepEqual(a.options.Teaching(e.ID), options.Teaching(e.ID)) {
			notes = append(notes, e.ID+": adapter "+is.Name+" ("+is.From+"): from the next request on")
		}
	}
	a.options = options
	a.loader.Configure(options)
	a.offers = offered
	a.agent.Configure(a.executing(loader, a.offers))
	longest := old.loader.Settings.AgentTime + old.loader.Settings.AgentCallTime
	time.AfterFunc(longest, stale.Close) // turns that run may call them
	return notes, nil
}

// atOnce and fromTheNextRequest are when settings take effect that need neither a load nor a
// start.
var (
	atOnce             = []string{"alias", "aliases", "pin", "remote", "remote-fallback", "keep-alive", "models-dir", "find-models", "models-max", "queue-timeout", "adapters"}
	fromTheNextRequest = []string{"tool-format", "simplify-tools", "tool-guidance", "routing-thought", "call-retries", "agent-rounds", "agent-time", "agent-tokens", "agent-equal-calls", "agent-call-time", "tool-grants", "tools and mcp", "mcp-hosts", "mcp-private", "mcp-approval"}
)

// note says when a change takes effect.
func note(c config.Change) string {
	name := strings.TrimSpace(c.Name + " " + c.Value)
	if c.Model != "" {
		name = c.Model + ": " + name
	}
	switch {
	case slices.Contains(atOnce, c.Name):
		return name + ": now"
	case slices.Contains(fromTheNextRequest, c.Name), isSampling(c.Name):
		return name + ": from the next request on"
	case config.PerModel(c.Name), slices.Contains([]string{"source", "cache-ram", "cache-disk", "queue-size"}, c.Name):
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
