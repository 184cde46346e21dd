//go:build cgo && !libllama

// Weights in blocks of 256 with a scale, whose parts have scales of their own: Q6_K, and, with
// AVX2, Q4_K as ggml interleaves it. Activations are Q8_K.
#include "products_linux.h"

#include <cstddef>

#ifdef TENON_PRODUCTS
namespace {

using namespace tenon;

// As in ggml-common.h.
struct block_q6_K {
    uint8_t low[128], high[64];
    int8_t scales[16]; // of sixteen weights
    uint16_t d;
};
static_assert(sizeof(block_q6_K) == 210, "blocks of ggml");

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

    static inline void fill(const block_q6_K * const places[lanes], int64_t k, const uint16_t * d, panel & p) {
        p.d = halves(d + k * lanes);
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

#ifndef TENON_WIDE
// For AVX-512 see products_interleaved_linux.cpp.
struct q4_K {
    typedef block_q4_Kx8 weights;
    typedef block_q8_K activations;
    typedef column_of<block_q8_K> column;
    static constexpr int parts = 4; // pairs of parts that have a scale and a minimum
    static constexpr bool rows = false;
    static constexpr int fewest = 1, side_by_side = 6, side_by_side_from_memory = side_by_side;

    // panel is as q6_K's; minima are of a pair of parts, 16 bits each.
    struct panel {
        ints q[64];
        ints scales[2 * parts], minima[parts];
        floats d, dmin;
    };

    // prepare has a column's sums, by pairs of parts, in the place of corrections.
    static void prepare(const column & c, int64_t blocks) {
        for (int64_t k = 0; k < blocks; k++) {
            const int16_t * sums = c.blocks[k].sums;
            for (int i = 0; i < parts; i++, sums += 4) {
                c.correction[k * parts + i] = (uint16_t) (sums[0] + sums[1]) | (uint32_t) (sums[2] + sums[3]) << 16;
            }
            c.d[k] = c.blocks[k].d;
        }
    }

    static inline void fill(const block_q4_Kx8 * const places[lanes], int64_t k, const uint16_t *, panel & p) {
        const block_q4_Kx8 & b = places[0][k];
        for (int i = 0; i < 16; i++) { // eight bytes of each row: four, and four
            floats even = _mm256_castsi256_ps(pair(b.q[i], b.q[i] + 32)), odd = _mm256_castsi256_ps(pair(b.q[i] + 16, b.q[i] + 48));
            ints first = _mm256_castps_si256(_mm256_shuffle_ps(even, odd, 0x88));
            ints second = _mm256_castps_si256(_mm256_shuffle_ps(even, odd, 0xdd));
            ints * to = p.q + i / 4 * 16 + i % 4 * 2;
            to[0] = low_halves(first), to[1] = low_halves(second);
            to[8] = high_halves(first), to[9] = high_halves(second);
        }
        const ints each = _mm256_set_epi32(0x80078007, 0x80068006, 0x80058005, 0x80048004, 0x80038003, 0x80028002, 0x80018001, 0x80008000);
        // eight scales of a part, its eight minima; those of the next
        for (int i = 0; i < parts; i++) {
            ints b6 = six_bits(b.scales + 24 * i);
            p.scales[2 * i] = _mm256_shuffle_epi8(_mm256_permute4x64_epi64(b6, 0), each);
            p.scales[2 * i + 1] = _mm256_shuffle_epi8(_mm256_permute4x64_epi64(b6, 0xaa), each);
            p.minima[i] = _mm256_shuffle_epi8(_mm256_permute4x64_epi64(b6, 0xdd), _mm256_or_si256(each, all(0x080000)));
        }
        p.d = halves(b.d), p.dmin = halves(b.dmin);
    }

    // six_bits unpacks two parts' scales and minima: four words of each are in one, the upper bits
    // of the last four in the others.
    static inline ints six_bits(const uint8_t * packed) {
        ints words = pair(packed, packed + 12);
        ints low = _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi32(words, 0xaa), _mm256_set1_epi64x(4ll << 32)), _mm256_set1_epi8(15));
        ints high = _mm256_and_si256(_mm256_srli_epi32(words, 2), _mm256_set1_epi8(0x30));
        return _mm256_unpacklo_epi32(_mm256_and_si256(words, _mm256_set1_epi8(63)), _mm256_or_si256(low, high));
    }

    template <int n> static inline void add(const panel & p, const column * c, int64_t k, floats * sums) {
        ints wholes[n] = {}, excesses[n] = {};
        for (int part = 0; part < 2 * parts; part++) {
            ints products[n] = {};
            for (int i = 8 * part; i < 8 * part + 8; i++) {
                for (int j = 0; j < n; j++) {
                    products[j] = dots(products[j], p.q[i], four(c[j].blocks[k].q + 4 * i));
                }
            }
            for (int j = 0; j < n; j++) {
                wholes[j] = tenon::add(wholes[j], scaled(products[j], p.scales[part]));
            }
        }
        for (int i = 0; i < parts; i++) {
            for (int j = 0; j < n; j++) {
                excesses[j] = wide_dots(excesses[j], p.minima[i], all(c[j].correction[k * parts + i]));
            }
        }
        for (int j = 0; j < n; j++) {
            floats d = all(c[j].d[k]);
            sums[j] = add_product(wholes[j], p.d * d, add_product(excesses[j], p.dmin * -d, sums[j]));
        }
    }
};
#endif

} // namespace

#ifndef TENON_WIDE
bool tenon::multiply_interleaved(const ggml_compute_params & params, const asked & p) { return product<q4_K>(p).share(params); }
#endif

bool tenon::multiply_superblocks(const ggml_compute_params & params, const asked & p, int a_type) {
    return a_type == GGML_TYPE_Q6_K && product<q6_K>(p).share(params);
}
#endif
