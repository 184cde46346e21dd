//go:build cgo && !libllama

// Products with Q4_K weights, which ggml interleaves when it loads them: eight rows, of each eight
// bytes in turn. ggml multiplies four tokens at a time, shuffling both sides to multiply two by
// two bytes and adding up after each, then those that are left one by one.
//
// With AVX2 panels are made of them, as of other weights, whatever the number of tokens: the whole
// node is computed here. With AVX-512 it is the product of four tokens and more alone, whose two
// lanes hold eight weights of a row, and are to be added up once, at the end.
#include "products_linux.h"

#include "ggml-backend.h"

extern "C" bool __real_ggml_cpu_extra_compute_forward(ggml_compute_params * params, ggml_tensor * op);
extern "C" void __real_ggml_gemm_q4_K_8x8_q8_K(int n, float * s, size_t bs, const void * vx, const void * vy, int nr, int nc);

#ifdef TENON_WIDE
namespace {

using namespace tenon;

// As in ggml's repack.h, which only ggml itself can include.
struct block_q8_Kx4 {
    float d[4];
    int8_t q[4][2][4][4][8]; // of two parts: a part, eight activations, token
    int16_t sums[4][4][4];   // of two parts: token, each half of each part
};
static_assert(sizeof(block_q8_Kx4) == 1168, "blocks of ggml");

constexpr int rows = 8, tokens = 4, pairs = 4; // pairs of parts of a block
constexpr size_t near = 256 << 10;             // bytes of activations that stay in the cache

// panel is a block; lanes 2i and 2i+1 are row i's.
struct panel {
    ints low[16], high[16];
    ints scales[2 * pairs];
    // twice, 16 bits: in even lanes the pair's first part's, in odd ones its second's
    ints minima[pairs];
    floats d, dmin;
};

// part_scales unpacks a part's eight scales and minima, a byte each.
void part_scales(const uint8_t * packed, uint8_t scales[rows], uint8_t minima[rows]) {
    for (int i = 0; i < 4; i++) {
        uint8_t first = packed[i], second = packed[4 + i], third = packed[8 + i];
        scales[i] = first & 63, minima[i] = second & 63;
        scales[4 + i] = (third & 15) | (first >> 6 << 4), minima[4 + i] = (third >> 4) | (second >> 6 << 4);
    }
}

inline floats twice(const uint16_t * d) {
    const ints index = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
    return _mm512_permutexvar_ps(index, _mm512_castps256_ps512(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *) d))));
}
inline void store_rows(float * to, floats v) {
    const ints even = _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 14, 12, 10, 8, 6, 4, 2, 0);
    floats both = _mm512_add_ps(v, _mm512_permute_ps(v, 0xb1));
    _mm256_storeu_ps(to, _mm512_castps512_ps256(_mm512_permutexvar_ps(even, both)));
}

void fill(const block_q4_Kx8 & b, panel & p) {
    for (int k = 0; k < 16; k++) {
        ints q;
        memcpy(&q, b.q[k], sizeof q);
        p.low[k] = low_halves(q);
        p.high[k] = high_halves(q);
    }
    alignas(64) int32_t scales[2 * pairs][lanes];
    alignas(64) uint16_t minima[pairs][rows][4];
    for (int part = 0; part < 2 * pairs; part++) {
        uint8_t scale[rows], minimum[rows];
        part_scales(b.scales + 12 * part, scale, minimum);
        for (int i = 0; i < rows; i++) {
            scales[part][2 * i] = scales[part][2 * i + 1] = packed(scale[i]);
            minima[part / 2][i][part % 2 * 2] = minima[part / 2][i][part % 2 * 2 + 1] = minimum[i];
        }
    }
    memcpy(p.scales, scales, sizeof scales);
    memcpy(p.minima, minima, sizeof minima);
    p.d = twice(b.d), p.dmin = twice(b.dmin);
}

// multiply writes the products of a panel's rows with four tokens.
void multiply(const panel * p, const block_q8_Kx4 * a, int64_t blocks, float * out, size_t stride) {
    floats sums[tokens] = {}, excesses[tokens] = {};
    for (int64_t k = 0; k < blocks; k++) {
        ints wholes[tokens] = {}, excess[tokens] = {};
        for (int pair = 0; pair < pairs; pair++) {
            ints low[tokens] = {}, high[tokens] = {};
            for (int i = 0; i < 4; i++) {
                for (int t = 0; t < tokens; t++) {
                    low[t] = dots(low[t], p[k].low[4 * pair + i], eight(a[k].q[pair][0][i][t]));
                    high[t] = dots(high[t], p[k].high[4 * pair + i], eight(a[k].q[pair][1][i][t]));
                }
            }
            for (int t = 0; t < tokens; t++) {
                wholes[t] = add(wholes[t], scaled(low[t], p[k].scales[2 * pair]));
                wholes[t] = add(wholes[t], scaled(high[t], p[k].scales[2 * pair + 1]));
                excess[t] = wide_dots(excess[t], p[k].minima[pair], eight(a[k].sums[pair][t]));
            }
        }
        for (int t = 0; t < tokens; t++) {
            floats d = all(a[k].d[t]);
            sums[t] = add_product(wholes[t], d * p[k].d, sums[t]);
            excesses[t] = add_product(excess[t], d * p[k].dmin, excesses[t]);
        }
    }
    for (int t = 0; t < tokens; t++) {
        store_rows(out + t * stride, sums[t] - excesses[t]);
    }
}

thread_local std::vector<panel> own;

} // namespace

// Called by ggml on each of its threads, for its share of the nc rows; n weights each, nr tokens.
extern "C" void __wrap_ggml_gemm_q4_K_8x8_q8_K(int n, float * s, size_t bs, const void * vx, const void * vy, int nr, int nc) {
    int64_t blocks = n / 256;
    const auto * weights = (const block_q4_Kx8 *) vx;
    const auto * activations = (const block_q8_Kx4 *) vy;
    own.resize(std::max<size_t>(own.size(), blocks));
    int most = std::max<int>(near / (blocks * sizeof *activations), 1);
    for (int first = 0; first < nr / tokens; first += most) {
        for (int row = 0; row < nc; row += rows) {
            for (int64_t k = 0; k < blocks; k++) {
                fill(weights[row / rows * blocks + k], own[k]);
            }
            for (int group = first; group < std::min(first + most, nr / tokens); group++) {
                multiply(own.data(), activations + group * blocks, blocks, s + group * tokens * bs + row, bs);
            }
        }
    }
}
#else
extern "C" void __wrap_ggml_gemm_q4_K_8x8_q8_K(int n, float * s, size_t bs, const void * vx, const void * vy, int nr, int nc) {
    __real_ggml_gemm_q4_K_8x8_q8_K(n, s, bs, vx, vy, nr, nc);
}
#endif

#if defined(TENON_PRODUCTS) && !defined(TENON_WIDE)
namespace {

using namespace tenon;

// interleaved tells whether weights are Q4_K of eight rows.
bool interleaved(const ggml_tensor & w) {
    return w.type == GGML_TYPE_Q4_K && w.buffer != NULL && w.extra != NULL &&
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
#if defined(TENON_PRODUCTS) && !defined(TENON_WIDE)
    const ggml_tensor *w = op->src[0], *x = op->src[1];
    if (op->op == GGML_OP_MUL_MAT && x->type == GGML_TYPE_F32 && x->ne[1] == ggml_nrows(x) && interleaved(*w)) {
        int64_t blocks = w->ne[0] / 256;
        quantize(*params, *x, blocks);
        if (params->ith == 0) {
            ggml_threadpool_chunk_set(params->threadpool, params->nth);
        }
        ggml_barrier(params->threadpool);
        return multiply_interleaved(*params, {w->ne[1], x->ne[1], blocks, w->data, blocks, params->wdata, blocks, (float *) op->data,
                                              int64_t(op->nb[1] / sizeof(float))});
    }
#endif
    return __real_ggml_cpu_extra_compute_forward(params, op);
}
