package engine

import "time"

// What a model that runs on this machine has where nothing else is said. The zero fields of the
// options of engine/worker, its runner and engine/llama mean these; package cmd/config prints
// them as the settings' defaults.
const (
	DefaultSlots        = 4               // turns that run at once
	DefaultQueue        = 128             // turns that may wait for a slot
	DefaultQueueTimeout = 5 * time.Minute // longest wait for one
	// most tokens in one call of the model: llama-server's
	DefaultBatch = 2048
	// longest wait for a stream's next token beside prompts
	DefaultMaxPause = 200 * time.Millisecond
	// bytes for copies of what finished turns leave in the KV cache
	DefaultHostMemory = 1 << 30
	// the shortest context that is chosen without being asked for: less serves no agent
	LeastContext = 2048
)

// Most tokens of a prompt that are computed at once. On a CPU small parts are faster: attention
// computes fewer scores that are masked out, and more data stays in the caches. Gemma 3 270M and a
// 0.6B model read prompts of 1,000 tokens 3 to 5 % faster in parts of 256 than in parts of 512. On
// a GPU larger parts are faster.
const (
	DefaultMicroBatch    = 256
	DefaultMicroBatchGPU = 512
)

// MicroBatch is the default for a model whose layers are on a GPU, or are not.
func MicroBatch(gpu bool) int {
	if gpu {
		return DefaultMicroBatchGPU
	}
	return DefaultMicroBatch
}
