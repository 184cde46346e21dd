//go:build cgo

package native

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"tenon/engine"
	"tenon/engine/llama"
	"tenon/engine/worker"
	"tenon/engine/worker/runner"
)

var _ worker.Load = Load

// Load is a worker.Load.
func Load(ctx context.Context, o worker.Options, progress func(float64)) (engine.Engine, error) {
	free := FreeVRAM()
	m, err := llama.Load(ctx, o.Model, modelOptions(o, progress))
	if err != nil {
		return nil, err
	}
	b, err := newBackend(ctx, m, o)
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("load %s: %w", o.Model, err)
	}
	options := runner.Options{
		Slots: o.Slots, Queue: o.Queue, QueueTimeout: o.QueueTimeout, BatchSize: o.BatchSize, UBatchSize: o.UBatchSize,
		MaxPause: o.MaxPause, GPU: m.Offloaded(), HostMemory: o.HostMemory, Disk: kept(b), NoDrafts: o.Drafts == worker.Off,
	}
	// others have no drafts
	if o.Draft != "" && !options.NoDrafts && b.context != nil && b.rewindable() {
		d, err := loadDraft(ctx, m, o)
		if err != nil {
			_ = b.Close() // it never fails
			return nil, err
		}
		options.Draft = d
	}
	b.info.VRAM = max(0, free-FreeVRAM())
	debug.FreeOSMemory() // half of what loading took is garbage by now
	return runner.New(b, options), nil
}

func modelOptions(o worker.Options, progress func(float64)) llama.ModelOptions {
	m := llama.ModelOptions{LoadMode: llama.LoadMode(o.LoadMode), Roomy: o.Roomy, VocabOnly: o.VocabOnly}
	if o.GPULayers != 0 {
		layers := max(o.GPULayers, 0)
		m.GPULayers = &layers
	}
	if progress != nil {
		m.Progress = func(f float32) { progress(float64(f)) }
	}
	for _, a := range o.LoRA {
		m.Adapters = append(m.Adapters, llama.Adapter{Path: a.Path, Scale: a.Scale})
	}
	return m
}

// keptSequences is how many beginnings of earlier turns are remembered, at most. A recurrent model
// pays for each with a state of its own, tens of megabytes: there it is what the latest turns need
// and some that turns share. One more is for copying.
func keptSequences(m *llama.Model, slots int) int {
	if m.Recurrent() {
		return slots + 4 + 1
	}
	return 28 + 1
}

func contextOptions(m *llama.Model, o worker.Options) llama.ContextOptions {
	slots := cmp.Or(max(o.Slots, 0), engine.DefaultSlots)
	c := llama.ContextOptions{
		Size: o.Context, Batch: o.BatchSize, MicroBatch: o.UBatchSize, Threads: o.Threads,
		KeyType: llama.KVType(o.CacheTypeK), ValueType: llama.KVType(o.CacheTypeV),
		Sequences: slots + keptSequences(m, slots),
		// A window that forgets what lies behind it cannot be shared: cells that two
		// sequences hold are never reused.
		SWAFull: true,
		RoPE:    llama.RoPE{FrequencyBase: o.RoPEFreqBase, FrequencyScale: o.RoPEFreqScale},
	}
	if c.Size == 0 {
		c.Size = m.TrainedContext()
	}
	return c
}

// flash decides about flash attention. Left to a measurement, it is made once per model and
// machine.
func flash(ctx context.Context, m *llama.Model, o worker.Options, c llama.ContextOptions) llama.FlashAttention {
	if o.FlashAttention != worker.Auto {
		return llama.FlashAttention(o.FlashAttention)
	}
	key := m.CalibrationKey(c)
	if f := llama.FlashAttention(o.Measured[key]); f == llama.FlashOn || f == llama.FlashOff {
		return f
	}
	begin := time.Now()
	f, err := m.Calibrate(ctx, c)
	if err != nil {
		slog.Warn("flash attention was not measured", "error", err, "setting", f)
		return f
	}
	slog.Info("flash attention measured", "setting", f, "took", time.Since(begin).Round(time.Millisecond))
	if o.Remember != nil {
		o.Remember(key, string(f))
	}
	return f
}

// newContext makes the context that was asked for. Without a wish it is the trained one, halved
// until it can be had.
func newContext(ctx context.Context, m *llama.Model, o worker.Options) (*llama.Context, error) {
	options := contextOptions(m, o)
	options.Flash = flash(ctx, m, o, options)
	for {
		c, err := m.NewContext(options)
		if err == nil {
			return c, nil
		}
		if o.Context != 0 || options.Size/2 < engine.LeastContext {
			return nil, err
		}
		slog.Warn("the trained context does not fit into memory", "tokens", options.Size, "error", err)
		options.Size /= 2
	}
}
