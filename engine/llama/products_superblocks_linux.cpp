//go:build cgo && !libllama

// Weights in blocks of 256 with a scale, whose parts have scales of their own: Q6_K, and Q4_K as
// ggml interleaves it. Activations are Q8_K.
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

// turn transposes a block of each row. The weights are made unsigned, as the instructions want one
// factor: each is too large by 32. Of each half of a block four parts share bytes.
inline void turn(const block_q6_K * const rows[lanes], int64_t k, ints q[64]) {
    for (int i = 0; i < 4; i++) { // sixteen weights of each part
        int half = i / 2, place = 16 * (i % 2);
        ints first[4], second[4], high[4];
        sixteens(rows, k, offsetof(block_q6_K, low) + 64 * half + place, first);
        sixteens(rows, k, offsetof(block_q6_K, low) + 64 * half + 32 + place, second);
        sixteens(rows, k, offsetof(block_q6_K, high) + 32 * half + place, high);
        ints * to = q + 32 * half + place / 4;
        for (int j = 0; j < 4; j++) {
            // of a byte's four pairs of bits, each second one
            const ints even = high[j] & all_bytes(0x33), odd = shifted_right<2>(high[j]) & all_bytes(0x33);
            to[j] = halves_of(first[j], shifted_left<4>(even));
            to[j + 8] = halves_of(second[j], shifted_left<4>(odd));
            to[j + 16] = halves_of(shifted_right<4>(first[j]), even);
            to[j + 24] = halves_of(shifted_right<4>(second[j]), odd);
        }
    }
}

struct q6_K {
    typedef block_q6_K weights;
    typedef block_q8_K activations;
    static constexpr int words = 64, parts = 16; // parts have a scale
    static constexpr int columns = vnni ? 8 : 6, panels = vnni ? 2 : 1;

    // panel has in q[i] weights 4i to 4i+3 of each row, in scales[i] those of weights 16i to
    // 16i+15.
    struct panel {
        ints q[64];
        totals scales[16];
        floats d;
    };

    static inline void prepare(const block_q8_K & b, int32_t * to, int columns) {
        for (int i = 0; i < words; i++, to += columns) {
            *to = int_at(b.q + 4 * i);
        }
        for (int i = 0; i < parts; i++, to += columns) {
            *to = correction(b.q + 16 * i, 32);
        }
        *to = bits(b.d);
    }

    static inline void fill(const block_q6_K * const places[lanes], int64_t k, const uint16_t * d, panel & p) {
        p.d = halves(d);
        turn(places, k, p.q);
        ints bytes[4];
        sixteens(places, k, offsetof(block_q6_K, scales), bytes);
        for (int i = 0; i < parts; i++) {
            p.scales[i] = tenon::scales(bytes[i / 4], i % 4);
        }
    }

    // add adds the products of a block of each row with n columns.
    template <int n, int panels>
    __attribute__((always_inline))
    static inline void add(const panel (&p)[panels], const strip<q6_K, n> & c, floats * sums) {
        totals wholes[n][panels] = {};
        for (int part = 0; part < parts; part++) {
            ints products[n][panels];
            for (int j = 0; j < n; j++) {
                for (ints & sum : products[j]) {
                    sum = all(c.corrections[part][j]);
                }
            }
            for (int i = 0; i < 4; i++) {
                for (int j = 0; j < n; j++) {
                    const ints y = all(c.q[4 * part + i][j]);
                    for (int panel = 0; panel < panels; panel++) {
                        products[j][panel] = dots(products[j][panel], p[panel].q[4 * part + i], y);
                    }
                }
            }
            for (int j = 0; j < n; j++) {
                for (int panel = 0; panel < panels; panel++) {
                    wholes[j][panel] = add_scaled(wholes[j][panel], products[j][panel], p[panel].scales[part]);
                }
            }
        }
        for (int j = 0; j < n; j++) {
            for (int panel = 0; panel < panels; panel++, sums++) {
                *sums = add_product(wholes[j][panel], p[panel].d * as_floats(all(c.d[j])), *sums);
            }
        }
    }
};

static_assert(offsetof(block_q4_Kx8, scales) + 24 * 3 + 12 + 16 <= sizeof(block_q4_Kx8), "within the block");

// Of places eight rows share one; a register has the rows of two with AVX-512.
#ifdef TENON_WIDE
// eights gives four bytes of each row, and the next four.
inline void eights(const block_q4_Kx8 * const places[lanes], int64_t k, int i, ints & first, ints & second) {
    const ints even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    ints a = _mm512_loadu_si512(places[0][k].q[i]), b = _mm512_loadu_si512(places[8][k].q[i]);
    first = _mm512_permutex2var_epi32(a, even, b);
    second = _mm512_permutex2var_epi32(a, add(even, all(1)), b);
}
// packed_scales are those of a pair of parts. The last ones' sixteen bytes end behind the scales.
inline ints packed_scales(const block_q4_Kx8 * const places[lanes], int64_t k, int pair) {
    const uint8_t *a = places[0][k].scales + 24 * pair, *b = places[8][k].scales + 24 * pair;
    return in_quarters(a, a + 12, b, b + 12);
}
inline floats halves(const uint16_t * a, const uint16_t * b) {
    return _mm512_cvtph_ps(_mm256_loadu2_m128i((const __m128i *) b, (const __m128i *) a));
}
#else
inline void eights(const block_q4_Kx8 * const places[lanes], int64_t k, int i, ints & first, ints & second) {
    const uint8_t * q = places[0][k].q[i];
    floats even = _mm256_castsi256_ps(pair(q, q + 32)), odd = _mm256_castsi256_ps(pair(q + 16, q + 48));
    first = _mm256_castps_si256(_mm256_shuffle_ps(even, odd, 0x88));
    second = _mm256_castps_si256(_mm256_shuffle_ps(even, odd, 0xdd));
}
inline ints packed_scales(const block_q4_Kx8 * const places[lanes], int64_t k, int pair) {
    const uint8_t * a = places[0][k].scales + 24 * pair;
    return tenon::pair(a, a + 12);
}
inline floats halves(const uint16_t * a, const uint16_t *) { return tenon::halves(a); }
#endif

struct q4_K {
    typedef block_q4_Kx8 weights;
    typedef block_q8_K activations;
    static constexpr int words = 64, parts = 4; // pairs of parts that have a scale and a minimum
    static constexpr int columns = vnni ? 8 : 6, panels = vnni ? 2 : 1;

    // panel is as q6_K's; minima are of a pair of parts, 16 bits each.
    struct panel {
        ints q[64];
        totals scales[2 * parts];
        ints minima[parts];
        floats d, dmin;
    };

    // prepare has a column's sums, by pairs of parts, in the place of corrections.
    static inline void prepare(const block_q8_K & b, int32_t * to, int columns) {
        for (int i = 0; i < words; i++, to += columns) {
            *to = int_at(b.q + 4 * i);
        }
        for (const int16_t * sums = b.sums; sums < b.sums + 4 * parts; sums += 4, to += columns) {
            *to = (uint16_t) (sums[0] + sums[1]) | (uint32_t) (sums[2] + sums[3]) << 16;
        }
        *to = bits(b.d);
    }

    static inline void fill(const block_q4_Kx8 * const places[lanes], int64_t k, const uint16_t *, panel & p) {
        for (int i = 0; i < 16; i++) { // eight bytes of each row
            ints first, second;
            eights(places, k, i, first, second);
            ints * to = p.q + i / 4 * 16 + i % 4 * 2;
            to[0] = low_halves(first), to[1] = low_halves(second);
            to[8] = high_halves(first), to[9] = high_halves(second);
        }
        // eight scales of a part, its eight minima; those of the next
        for (int i = 0; i < parts; i++) {
            ints b6 = six_bits(packed_scales(places, k, i));
            p.scales[2 * i] = scales(row_bytes(quarters<0>(b6), as_scale));
            p.scales[2 * i + 1] = scales(row_bytes(quarters<0xaa>(b6), as_scale));
            p.minima[i] = row_bytes(quarters<0xdd>(b6), as_pair);
        }
        const block_q4_Kx8 &a = places[0][k], &b = places[lanes - 1][k];
        p.d = halves(a.d, b.d), p.dmin = halves(a.dmin, b.dmin);
    }

    // six_bits unpacks two parts' scales and minima: four words of each are in one, the upper bits
    // of the last four in the others.
    static inline ints six_bits(ints words) {
        ints low = words_shifted(third_words(words), twice(_mm256_set1_epi64x(4ll << 32))) & all_bytes(15);
        ints high = shifted_right<2>(words) & all_bytes(0x30);
        return words_low(words & all_bytes(63), low | high);
    }

    template <int n, int panels>
    __attribute__((always_inline))
    static inline void add(const panel (&p)[panels], const strip<q4_K, n> & c, floats * sums) {
        totals wholes[n][panels] = {};
        ints excesses[n][panels] = {};
        for (int part = 0; part < 2 * parts; part++) {
            ints products[n][panels] = {};
            for (int i = 0; i < 8; i++) {
                for (int j = 0; j < n; j++) {
                    const ints y = all(c.q[8 * part + i][j]);
                    for (int panel = 0; panel < panels; panel++) {
                        products[j][panel] = dots(products[j][panel], p[panel].q[8 * part + i], y);
                    }
                }
            }
            for (int j = 0; j < n; j++) {
                for (int panel = 0; panel < panels; panel++) {
                    wholes[j][panel] = add_scaled(wholes[j][panel], products[j][panel], p[panel].scales[part]);
                }
            }
        }
        for (int i = 0; i < parts; i++) {
            for (int j = 0; j < n; j++) {
                const ints y = all(c.corrections[i][j]);
                for (int panel = 0; panel < panels; panel++) {
                    excesses[j][panel] = wide_dots(excesses[j][panel], p[panel].minima[i], y);
                }
            }
        }
        for (int j = 0; j < n; j++) {
            const floats d = as_floats(all(c.d[j]));
            for (int panel = 0; panel < panels; panel++, sums++) {
                *sums = add_product(wholes[j][panel], p[panel].d * d, add_product(excesses[j][panel], p[panel].dmin * -d, *sums));
            }
        }
    }
};

} // namespace

void tenon::multiply_interleaved(const ggml_compute_params & params, const asked & p) { product<q4_K>(p).share(params); }

bool tenon::multiply_superblocks(const ggml_compute_params & params, const asked & p, int a_type) {
    if (a_type != GGML_TYPE_Q6_K) {
        return false;
    }
    product<q6_K>(p).share(params);
    return true;
}
#endif
