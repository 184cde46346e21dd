//go:build cgo && !libllama

// Weights in blocks of 32 that share a scale: Q8_0, Q5_0. Activations are Q8_0.
#include "products_linux.h"

#include <cstddef>

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

// bytes; less comes too late, and 4096 falls into the same sets of the cache
constexpr int early = 6144;

// The instructions want one factor unsigned: weights are made so. A product is too large by their
// excess times the sum of activations.
#ifdef TENON_WIDE
constexpr int excess_q8_0 = 128, excess_q5_0 = 16;

inline __m256i unsign(const block_q8_0 & b, int) {
    return _mm256_xor_si256(_mm256_loadu_si256((const __m256i *) b.q), _mm256_set1_epi8((char) excess_q8_0));
}
inline __m256i unsign(const block_q5_0 & b, int) {
    __m128i low = _mm_loadu_si128((const __m128i *) b.low);
    __m256i q = _mm256_and_si256(_mm256_set_m128i(_mm_srli_epi16(low, 4), low), _mm256_set1_epi8(15));
    return _mm256_mask_add_epi8(q, int_at(b.high), q, _mm256_set1_epi8(16));
}
#else
constexpr int excess_q8_0 = 0, excess_q5_0 = 16; // unsigned weights of 8 bits have no room

inline void turn(const block_q8_0 * const rows[lanes], int64_t k, int, ints q[8]) {
    sixteens(rows, k, offsetof(block_q8_0, q), q);
    sixteens(rows, k, offsetof(block_q8_0, q) + 16, q + 4);
}
inline void turn(const block_q5_0 * const rows[lanes], int64_t k, int, ints q[8]) {
    ints low[4], high[4];
    sixteens(rows, k, offsetof(block_q5_0, low), low);
    sixteens(rows, k, offsetof(block_q5_0, high), high); // of which the first is looked at
    const ints bytes = _mm256_set_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0, 0x0c0c0c0c, 0x08080808, 0x04040404, 0);
    for (int i = 0; i < 8; i++) { // each byte gets its weight's bit, and perhaps others
        ints q4 = i < 4 ? low_halves(low[i]) : high_halves(low[i - 4]);
        ints bit = all(i % 2 ? (int) 0x80402010 : 0x08040201);
        ints fifth = _mm256_shuffle_epi8(high[0], _mm256_add_epi8(bytes, _mm256_set1_epi8(i / 2)));
        fifth = _mm256_cmpeq_epi8(_mm256_and_si256(fifth, bit), bit);
        q[i] = _mm256_or_si256(q4, _mm256_and_si256(fifth, _mm256_set1_epi8(16)));
    }
}
#endif

template <typename block, int excess> struct blocks_of_32 {
    typedef block weights;
    typedef block_q8_0 activations;
    typedef column_of<block_q8_0> column;
    static constexpr int parts = 1;
    static constexpr bool rows = vnni;
    static constexpr int fewest = 1, side_by_side = vnni ? 1 : 8, side_by_side_from_memory = 8;

    // panel has in q[i] weights 4i to 4i+3 of each row.
    struct panel {
        ints q[8];
        floats d;
    };

    static void prepare(const column & c, int64_t blocks) {
        for (int64_t k = 0; k < blocks; k++) {
            const int8_t * q = c.blocks[k].q;
            c.correction[k] = both(correction(q, excess), correction(q + 16, excess));
            c.d[k] = _cvtsh_ss(c.blocks[k].d);
        }
    }

    static inline void fill(const block * const places[lanes], int64_t k, const uint16_t * d, panel & p) {
        p.d = halves(d + k * lanes);
        turn(places, k, 0, p.q);
    }

    // add adds the products of a block of each row with n columns.
    template <int n> static inline void add(const panel & p, const column * c, int64_t k, floats * sums) {
        ints products[n];
        for (int j = 0; j < n; j++) {
            products[j] = excess ? all(c[j].correction[k]) : ints{};
        }
        for (int i = 0; i < 8; i++) {
            for (int j = 0; j < n; j++) {
                ints y = four(c[j].blocks[k].q + 4 * i);
                if constexpr (excess == 0) {
                    products[j] = signed_dots(products[j], p.q[i], y);
                } else {
                    products[j] = dots(products[j], p.q[i], y);
                }
            }
        }
        for (int j = 0; j < n; j++) {
            ints sum = excess == 0 ? products[j] : whole(products[j]);
            sums[j] = add_product(sum, p.d * all(c[j].d[k]), sums[j]);
        }
    }

#ifdef TENON_WIDE
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
#endif
};

} // namespace

bool tenon::multiply_blocks(const ggml_compute_params & params, const asked & p, int a_type) {
    switch (a_type) {
        case GGML_TYPE_Q8_0:
            return product<blocks_of_32<block_q8_0, excess_q8_0>>(p).share(params);
        case GGML_TYPE_Q5_0:
            return product<blocks_of_32<block_q5_0, excess_q5_0>>(p).share(params);
    }
    return false;
}
#endif
