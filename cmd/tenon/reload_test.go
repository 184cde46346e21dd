package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server/chat"
)

// S0-25: what the file says of a model is taken while the model is loaded and a turn runs; what cannot be is said.
func TestReload_takesWhatItCanAndSaysTheRest(t *testing.T) {
	l := loaded(t, "models-dir: .\nport: 1\nmodels:\n  tiny:\n    temp: 0.5\n")
	known, _, settings, err := catalogue(fetchFor(&cobra.Command{}), l, nil)
	if err != nil {
		t.Fatal(err)
	}
	scripted := enginetest.Script(enginetest.Say("one"), enginetest.Say("two"))
	manager := fleet.New(fleet.Options{Catalog: known, Start: func(context.Context, catalog.Entry, fleet.Grant, func(float64)) (engine.Engine, error) {
		return scripted, nil
	}})
	defer func() { _ = manager.Close() }() // scripted engines close well
	a, err := newApp(settings, admission{}, manager, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	before, release, err := a.loader.Acquire(t.Context(), "tiny") // a turn runs
	if err != nil {
		t.Fatal(err)
	}
	rewrite := func(text string) {
		if err := os.WriteFile(l.File(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rewrite("models-dir: .\nport: 2\nmodels:\n  tiny:\n    temp: 0.25\n    tool-format: hermes\n    ctx-size: 512\n")
	notes, err := a.reload(t.Context())
	want := []string{
		"port 2: when the server is next started", "tiny: tool-format hermes: from the next request on",
		"tiny: ctx-size 512: when the model is next loaded", "tiny: temp 0.25: from the next request on",
	}
	if slices.Sort(notes); err != nil || !slices.Equal(notes, sorted(want)) {
		t.Errorf("%q %v", notes, err)
	}
	after := acquired(t, a)
	if before.ToolFormat != "auto" || *before.Sampling.Temperature != 0.5 || after.ToolFormat != "hermes" || *after.Sampling.Temperature != 0.25 || after.Engine != before.Engine {
		t.Errorf("before %+v, after %+v", before.Sampling, after.Sampling)
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
