//go:build cgo && !libllama

#include "kernel_linux.h"

#include <cstring>
#include <vector>

#include "../params_linux.h"
#include "ggml-cpu.h"
#include "ggml.h"

extern "C" void __real_ggml_compute_forward_flash_attn_ext(const ggml_compute_params * params, ggml_tensor * dst);

// tensor makes one that lies where it lies, with strides that ggml's constructors would not give it.
static ggml_tensor * tensor(ggml_context * ctx, const tn_tensor & t) {
    if (t.data == NULL) {
        return NULL;
    }
    ggml_tensor * made = ggml_new_tensor(ctx, (ggml_type) t.type, 4, t.ne);
    memcpy(made->nb, t.nb, sizeof t.nb);
    made->data = t.data;
    return made;
}

// node is what ggml_flash_attn_ext would make, less its asserts: those of the kernels are looked at.
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
    ggml_cpu_init();
    ggml_context * ctx = ggml_init({1 << 20, NULL, true});
    ggml_tensor * dst = node(ctx, *a, out);
    ggml_cgraph * graph = ggml_new_graph(ctx);
    ggml_build_forward_expand(graph, dst);
    ggml_threadpool_params pool = ggml_threadpool_params_default(ggmls ? 1 : threads);
    ggml_threadpool * workers = ggml_threadpool_new(&pool);
    ggml_cplan plan = ggml_graph_plan(graph, pool.n_threads, workers);
    std::vector<uint8_t> work(plan.work_size + 1);
    plan.work_data = work.data();
    ggml_graph_compute(graph, &plan);
    if (ggmls) { // the pool knows by now that it has one thread
        ggml_compute_params params = {0, 1, work.size(), work.data(), workers};
        __real_ggml_compute_forward_flash_attn_ext(&params, dst);
    }
    ggml_threadpool_free(workers);
    ggml_free(ctx);
}

size_t tn_row_size(int type, int64_t n) { return ggml_row_size((ggml_type) type, n); }

void tn_write_row(int type, const float * from, void * to, int64_t n) {
    ggml_cpu_init();
    if (type == GGML_TYPE_F32) {
        memcpy(to, from, n * sizeof(float));
    } else {
        ggml_get_type_traits_cpu((ggml_type) type)->from_float(from, to, n);
    }
}
