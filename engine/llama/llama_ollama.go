//go:build cgo && !libllama

package llama

// #cgo CFLAGS: -std=gnu11 -Wall
// #cgo CXXFLAGS: -std=gnu++17
// #cgo linux LDFLAGS: -lpthread -ldl -lstdc++ -lm
// #cgo linux LDFLAGS: -Wl,--wrap=ggml_compute_forward_flash_attn_ext
// #cgo linux LDFLAGS: -Wl,--wrap=llamafile_sgemm
// #cgo linux LDFLAGS: -Wl,--wrap=ggml_cpu_extra_compute_forward
// #cgo linux LDFLAGS: -Wl,--wrap=ggml_compute_forward_rms_norm -Wl,--wrap=ggml_compute_forward_glu
// #cgo linux LDFLAGS: -Wl,--wrap=quantize_row_q8_K
// #cgo linux LDFLAGS: -Wl,--wrap=ggml_backend_buffer_clear
// #cgo linux LDFLAGS: -Wl,--wrap=ggml_backend_tensor_get_async
// #cgo linux LDFLAGS: -Wl,--wrap=ggml_aligned_malloc -Wl,--wrap=ggml_aligned_free
// #cgo linux LDFLAGS: -Wl,--wrap=_Z14gguf_kv_to_strB5cxx11PK12gguf_contexti
// #cgo darwin LDFLAGS: -lc++
import "C"

import _ "github.com/ollama/ollama/llama/llama.cpp/src" // compiles llama.cpp and ggml in

// flashUnmeasured: attention_linux.cpp loses nowhere.
const flashUnmeasured = FlashOn

// Shared tells whether llama.cpp is a library that may change while this program stays the same.
const Shared = false

// Source says where the linked llama.cpp comes from.
const Source = "llama.cpp ec98e2002 (ollama v0.17.4)"

// SeparateGPU tells whether layers may go to a GPU with memory of its own. Metal shares the
// machine's.
const SeparateGPU = false
