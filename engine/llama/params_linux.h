// What ggml tells the threads that compute a node: as in ggml-cpu-impl.h, which only ggml itself can include.
#pragma once

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
}
