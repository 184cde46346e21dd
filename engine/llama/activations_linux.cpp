//go:build cgo && !libllama

// What a model does with each token's activations between its products: it divides them by their
// root mean square, has one half of them gate the other, and ggml turns them into bytes for
// products with weights in superblocks. ggml does it number by number. That took a quarter of a
// prompt's time with Gemma 3 270M, once products were faster. The linker brings ggml's calls here
// (--wrap in llama_ollama.go, kernels.cmake). A row's numbers do not depend on other rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "ggml-cpu.h"
#include "ggml.h"
#include "params_linux.h"
#include "products_linux.h"
#include "vectors_linux.h"

using namespace tenon;

namespace {

float sum_of(vec v) {
    float sum = 0;
    for (int i = 0; i < width; i++) {
        sum += v[i];
    }
    return sum;
}

// for_each calls a function for the places of n numbers, a vector at a time, and another for each
// of those that are left.
template <typename of_vector, typename of_number> inline void for_each(int64_t n, of_vector vectors, of_number numbers) {
    int64_t i = 0;
    for (; i + width <= n; i += width) {
        vectors(i);
    }
    for (; i < n; i++) {
        numbers(i);
    }
}

// squares is the sum of n numbers' squares. Vectors are added in four sums: one would wait for
// itself.
float squares(const float * x, int64_t n) {
    vec sums[4] = {};
    float rest = 0;
    for_each(n, [&](int64_t i) { vec v = load_anywhere(x + i); sums[i / width % 4] += v * v; }, [&](int64_t i) { rest += x[i] * x[i]; });
    return sum_of((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
}

// normalize divides a row by its root mean square. Weights, if there are any, multiply it.
void normalize(const float * x, const float * weights, float * y, int64_t n, float epsilon) {
    float scale = 1 / sqrtf(squares(x, n) / n + epsilon);
    if (weights == NULL) {
        for_each(n, [=](int64_t i) { store_anywhere(y + i, load_anywhere(x + i) * scale); }, [=](int64_t i) { y[i] = x[i] * scale; });
    } else {
        for_each(n, [=](int64_t i) { store_anywhere(y + i, load_anywhere(x + i) * scale * load_anywhere(weights + i)); },
                 [=](int64_t i) { y[i] = x[i] * scale * weights[i]; });
    }
}

inline float * row_of(const ggml_tensor & t, int64_t i1, int64_t i2, int64_t i3) {
    return (float *) ((char *) t.data + i1 % t.ne[1] * t.nb[1] + i2 % t.ne[2] * t.nb[2] + i3 % t.ne[3] * t.nb[3]);
}

// normalize_rows computes a thread's share of a norm, and of the product with weights, which may
// be missing.
void normalize_rows(const ggml_compute_params & params, const ggml_tensor & norm, const ggml_tensor * weights, const ggml_tensor & to) {
    float epsilon;
    memcpy(&epsilon, norm.op_params, sizeof epsilon);
    const ggml_tensor & x = *norm.src[0];
    for (int64_t i3 = 0; i3 < x.ne[3]; i3++) {
        for (int64_t i2 = 0; i2 < x.ne[2]; i2++) {
            for (int64_t i1 = params.ith; i1 < x.ne[1]; i1 += params.nth) {
                normalize(row_of(x, i1, i2, i3), weights == NULL ? NULL : row_of(*weights, i1, i2, i3), row_of(to, i1, i2, i3), x.ne[0], epsilon);
            }
        }
    }
}

// floats_in_rows tells whether a tensor's rows are of floats without gaps.
bool floats_in_rows(const ggml_tensor & t) { return t.type == GGML_TYPE_F32 && t.nb[0] == sizeof(float); }

// gelu is the form of GELU with the hyperbolic tangent, ½x(1 + tanh u). That is x / (1 + e^-2u).
// ggml looks it up in a table, for x rounded to 16 bits.
inline vec gelu(vec x) {
    vec u = 2 * 0.79788456f * x * (1 + 0.044715f * x * x); // √(2/π)
    vec_int negative = u < 0;
    vec e = exponential(choose(negative, u, -u));
    vec y = x * choose(negative, e, vec{} + 1) / (1 + e);
    return choose(x <= -10, vec{}, y); // also of −∞
}

void gate(const float * x, const float * by, float * y, int64_t n) {
    for_each(
        n, [=](int64_t i) { store_anywhere(y + i, gelu(load_anywhere(x + i)) * load_anywhere(by + i)); },
        [=](int64_t i) { y[i] = gelu(vec{} + x[i])[0] * by[i]; });
}

// gates tells whether a node is a gate with GELU that is computed here.
bool gates(const ggml_tensor & node) {
    const ggml_tensor *x = node.src[0], *by = node.src[1];
    return ggml_get_glu_op(&node) == GGML_GLU_OP_GEGLU && floats_in_rows(*x) && floats_in_rows(node) && ggml_is_contiguous_1(x) &&
        ggml_is_contiguous_1(&node) && (by == NULL || (floats_in_rows(*by) && ggml_is_contiguous_1(by)));
}

// gate_rows computes a thread's share. Without a second source the first one's rows hold both
// halves.
void gate_rows(const ggml_compute_params & params, const ggml_tensor & node) {
    const ggml_tensor &x = *node.src[0], &by = node.src[1] != NULL ? *node.src[1] : x;
    int64_t n = node.ne[0], rows = ggml_nrows(&x), share = (rows + params.nth - 1) / params.nth;
    bool swapped = node.op_params[1] != 0, halves = node.src[1] == NULL;
    for (int64_t i = share * params.ith; i < std::min(rows, share * (params.ith + 1)); i++) {
        gate((const float *) ((const char *) x.data + i * x.nb[1]) + (halves && swapped ? n : 0),
             (const float *) ((const char *) by.data + i * by.nb[1]) + (halves && !swapped ? n : 0),
             (float *) ((char *) node.data + i * node.nb[1]), n);
    }
}

#ifdef TENON_PRODUCTS
typedef int8_t small __attribute__((vector_size(width)));

// farthest is the first number of a block that none is farther from zero than.
float farthest(const float * x) {
    vec high = {}, low = {};
    for (int i = 0; i < 256; i += width) {
        vec v = load_anywhere(x + i);
        high = larger(v, high), low = choose(v < low, v, low);
    }
    float most = 0, least = 0;
    for (int i = 0; i < width; i++) {
        most = std::max<float>(most, high[i]), least = std::min<float>(least, low[i]);
    }
    if (most == -least && most > 0) {
        return *std::find_if(x, x + 256, [=](float v) { return v == most || v == least; });
    }
    return most > -least ? most : least;
}

// quantize turns 256 numbers into a block, as ggml does. Where ggml is compiled without fused
// multiplication, what lies between two steps may be rounded to the other one.
void quantize(const float * x, block_q8_K & to) {
    float far = farthest(x), scale = -127 / far;
    if (far == 0) {
        to = {};
        return;
    }
    for (int i = 0; i < 256; i += width) {
        // Added to what has no room for fractions, a number is rounded; its whole part is in the
        // last bits.
        vec_int q = ((vec_int) (load_anywhere(x + i) * scale + 12582912.0f) & 0x7fffff) - 0x400000;
        small bytes = __builtin_convertvector(q > 127 ? vec_int{} + 127 : q, small);
        memcpy(to.q + i, &bytes, sizeof bytes);
    }
    for (int i = 0; i < 16; i++) { // unsigned bytes can be added up
        __m128i q = _mm_loadu_si128((const __m128i *) to.q + i);
        __m128i sums = _mm_sad_epu8(_mm_xor_si128(q, _mm_set1_epi8(-128)), _mm_setzero_si128());
        to.sums[i] = _mm_extract_epi16(sums, 0) + _mm_extract_epi16(sums, 4) - 16 * 128;
    }
    to.d = 1 / scale;
}
#endif

} // namespace

extern "C" {

void __real_ggml_compute_forward_rms_norm(const ggml_compute_params * params, ggml_tensor * dst);
void __real_ggml_compute_forward_glu(const ggml_compute_params * params, ggml_tensor * dst);
void __real_quantize_row_q8_K(const float * x, void * y, int64_t n);

// ggml calls these on each of its threads.
void __wrap_ggml_compute_forward_rms_norm(const ggml_compute_params * params, ggml_tensor * dst) {
    if (uses_reference(*params) || !floats_in_rows(*dst->src[0]) || !floats_in_rows(*dst)) {
        __real_ggml_compute_forward_rms_norm(params, dst);
        return;
    }
    normalize_rows(*params, *dst, NULL, *dst);
}

void __wrap_ggml_compute_forward_glu(const ggml_compute_params * params, ggml_tensor * dst) {
    if (uses_reference(*params) || !gates(*dst)) {
        __real_ggml_compute_forward_glu(params, dst);
        return;
    }
    gate_rows(*params, *dst);
}

void __wrap_quantize_row_q8_K(const float * x, void * y, int64_t n) {
#ifdef TENON_PRODUCTS
    for (int64_t i = 0; i < n / 256; i++) {
        quantize(x + i * 256, ((block_q8_K *) y)[i]);
    }
#else
    __real_quantize_row_q8_K(x, y, n);
#endif
}

#if __has_include("ggml-cpu-impl.h") // a ggml that computes a norm with the product behind it
void __real_ggml_compute_forward_rms_norm_mul_fused(const ggml_compute_params * params, ggml_tensor * norm, ggml_tensor * dst);

void __wrap_ggml_compute_forward_rms_norm_mul_fused(const ggml_compute_params * params, ggml_tensor * norm, ggml_tensor * dst) {
    const ggml_tensor & weights = *dst->src[dst->src[0] == norm ? 1 : 0];
    if (uses_reference(*params) || !floats_in_rows(*norm->src[0]) || !floats_in_rows(*dst) || !floats_in_rows(weights)) {
        __real_ggml_compute_forward_rms_norm_mul_fused(params, norm, dst);
        return;
    }
    normalize_rows(*params, *norm, &weights, *dst);
}
#endif

} // extern "C"
