//go:build cgo && !libllama

// Products with Q4_K weights, which ggml interleaves when it loads them: eight rows, of each eight
// bytes in turn. ggml multiplies four tokens at a time, shuffling both sides to multiply two by
// two bytes and adding up after each, then those that are left one by one. Here panels are made of
// them, as of other weights, whatever the number of tokens: the whole node is computed.
#include "products_linux.h"

#include "ggml-backend.h"

extern "C" bool __real_ggml_cpu_extra_compute_forward(ggml_compute_params * params, ggml_tensor * op);

#ifdef TENON_PRODUCTS
namespace {

using namespace tenon;

// interleaved tells whether weights are Q4_K of eight rows.
bool interleaved(const ggml_tensor & w) {
    return w.type == GGML_TYPE_Q4_K && w.ne[1] % 8 == 0 && w.buffer != NULL && w.extra != NULL &&
           strcmp(ggml_backend_buft_name(ggml_backend_buffer_get_type(w.buffer)), "CPU_REPACK") == 0;
}

// quantize has each thread turn a part of each token's activations into blocks.
void quantize(const ggml_compute_params & params, const ggml_tensor & x, int64_t blocks) {
    const auto from_float = ggml_get_type_traits_cpu(GGML_TYPE_Q8_K)->from_float;
    int64_t first = blocks * params.ith / params.nth, last = blocks * (params.ith + 1) / params.nth;
    for (int64_t i = 0; i < x.ne[1]; i++) {
        const float * row = (const float *) ((const char *) x.data + i * x.nb[1]);
        from_float(row + first * 256, (block_q8_K *) params.wdata + i * blocks + first, (last - first) * 256);
    }
}

} // namespace
#endif

// Called by ggml on each of its threads for a node whose weights may lie in an order of their own.
extern "C" bool __wrap_ggml_cpu_extra_compute_forward(ggml_compute_params * params, ggml_tensor * op) {
#ifdef TENON_PRODUCTS
    const ggml_tensor *w = op->src[0], *x = op->src[1];
    if (op->op == GGML_OP_MUL_MAT && x->type == GGML_TYPE_F32 && x->ne[1] == ggml_nrows(x) && interleaved(*w)) {
        int64_t blocks = w->ne[0] / 256;
        quantize(*params, *x, blocks);
        if (params->ith == 0) {
            ggml_threadpool_chunk_set(params->threadpool, params->nth);
        }
        ggml_barrier(params->threadpool);
        multiply_interleaved(*params, {w->ne[1], x->ne[1], blocks, w->data, blocks, params->wdata, blocks, (float *) op->data,
                                       int64_t(op->nb[1] / sizeof(float))});
        return true;
    }
#endif
    return __real_ggml_cpu_extra_compute_forward(params, op);
}
