package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"tenon/cmd/config"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/models/store"
	"tenon/server"
	"tenon/server/chat"
	"tenon/server/chat/loader"
)

// door is the port and what answers there: while models are pulled, how far that is; then the app.
type door struct {
	settings config.Settings
	http     *http.Server
	requests running
	end      context.CancelCauseFunc // of every request
	inside   atomic.Value            // of answerer
	failed   chan error              // what ended the port, but for shut
}

type answerer struct{ http.Handler }

// openDoor answers with h on a listener.
func openDoor(listener net.Listener, s config.Settings, h http.Handler) *door {
	ctx, end := context.WithCancelCause(context.Background())
	d := &door{settings: s, end: end, failed: make(chan error, 1)}
	d.inside.Store(answerer{h})
	d.http = server.Serving(d.requests.handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.inside.Load().(answerer).ServeHTTP(w, r)
	})))
	d.http.BaseContext = func(net.Listener) context.Context { return ctx }
	go func() {
		if s.TLSCert != "" {
			d.failed <- d.http.ServeTLS(listener, s.TLSCert, s.TLSKey)
			return
		}
		d.failed <- d.http.Serve(listener)
	}()
	return d
}

// serve answers with the app until ctx ends, then refuses new requests and waits for the running
// ones. The port stays open meanwhile, so that probes and clients are told.
func (d *door) serve(ctx context.Context, app *app) error {
	d.inside.Store(answerer{app.handler})
	if d.settings.LMStudioDiscovery {
		go discover(ctx, discoveryPorts, func(l net.Listener) {
			slog.Info("LM Studio's clients find this server", "address", l.Addr())
			_ = d.http.Serve(l) // it ends with the server
		})
	}
	select {
	case err := <-d.failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, context.Canceled) {
		cause = nil
		slog.Info("draining", "at most", d.settings.DrainTimeout)
	}
	app.draining.Store(true)
	// whoever waits to take this server's place sees that it ends
	d.http.SetKeepAlivesEnabled(false)
	close(app.stopping)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.settings.DrainTimeout)
	defer cancel()
	d.requests.wait(drain)
	app.responses.Drain(drain)
	if drain.Err() != nil {
		slog.Warn("requests are still running; they are ended")
	}
	d.end(chat.Stopped())
	last, done := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer done()
	d.requests.wait(last)
	_ = d.http.Shutdown(last) // shut ends what is left
	return cause
}

// lastWords is how long requests have after they were ended, to tell their clients and to write
// the journal.
const lastWords = 5 * time.Second

// shut ends the port and every connection.
func (d *door) shut() { _ = d.http.Close() }

// pulling is a start whose models are still on their way: the server lives, and is not ready. It
// has no models yet.
type pulling struct {
	cmd *cobra.Command

	mu    sync.Mutex // guards what follows
	model string
	done  float64
}

// handler answers meanwhile, whoever may call later: probes, and everybody else that it is too
// soon.
func (p *pulling) handler(s config.Settings, admitted admission) http.Handler {
	none := fleet.New(fleet.Options{Catalog: &catalog.Catalog{}})
	return server.New(server.Options{
		Service: &chat.Service{Models: loader.New(none, loader.Options{})}, Models: none, Readiness: p,
		Keys: admitted.keys, AllowedHosts: admitted.hosts, CORSOrigins: s.CORSOrigins, MaxBody: int64(s.MaxBody) << 20,
	})
}

// fetch is a fetcher.
func (p *pulling) fetch(name string) (string, error) {
	p.set(name, store.Progress{})
	return pullShown(p.cmd, name, pullSilence, func(now store.Progress) { p.set(name, now) })
}

func (p *pulling) set(model string, now store.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.model, p.done = model, 0
	if now.Total > 0 {
		p.done = float64(now.Done) / float64(now.Total)
	}
}

// Ready implements server.Readiness.
func (p *pulling) Ready() (waiting string, progress float64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.model == "" {
		return "the list of models", 0, nil
	}
	return p.model, p.done, nil
}
