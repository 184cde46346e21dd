//go:build cgo && !libllama

// Weights in blocks of 32 that share a scale: Q8_0, Q5_0. Activations are Q8_0.
#include "products_linux.h"

#ifdef TENON_PRODUCTS
namespace {

using namespace tenon;

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

constexpr int early = 6144; // bytes; less comes too late, and 4096 falls into the same sets of the cache

// VNNI wants one factor unsigned: weights are made so. A product is too large by their excess times the sum of activations.
inline __m256i unsign(const block_q8_0 & b, int) { return _mm256_xor_si256(_mm256_loadu_si256((const __m256i *) b.q), _mm256_set1_epi8(-128)); }
inline __m256i unsign(const block_q5_0 & b, int) {
    __m128i low = _mm_loadu_si128((const __m128i *) b.low);
    __m256i q = _mm256_and_si256(_mm256_set_m128i(_mm_srli_epi16(low, 4), low), _mm256_set1_epi8(15));
    uint32_t high;
    memcpy(&high, b.high, sizeof high);
    return _mm256_mask_add_epi8(q, high, q, _mm256_set1_epi8(16));
}

template <typename block, int excess> struct blocks_of_32 {
    typedef block weights;
    typedef block_q8_0 activations;
    typedef column_of<block_q8_0> column;
    static constexpr int parts = 1;
    static constexpr bool rows = true;

    // panel has in q[i] weights 4i to 4i+3 of each row.
    struct panel {
        __m512i q[8];
        __m512 d;
    };

    static void prepare(const column & c, int64_t blocks) {
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

    static inline void fill(const block * const places[lanes], int64_t k, panel & p) {
        turn(places, k, 0, p.q);
    }

    // add adds the products of a block of sixteen rows with n columns.
    template <int n> static inline void add(const panel & p, const column * c, int64_t k, __m512 * sums) {
        for (int j = 0; j < n; j++) {
            __m512i dots = _mm512_set1_epi32(c[j].correction[k]);
            for (int i = 0; i < 8; i++) {
                dots = _mm512_dpbusd_epi32(dots, p.q[i], four(c[j].blocks[k].q + 4 * i));
            }
            __m512 d = _mm512_mul_ps(p.d, _mm512_set1_ps(c[j].d[k]));
            sums[j] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots), d, sums[j]);
        }
    }

    static inline __m256 dot(const block & w, const column & c, int64_t k, __m256 sum) {
        __m256i dots = _mm256_zextsi128_si256(_mm_cvtsi32_si128(c.correction[k]));
        dots = _mm256_dpbusd_epi32(dots, unsign(w, 0), _mm256_loadu_si256((const __m256i *) c.blocks[k].q));
        return _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots), _mm256_set1_ps(_cvtsh_ss(w.d) * c.d[k]), sum);
    }

    static float row(const block * w, const column & c, int64_t blocks) {
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
};

} // namespace

bool tenon::multiply_blocks(const ggml_compute_params & params, const asked & p, int a_type) {
    switch (a_type) {
        case GGML_TYPE_Q8_0:
            product<blocks_of_32<block_q8_0, 128>>(p).share(params);
            return true;
        case GGML_TYPE_Q5_0:
            product<blocks_of_32<block_q5_0, 16>>(p).share(params);
            return true;
    }
    return false;
}
#endif
