//go:build cgo && !libllama

// Products of activations with weights in 8-bit or 5-bit blocks (Q8_0, Q5_0), on CPUs with VNNI, in the place of ggml's and
// llamafile's. The linker brings ggml's calls here (--wrap in llama_ollama.go).
//
// Those multiply a row of weights with a token's activations and then add up what lies side by side in a register. Here, for
// two tokens and more, sixteen rows are turned into panels: a register holds four weights of each, so that a lane is a row
// and nothing is to be added up. For one token the memory is the limit: it is asked early for what comes.
//
// Two Zen 4 cores, tokens a second before and after. 0.6B parameters in Q8_0: prompt of 512 tokens 199, 420; one stream 36,
// 38. Gemma 3 270M: prompt 620, 980; one stream 60, 80; four 105, 169.
#include "ggml-cpu.h"
#include "ggml.h"
#include "params_linux.h"

extern "C" bool __real_llamafile_sgemm(const ggml_compute_params *, int64_t, int64_t, int64_t, const void *, int64_t,
                                       const void *, int64_t, void *, int64_t, int, int, int);

#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace {

// As in ggml-common.h, which only ggml itself can include.
struct block_q8_0 {
    uint16_t d;
    int8_t q[32];
};
struct block_q5_0 {
    uint16_t d;
    uint8_t high[4], low[16];
};
static_assert(sizeof(block_q8_0) == 34 && sizeof(block_q5_0) == 22, "blocks of ggml");

constexpr int lanes = 16;   // rows of a panel
constexpr int together = 8; // columns that a panel's registers are multiplied with
constexpr int early = 6144; // bytes; less comes too late, and 4096 falls into the same sets of the cache

// VNNI wants one factor unsigned: weights are made so. A product is too large by their excess times the sum of activations.
inline __m256i unsign(const block_q8_0 & b) { return _mm256_xor_si256(_mm256_loadu_si256((const __m256i *) b.q), _mm256_set1_epi8(-128)); }
inline __m256i unsign(const block_q5_0 & b) {
    __m128i low = _mm_loadu_si128((const __m128i *) b.low);
    __m256i q = _mm256_and_si256(_mm256_set_m128i(_mm_srli_epi16(low, 4), low), _mm256_set1_epi8(15));
    uint32_t high;
    memcpy(&high, b.high, sizeof high);
    return _mm256_mask_add_epi8(q, high, q, _mm256_set1_epi8(16));
}
inline int excess(const block_q8_0 *) { return 128; }
inline int excess(const block_q5_0 *) { return 16; }

// column is a token's activations: their blocks, and of each its scale and what its products are too large by, negative.
struct column {
    const block_q8_0 * blocks;
    float * d;
    int32_t * correction;
};

void prepare(const column & c, int64_t blocks, int excess) {
    const __m256i ones = _mm256_set1_epi8(1);
    for (int64_t k = 0; k < blocks; k++) {
        __m256i sums = _mm256_dpbusd_epi32(_mm256_setzero_si256(), ones, _mm256_loadu_si256((const __m256i *) c.blocks[k].q));
        __m128i s = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
        s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
        s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
        c.correction[k] = -excess * _mm_cvtsi128_si32(s);
        c.d[k] = _cvtsh_ss(c.blocks[k].d);
    }
}

// panel is a block of sixteen rows: in q[i] weights 4i to 4i+3 of each.
struct panel {
    __m512i q[8];
    __m512 d;
};

template <typename block> inline __m512i two_rows(const block & a, const block & b) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(unsign(a)), unsign(b), 1);
}

// turn transposes a block of sixteen rows, whose places are given.
template <typename block> inline void turn(const block * const rows[lanes], int64_t k, panel & p) {
    __m512i r[8], pairs[8], fours[8];
    for (int i = 0; i < 8; i++) {
        int row = i < 4 ? i : i + 4; // so that the lanes come out in the order of the rows
        r[i] = two_rows(rows[row][k], rows[row + 4][k]);
    }
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int j = 0; j < 2; j++) {
            fours[i + 2 * j] = _mm512_unpacklo_epi64(pairs[i + j], pairs[i + j + 2]);
            fours[i + 2 * j + 1] = _mm512_unpackhi_epi64(pairs[i + j], pairs[i + j + 2]);
        }
    }
    for (int i = 0; i < 4; i++) {
        p.q[i] = _mm512_shuffle_i32x4(fours[i], fours[i + 4], 0x88);
        p.q[i + 4] = _mm512_shuffle_i32x4(fours[i], fours[i + 4], 0xdd);
    }
    alignas(32) uint16_t d[lanes];
    for (int i = 0; i < lanes; i++) {
        d[i] = rows[i][k].d;
    }
    p.d = _mm512_cvtph_ps(_mm256_load_si256((const __m256i *) d));
}

inline __m512i four(const int8_t * q) {
    int32_t v;
    memcpy(&v, q, sizeof v);
    return _mm512_set1_epi32(v);
}

// multiply writes the products of a panel's rows with n columns; those of a column lie side by side.
template <int n> void multiply(const panel * p, const column * c, int64_t blocks, float * out, int64_t stride, __mmask16 rows) {
    __m512 sums[n] = {};
    for (int64_t k = 0; k < blocks; k++) {
        for (int j = 0; j < n; j++) {
            __m512i dots = _mm512_set1_epi32(c[j].correction[k]);
            for (int i = 0; i < 8; i++) {
                dots = _mm512_dpbusd_epi32(dots, p[k].q[i], four(c[j].blocks[k].q + 4 * i));
            }
            __m512 d = _mm512_mul_ps(p[k].d, _mm512_set1_ps(c[j].d[k]));
            sums[j] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots), d, sums[j]);
        }
    }
    for (int j = 0; j < n; j++) {
        _mm512_mask_storeu_ps(out + j * stride, rows, sums[j]);
    }
}

typedef void (*multiplier)(const panel *, const column *, int64_t, float *, int64_t, __mmask16);
const multiplier multipliers[together + 1] = {
    nullptr, multiply<1>, multiply<2>, multiply<3>, multiply<4>, multiply<5>, multiply<6>, multiply<7>, multiply<8>,
};

template <typename block> inline __m256 dot(const block & w, const column & c, int64_t k, __m256 sum) {
    __m256i dots = _mm256_zextsi128_si256(_mm_cvtsi32_si128(c.correction[k]));
    dots = _mm256_dpbusd_epi32(dots, unsign(w), _mm256_loadu_si256((const __m256i *) c.blocks[k].q));
    return _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots), _mm256_set1_ps(_cvtsh_ss(w.d) * c.d[k]), sum);
}

// row is the product of one row with one column.
template <typename block> float row(const block * w, const column & c, int64_t blocks) {
    __m256 even = _mm256_setzero_ps(), odd = even;
    int64_t k = 0;
    for (; k + 1 < blocks; k += 2) {
        __builtin_prefetch((const char *) (w + k) + early);
        even = dot(w[k], c, k, even);
        odd = dot(w[k + 1], c, k + 1, odd);
    }
    if (k < blocks) {
        even = dot(w[k], c, k, even);
    }
    even = _mm256_add_ps(even, odd);
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(even), _mm256_extractf128_ps(even, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
}

// scratch is one thread's. It grows to what the widest product asks for.
struct scratch {
    std::unique_ptr<panel[]> panels;
    std::vector<column> columns;
    std::unique_ptr<float[]> d;
    std::unique_ptr<int32_t[]> corrections;
    int64_t width = 0, size = 0;

    void reserve(int64_t blocks, int64_t n) {
        if (blocks > width) {
            panels.reset(new panel[blocks]);
            width = blocks;
        }
        if (blocks * n > size) {
            d.reset(new float[blocks * n]);
            corrections.reset(new int32_t[blocks * n]);
            size = blocks * n;
        }
        columns.resize(n);
    }
};

thread_local scratch own;

// product is what ggml asks for: m rows of weights times n columns of activations. Strides of a and b are in blocks.
template <typename block> struct product {
    int64_t m, n, blocks;
    const block * a;
    int64_t a_stride;
    const block_q8_0 * b;
    int64_t b_stride;
    float * c;
    int64_t c_stride;

    // share computes as many pieces as this thread comes to: who is interrupted takes fewer. The counter is ready for a
    // node's first product, whose activations lie where the work buffer begins; the pieces of others are dealt out.
    void share(const ggml_compute_params & params) const {
        own.reserve(blocks, n);
        for (int64_t j = 0; j < n; j++) {
            own.columns[j] = {b + j * b_stride, &own.d[j * blocks], &own.corrections[j * blocks]};
            prepare(own.columns[j], blocks, excess(a));
        }
        int64_t panels = (m + lanes - 1) / lanes, size = std::max<int64_t>(panels / (16 * params.nth), 1);
        for (int64_t piece = params.ith; piece * size < panels;) {
            for (int64_t p = piece * size; p < std::min(panels, (piece + 1) * size); p++) {
                compute(p * lanes, std::min<int64_t>(lanes, m - p * lanes));
            }
            piece = b == params.wdata ? ggml_threadpool_chunk_add(params.threadpool, 1) : piece + params.nth;
        }
    }

    // compute multiplies some rows, at most a panel's.
    void compute(int64_t first, int count) const {
        if (n == 1) {
            for (int64_t i = first; i < first + count; i++) {
                c[i] = row(a + i * a_stride, own.columns[0], blocks);
            }
            return;
        }
        panels(first, count);
        __mmask16 wanted = (1u << count) - 1;
        for (int64_t j = 0; j < n; j += together) {
            int64_t columns = std::min<int64_t>(together, n - j);
            multipliers[columns](own.panels.get(), &own.columns[j], blocks, c + j * c_stride + first, c_stride, wanted);
        }
    }

    // panels turns rows; where there are too few, the last stands for those that are missing. The processor does not see
    // the next sixteen coming.
    void panels(int64_t first, int count) const {
        const block * places[lanes];
        for (int i = 0; i < lanes; i++) {
            places[i] = a + (first + std::min(i, count - 1)) * a_stride;
        }
        const char * next = (const char *) (places[lanes - 1] + a_stride);
        for (int64_t k = 0; k < blocks; k++) {
            for (size_t line = 0; line < lanes * sizeof(block); line += 64) {
                __builtin_prefetch(next + k * lanes * sizeof(block) + line);
            }
            turn(places, k, own.panels[k]);
        }
    }
};

} // namespace

// Called by ggml on each of its threads. False: ggml is to multiply itself.
extern "C" bool __wrap_llamafile_sgemm(const ggml_compute_params * params, int64_t m, int64_t n, int64_t k, const void * a,
                                       int64_t lda, const void * b, int64_t ldb, void * c, int64_t ldc, int a_type, int b_type,
                                       int c_type) {
    if (m > 0 && n > 0 && k > 0 && b_type == GGML_TYPE_Q8_0 && c_type == GGML_TYPE_F32) {
        switch (a_type) {
            case GGML_TYPE_Q8_0:
                product<block_q8_0>{m, n, k, (const block_q8_0 *) a, lda, (const block_q8_0 *) b, ldb, (float *) c, ldc}.share(*params);
                return true;
            case GGML_TYPE_Q5_0:
                product<block_q5_0>{m, n, k, (const block_q5_0 *) a, lda, (const block_q8_0 *) b, ldb, (float *) c, ldc}.share(*params);
                return true;
        }
    }
    return __real_llamafile_sgemm(params, m, n, k, a, lda, b, ldb, c, ldc, a_type, b_type, c_type);
}
#else
extern "C" bool __wrap_llamafile_sgemm(const ggml_compute_params * params, int64_t m, int64_t n, int64_t k, const void * a,
                                       int64_t lda, const void * b, int64_t ldb, void * c, int64_t ldc, int a_type, int b_type,
                                       int c_type) {
    return __real_llamafile_sgemm(params, m, n, k, a, lda, b, ldb, c, ldc, a_type, b_type, c_type);
}
#endif
