//go:build cgo

#include "kernel_linux.h"

#include <cstring>

#include "ggml.h"

// tensor makes one that lies where it lies, with strides that ggml's constructors would not give
// it.
static ggml_tensor * tensor(ggml_context * ctx, const tn_tensor & t) {
    if (t.data == NULL) {
        return NULL;
    }
    ggml_tensor * made = ggml_new_tensor(ctx, (ggml_type) t.type, 4, t.ne);
    memcpy(made->nb, t.nb, sizeof t.nb);
    made->data = t.data;
    return made;
}

// node is what ggml_flash_attn_ext would make, less its asserts: those of the kernels are looked
// at.
static ggml_tensor * node(ggml_context * ctx, const tn_attention & a, float * out) {
    int64_t ne[4] = {a.v.ne[0], a.q.ne[2], a.q.ne[1], a.q.ne[3]};
    ggml_tensor * dst = ggml_new_tensor(ctx, GGML_TYPE_F32, 4, ne);
    float params[] = {a.scale, a.bias, a.softcap};
    memcpy(dst->op_params, params, sizeof params);
    dst->op = GGML_OP_FLASH_ATTN_EXT;
    const tn_tensor * all[] = {&a.q, &a.k, &a.v, &a.mask, &a.sinks};
    for (int i = 0; i < 5; i++) {
        dst->src[i] = tensor(ctx, *all[i]);
    }
    dst->data = out;
    return dst;
}

void tn_attend(const tn_attention * a, bool ggmls, int threads, float * out) {
    ggml_context * ctx = ggml_init({1 << 20, NULL, true});
    ggml_tensor * dst = node(ctx, *a, out);
    ggml_cgraph * graph = ggml_new_graph(ctx);
    ggml_build_forward_expand(graph, dst);
    tn_compute(graph, dst, ggmls, threads);
    ggml_free(ctx);
}

// compute has a node computed, whose result goes to out.
static void compute(ggml_context * ctx, ggml_tensor * node, int threads, float * out) {
    node->data = out;
    ggml_cgraph * graph = ggml_new_graph(ctx);
    ggml_build_forward_expand(graph, node);
    tn_compute(graph, node, false, threads);
    ggml_free(ctx);
}

void tn_normalize(const tn_tensor * x, const tn_tensor * weights, float epsilon, int threads, float * out) {
    ggml_context * ctx = ggml_init({1 << 20, NULL, true});
    ggml_tensor * node = ggml_rms_norm(ctx, tensor(ctx, *x), epsilon);
    if (weights->data != NULL) {
        node->data = out;
        node = ggml_mul(ctx, node, tensor(ctx, *weights));
    }
    compute(ctx, node, threads, out);
}

void tn_gate(const tn_tensor * x, const tn_tensor * by, bool swapped, int threads, float * out) {
    ggml_context * ctx = ggml_init({1 << 20, NULL, true});
    ggml_tensor *a = tensor(ctx, *x), *b = tensor(ctx, *by);
    compute(ctx, b != NULL ? ggml_geglu_split(ctx, a, b) : swapped ? ggml_geglu_swapped(ctx, a) : ggml_geglu(ctx, a), threads, out);
}

size_t tn_row_size(int type, int64_t n) { return ggml_row_size((ggml_type) type, n); }

void tn_write_row(int type, const float * from, void * to, int64_t n) {
    if (type == GGML_TYPE_F32) {
        memcpy(to, from, n * sizeof(float));
    } else {
        ggml_get_type_traits((ggml_type) type)->from_float_ref(from, to, n);
    }
}
