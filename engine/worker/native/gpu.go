package native

import "tenon/engine/llama"

// SeparateGPU tells whether the layers that go to a GPU leave the machine's own memory.
const SeparateGPU = llama.SeparateGPU
