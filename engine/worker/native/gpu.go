package native

import "tenon/engine/llama"

// SeparateGPU tells whether the layers that go to a GPU leave the machine's own memory.
const SeparateGPU = llama.SeparateGPU

// FreeVRAM is what is free of such GPUs' memory in bytes, 0 without any.
func FreeVRAM() int64 {
	if !SeparateGPU {
		return 0
	}
	return llama.FreeGPU()
}
