package fleet

import (
	"context"
	"time"

	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/placement"
	"tenon/models/store"
)

// Store keeps fetched files. *store.Store implements it.
type Store interface {
	Pull(ctx context.Context, r store.Ref, progress func(store.Progress)) (string, error)
	Search(ctx context.Context, words string, most int) ([]string, error)
	Files(ctx context.Context, repo string) ([]store.HubFile, error)
	Remove(path string) error
	Holds(path string) bool
}

// Grant is what a load may take.
type Grant struct {
	Settings        // as asked for; its Context is what was found to fit
	Host     int64  // bytes for copies of the KV cache in RAM; 0: none
	Roomy    bool   // beside the model, memory for its weights once more stays free
	Name     string // of the instance
}

// Start makes an engine; progress is told shares from 0 to 1.
type Start func(ctx context.Context, e catalog.Entry, g Grant, progress func(float64)) (engine.Engine, error)

// Demand is what a model would take. Need tells it for a context of so many tokens, from Least to
// Wanted.
type Demand struct {
	Wanted, Least int
	Need          func(context int) (placement.Need, error)
	// bytes of the GPU's memory that were free when this was found out; 0: not known
	VRAM      int64
	GPULayers string  // that Need is for, where the settings leave it open
	Otherwise *Demand // what is loaded where this fits beside nothing; may be nil
}

// Options configure a fleet. Catalog and Start must be set.
type Options struct {
	Catalog *catalog.Catalog
	Start   Start
	// nil: memory is not looked at
	Estimate func(catalog.Entry, Settings) (Demand, error)
	// what is free now; nil: placement.Free
	Free func() (placement.Memory, error)
	// where models are fetched to; nil: none are
	Store Store

	Most int // most instances at once; 0: no limit of their number
	// bytes of RAM that all instances may take for copies of the KV cache; negative: no limit
	HostCache int64

	// an instance that was idle so long is unloaded; 0 or Forever: never
	TTL          time.Duration
	QueueTimeout time.Duration // longest wait for room; 0: no limit
}
