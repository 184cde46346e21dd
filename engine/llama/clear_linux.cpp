//go:build cgo

// Zeros without memory. llama.cpp clears what it allocates for the KV cache and for logits, which
// takes all of it at once: 190 MB for Gemma 3 270M with 8,192 tokens. Here the system is told that
// the pages are not needed, and gives new ones, of zeros, when they are used.
//
// Those are small pages, other than the weights'. The cache lies layer by layer, and a huge page
// of 2 MiB holds a layer's keys of thousands of tokens: with 2,000 tokens of Gemma 3 270M in the
// cache, 36 parts of a megabyte took 145 MB. Attention is as fast in small ones (3,500 tokens).
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "ggml-backend.h"

static const size_t large = 1 << 20; // less is cleared sooner than given back

// give_back is false where the system keeps the pages.
static bool give_back(char * begin, size_t size) {
    size_t page = sysconf(_SC_PAGESIZE);
    char * first = (char *) (((uintptr_t) begin + page - 1) / page * page);
    char * last = (char *) ((uintptr_t) (begin + size) / page * page);
    if (madvise(first, last - first, MADV_DONTNEED) != 0) {
        return false;
    }
    madvise(first, last - first, MADV_NOHUGEPAGE); // see above; where it fails memory is wasted
    memset(begin, 0, first - begin);
    memset(last, 0, begin + size - last);
    return true;
}

static bool clear(ggml_backend_buffer_t buffer, uint8_t value) {
    size_t size = ggml_backend_buffer_get_size(buffer);
    return value == 0 && size >= large && ggml_backend_buffer_get_type(buffer) == ggml_backend_cpu_buffer_type() &&
        give_back((char *) ggml_backend_buffer_get_base(buffer), size);
}

// llama.cpp calls the first of these: the linker brings its calls here (llama_ollama.go), or the
// loader, which finds this program's function before the library's.
#ifdef TENON_LIBLLAMA
#include <dlfcn.h>

extern "C" void ggml_backend_buffer_clear(ggml_backend_buffer_t buffer, uint8_t value) {
    static auto real = (decltype(&ggml_backend_buffer_clear)) dlsym(RTLD_NEXT, "ggml_backend_buffer_clear");
    if (!clear(buffer, value)) {
        real(buffer, value);
    }
}
#else
extern "C" void __real_ggml_backend_buffer_clear(ggml_backend_buffer_t buffer, uint8_t value);

extern "C" void __wrap_ggml_backend_buffer_clear(ggml_backend_buffer_t buffer, uint8_t value) {
    if (!clear(buffer, value)) {
        __real_ggml_backend_buffer_clear(buffer, value);
    }
}
#endif
