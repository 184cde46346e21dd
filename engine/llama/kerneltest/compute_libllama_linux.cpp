//go:build cgo && libllama

// For a shared libllama. ggml's backend interface reaches its CPU libraries. Where ggml's own way
// is wanted, the backend is told to use its reference implementation.
#include <cstdlib>
#include <cstring>

#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml.h"
#include "kernel_linux.h"

static ggml_backend_dev_t device;

// function finds one that only the backend's library has.
template <typename type> static type function(const char * name) {
    return (type) ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(device), name);
}

bool tn_use(const char * library) {
    if (*library == 0) {
        device = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    } else {
        ggml_backend_reg_t reg = ggml_backend_load(library);
        device = reg == NULL ? NULL : ggml_backend_reg_dev_get(reg, 0);
    }
    return device != NULL;
}

void tn_compute(ggml_cgraph * graph, ggml_tensor *, bool ggmls, int threads) {
    ggml_backend_t backend = ggml_backend_dev_init(device, NULL);
    function<ggml_backend_set_n_threads_t>("ggml_backend_set_n_threads")(backend, threads);
    function<void (*)(ggml_backend_t, bool)>("ggml_backend_cpu_set_use_ref")(backend, ggmls);
    ggml_backend_graph_compute(backend, graph);
    ggml_backend_free(backend);
}

// takes tells whether weights may lie in a kind of buffer, in an order of its own.
static bool takes(ggml_backend_buffer_type_t type, ggml_tensor * product) {
    ggml_tensor * weights = product->src[0];
    weights->buffer = ggml_backend_buft_alloc_buffer(type, 0);
    bool yes = ggml_backend_dev_supports_op(device, product);
    ggml_backend_buffer_free(weights->buffer);
    weights->buffer = NULL;
    return yes;
}

// reordered puts the weights into the first kind of buffer that takes them, as ggml does with a
// model's. AMX is left out, whose products are ggml's. NULL: they stay where they are.
static ggml_backend_buffer_t reordered(ggml_context * ctx, ggml_tensor * product, const void * weights) {
    auto kinds = function<ggml_backend_dev_get_extra_bufts_t>("ggml_backend_dev_get_extra_bufts")(device);
    for (; kinds != NULL && *kinds != NULL; kinds++) {
        if (strcmp(ggml_backend_buft_name(*kinds), "AMX") != 0 && takes(*kinds, product)) {
            ggml_tensor * w = product->src[0];
            ggml_backend_buffer_t buffer = ggml_backend_buft_alloc_buffer(*kinds, ggml_backend_buft_get_alloc_size(*kinds, w));
            w->data = NULL;
            ggml_backend_tensor_alloc(buffer, w, ggml_backend_buffer_get_base(buffer));
            ggml_backend_tensor_set(w, weights, 0, ggml_nbytes(w));
            return buffer;
        }
    }
    return NULL;
}

void tn_multiply(const tn_tensor * weights, const tn_tensor * rows, bool ggmls, int threads, float * out) {
    ggml_context * ctx = ggml_init({1 << 20, NULL, true});
    ggml_tensor * w = ggml_new_tensor_2d(ctx, (ggml_type) weights->type, weights->ne[0], weights->ne[1]);
    ggml_tensor * x = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, rows->ne[0], rows->ne[1]);
    ggml_tensor * product = ggml_mul_mat(ctx, w, x);
    ggml_backend_buffer_t buffer = ggmls ? NULL : reordered(ctx, product, weights->data);
    if (buffer == NULL) {
        w->data = weights->data;
    }
    x->data = rows->data;
    product->data = out;
    ggml_cgraph * graph = ggml_new_graph(ctx);
    ggml_build_forward_expand(graph, product);
    tn_compute(graph, product, ggmls, threads);
    ggml_backend_buffer_free(buffer);
    ggml_free(ctx);
}
