package fleet

import (
	"cmp"
	"slices"
	"time"

	"tenon/engine"
	"tenon/models/fleet"
	"tenon/models/store"
)

// Model is an entry of GET models.
type Model struct {
	ID           string  `json:"id"`
	State        string  `json:"state"`
	Progress     float64 `json:"progress,omitempty"`
	Size         int64   `json:"size"`
	Quantization string  `json:"quantization,omitempty"`
	Architecture string  `json:"architecture,omitempty"`
	// of one request; of a model that is not loaded, as set
	ContextLength  int      `json:"context_length,omitempty"`
	ContextTrained int      `json:"max_context_length,omitempty"` // that it was trained for
	Aliases        []string `json:"aliases"`
	Pinned         bool     `json:"pinned"`
	Path           string   `json:"path"`
	Source         string   `json:"source"` // where it was found or fetched from
	Error          string   `json:"error,omitempty"`

	// how the server's promises hold on its engine; of another machine's once it is loaded
	Guarantees map[string]string `json:"guarantees,omitempty"`
}

// Describe is a model as clients see it.
func Describe(s fleet.Status) Model {
	m := Model{
		ID: s.ID, State: string(s.State), Progress: s.Progress, Size: s.Size, Quantization: s.Quantization, Architecture: s.Architecture,
		ContextLength: s.Context, ContextTrained: s.ContextTrained, Aliases: append([]string{}, s.Aliases...), Pinned: s.Pinned,
		Path: s.Path, Source: s.Source,
	}
	if s.Remote == nil {
		m.Guarantees = engine.Everything.Kept()
	}
	if s.State == fleet.Loaded {
		m.ContextLength, m.Guarantees = s.Model.Context, s.Model.Can.Kept()
	}
	if s.Err != nil {
		m.Error = s.Err.Error()
	}
	return m
}

// Instance is an entry of GET ps.
type Instance struct {
	ID            string   `json:"id"`
	Model         string   `json:"model"`
	State         string   `json:"state"`
	Progress      float64  `json:"progress"`
	ContextLength int      `json:"context_length"`
	Slots         int      `json:"slots"`
	Busy          int      `json:"busy"`    // requests that use it
	Waiting       int      `json:"waiting"` // requests that wait for it
	Bytes         Bytes    `json:"bytes"`
	IdleSeconds   float64  `json:"idle_seconds"`
	TTLSeconds    *float64 `json:"ttl_seconds"` // null: it stays
	LoadSeconds   float64  `json:"load_seconds"`
	Pinned        bool     `json:"pinned"`
}

// Bytes is what an instance takes: as estimated before its load, and of RAM as measured since.
type Bytes struct {
	Weights  int64 `json:"weights"`
	Cache    int64 `json:"kv_cache"`
	Compute  int64 `json:"compute"`
	Host     int64 `json:"host_cache"` // most that copies of the KV cache in RAM may take
	VRAM     int64 `json:"vram"`
	Measured int64 `json:"measured"`
}

// Total is what the instance takes of all memory: as measured, where it was.
func (b Bytes) Total() int64 { return cmp.Or(b.Measured, b.Weights+b.Cache+b.Compute) + b.VRAM }

func tell(i fleet.Instance) Instance {
	out := Instance{
		ID: i.ID, Model: i.Entry.ID, State: string(i.State), Progress: i.Progress, ContextLength: i.Model.Context, Slots: i.Model.Slots,
		Busy: i.Busy, Waiting: i.Waiting, IdleSeconds: i.Idle.Seconds(), LoadSeconds: i.LoadTime.Seconds(), Pinned: i.Pinned,
		Bytes: Bytes{i.Need.Weights, i.Need.Cache, i.Need.Compute, i.Need.Host, i.Need.VRAM, i.Resident},
	}
	if i.TTL > 0 {
		ttl := i.TTL.Seconds()
		out.TTLSeconds = &ttl
	}
	return out
}

// loadBody is the body of POST load.
type loadBody struct {
	Model          string  `json:"model"`
	ID             string  `json:"id"`
	TTL            float64 `json:"ttl"` // seconds; 0 or negative: it stays
	ContextLength  int     `json:"context_length"`
	Parallel       int     `json:"parallel"`
	Batch          int     `json:"batch"`
	CacheTypeK     string  `json:"cache_type_k"`
	CacheTypeV     string  `json:"cache_type_v"`
	FlashAttention string  `json:"flash_attention"`
	GPULayers      string  `json:"gpu_layers"`
	Stream         bool    `json:"stream"`
}

func (b loadBody) request(progress func(fleet.Progress)) fleet.Request {
	return fleet.Request{
		Name: b.Model, ID: b.ID, TTL: max(0, time.Duration(b.TTL*float64(time.Second))), Progress: progress,
		Settings: fleet.Settings{
			Context: b.ContextLength, Slots: b.Parallel, Batch: b.Batch, CacheTypeK: b.CacheTypeK, CacheTypeV: b.CacheTypeV,
			FlashAttention: b.FlashAttention, GPULayers: b.GPULayers,
		},
	}
}

// check refuses settings that nothing could be loaded with.
func (b loadBody) check() (field, problem string) {
	for name, n := range map[string]int{"context_length": b.ContextLength, "parallel": b.Parallel, "batch": b.Batch} {
		if n < 0 || n > 1<<30 {
			return name, "is out of range"
		}
	}
	if b.TTL > 1<<30 || b.TTL > 0 && b.TTL < 0.001 {
		return "ttl", "is out of range; expected seconds, or 0 for a model that stays"
	}
	for name, t := range map[string]string{"cache_type_k": b.CacheTypeK, "cache_type_v": b.CacheTypeV} {
		if !slices.Contains([]string{"", "f16", "q8_0", "q4_0"}, t) {
			return name, "is " + t + "; expected f16, q8_0 or q4_0"
		}
	}
	if !slices.Contains([]string{"", "on", "off", "auto"}, b.FlashAttention) {
		return "flash_attention", "is " + b.FlashAttention + "; expected on, off or auto"
	}
	return "", ""
}

// loadProgress is an event of a load.
type loadProgress struct {
	State fleet.State `json:"state"`
	Share float64     `json:"progress"`
}

// Pulled is an event of a pull.
type Pulled struct {
	File        string  `json:"file"`
	Done        int64   `json:"done"`
	Total       int64   `json:"total"` // -1: the source does not say
	PerSecond   float64 `json:"bytes_per_second"`
	SecondsLeft float64 `json:"seconds_left"`
}

// Progress is how far a pull is, as clients see it.
func Progress(p store.Progress) Pulled {
	return Pulled{p.File, p.Done, p.Total, p.PerSecond, p.Left.Seconds()}
}
