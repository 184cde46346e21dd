//go:build cgo && libllama

package llama

// The library is found by the CGO_ flags that "make env ENGINE=libllama" prints.

// #cgo CFLAGS: -std=gnu11 -Wall -DTENON_LIBLLAMA
// #cgo LDFLAGS: -lllama -lggml -lggml-base -lm
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
