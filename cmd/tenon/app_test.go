package main

import (
	"context"
	"errors"
	"testing"

	"tenon/cmd/config"
	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/models/fleet"
)

// A server whose models do not all fit into memory at once was never ready: the first made room
// for the last.
func TestReady_onceAllWereLoaded(t *testing.T) {
	known := &catalog.Catalog{Entries: []catalog.Entry{{ID: "a"}, {ID: "b"}}}
	start := func(context.Context, catalog.Entry, fleet.Grant, func(float64)) (engine.Engine, error) {
		return enginetest.Script(), nil
	}
	manager := fleet.New(fleet.Options{Catalog: known, Most: 1, Start: start})
	defer func() { _ = manager.Close() }() // scripted engines close well
	a, err := newApp(perModel{loader: &config.Loader{}}, admission{}, manager, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	if waiting, _, err := a.Ready(); waiting != "a" || err != nil {
		t.Errorf("before the start: %q, %v", waiting, err)
	}
	if err := a.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if waiting, _, err := a.Ready(); waiting != "" || err != nil {
		t.Errorf("after it: %q, %v", waiting, err)
	}
}

// ending is an engine that ends for good once down is set.
type ending struct {
	*enginetest.Scripted
	down *error
}

func (e ending) Down() error { return *e.down }

// What watches the server is to start it anew where a model named at start will not answer any
// more.
func TestReady_notWhereAModelIsDownForGood(t *testing.T) {
	var down error
	known := &catalog.Catalog{Entries: []catalog.Entry{{ID: "named"}, {ID: "other"}}}
	start := func(_ context.Context, e catalog.Entry, _ fleet.Grant, _ func(float64)) (engine.Engine, error) {
		if e.ID == "other" {
			other := engine.ErrWorkerLost
			return ending{enginetest.Script(), &other}, nil
		}
		return ending{enginetest.Script(), &down}, nil
	}
	manager := fleet.New(fleet.Options{Catalog: known, Most: 2, Start: start})
	defer func() { _ = manager.Close() }() // scripted engines close well
	a, err := newApp(perModel{loader: &config.Loader{}}, admission{}, manager, []string{"named"})
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	if err := errors.Join(a.load(t.Context()), a.loadOne(t.Context(), "other")); err != nil {
		t.Fatal(err)
	}
	if waiting, _, err := a.Ready(); waiting != "" || err != nil {
		t.Errorf("while it runs: %q, %v", waiting, err)
	}
	down = engine.ErrWorkerLost
	if waiting, _, err := a.Ready(); waiting != "named" || !errors.Is(err, engine.ErrWorkerLost) {
		t.Errorf("once it is down: %q, %v", waiting, err)
	}
	if s := manager.Status()[0]; s.State != fleet.NotLoaded || !s.Down {
		t.Errorf("%+v", s)
	}
}

// A worker that was killed while a model loaded at start ended the server; a file that cannot be
// loaded is to end it.
func TestLoad_workerLostAtStart(t *testing.T) {
	broken := errors.New("not a GGUF file")
	for _, c := range []struct {
		name   string
		fails  []error // of the first starts
		starts int
		want   error
	}{
		{"once", []error{engine.ErrWorkerLost}, 2, nil},
		{"each time", []error{engine.ErrWorkerLost, engine.ErrWorkerLost, engine.ErrWorkerLost, nil}, 3, engine.ErrWorkerLost},
		{"a broken file", []error{broken}, 1, broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			starts := 0
			start := func(context.Context, catalog.Entry, fleet.Grant, func(float64)) (engine.Engine, error) {
				if starts++; starts <= len(c.fails) && c.fails[starts-1] != nil {
					return nil, c.fails[starts-1]
				}
				return enginetest.Script(), nil
			}
			manager := fleet.New(fleet.Options{Catalog: &catalog.Catalog{Entries: []catalog.Entry{{ID: "a"}}}, Most: 1, Start: start})
			defer func() { _ = manager.Close() }() // scripted engines close well
			a, err := newApp(perModel{loader: &config.Loader{}}, admission{}, manager, []string{"a"})
			if err != nil {
				t.Fatal(err)
			}
			defer a.close()
			if err := a.load(t.Context()); !errors.Is(err, c.want) || starts != c.starts {
				t.Errorf("%d starts, error %v; want %d, %v", starts, err, c.starts, c.want)
			}
		})
	}
}

// Whatever a request and a model's file may leave out, a flag sets.
func TestSampling_everyFieldHasAFlag(t *testing.T) {
	s := config.Settings{Seed: 7}
	all := sampling(s, isSampling)
	for _, f := range engine.SamplingFields {
		if _, set := f.Get(all); !set {
			t.Errorf("no flag sets %s", f.Name)
		}
	}
	if all.Seed == nil {
		t.Error("no flag sets the seed")
	}
}
