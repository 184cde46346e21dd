//go:build cgo && libllama

package llama

// The library is found by the CGO_ flags that "make env ENGINE=libllama" prints.

// #cgo CFLAGS: -std=gnu11 -Wall -DTENON_LIBLLAMA
// #cgo LDFLAGS: -lllama -lggml -lggml-base -lm
import "C"

const flashUnmeasured = FlashAuto

// Source says where the linked llama.cpp comes from.
const Source = "shared libllama"
