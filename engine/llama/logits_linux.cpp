//go:build cgo

// Logits that stay where they were computed. llama.cpp copies them, a megabyte for each token of
// Gemma 3 270M: a twentieth of a step of eight tokens, and as much memory again. They can stay
// while nothing else is computed, which is until the next decode.
#include "ggml-backend.h"
#include "ggml.h"
#include "logits.h"

// What the decode that runs on this thread wants to leave, in bytes, and what it left.
static thread_local size_t wanted = 0;
static thread_local tn_left_logits left = {};

void tn_leave_logits(size_t bytes) {
    wanted = bytes;
    left = {};
}

tn_left_logits tn_which_logits(void) {
    wanted = 0;
    return left;
}

// leave is false where a tensor is to be copied.
static bool leave(const ggml_tensor * t, void * to, size_t offset, size_t size) {
    ggml_backend_buffer_t buffer = t->view_src != NULL ? t->view_src->buffer : t->buffer;
    if (wanted == 0 || size != wanted || offset != 0 || buffer == NULL || !ggml_backend_buffer_is_host(buffer)) {
        return false;
    }
    left = {(const float *) t->data, (const float *) to};
    wanted = 0;
    return true;
}

// llama.cpp calls the first of these: the linker brings its calls here (llama_ollama.go), or the
// loader, which finds this program's function before the library's.
#ifdef TENON_LIBLLAMA
#include <dlfcn.h>

extern "C" void ggml_backend_tensor_get_async(ggml_backend_t backend, const ggml_tensor * t, void * to, size_t offset, size_t size) {
    static auto real = (decltype(&ggml_backend_tensor_get_async)) dlsym(RTLD_NEXT, "ggml_backend_tensor_get_async");
    if (!leave(t, to, offset, size)) {
        real(backend, t, to, offset, size);
    }
}
#else
extern "C" void __real_ggml_backend_tensor_get_async(ggml_backend_t backend, const ggml_tensor * t, void * to, size_t offset, size_t size);

extern "C" void __wrap_ggml_backend_tensor_get_async(ggml_backend_t backend, const ggml_tensor * t, void * to, size_t offset, size_t size) {
    if (!leave(t, to, offset, size)) {
        __real_ggml_backend_tensor_get_async(backend, t, to, offset, size);
    }
}
#endif
