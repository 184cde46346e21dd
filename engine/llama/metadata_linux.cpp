//go:build cgo && !libllama

// llama.cpp writes all of a model's metadata into its log, of each value the first 37 bytes. For
// that it makes texts of the whole lists: of a vocabulary of 262,144 tokens that takes a tenth of
// the time to load. Here a list is not written out.
#include <string>

#include "gguf.h"

// llama.cpp's gguf_kv_to_str, by the name that the linker knows it under (llama_ollama.go).
#define REAL __real__Z14gguf_kv_to_strB5cxx11PK12gguf_contexti
#define WRAP __wrap__Z14gguf_kv_to_strB5cxx11PK12gguf_contexti

extern "C" std::string REAL(const gguf_context * metadata, int i);

extern "C" std::string WRAP(const gguf_context * metadata, int i) {
    return gguf_get_kv_type(metadata, i) == GGUF_TYPE_ARRAY ? "[...]" : REAL(metadata, i);
}
