#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A tensor as ggml sees it. Without data there is none.
typedef struct tn_tensor {
    int type;
    int64_t ne[4];
    size_t nb[4];
    void * data;
} tn_tensor;

typedef struct tn_attention {
    tn_tensor q, k, v, mask, sinks;
    float scale, bias, softcap;
} tn_attention;

struct ggml_cgraph;
struct ggml_tensor;

#ifdef __cplusplus
extern "C" {
#endif

// Writes the attention's result, [batch][token][head][value], to out. ggmls says whose pass
// computes it: ggml's own, or the one that the linker put in its place.
void tn_attend(const tn_attention * a, bool ggmls, int threads, float * out);
// Divides rows by their root mean square, and multiplies them with weights, if there are any.
void tn_normalize(const tn_tensor * x, const tn_tensor * weights, float epsilon, int threads, float * out);
// Has x gate what is beside it: by, or the other half of its rows; the first half, if swapped.
void tn_gate(const tn_tensor * x, const tn_tensor * by, bool swapped, int threads, float * out);
// Bytes of a row of n numbers, and how to write one.
size_t tn_row_size(int type, int64_t n);
void tn_write_row(int type, const float * from, void * to, int64_t n);

// Computes a graph: compute_ollama_linux.cpp, compute_libllama_linux.cpp. Of a node of attention,
// ggmls asks for ggml's own way; libllama has it for all.
void tn_compute(struct ggml_cgraph * graph, struct ggml_tensor * node, bool ggmls, int threads);

// For a compiled in ggml alone: turns n numbers into Q8_K, by ggml's reference or as products have
// it.
void tn_quantize(const float * from, void * to, int64_t n, bool ggmls);

// For a shared libllama alone. tn_use picks one of ggml's CPU libraries; "" is the one that is
// linked. It is false where the library does not suit this CPU.
bool tn_use(const char * library);
// Multiplies m rows of weights, of k numbers each, with n rows: out is [n][m].
void tn_multiply(const tn_tensor * weights, const tn_tensor * rows, bool ggmls, int threads, float * out);

#ifdef __cplusplus
}
#endif
