package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tenon/cmd/client"
	"tenon/cmd/config"
	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/agent"
	"tenon/server/chat"
	"tenon/server/chat/loader"
	api "tenon/server/fleet"
	"tenon/server/responses"
	"tenon/server/telemetry"
)

// app is the running server: its handler and whether it is ready.
type app struct {
	handler   http.Handler
	manager   *fleet.Fleet
	loader    *loader.Loader
	responses *responses.Store
	agent     *agent.Service
	telemetry *telemetry.Telemetry // nil: there is none
	journal   *agent.Journal       // of executed calls; nil: nothing is
	offers    offers
	named     []string    // ids of the models to load at start
	loaded    atomic.Bool // all of them have been
	draining  atomic.Bool
	stopping  chan struct{} // closed when it begins to drain

	settings atomic.Pointer[perModel]
	// one at a time; guards options
	reloading sync.Mutex
	// that are in force
	options loader.Options
	// what settings say, as at the start
	read func(*config.Loader) (*catalog.Catalog, []string, perModel, error)
	// what is served
	known *catalog.Catalog
}

func newApp(p perModel, admitted admission, manager *fleet.Fleet, named []string) (*app, error) {
	s, metrics := p.loader.Settings, prometheus.NewRegistry()
	sent, err := telemetry.Start(context.Background(), telemetry.Options{Endpoint: s.OTLPEndpoint, Version: version, Metrics: metrics, Log: slog.Default()})
	if err != nil {
		return nil, err
	}
	kept, err := responses.OpenStore(responses.StoreOptions{
		Dir: s.ResponsesDir, Database: s.ResponsesURL, MaxAge: s.ResponsesMaxAge, MaxBytes: int64(s.ResponsesMaxSize) << 20,
	})
	if err != nil {
		return nil, err
	}
	options, err := p.options()
	if err != nil {
		return nil, err
	}
	a := &app{telemetry: sent, manager: manager, named: named, responses: kept, stopping: make(chan struct{})}
	a.settings.Store(&p)
	a.options, a.loader = options, loader.New(manager, options)
	a.offers, _ = offers{}.after(p.loader)
	if a.journal, err = openJournal(p.loader, a.offers); err != nil {
		return nil, err
	}
	service := &chat.Service{Models: a.loader, Default: s.DefaultModel, NPredict: s.NPredict, MinDelta: s.MinDelta}
	a.agent = agent.New(service, a.executing(p.loader, a.offers))
	a.handler = server.New(server.Options{
		Service: service, Agent: a.agent, Models: manager, Engines: manager, Responses: kept, Readiness: a, Warnings: a.loader.Warnings, Draining: a.draining.Load,
		Keys: admitted.keys, AllowedHosts: admitted.hosts, CORSOrigins: s.CORSOrigins, MaxBody: int64(s.MaxBody) << 20, Heartbeat: s.Heartbeat,
		Fleet:   api.API{Fleet: manager, Log: &serverLog, Reload: a.reload, Explain: a.explain},
		Metrics: metrics, Telemetry: sent, Log: slog.New(sent.Logs(slog.Default().Handler())), LogPrompts: s.LogPrompts, DebugRequests: s.DebugRequests,
		LMStudio: manager, Traits: a.loader.Traits, Version: version, Stopping: a.stopping,
		Slots: func(id string) int { return a.settings.Load().of(id).Settings.Parallel },
	})
	return a, nil
}

// close ends what the server keeps, once it serves no more.
func (a *app) close() {
	if err := a.responses.Close(); err != nil {
		slog.Warn("close the store of responses", "error", err)
	}
	a.offers.servers.Close()
	if err := a.journal.Close(); err != nil {
		slog.Warn("close the journal", "error", err)
	}
	last, done := context.WithTimeout(context.Background(), telemetryWait)
	defer done()
	_ = a.telemetry.Close(last) // a collector that is away was told of
}

// telemetryWait bounds how long the server's end waits for the collector.
const telemetryWait = 3 * time.Second

// load loads the models named at start, one after the other: two at once would fight for the disk.
func (a *app) load(ctx context.Context) error {
	for _, id := range a.named {
		if err := a.loadOne(ctx, id); err != nil {
			return err
		}
	}
	a.loaded.Store(true)
	return nil
}

// mostStarts of a model that is named at start. Where its worker is killed while it loads, by the
// kernel for want of memory say, that is no reason to end the server; where it ends each time, it
// is.
const mostStarts = 3

func (a *app) loadOne(ctx context.Context, id string) error {
	for start := 1; ; start++ {
		_, release, err := a.loader.Acquire(ctx, id)
		if err == nil {
			release()
			return nil
		}
		if start == mostStarts || !errors.Is(err, engine.ErrWorkerLost) {
			return err
		}
		slog.Warn("the model is loaded again", "model", id, "error", err)
	}
}

// Ready implements server.Readiness. Once the start is over the server stays ready: a model that
// made room for another, or whose worker has ended, is loaded when it is next asked for. Where it
// is not, because it ended time and again and rests now, the error says so.
func (a *app) Ready() (waiting string, progress float64, err error) {
	started := a.loaded.Load()
	for _, s := range a.manager.Status() {
		if !slices.Contains(a.named, s.ID) || s.State == fleet.Loaded || started && !s.Down {
			continue
		}
		return s.ID, s.Progress, s.Err
	}
	return "", 1, nil
}

// announce says that the server is ready.
func announce(w io.Writer, s config.Settings, named []string) {
	_, _ = fmt.Fprintf(w, "ready: %s serves %v\n", client.Address(s), named)
}

// showExample prints how to try the server.
func showExample(w io.Writer, s config.Settings, model string, keyed bool) {
	key := ""
	if keyed {
		key = ` -H "Authorization: Bearer $TENON_API_KEY"`
	}
	_, _ = fmt.Fprintf(w, exampleRequest, client.Address(s), key, model)
}

// exampleRequest is a call to paste: a question, a tool, and a choice that demands a call.
//
//go:embed example.txt
var exampleRequest string

// sampling is what the settings say of how tokens are chosen, as far as a flag counts.
func sampling(s config.Settings, counts func(flag string) bool) (out engine.Sampling) {
	from := reflect.ValueOf(s)
	for _, f := range engine.SamplingFields {
		if counts(f.Flag) {
			f.Set(&out, from.FieldByName(f.Name).Convert(reflect.TypeFor[float64]()).Float())
		}
	}
	if counts(seedFlag) && s.Seed >= 0 {
		out.Seed = new(uint32(s.Seed))
	}
	return out
}

// seedFlag sets the one part of sampling that is not in the engine's table.
const seedFlag = "seed"

// isSampling tells whether a flag sets how tokens are chosen.
func isSampling(flag string) bool {
	return flag == seedFlag || slices.ContainsFunc(engine.SamplingFields, func(f engine.SamplingField) bool { return f.Flag == flag })
}
