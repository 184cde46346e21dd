package llama

import "errors"

// ErrNoMemorySlot: the batch found no room in the KV cache. Nothing was evaluated; a smaller batch
// or an emptier cache may succeed.
var ErrNoMemorySlot = errors.New("no room in the KV cache")

// ModelOptions say how a model is loaded. The zero value maps the file into memory and offloads
// all layers if there is a GPU with room for them.
type ModelOptions struct {
	GPULayers *int // layers to offload; nil: as many as fit
	LoadMode  LoadMode
	// beside the model, memory for its weights once more stays free: LoadAuto goes by it
	Roomy     bool
	VocabOnly bool // no weights: only the vocabulary and the metadata
	Adapters  []Adapter
	Progress  func(fraction float32) // called from the loading goroutine; may be nil
}

// Adapter is a LoRA adapter that all contexts of a model use.
type Adapter struct {
	Path  string
	Scale float32
}

// KVType is how the KV cache stores its values.
type KVType string

// The types of KV caches. The zero value is KVF16.
const (
	KVF16  KVType = "f16"
	KVQ8_0 KVType = "q8_0"
	KVQ4_0 KVType = "q4_0"
)

// FlashAttention is whether attention is computed in one fused pass. Which is faster depends on
// the model and the machine: see Model.Calibrate.
type FlashAttention string

// The settings of flash attention. The zero value leaves the choice to llama.cpp, which takes it
// wherever it can.
const (
	FlashAuto FlashAttention = "auto"
	FlashOn   FlashAttention = "on"
	FlashOff  FlashAttention = "off"
)

// Pooling is how the vectors of a sequence's tokens become one.
type Pooling string

// The ways of pooling. The zero value is what the model was made for.
const (
	PoolingNone Pooling = "none"
	PoolingMean Pooling = "mean"
	PoolingCLS  Pooling = "cls"
	PoolingLast Pooling = "last"
	PoolingRank Pooling = "rank"
)

// ContextOptions say how a context is made. The zero value is one sequence of the trained length.
type ContextOptions struct {
	// cells of the KV cache, in tokens, shared by all sequences; 0: the trained context
	Size       int
	Batch      int // most tokens in one call of Decode; 0: engine.DefaultBatch, at most Size
	MicroBatch int // most tokens evaluated at a time; 0: engine.MicroBatch's, at most Batch
	Sequences  int // most sequences at a time; 0: 1
	// at most; fewer while other processes need the cores. 0: what the machine grants,
	// GrantedThreads
	Threads   int
	KeyType   KVType
	ValueType KVType // other than f16 it needs flash attention
	Flash     FlashAttention
	// keep all cells of sliding windows: sequences can then be cut anywhere, for more memory
	SWAFull    bool
	Embeddings bool // compute vectors, not only logits
	Pooling    Pooling
	RoPE       RoPE
}

// RoPE overrides what the model says about rotary positions. Zero fields leave the model's values.
type RoPE struct {
	FrequencyBase  float32
	FrequencyScale float32
}

// TokenizeOptions say how llama.cpp reads a text.
type TokenizeOptions struct {
	AddSpecial bool // add BOS and EOS where the model wants them
	// take the spelling of control tokens for the tokens themselves; never set it for
	// untrusted text
	ParseSpecial bool
}
