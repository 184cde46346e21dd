//go:build cgo && !libllama

// Products of activations with quantized weights, on CPUs with AVX2 or AVX-512 VNNI, in the
// place of ggml's and llamafile's. The linker brings ggml's calls here (--wrap in
// llama_ollama.go, kernels.cmake).
//
// Those multiply a row of weights with a token's activations and then add up what lies side by
// side in a register. Here as many rows as a register has lanes are turned into panels: a
// register holds four weights of each, so that a lane is a row and nothing is to be added up.
// The tokens' activations lie side by side, so that one address leads to all. Panels for up to
// sixteen tokens stay in registers, and the weights come from memory once, asked for early: that
// is the limit for a few tokens, then the products are. With more tokens, two panels share each
// activation that is loaded (AVX-512). A token's sums are the same whatever tokens are beside
// it. Of the output matrix only the rows that are wanted are multiplied (rows.h).
//
// How often as fast as ggml's of v0.5.0 a product of 256 tokens is (BenchmarkProducts in
// kerneltest), one core; AVX2's is of before activations lay side by side, which gains it a tenth:
//
//	                       Q8_0  Q5_0  Q4_K  Q6_K
//	AVX-512, Xeon           4.0   4.8   6.6   6.8
//	AVX2, EPYC              1.6   3.3         2.7
#include "products_linux.h"

extern "C" bool __real_llamafile_sgemm(const ggml_compute_params *, int64_t, int64_t, int64_t, const void *, int64_t,
                                       const void *, int64_t, void *, int64_t, int, int, int);

#ifdef TENON_PRODUCTS
// one_by_one gives a token's logits as ggml would, but leaves rows out that nobody wants.
static bool one_by_one(const ggml_compute_params & params, const tenon::asked & p, int a_type, int b_type) {
    const auto * a = ggml_get_type_traits_cpu((ggml_type) a_type);
    if (p.n != 1 || a->vec_dot_type != b_type || !tenon::wanted(p.m).logits()) {
        return false;
    }
    int64_t size = ggml_type_size((ggml_type) a_type), weights = p.blocks * ggml_blck_size((ggml_type) a_type);
    tenon::in_pieces(params, p, tenon::lanes, [&](int64_t first, int count) {
        for (int64_t i = first; i < first + count; i++) {
            a->vec_dot(weights, p.c + i, 0, (const char *) p.a + i * p.a_stride * size, 0, p.b, 0, 1);
        }
    });
    return true;
}
#endif

// Called by ggml on each of its threads. False: ggml is to multiply itself.
extern "C" bool __wrap_llamafile_sgemm(const ggml_compute_params * params, int64_t m, int64_t n, int64_t k, const void * a,
                                       int64_t lda, const void * b, int64_t ldb, void * c, int64_t ldc, int a_type, int b_type,
                                       int c_type) {
#ifdef TENON_PRODUCTS
    tenon::asked p = {m, n, k, a, lda, b, ldb, (float *) c, ldc};
    if (m > 0 && n > 0 && k > 0 && c_type == GGML_TYPE_F32 && !tenon::uses_reference(*params)) {
        if (b_type == GGML_TYPE_Q8_0 && tenon::multiply_blocks(*params, p, a_type) ||
            b_type == GGML_TYPE_Q8_K && tenon::multiply_superblocks(*params, p, a_type) || one_by_one(*params, p, a_type, b_type)) {
            return true;
        }
    }
#endif
    return __real_llamafile_sgemm(params, m, n, k, a, lda, b, ldb, c, ldc, a_type, b_type, c_type);
}
