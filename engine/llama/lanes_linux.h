// SIMD registers of 32-bit lanes for products_linux.h: sixteen lanes of AVX-512, or eight of AVX2.
// A lane is a row of weights.
//
// One instruction of VNNI multiplies a lane's four weights with four activations and adds them up
// in 32 bits. AVX2 adds in 16 bits; partial sums may wrap. The final sum fits, so it is right:
// each starts with a correction that makes the weights signed again, see strip.
#pragma once

#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__F16C__) && defined(__FMA__)
#define TENON_PRODUCTS
#define TENON_WIDE
#elif defined(__AVX2__) && defined(__F16C__) && defined(__FMA__)
#define TENON_PRODUCTS
#endif

#ifdef TENON_PRODUCTS
#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace tenon {

inline int32_t int_at(const void * q) {
    int32_t v;
    memcpy(&v, q, sizeof v);
    return v;
}

inline int32_t bits(float v) {
    int32_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

#ifdef TENON_WIDE
constexpr bool vnni = true;
constexpr int lanes = 16;
typedef __m512i ints;
typedef __m512 floats;

inline ints all(int32_t v) { return _mm512_set1_epi32(v); }
inline floats as_floats(ints q) { return _mm512_castsi512_ps(q); }
inline ints all_bytes(int8_t v) { return _mm512_set1_epi8(v); }
inline ints add(ints a, ints b) { return _mm512_add_epi32(a, b); }
// shifted moves 16-bit numbers.
template <int n> inline ints shifted_left(ints q) { return _mm512_slli_epi16(q, n); }
template <int n> inline ints shifted_right(ints q) { return _mm512_srli_epi16(q, n); }
inline ints words_low(ints a, ints b) { return _mm512_unpacklo_epi32(a, b); }
inline ints words_high(ints a, ints b) { return _mm512_unpackhi_epi32(a, b); }
inline ints pairs_low(ints a, ints b) { return _mm512_unpacklo_epi64(a, b); }
inline ints pairs_high(ints a, ints b) { return _mm512_unpackhi_epi64(a, b); }
inline floats add_product(ints whole, floats d, floats sum) { return _mm512_fmadd_ps(_mm512_cvtepi32_ps(whole), d, sum); }
inline floats halves(const uint16_t * d) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *) d)); }
inline void store(float * to, floats v, int count) { _mm512_mask_storeu_ps(to, (1u << count) - 1, v); }

// halves_of has low halves of bytes beside others' high ones.
inline ints halves_of(ints low, ints high) { return _mm512_ternarylogic_epi32(all_bytes(15), low, high, 0xca); }
// third_words has the third word of each sixteen bytes four times.
inline ints third_words(ints q) { return _mm512_shuffle_epi32(q, _MM_PERM_CCCC); }
inline ints words_shifted(ints q, ints by) { return _mm512_srlv_epi32(q, by); }
// quarters orders the quarters of each 32 bytes, in_each the bytes of each sixteen.
template <int order> inline ints quarters(ints q) { return _mm512_permutex_epi64(q, order); }
inline ints in_each(ints q, ints order) { return _mm512_shuffle_epi8(q, order); }
inline ints twice(__m256i q) { return _mm512_broadcast_i64x4(q); }
// with_bit adds to bytes where others have a bit.
inline ints with_bit(ints q, ints others, ints bit, ints value) { return _mm512_mask_add_epi8(q, _mm512_test_epi8_mask(others, bit), q, value); }

// in_quarters has sixteen bytes of each of four places.
inline ints in_quarters(const void * a, const void * b, const void * c, const void * d) {
    ints all = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *) a));
    all = _mm512_mask_broadcast_i32x4(all, 0xf0, _mm_loadu_si128((const __m128i *) b));
    all = _mm512_mask_broadcast_i32x4(all, 0xf00, _mm_loadu_si128((const __m128i *) c));
    return _mm512_mask_broadcast_i32x4(all, 0xf000, _mm_loadu_si128((const __m128i *) d));
}

// every_fourth has sixteen bytes of row i and of each fourth row behind it.
template <typename block> inline ints every_fourth(const block * const rows[lanes], int i, int64_t k, size_t place) {
    return in_quarters((const char *) (rows[i] + k) + place, (const char *) (rows[i + 4] + k) + place,
                       (const char *) (rows[i + 8] + k) + place, (const char *) (rows[i + 12] + k) + place);
}
#else
constexpr bool vnni = false;
constexpr int lanes = 8;
typedef __m256i ints;
typedef __m256 floats;

inline ints all(int32_t v) { return _mm256_set1_epi32(v); }
inline floats as_floats(ints q) { return _mm256_castsi256_ps(q); }
inline ints all_bytes(int8_t v) { return _mm256_set1_epi8(v); }
inline ints add(ints a, ints b) { return _mm256_add_epi32(a, b); }
template <int n> inline ints shifted_left(ints q) { return _mm256_slli_epi16(q, n); }
template <int n> inline ints shifted_right(ints q) { return _mm256_srli_epi16(q, n); }
inline ints words_low(ints a, ints b) { return _mm256_unpacklo_epi32(a, b); }
inline ints words_high(ints a, ints b) { return _mm256_unpackhi_epi32(a, b); }
inline ints pairs_low(ints a, ints b) { return _mm256_unpacklo_epi64(a, b); }
inline ints pairs_high(ints a, ints b) { return _mm256_unpackhi_epi64(a, b); }
inline floats add_product(ints whole, floats d, floats sum) { return _mm256_fmadd_ps(_mm256_cvtepi32_ps(whole), d, sum); }
inline floats halves(const uint16_t * d) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *) d)); }
inline void store(float * to, floats v, int count) {
    if (count == lanes) {
        _mm256_storeu_ps(to, v);
    } else {
        _mm256_maskstore_ps(to, _mm256_cmpgt_epi32(all(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)), v);
    }
}

inline ints halves_of(ints low, ints high) { return (low & all_bytes(15)) | (high & all_bytes(-16)); }
inline ints third_words(ints q) { return _mm256_shuffle_epi32(q, 0xaa); }
inline ints words_shifted(ints q, ints by) { return _mm256_srlv_epi32(q, by); }
template <int order> inline ints quarters(ints q) { return _mm256_permute4x64_epi64(q, order); }
inline ints in_each(ints q, ints order) { return _mm256_shuffle_epi8(q, order); }
inline ints twice(__m256i q) { return q; }
inline ints with_bit(ints q, ints others, ints bit, ints value) { return q | (_mm256_cmpeq_epi8(others & bit, bit) & value); }

// pair has sixteen bytes of each of two places. To load both is faster than to insert one.
inline ints pair(const void * low, const void * high) {
    ints both = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *) high));
    return _mm256_blend_epi32(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *) low)), both, 0xf0);
}

// every_fourth has sixteen bytes of row i and of each fourth row behind it.
template <typename block> inline ints every_fourth(const block * const rows[lanes], int i, int64_t k, size_t place) {
    return pair((const char *) (rows[i] + k) + place, (const char *) (rows[i + 4] + k) + place);
}
#endif

inline ints low_halves(ints q) { return q & all_bytes(15); } // of bytes
inline ints high_halves(ints q) { return low_halves(shifted_right<4>(q)); }

// sixteens loads sixteen bytes of each row, which lie as far from their blocks' beginnings as
// place says, and transposes them. It gives four registers, each with four bytes of every row.
template <typename block> inline void sixteens(const block * const rows[lanes], int64_t k, size_t place, ints q[4]) {
    ints r[4];
    for (int i = 0; i < 4; i++) {
        r[i] = every_fourth(rows, i, k, place);
    }
    ints even = words_low(r[0], r[1]), odd = words_low(r[2], r[3]);
    q[0] = pairs_low(even, odd);
    q[1] = pairs_high(even, odd);
    even = words_high(r[0], r[1]), odd = words_high(r[2], r[3]);
    q[2] = pairs_low(even, odd);
    q[3] = pairs_high(even, odd);
}

// each_byte has byte i of each lane four times.
inline ints each_byte(ints q, int i) {
    const __m256i first = _mm256_set_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0, 0x0c0c0c0c, 0x08080808, 0x04040404, 0);
    return in_each(q, add(twice(first), all(i * 0x1010101)));
}

// row_bytes gives each lane its row's bytes. Each sixteen bytes of q hold a byte of each of
// eight rows, then eight more. Each byte of form selects the first eight (0), the second (8) or
// zero (0x80).
inline ints row_bytes(ints q, uint32_t form) {
    const __m256i rows = _mm256_setr_epi32(0, 0x10001, 0x20002, 0x30003, 0x40004, 0x50005, 0x60006, 0x70007);
    return in_each(q, add(twice(rows), all((int32_t) form)));
}

// as_scale brings a byte into the form that scales takes, as_pair two of them into wide_dots's.
constexpr uint32_t as_scale = vnni ? 0x80808000 : 0x80008000, as_pair = 0x80088000;

// dots adds the products of unsigned weights with four activations to a sum; whole turns such sums
// into 32-bit numbers. add_scaled multiplies a sum with scales and adds it to a total. scales has
// them of bytes in their form, or of byte i of each lane, with its sign.
#ifdef TENON_WIDE
inline ints dots(ints sum, ints q, ints y) { return _mm512_dpbusd_epi32(sum, q, y); }
// of 16-bit numbers
inline ints wide_dots(ints sum, ints a, ints b) { return _mm512_dpwssd_epi32(sum, a, b); }
inline ints whole(ints sum) { return sum; }
// A 32-bit multiplication takes twice as long as the way through floats. Those may round.
typedef floats totals;
inline totals add_scaled(totals total, ints sum, totals scale) { return add_product(sum, scale, total); }
inline totals scales(ints q) { return _mm512_cvtepi32_ps(q); }
inline totals scales(ints bytes, int i) { return scales(_mm512_srai_epi32(each_byte(bytes, i), 24)); }
inline floats add_product(totals total, floats d, floats sum) { return _mm512_fmadd_ps(total, d, sum); }
#else
// in_order has a sum added up as written. Compilers would begin with all products, for which there
// are too few registers.
inline ints in_order(ints sum) {
    asm("" : "+x"(sum));
    return sum;
}

inline ints dots(ints sum, ints q, ints y) { return in_order(_mm256_add_epi16(sum, _mm256_maddubs_epi16(q, y))); }
// of 16-bit numbers
inline ints wide_dots(ints sum, ints a, ints b) { return add(sum, _mm256_madd_epi16(a, b)); }
inline ints whole(ints sum) { return _mm256_madd_epi16(sum, _mm256_set1_epi16(1)); }
typedef ints totals;
inline totals add_scaled(totals total, ints sum, totals scale) { return add(total, _mm256_madd_epi16(sum, scale)); }
inline totals scales(ints q) { return q; }
// as 16 bits, twice
inline totals scales(ints bytes, int i) { return _mm256_srai_epi16(each_byte(bytes, i), 8); }

// signed_dots is for weights of 8 bits, whose products have no room in 16: the sign goes over to
// the activations.
inline ints signed_dots(ints sum, ints q, ints y) {
    return in_order(add(sum, whole(_mm256_maddubs_epi16(_mm256_abs_epi8(q), _mm256_sign_epi8(y, q)))));
}
#endif

// correction is what starts a sum of products whose unsigned weights are too large by excess:
// sixteen activations' part.
inline int32_t correction(const int8_t * q, int excess) {
    __m128i pairs = _mm_maddubs_epi16(_mm_set1_epi8(1), _mm_loadu_si128((const __m128i *) q));
#ifdef TENON_WIDE
    __m128i s = _mm_madd_epi16(pairs, _mm_set1_epi16(1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
    return -excess * _mm_cvtsi128_si32(s);
#else // for each half of a lane
    pairs = _mm_add_epi16(pairs, _mm_shuffle_epi32(pairs, 0x4e));
    pairs = _mm_add_epi16(pairs, _mm_shuffle_epi32(pairs, 0xb1));
    return _mm_cvtsi128_si32(_mm_mullo_epi16(pairs, _mm_set1_epi16(-excess)));
#endif
}

// both adds two corrections.
inline int32_t both(int32_t a, int32_t b) {
#ifdef TENON_WIDE
    return a + b;
#else
    return _mm_cvtsi128_si32(_mm_add_epi16(_mm_cvtsi32_si128(a), _mm_cvtsi32_si128(b)));
#endif
}

} // namespace tenon
#endif
