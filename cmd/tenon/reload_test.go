package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"tenon/cmd/config"
	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server/chat"
)

// reloading is a server of scripted models with the settings of a file, which rewrite changes.
func reloading(t *testing.T, text string, start fleet.Start) (a *app, rewrite func(text string)) {
	t.Helper()
	alone(t)
	l := loaded(t, text)
	read := func(l *config.Loader) (*catalog.Catalog, []string, perModel, error) {
		return catalogue(fetchFor(&cobra.Command{}), l, nil)
	}
	known, _, settings, err := read(l)
	if err != nil {
		t.Fatal(err)
	}
	if err := known.KeepNames(filepath.Join(filepath.Dir(l.File()), "names.json")); err != nil {
		t.Fatal(err)
	}
	o := limits(l.Settings)
	o.Catalog, o.Start = known, start
	manager := fleet.New(o)
	t.Cleanup(func() { _ = manager.Close() }) // scripted engines close well
	if a, err = newApp(settings, admission{}, manager, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.close)
	a.known, a.read = known, read
	return a, func(text string) {
		if err := os.WriteFile(l.File(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func always(e engine.Engine) fleet.Start {
	return func(context.Context, catalog.Entry, fleet.Grant, func(float64)) (engine.Engine, error) { return e, nil }
}

// S0-25: what the file says of a model is taken while the model is loaded and a turn runs; what
// cannot be is said.
func TestReload_takesWhatItCanAndSaysTheRest(t *testing.T) {
	scripted := enginetest.Script(enginetest.Say("one"), enginetest.Say("two"))
	a, rewrite := reloading(t, "models-dir: .\nport: 1\nmodels:\n  tiny:\n    temp: 0.5\n", always(scripted))
	before, release, err := a.loader.Acquire(t.Context(), "tiny") // a turn runs
	if err != nil {
		t.Fatal(err)
	}
	rewrite("models-dir: .\nport: 2\ntop-k: 7\nmodels:\n  tiny:\n    temp: 0.25\n    tool-format: hermes\n    ctx-size: 512\n    adapter:\n      guidance: true\n")
	notes, err := a.reload(t.Context())
	want := []string{
		"port 2: when the server is next started", "top-k 7: from the next request on", "tiny: tool-format hermes: from the next request on",
		"tiny: ctx-size 512: when the model is next loaded", "tiny: temp 0.25: from the next request on",
		"tiny: adapter tiny (" + a.settings.Load().loader.File() + "): from the next request on",
	}
	if slices.Sort(notes); err != nil || !slices.Equal(notes, sorted(want)) {
		t.Errorf("%q %v", notes, err)
	}
	after := acquired(t, a)
	if before.ToolFormat != "auto" || *before.Sampling.Temperature != 0.5 || after.ToolFormat != "hermes" || *after.Sampling.Temperature != 0.25 || after.Engine != before.Engine {
		t.Errorf("before %+v, after %+v", before.Sampling, after.Sampling)
	}
	if before.Teaching.Guidance || !after.Teaching.Guidance || *before.Defaults.TopK != 40 || *after.Defaults.TopK != 7 {
		t.Errorf("before %+v, after %+v", before.Teaching, after.Teaching)
	}
	if s := a.settings.Load().of("tiny").Settings; s.CtxSize != 512 {
		t.Errorf("the next load would take %d", s.CtxSize)
	}
	release()
	rewrite("models:\n  tiny:\n    tool-format: hermse\n")
	if _, err := a.reload(t.Context()); err == nil || !strings.Contains(err.Error(), "did you mean hermes") || acquired(t, a).ToolFormat != "hermes" {
		t.Errorf("a file that is wrong: %v", err)
	}
}

// Issue 20: names, sources, pins and times to live are those of the file as it is now, for what is
// loaded, too, and for what is found later. A running turn keeps its engine, and names that were
// given over the API stay.
func TestReload_namesSourcesPinsAndTimesToLive(t *testing.T) {
	a, rewrite := reloading(t, "models-dir: .\nmodels:\n  tiny:\n    aliases: [old]\n", always(enginetest.Script()))
	_, release, err := a.loader.Acquire(t.Context(), "old")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := errors.Join(a.manager.Alias("given", "tiny"), a.manager.Alias("gone", "tiny"), a.manager.Alias("gone", "")); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(a.settings.Load().loader.File())
	text, err := os.ReadFile(filepath.Join(dir, "tiny.gguf"))
	if err = errors.Join(err, os.Mkdir(filepath.Join(dir, "other"), 0o700), os.WriteFile(filepath.Join(dir, "other", "x.gguf"), text, 0o600)); err != nil {
		t.Fatal(err)
	}
	rewrite("models-dir: .\nkeep-alive: 1h\nmodels:\n  tiny:\n    aliases: [new]\n    pin: true\n    keep-alive: 2h\n  mine:\n    source: other/x.gguf\n")
	notes, err := a.reload(t.Context())
	for _, want := range []string{"keep-alive 1h0m0s: now", "tiny: aliases new: now", "tiny: pin true: now", "tiny: keep-alive 2h0m0s: now", "mine: source " + filepath.Join(dir, "other/x.gguf") + ": when the model is next loaded"} {
		if err != nil || !slices.Contains(notes, want) {
			t.Errorf("%q lacks %q, %v", notes, want, err)
		}
	}
	i := a.manager.Instances()[0]
	if i.TTL != 2*time.Hour || !i.Pinned || i.Busy != 1 {
		t.Errorf("what is loaded: %+v", i)
	}
	for name, want := range map[string]string{"new": "tiny", "given": "tiny", "mine": "mine", "old": "", "gone": ""} {
		if e, err := a.manager.Resolve(name); e.ID != want || (err == nil) != (want != "") {
			t.Errorf("%s means %q, %v", name, e.ID, err)
		}
	}
	// the server is started anew
	again := &catalog.Catalog{Entries: []catalog.Entry{{ID: "tiny"}}}
	if err := again.KeepNames(filepath.Join(dir, "names.json")); err != nil || !slices.Equal(again.Entries[0].Aliases, []string{"given"}) {
		t.Errorf("%+v %v", again.Entries, err)
	}
	rewrite("models:\n  mine:\n    source: other/x.gguf\n")
	if notes, err = a.reload(t.Context()); err != nil || !slices.Contains(notes, "tiny is no longer served: it goes once it is idle") {
		t.Errorf("%q %v", notes, err)
	}
	if _, _, err := a.loader.Acquire(t.Context(), "tiny"); err == nil {
		t.Error("what the settings have no more was served")
	}
	if release(); len(a.manager.Instances()) > 0 && a.manager.Instances()[0].State == fleet.Loaded {
		t.Errorf("it stays: %+v", a.manager.Instances())
	}
}

// S0-23, S0-25: an adapter's file that is dropped, changed or broken counts from the next request
// on; the others stay.
func TestReload_readsAdaptersAnew(t *testing.T) {
	a, _ := reloading(t, "models-dir: .\nadapters: .\n", always(enginetest.Script()))
	file := filepath.Join(filepath.Dir(a.settings.Load().loader.File()), "small.yaml")
	for _, c := range []struct {
		text, note string
		routing    int
	}{
		{"match: [TIN]\nrouting-thought: 8\n", "tiny: adapter small (" + file + "): from the next request on", 8},
		{"match: [tiny]\nrouting-thought: 16\n", "tiny: adapter small (" + file + "): from the next request on", 16},
		{"match: [tiny]\nrouting: 16\n", "left out: adapter " + file + ", line 2: routing: there is no such key", 0},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		notes, err := a.reload(t.Context())
		if err != nil || !strings.Contains(strings.Join(notes, "\n"), c.note) || acquired(t, a).Teaching.Routing != c.routing {
			t.Errorf("%q: %q %v, %d", c.text, notes, err, acquired(t, a).Teaching.Routing)
		}
	}
}

// No request is dropped: turns run, begin and end while the settings are read again and again.
func TestReload_dropsNoRequest(t *testing.T) {
	const clients, turns = 8, 25
	a, rewrite := reloading(t, "models-dir: .\n", func(context.Context, catalog.Entry, fleet.Grant, func(float64)) (engine.Engine, error) {
		turns := make([]enginetest.Reply, clients*25)
		for i := range turns {
			turns[i] = enginetest.Say("hello")
		}
		return enginetest.Script(turns...), nil
	})
	var all sync.WaitGroup
	var answered atomic.Int64
	for range clients {
		all.Go(func() {
			for range turns {
				w := httptest.NewRecorder()
				r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(`{"model":"tiny","messages":[{"role":"user","content":"hi"}]}`))
				if a.handler.ServeHTTP(w, r); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "hello") {
					t.Errorf("%d %s", w.Code, w.Body)
				}
				answered.Add(1)
			}
		})
	}
	reloads := 0
	for ; answered.Load() < clients*turns; reloads++ {
		rewrite(fmt.Sprintf("models-dir: .\nmodels:\n  tiny:\n    temp: 0.%d\n    aliases: [name-%d]\n", reloads%9, reloads))
		if _, err := a.reload(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
	t.Logf("%d answers, %d reloads", answered.Load(), reloads)
}

func sorted(list []string) []string { slices.Sort(list); return list }

func acquired(t *testing.T, a *app) chat.Model {
	t.Helper()
	m, release, err := a.loader.Acquire(t.Context(), "tiny")
	if err != nil {
		t.Fatal(err)
	}
	release()
	return m
}
