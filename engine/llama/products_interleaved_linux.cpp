//go:build cgo && !libllama

// Products of four tokens and more with Q4_K weights, which ggml interleaves when it loads them:
// eight rows, of each eight bytes in turn. So two lanes hold eight weights of a row, and are to be
// added up once, at the end. ggml's own product shuffles both sides to multiply two by two bytes
// and adds up after each.
#include "products_linux.h"

extern "C" void __real_ggml_gemm_q4_K_8x8_q8_K(int n, float * s, size_t bs, const void * vx, const void * vy, int nr, int nc);

#ifdef TENON_PRODUCTS
namespace {

using namespace tenon;

// As in ggml's repack.h, which only ggml itself can include.
struct block_q4_Kx8 {
    uint16_t d[8], dmin[8];
    uint8_t scales[96]; // of each part of 32 weights: eight scales and eight minima of 6 bits
    uint8_t q[16][64];  // low halves are of one part, high ones of the next
};
struct block_q8_Kx4 {
    float d[4];
    int8_t q[4][2][4][4][8]; // of two parts: a part, eight activations, token
    int16_t sums[4][4][4];   // of two parts: token, each half of each part
};
static_assert(sizeof(block_q4_Kx8) == 1152 && sizeof(block_q8_Kx4) == 1168, "blocks of ggml");

constexpr int rows = 8, tokens = 4, pairs = 4; // pairs of parts of a block
constexpr int panel_rows = lanes / 2;          // eight of AVX-512, four of AVX2
constexpr size_t near = 256 << 10;             // bytes of activations that stay in the cache

// panel is some rows of a block; lanes 2i and 2i+1 are row i's.
struct panel {
    ints low[16], high[16];
    ints scales[2 * pairs];
    ints minima[pairs]; // twice, 16 bits: in even lanes the pair's first part's, in odd ones its second's
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

#ifdef TENON_WIDE
inline floats twice(const uint16_t * d) {
    const ints index = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
    return _mm512_permutexvar_ps(index, _mm512_castps256_ps512(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *) d))));
}
inline void store_rows(float * to, floats v) {
    const ints even = _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 14, 12, 10, 8, 6, 4, 2, 0);
    floats both = _mm512_add_ps(v, _mm512_permute_ps(v, 0xb1));
    _mm256_storeu_ps(to, _mm512_castps512_ps256(_mm512_permutexvar_ps(even, both)));
}
#else
inline floats twice(const uint16_t * d) {
    const ints index = _mm256_set_epi32(3, 3, 2, 2, 1, 1, 0, 0);
    return _mm256_permutevar8x32_ps(_mm256_castps128_ps256(_mm_cvtph_ps(_mm_loadl_epi64((const __m128i *) d))), index);
}
inline void store_rows(float * to, floats v) {
    _mm_storeu_ps(to, _mm_hadd_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1)));
}
#endif

void fill(const block_q4_Kx8 & b, int first, panel & p) {
    for (int k = 0; k < 16; k++) {
        ints q;
        memcpy(&q, b.q[k] + 8 * first, sizeof q);
        p.low[k] = low_halves(q);
        p.high[k] = high_halves(q);
    }
    alignas(64) int32_t scales[2 * pairs][lanes];
    alignas(64) uint16_t minima[pairs][panel_rows][4];
    for (int part = 0; part < 2 * pairs; part++) {
        uint8_t scale[rows], minimum[rows];
        part_scales(b.scales + 12 * part, scale, minimum);
        for (int i = 0; i < panel_rows; i++) {
            scales[part][2 * i] = scales[part][2 * i + 1] = packed(scale[first + i]);
            minima[part / 2][i][part % 2 * 2] = minima[part / 2][i][part % 2 * 2 + 1] = minimum[first + i];
        }
    }
    memcpy(p.scales, scales, sizeof scales);
    memcpy(p.minima, minima, sizeof minima);
    p.d = twice(b.d + first), p.dmin = twice(b.dmin + first);
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
        for (int row = 0; row < nc; row += panel_rows) {
            for (int64_t k = 0; k < blocks; k++) {
                fill(weights[row / rows * blocks + k], row % rows, own[k]);
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
