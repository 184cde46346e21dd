package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tenon/cmd/config"
	"tenon/engine"
	"tenon/engine/worker"
	"tenon/engine/worker/native"
	"tenon/engine/worker/runner"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/models/placement"
	"tenon/tools"
)

// defaultContext is used where a file does not say what its model was trained for.
const defaultContext = 4096

// starter makes a worker process for each model.
func starter(known *catalog.Catalog, of func(id string) config.Effective, log *slog.Logger) fleet.Start {
	return func(ctx context.Context, e catalog.Entry, g fleet.Grant, progress func(float64)) (engine.Engine, error) {
		if e.Remote != nil {
			return connect(ctx, e, log)
		}
		s := override(of(e.ID).Settings, g.Settings)
		o, err := workerOptions(s, e, g)
		if err != nil {
			return nil, err
		}
		if o.LoRA, err = adapters(s.LoRA); err != nil {
			return nil, err
		}
		if o.Draft, err = draftFile(known, e, s, g.Draft); err != nil {
			return nil, err
		}
		o.Log, o.Progress = log, progress
		w, err := worker.Start(ctx, o)
		if err != nil {
			return nil, err
		}
		m := w.Model()
		log.Info("model loaded", "model", g.Name, "architecture", m.Architecture, "parameters", m.Parameters, "context", m.Context, "slots", m.Slots)
		return w, nil
	}
}

// override puts the settings of one load over those of its model.
func override(s config.Settings, o fleet.Settings) config.Settings {
	s.CtxSize, s.Parallel, s.BatchSize = cmp.Or(o.Context, s.CtxSize), cmp.Or(o.Slots, s.Parallel), cmp.Or(o.Batch, s.BatchSize)
	s.CacheTypeK, s.CacheTypeV = cmp.Or(o.CacheTypeK, s.CacheTypeK), cmp.Or(o.CacheTypeV, s.CacheTypeV)
	s.FlashAttn, s.GPULayers = cmp.Or(o.FlashAttention, s.FlashAttn), cmp.Or(o.GPULayers, s.GPULayers)
	return s
}

func workerOptions(s config.Settings, e catalog.Entry, g fleet.Grant) (worker.Options, error) {
	o := worker.Options{
		Name: g.Name, Model: e.Path, Context: g.Context, Roomy: g.Roomy,
		Slots: s.Parallel, Queue: s.QueueSize, QueueTimeout: s.QueueTimeout,
		Threads: s.Threads, BatchSize: s.BatchSize, UBatchSize: s.UBatchSize, MaxPause: s.MaxPause, LoadMode: s.LoadMode,
		HostMemory: hostMemory(g.Host), DiskCache: s.CacheDisk << 20,
		CacheTypeK: s.CacheTypeK, CacheTypeV: s.CacheTypeV,
		RoPEFreqBase: float32(s.RopeFreqBase), RoPEFreqScale: float32(s.RopeScale), Pooling: s.Pooling,
		FlashAttention: autoSwitch(s.FlashAttn), Drafts: autoSwitch(s.Drafts), GPULayers: gpuLayers(s.GPULayers),
		StateDir: stateDir(), Markers: familyMarkers(),
	}
	var err error
	o.Template, err = e.ChatTemplate("")
	return o, err
}

// familyMarkers are what any family writes around calls.
func familyMarkers() (all []string) {
	for _, d := range tools.Families() {
		all = append(all, d.Markers()...)
	}
	return all
}

// hostMemory is what a load was granted, in the worker's terms.
func hostMemory(bytes int64) int {
	if bytes <= 0 {
		return -1
	}
	return int(min(bytes, math.MaxInt))
}

// estimator tells the fleet what a model would take of the machine's memory.
func estimator(known *catalog.Catalog, of func(id string) config.Effective, vram func() int64) func(catalog.Entry, fleet.Settings) (fleet.Demand, error) {
	return func(e catalog.Entry, o fleet.Settings) (fleet.Demand, error) {
		if e.Remote != nil {
			return fleet.Demand{Need: func(int) (placement.Need, error) { return placement.Need{}, nil }}, nil
		}
		s := override(of(e.ID).Settings, o)
		asked := cmp.Or(s.CtxSize, e.Context)
		d := fleet.Demand{Wanted: asked, Least: asked}
		if asked == 0 {
			d.Wanted = cmp.Or(e.ContextTrained, defaultContext)
			d.Least = min(engine.LeastContext, d.Wanted)
		}
		q := placement.Question{
			Path: e.Path, KeyType: s.CacheTypeK, ValueType: s.CacheTypeV, Wanted: d.Wanted, Least: d.Least,
			DraftContext: s.Parallel * runner.DraftRoom,
		}
		var err error
		if q.Draft, err = draftFile(known, e, s, o.Draft); err != nil {
			return d, err
		}
		if d.VRAM = vram(); d.VRAM == 0 || s.GPULayers != "auto" {
			if native.SeparateGPU {
				q.GPULayers = gpuLayers(s.GPULayers)
			}
			estimate, err := measure(q)
			d.Need = estimate.Need
			return d, err
		}
		// A model that is on both is slower than its figures promise: that is left to
		// whoever sets the number.
		here, err := measure(q)
		if err != nil {
			return d, err
		}
		without := d
		without.GPULayers, without.Need = "0", here.Need
		q.GPULayers = allLayers
		there, err := measure(q)
		d.GPULayers, d.Need, d.Otherwise = strconv.Itoa(allLayers), there.Need, &without
		return d, err
	}
}

// allLayers is more than any model has.
const allLayers = 1 << 20

func autoSwitch(s string) worker.Switch {
	if s == "auto" {
		return worker.Auto
	}
	return worker.Switch(s)
}

// gpuLayers maps "auto" and a number to what the worker takes: 0 is as many as fit, negative is
// none.
func gpuLayers(s string) int {
	if s == "auto" {
		return 0
	}
	n, _ := strconv.Atoi(s) // package config admits nothing else
	if n == 0 {
		return -1
	}
	return n
}

// draftFile is the file of the model that drafts for another one, "" if none does. A client can
// choose a model at hand, and no other file.
func draftFile(known *catalog.Catalog, e catalog.Entry, s config.Settings, chosen string) (string, error) {
	name := cmp.Or(chosen, s.Draft)
	if name == "" || s.Drafts == "off" {
		return "", nil
	}
	path := name
	if info, err := os.Stat(name); chosen != "" || err != nil || info.IsDir() {
		d, err := known.Resolve(name)
		if err == nil && (d.Remote != nil || d.Path == "") {
			err = errors.New("it is not loaded here")
		}
		if err != nil {
			return "", fmt.Errorf("the draft model %s of %s: %w", name, e.ID, err)
		}
		path = d.Path
	}
	if path == e.Path { // it is set for all models, and is one of them
		return "", nil
	}
	return path, nil
}

// checkDraft tells at start what would keep a model from being drafted for.
func checkDraft(m config.Model, s config.Settings) error {
	if m.Has("draft") && len(m.Remote.URLs) > 0 && !m.Remote.Fallback {
		return errors.New("the model is not loaded here: whoever serves it drafts for it")
	}
	if strings.HasSuffix(strings.ToLower(s.Draft), ".gguf") {
		_, err := os.Stat(s.Draft)
		return err
	}
	return nil
}

// checkAdapters tells at start what would keep models from being loaded.
func checkAdapters(specs []string) error {
	_, err := adapters(specs)
	return err
}

func adapters(specs []string) ([]worker.Adapter, error) {
	var all []worker.Adapter
	for _, spec := range specs {
		path, scale, scaled := strings.Cut(spec, "=")
		a := worker.Adapter{Path: path}
		if scaled {
			n, err := strconv.ParseFloat(scale, 32)
			if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
				return nil, fmt.Errorf("lora %q: expected FILE or FILE=SCALE", spec)
			}
			a.Scale = float32(n)
		}
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("lora: %w", err)
		}
		if scaled && a.Scale == 0 {
			// it would change nothing; to the worker, 0 is the scale that nobody gave
			continue
		}
		all = append(all, a)
	}
	return all, nil
}

// stateDir is where measurements and vocabulary caches are kept; "" keeps none.
func stateDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "tenon")
}
