// What ggml tells the threads that compute a node. Only ggml's own build has the header
// (kernels.cmake); elsewhere what is needed of it stands here.
#pragma once

#if __has_include("ggml-cpu-impl.h")
#include "ggml-cpu-impl.h"

namespace tenon {
// uses_reference tells whether a test asks for ggml's own way, to compare with (ggml's use_ref).
inline bool uses_reference(const ggml_compute_params & params) { return params.use_ref; }
}
#else
#include <cstddef>

extern "C" {

struct ggml_compute_params {
    int ith, nth; // this thread, and how many there are
    size_t wsize;
    void * wdata;
    struct ggml_threadpool * threadpool;
};

// Adds to the threads' common counter and returns what it was before.
int ggml_threadpool_chunk_add(struct ggml_threadpool * tp, int value);
void ggml_threadpool_chunk_set(struct ggml_threadpool * tp, int value);

// Has all threads wait for each other.
void ggml_barrier(struct ggml_threadpool * tp);
}

namespace tenon {
inline bool uses_reference(const ggml_compute_params &) { return false; }
}
#endif
