//go:build cgo && !libllama

// Weights in blocks of 256 with a scale, whose parts have scales of their own: Q6_K. Activations
// are Q8_K.
#include "products_linux.h"

#include <cstddef>

#ifdef TENON_PRODUCTS
namespace {

using namespace tenon;

// As in ggml-common.h, which only ggml itself can include.
struct block_q8_K {
    float d;
    int8_t q[256];
    int16_t sums[16]; // of sixteen activations
};
struct block_q6_K {
    uint8_t low[128], high[64];
    int8_t scales[16]; // of sixteen weights
    uint16_t d;
};
static_assert(sizeof(block_q8_K) == 292 && sizeof(block_q6_K) == 210, "blocks of ggml");

// The weights are made unsigned, as the instructions want one factor: each is too large by 32. Of
// each half of a block four parts share bytes.
#ifdef TENON_WIDE
inline __m256i unsign(const block_q6_K & b, int part) {
    int half = part / 4, quarter = part % 4;
    __m256i low = _mm256_loadu_si256((const __m256i *) (b.low + 64 * half + quarter % 2 * 32));
    __m256i high = _mm256_loadu_si256((const __m256i *) (b.high + 32 * half));
    low = _mm256_and_si256(quarter < 2 ? low : _mm256_srli_epi16(low, 4), _mm256_set1_epi8(15));
    high = _mm256_and_si256(_mm256_srli_epi16(high, 2 * quarter), _mm256_set1_epi8(3));
    return _mm256_or_si256(low, _mm256_slli_epi16(high, 4));
}
inline void turn(const block_q6_K * const rows[lanes], int64_t k, ints q[64]) {
    for (int part = 0; part < 8; part++) {
        tenon::turn(rows, k, part, q + 8 * part);
    }
}
#else
inline void turn(const block_q6_K * const rows[lanes], int64_t k, ints q[64]) {
    const ints two = _mm256_set1_epi8(0x30); // bits
    for (int i = 0; i < 4; i++) {            // sixteen weights of each part
        int half = i / 2, place = 16 * (i % 2);
        ints first[4], second[4], high[4];
        sixteens(rows, k, offsetof(block_q6_K, low) + 64 * half + place, first);
        sixteens(rows, k, offsetof(block_q6_K, low) + 64 * half + 32 + place, second);
        sixteens(rows, k, offsetof(block_q6_K, high) + 32 * half + place, high);
        ints * to = q + 32 * half + place / 4;
        for (int j = 0; j < 4; j++) {
            to[j] = _mm256_or_si256(low_halves(first[j]), _mm256_and_si256(_mm256_slli_epi16(high[j], 4), two));
            to[j + 8] = _mm256_or_si256(low_halves(second[j]), _mm256_and_si256(_mm256_slli_epi16(high[j], 2), two));
            to[j + 16] = _mm256_or_si256(high_halves(first[j]), _mm256_and_si256(high[j], two));
            to[j + 24] = _mm256_or_si256(high_halves(second[j]), _mm256_and_si256(_mm256_srli_epi16(high[j], 2), two));
        }
    }
}
#endif

struct q6_K {
    typedef block_q6_K weights;
    typedef block_q8_K activations;
    typedef column_of<block_q8_K> column;
    static constexpr int parts = 16; // that have a scale
    static constexpr bool rows = false;
    static constexpr int fewest = vnni ? 2 : 1, side_by_side = vnni ? 8 : 6, side_by_side_from_memory = side_by_side;

    // panel has in q[i] weights 4i to 4i+3 of each row, in scales[i] those of weights 16i to
    // 16i+15.
    struct panel {
        ints q[64];
        ints scales[16];
        floats d;
    };

    static void prepare(const column & c, int64_t blocks) {
        for (int64_t k = 0; k < blocks; k++) {
            for (int i = 0; i < parts; i++) {
                c.correction[k * parts + i] = correction(c.blocks[k].q + 16 * i, 32);
            }
            c.d[k] = c.blocks[k].d;
        }
    }

    static inline void fill(const block_q6_K * const places[lanes], int64_t k, panel & p) {
        turn(places, k, p.q);
#ifdef TENON_WIDE
        alignas(64) int32_t scale[parts][lanes];
        for (int row = 0; row < lanes; row++) {
            for (int i = 0; i < parts; i++) {
                scale[i][row] = packed(places[row][k].scales[i]);
            }
        }
        memcpy(p.scales, scale, sizeof scale);
#else
        ints scales[4];
        sixteens(places, k, offsetof(block_q6_K, scales), scales);
        for (int i = 0; i < parts; i++) { // byte i % 4 of each lane, twice as 16 bits
            const ints bytes = _mm256_set_epi32(0x0c800c80, 0x08800880, 0x04800480, 0x800080, 0x0c800c80, 0x08800880, 0x04800480, 0x800080);
            p.scales[i] = _mm256_srai_epi16(_mm256_shuffle_epi8(scales[i / 4], _mm256_add_epi8(bytes, _mm256_set1_epi16(i % 4 << 8))), 8);
        }
#endif
    }

    // add adds the products of a block of each row with n columns.
    template <int n> static inline void add(const panel & p, const column * c, int64_t k, floats * sums) {
        ints wholes[n] = {};
        for (int part = 0; part < parts; part++) {
            ints products[n];
            for (int j = 0; j < n; j++) {
                products[j] = all(c[j].correction[k * parts + part]);
            }
            for (int i = 4 * part; i < 4 * part + 4; i++) {
                for (int j = 0; j < n; j++) {
                    products[j] = dots(products[j], p.q[i], four(c[j].blocks[k].q + 4 * i));
                }
            }
            for (int j = 0; j < n; j++) {
                wholes[j] = tenon::add(wholes[j], scaled(products[j], p.scales[part]));
            }
        }
        for (int j = 0; j < n; j++) {
            sums[j] = add_product(wholes[j], p.d * all(c[j].d[k]), sums[j]);
        }
    }
};

} // namespace

bool tenon::multiply_superblocks(const ggml_compute_params & params, const asked & p, int a_type) {
    return a_type == GGML_TYPE_Q6_K && product<q6_K>(p).share(params);
}
#endif
