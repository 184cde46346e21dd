package main

import (
	"context"
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
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/models/placement"
	"tenon/tools"
)

const (
	// leastContext is the shortest context that is chosen without being asked for: less serves no agent.
	leastContext = 2048
	// defaultContext is used where a file does not say what its model was trained for.
	defaultContext = 4096
)

// starter makes a worker process for each model.
func starter(p perModel, log *slog.Logger) fleet.Start {
	return func(ctx context.Context, e catalog.Entry, progress func(float64)) (engine.Engine, error) {
		s := p.of(e.ID).Settings
		o, err := workerOptions(s, e)
		if err != nil {
			return nil, err
		}
		if o.LoRA, err = adapters(s.LoRA); err != nil {
			return nil, err
		}
		o.Log, o.Progress = log, progress
		w, err := worker.Start(ctx, o)
		if err != nil {
			return nil, err
		}
		m := w.Model()
		log.Info("model loaded", "model", e.ID, "architecture", m.Architecture, "parameters", m.Parameters, "context", m.Context, "slots", m.Slots)
		return w, nil
	}
}

func workerOptions(s config.Settings, e catalog.Entry) (worker.Options, error) {
	o := worker.Options{
		Name: e.ID, Model: e.Path,
		Slots: s.Parallel, Queue: s.QueueSize, QueueTimeout: s.QueueTimeout,
		Threads: s.Threads, BatchSize: s.BatchSize, UBatchSize: s.UBatchSize, LoadMode: s.LoadMode,
		HostMemory: hostMemory(s.CacheRAM),
		CacheTypeK: s.CacheTypeK, CacheTypeV: s.CacheTypeV,
		RoPEFreqBase: float32(s.RopeFreqBase), RoPEFreqScale: float32(s.RopeScale), Pooling: s.Pooling,
		FlashAttention: flashAttention(s.FlashAttn), GPULayers: gpuLayers(s.GPULayers),
		StateDir: stateDir(),
	}
	var err error
	if o.Template, err = replacedTemplate(e); err != nil {
		return o, err
	}
	for _, d := range tools.Families() {
		o.Markers = append(o.Markers, d.Markers()...)
	}
	p, err := place(s, e)
	o.Context, o.Roomy = p.context, p.roomy
	return o, err
}

// hostMemory is MiB in bytes, in the worker's terms.
func hostMemory(mib int) int {
	switch {
	case mib < 0:
		return math.MaxInt
	case mib == 0:
		return -1
	}
	return mib << 20
}

// replacedTemplate is the chat template that is used in place of the file's own, "" if none is.
func replacedTemplate(e catalog.Entry) (string, error) {
	if e.Template == "" {
		return "", nil
	}
	b, err := os.ReadFile(e.Template)
	if err != nil {
		return "", fmt.Errorf("read the chat template of %s: %w", e.ID, err)
	}
	return string(b), nil
}

// placed is what a machine's memory allows a model.
type placed struct {
	context int  // tokens: what --ctx-size says, else what the model was trained for, less if memory demands it
	roomy   bool // memory for the weights once more stays free
}

func place(s config.Settings, e catalog.Entry) (placed, error) {
	free, err := placement.FreeMemory()
	if err != nil {
		slog.Warn("the machine's free memory is not known", "error", err)
		return placed{context: max(s.CtxSize, 0)}, nil
	}
	return placeWithin(free, s, e, measure)
}

// placeWithin is place where so many bytes are free.
func placeWithin(free int64, s config.Settings, e catalog.Entry, measure func(placement.Question) (placement.Answer, error)) (placed, error) {
	wanted, least := s.CtxSize, s.CtxSize
	if wanted == 0 {
		wanted, least = e.ContextTrained, leastContext
	}
	if wanted == 0 {
		wanted = defaultContext
	}
	q := placement.Question{
		Path: e.Path, KeyType: s.CacheTypeK, ValueType: s.CacheTypeV, Wanted: wanted, Least: least, Free: free,
	}
	if native.SeparateGPU {
		q.GPULayers = gpuLayers(s.GPULayers)
	}
	a, err := measure(q)
	if err != nil {
		slog.Warn("the model's memory cannot be estimated", "model", e.ID, "error", err)
		return placed{context: wanted}, nil
	}
	if a.Context == 0 {
		return placed{}, tooLarge(e, least, a.Least, free)
	}
	if a.Context < wanted {
		slog.Warn("memory allows a shorter context than the model was trained for", "model", e.ID, "context", a.Context, "trained", wanted, "free_mib", mib(free))
	}
	return placed{context: a.Context, roomy: a.Need.Total()+a.Need.Weights <= free}, nil
}

func tooLarge(e catalog.Entry, context int, need placement.Need, free int64) error {
	return fmt.Errorf("%s needs about %d MiB for a context of %d tokens (weights %d, KV cache %d, work %d), and %d MiB are free: "+
		"choose a smaller model or quantization, --cache-type-k and --cache-type-v q8_0, a smaller --ctx-size, or, where a GPU has the room, --gpu-layers with a number",
		e.ID, mib(need.Total()), context, mib(need.Weights), mib(need.Cache), mib(need.Compute), mib(free))
}

func mib(bytes int64) int64 { return bytes >> 20 }

func flashAttention(s string) worker.Switch {
	if s == "auto" {
		return worker.Auto
	}
	return worker.Switch(s)
}

// gpuLayers maps "auto" and a number to what the worker takes: 0 is as many as fit, negative is none.
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
			continue // it would change nothing; to the worker, 0 is the scale that nobody gave
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
