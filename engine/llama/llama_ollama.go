//go:build cgo && !libllama

package llama

// #cgo CFLAGS: -std=gnu11 -Wall
// #cgo linux LDFLAGS: -lpthread -ldl -lstdc++ -lm
// #cgo darwin LDFLAGS: -lc++
import "C"

import _ "github.com/ollama/ollama/llama/llama.cpp/src" // compiles llama.cpp and ggml in

// flashChoices are the settings that [Model.Calibrate] compares.
var flashChoices = []FlashAttention{FlashOff, FlashOn, FlashDecode}

// flashUnmeasured: the larger a model and the deeper its context, the more its fused pass loses on CPUs.
const flashUnmeasured = FlashOff

// Source says where the linked llama.cpp comes from.
const Source = "llama.cpp ec98e2002 (ollama v0.17.4)"
