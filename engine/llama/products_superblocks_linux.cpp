//go:build cgo && !libllama

// Weights in blocks of 256 with a scale, whose parts have scales of their own: Q6_K. Activations are Q8_K.
#include "products_linux.h"

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

// unsign makes 32 weights unsigned, as VNNI wants one factor: each is too large by 32. Of each half of a block four parts
// share bytes.
inline __m256i unsign(const block_q6_K & b, int part) {
    int half = part / 4, quarter = part % 4;
    __m256i low = _mm256_loadu_si256((const __m256i *) (b.low + 64 * half + quarter % 2 * 32));
    __m256i high = _mm256_loadu_si256((const __m256i *) (b.high + 32 * half));
    low = _mm256_and_si256(quarter < 2 ? low : _mm256_srli_epi16(low, 4), _mm256_set1_epi8(15));
    high = _mm256_and_si256(_mm256_srli_epi16(high, 2 * quarter), _mm256_set1_epi8(3));
    return _mm256_or_si256(low, _mm256_slli_epi16(high, 4));
}

struct q6_K {
    typedef block_q6_K weights;
    typedef block_q8_K activations;
    typedef column_of<block_q8_K> column;
    static constexpr int parts = 16; // that have a scale
    static constexpr bool rows = false;

    // panel has in q[i] weights 4i to 4i+3 of each row, in scales[i] those of weights 16i to 16i+15.
    struct panel {
        __m512i q[64];
        __m512i scales[16];
        __m512 d;
    };

    static void prepare(const column & c, int64_t blocks) {
        for (int64_t k = 0; k < blocks; k++) {
            for (int i = 0; i < parts; i++) {
                c.correction[k * parts + i] = -32 * c.blocks[k].sums[i];
            }
            c.d[k] = c.blocks[k].d;
        }
    }

    static inline void fill(const block_q6_K * const places[lanes], int64_t k, panel & p) {
        for (int part = 0; part < 8; part++) {
            turn(places, k, part, p.q + 8 * part);
        }
        alignas(64) int32_t scale[parts][lanes];
        for (int row = 0; row < lanes; row++) {
            for (int i = 0; i < parts; i++) {
                scale[i][row] = places[row][k].scales[i];
            }
        }
        memcpy(p.scales, scale, sizeof scale);
    }

    // add adds the products of a block of sixteen rows with n columns.
    template <int n> static inline void add(const panel & p, const column * c, int64_t k, __m512 * sums) {
        __m512i wholes[n] = {};
        for (int part = 0; part < parts; part++) {
            for (int j = 0; j < n; j++) {
                __m512i dots = _mm512_set1_epi32(c[j].correction[k * parts + part]);
                for (int i = 4 * part; i < 4 * part + 4; i++) {
                    dots = _mm512_dpbusd_epi32(dots, p.q[i], four(c[j].blocks[k].q + 4 * i));
                }
                wholes[j] = _mm512_add_epi32(wholes[j], _mm512_mullo_epi32(dots, p.scales[part]));
            }
        }
        for (int j = 0; j < n; j++) {
            __m512 d = _mm512_mul_ps(p.d, _mm512_set1_ps(c[j].d[k]));
            sums[j] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(wholes[j]), d, sums[j]);
        }
    }
};

} // namespace

bool tenon::multiply_superblocks(const ggml_compute_params & params, const asked & p, int a_type) {
    if (a_type == GGML_TYPE_Q6_K && p.n > 1) {
        product<q6_K>(p).share(params);
        return true;
    }
    return false;
}
#endif
