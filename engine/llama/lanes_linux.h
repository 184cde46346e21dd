// SIMD registers of 32-bit lanes for products_linux.h: sixteen lanes of AVX-512, or eight of AVX2.
// A lane is a row of weights.
//
// One instruction of VNNI multiplies a lane's four weights with four activations and adds them up
// in 32 bits. AVX2 adds in 16 bits, and its sums may overflow on the way. The last one fits: each
// starts with a correction that makes the weights signed again, see column_of.
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

#ifdef TENON_WIDE
constexpr int lanes = 16;
typedef __m512i ints;
typedef __m512 floats;

inline ints all(int32_t v) { return _mm512_set1_epi32(v); }
inline floats all(float v) { return _mm512_set1_ps(v); }
inline ints add(ints a, ints b) { return _mm512_add_epi32(a, b); }
inline ints low_halves(ints q) { return _mm512_and_si512(q, _mm512_set1_epi8(15)); } // of bytes
inline ints high_halves(ints q) { return low_halves(_mm512_srli_epi16(q, 4)); }
inline floats add_product(ints whole, floats d, floats sum) { return _mm512_fmadd_ps(_mm512_cvtepi32_ps(whole), d, sum); }
inline floats halves(const uint16_t * d) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *) d)); }
inline void store(float * to, floats v, int count) { _mm512_mask_storeu_ps(to, (1u << count) - 1, v); }

// transpose takes 32 weights of each of sixteen rows; rows i and i+4 share a register. It gives
// eight registers, each with four weights of every row.
inline void transpose(const ints r[8], ints q[8]) {
    ints pairs[8], fours[8];
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
        q[i] = _mm512_shuffle_i32x4(fours[i], fours[i + 4], 0x88);
        q[i + 4] = _mm512_shuffle_i32x4(fours[i], fours[i + 4], 0xdd);
    }
}
#else
constexpr int lanes = 8;
typedef __m256i ints;
typedef __m256 floats;

inline ints all(int32_t v) { return _mm256_set1_epi32(v); }
inline floats all(float v) { return _mm256_set1_ps(v); }
inline ints add(ints a, ints b) { return _mm256_add_epi32(a, b); }
inline ints low_halves(ints q) { return _mm256_and_si256(q, _mm256_set1_epi8(15)); } // of bytes
inline ints high_halves(ints q) { return low_halves(_mm256_srli_epi16(q, 4)); }
inline floats add_product(ints whole, floats d, floats sum) { return _mm256_fmadd_ps(_mm256_cvtepi32_ps(whole), d, sum); }
inline floats halves(const uint16_t * d) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *) d)); }
inline void store(float * to, floats v, int count) {
    if (count == lanes) {
        _mm256_storeu_ps(to, v);
    } else {
        _mm256_maskstore_ps(to, _mm256_cmpgt_epi32(all(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)), v);
    }
}

// pair has sixteen bytes of each of two places. To load both is faster than to insert one.
inline ints pair(const void * low, const void * high) {
    ints both = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *) high));
    return _mm256_blend_epi32(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *) low)), both, 0xf0);
}

// sixteens loads sixteen bytes of each of eight rows, which lie as far from their blocks'
// beginnings as place says, and transposes them. It gives four registers, each with four bytes of
// every row.
template <typename block> inline void sixteens(const block * const rows[lanes], int64_t k, size_t place, ints q[4]) {
    ints r[4];
    for (int i = 0; i < 4; i++) { // rows i and i+4 share a register
        r[i] = pair((const char *) (rows[i] + k) + place, (const char *) (rows[i + 4] + k) + place);
    }
    for (int i = 0; i < 2; i++) {
        ints even = i ? _mm256_unpackhi_epi32(r[0], r[1]) : _mm256_unpacklo_epi32(r[0], r[1]);
        ints odd = i ? _mm256_unpackhi_epi32(r[2], r[3]) : _mm256_unpacklo_epi32(r[2], r[3]);
        q[2 * i] = _mm256_unpacklo_epi64(even, odd);
        q[2 * i + 1] = _mm256_unpackhi_epi64(even, odd);
    }
}
#endif

// four activations, for each lane.
inline ints four(const int8_t * q) { return all(int_at(q)); }

#ifdef TENON_WIDE
// eight bytes, for each two lanes.
inline ints eight(const void * q) {
    int64_t v;
    memcpy(&v, q, sizeof v);
    return _mm512_set1_epi64(v);
}
#endif

// dots adds the products of unsigned weights with activations to a sum. whole turns such sums into
// 32-bit numbers; scaled does so and multiplies them with scales, which packed has prepared.
#ifdef TENON_WIDE
constexpr bool vnni = true;

inline ints dots(ints sum, ints q, ints y) { return _mm512_dpbusd_epi32(sum, q, y); }
// of 16-bit numbers
inline ints wide_dots(ints sum, ints a, ints b) { return _mm512_dpwssd_epi32(sum, a, b); }
inline ints whole(ints sum) { return sum; }
inline ints scaled(ints sum, ints scale) { return _mm512_mullo_epi32(sum, scale); }
inline int32_t packed(int8_t scale) { return scale; }
#else
constexpr bool vnni = false;

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
inline ints scaled(ints sum, ints scale) { return _mm256_madd_epi16(sum, scale); }
inline int32_t packed(int8_t scale) { return (uint16_t) scale * 0x10001u; }

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
