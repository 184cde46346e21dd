//go:build cgo && libllama

package llama

// The library is found by the CGO_ flags that "make env ENGINE=libllama" prints. Its kernels look
// in this program's symbols for which logits are wanted (rows.h).

// #cgo CFLAGS: -std=gnu11 -Wall -DTENON_LIBLLAMA
// #cgo CXXFLAGS: -std=gnu++17 -DTENON_LIBLLAMA
// #cgo LDFLAGS: -lllama -lggml -lggml-base -lm
// #cgo linux LDFLAGS: -Wl,--export-dynamic
import "C"

import "runtime"

const flashUnmeasured = FlashAuto

// Shared tells whether llama.cpp is a library that may change while this program stays the same.
const Shared = true

// Source says where the linked llama.cpp comes from.
const Source = "shared libllama"

// SeparateGPU tells whether layers may go to a GPU with memory of its own. Metal shares the
// machine's.
const SeparateGPU = runtime.GOOS != "darwin"
