//go:build cgo && !libllama

// ggml compiled in: its own way is what the linker calls real.
#include <vector>

#include "../params_linux.h"
#include "ggml-cpu.h"
#include "ggml.h"
#include "kernel_linux.h"

extern "C" void __real_ggml_compute_forward_flash_attn_ext(const ggml_compute_params * params, ggml_tensor * dst);

void tn_compute(ggml_cgraph * graph, ggml_tensor * node, bool ggmls, int threads) {
    ggml_cpu_init();
    ggml_threadpool_params pool = ggml_threadpool_params_default(ggmls ? 1 : threads);
    ggml_threadpool * workers = ggml_threadpool_new(&pool);
    ggml_cplan plan = ggml_graph_plan(graph, pool.n_threads, workers);
    std::vector<uint8_t> work(plan.work_size + 1);
    plan.work_data = work.data();
    ggml_graph_compute(graph, &plan);
    if (ggmls) { // the pool knows by now that it has one thread
        ggml_compute_params params = {0, 1, work.size(), work.data(), workers};
        __real_ggml_compute_forward_flash_attn_ext(&params, node);
    }
    ggml_threadpool_free(workers);
}

extern "C" void quantize_row_q8_K_ref(const float * from, void * to, int64_t n);

void tn_quantize(const float * from, void * to, int64_t n, bool ggmls) {
    (ggmls ? quantize_row_q8_K_ref : ggml_get_type_traits_cpu(GGML_TYPE_Q8_K)->from_float)(from, to, n);
}
