package main

import (
	"context"
	"reflect"
	"testing"

	"tenon/cmd/config"
	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models"
)

// A server whose models do not all fit into memory at once was never ready: the first made room for the last.
func TestReady_onceAllWereLoaded(t *testing.T) {
	catalog := &models.Catalog{Entries: []models.Entry{{ID: "a"}, {ID: "b"}}}
	start := func(context.Context, models.Entry, func(float64)) (engine.Engine, error) {
		return enginetest.Script(), nil
	}
	manager := models.NewManager(catalog, 1, start)
	defer func() { _ = manager.Close() }() // scripted engines close well
	a, err := newApp(config.Settings{}, admission{}, manager, []string{"a", "b"})
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

// Whatever a request and a model's file may leave out, a flag sets.
func TestSampling_everyFieldHasAFlag(t *testing.T) {
	s := config.Settings{Seed: 7}
	v := reflect.ValueOf(sampling(s))
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; v.Field(i).IsNil() && name != "LogitBias" && name != "DRYBreakers" {
			t.Errorf("no flag sets %s", name)
		}
	}
}
