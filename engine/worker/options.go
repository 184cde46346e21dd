package worker

import (
	"log/slog"
	"time"

	"tenon/engine/shards"
)

// Options say which model to load and how. The zero value of a field is its default; numbers are
// in engine/defaults.go.
type Options struct {
	// the program whose sub-command "worker" calls Serve; default: this executable
	Binary string `json:"-"`

	Name  string // of the model, for errors and log lines
	Model string // path of the GGUF; of a split model, its first part

	Slots int // turns that run at once
	Queue int // turns that may wait for a slot
	// longest wait for a slot; negative: no limit
	QueueTimeout time.Duration

	// tokens that one turn may use; default: what the model was trained for
	Context    int
	Threads    int // default: what the machine grants, see engine/llama
	BatchSize  int // tokens in one call of the model
	UBatchSize int // tokens computed at once
	// longest wait for a stream's next token beside prompts
	MaxPause time.Duration
	// bytes for copies of what finished turns leave in the KV cache; negative: none
	HostMemory int
	GPULayers  int // negative: none; default: as many as fit
	// how weights come into memory, see engine/llama: auto (default), mmap, none
	LoadMode string
	// beside the model, memory for its weights once more stays free
	Roomy          bool
	FlashAttention Switch // default Auto: measured once per model and machine
	// default Auto: what a turn repeats is guessed and evaluated together, where that pays;
	// Off: never
	Drafts Switch
	// a smaller model (GGUF) of the same vocabulary that guesses, too; default: none
	Draft         string
	CacheTypeK    string  // type of the KV cache's keys: f16 (default), q8_0, q4_0
	CacheTypeV    string  // of its values; a quantized type needs flash attention
	RoPEFreqBase  float32 // default: the file's
	RoPEFreqScale float32 // default: the file's
	LoRA          []Adapter
	// of embeddings: mean, cls, last, rank, none; default: the file's
	Pooling string
	// a chat template in place of the file's own: user-defined tokens that it writes are
	// markers, too
	Template string
	// further user-defined tokens that are markers: those of the families' calls
	Markers []string
	// no weights: prompts become ids and ids text, and no turn opens
	VocabOnly bool
	// where the parent keeps what children measured; default: nowhere
	StateDir string `json:"-"`
	// bytes below StateDir for what host memory held, so that a worker finds its
	// predecessor's; default: none
	DiskCache int
	// where that is; the parent says it
	DiskDir string

	Log *slog.Logger `json:"-"` // default slog.Default()
	// called with 0…1 while loading, at restarts too; may be nil
	Progress func(float64) `json:"-"`

	// For a Load: what was measured before, by what it depends on, and where to tell of more.
	Measured map[string]string
	Remember func(key, value string) `json:"-"` // may be nil
}

// Switch is on, off or left to a measurement.
type Switch string

// The settings of a Switch. The zero value is Auto.
const (
	Auto Switch = ""
	On   Switch = "on"
	Off  Switch = "off"
)

// Adapter is a LoRA adapter and how strongly it is applied.
type Adapter struct {
	Path  string
	Scale float32 // 0 means 1
}

// files are those that a child reads: the models with all their parts, and the adapters.
func (o Options) files() []string {
	files := shards.Files(o.Model)
	if o.Draft != "" {
		files = append(files, shards.Files(o.Draft)...)
	}
	for _, a := range o.LoRA {
		files = append(files, a.Path)
	}
	return files
}
