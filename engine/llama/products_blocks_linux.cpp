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

// The instructions want one factor unsigned: weights are made so. A product is too large by their
// excess times the sum of activations. In 16 bits unsigned weights of 8 bits have no room.
constexpr int excess_q8_0 = vnni ? 128 : 0, excess_q5_0 = 16;

inline void turn(const block_q8_0 * const rows[lanes], int64_t k, ints q[8]) {
    sixteens(rows, k, offsetof(block_q8_0, q), q);
    sixteens(rows, k, offsetof(block_q8_0, q) + 16, q + 4);
    for (int i = 0; i < 8 && excess_q8_0 != 0; i++) {
        q[i] ^= all_bytes((int8_t) excess_q8_0);
    }
}
inline void turn(const block_q5_0 * const rows[lanes], int64_t k, ints q[8]) {
    ints low[4], high[4];
    sixteens(rows, k, offsetof(block_q5_0, low), low);
    sixteens(rows, k, offsetof(block_q5_0, high), high); // of which the first is looked at
    // each byte gets its weight's bit, and others
    for (int i = 0; i < 8; i++) {
        ints q4 = i < 4 ? low_halves(low[i]) : high_halves(low[i - 4]);
        ints bit = all(i % 2 ? (int) 0x80402010 : 0x08040201);
        q[i] = with_bit(q4, each_byte(high[0], i / 2), bit, all_bytes(16));
    }
}

template <typename block, int excess> struct blocks_of_32 {
    typedef block weights;
    typedef block_q8_0 activations;
    typedef column_of<block_q8_0> column;
    static constexpr int parts = 1;
    static constexpr int side_by_side = 8;

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
        turn(places, k, p.q);
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
};

} // namespace

bool tenon::multiply_blocks(const ggml_compute_params & params, const asked & p, int a_type) {
    switch (a_type) {
        case GGML_TYPE_Q8_0:
            product<blocks_of_32<block_q8_0, excess_q8_0>>(p).share(params);
            return true;
        case GGML_TYPE_Q5_0:
            product<blocks_of_32<block_q5_0, excess_q5_0>>(p).share(params);
            return true;
    }
    return false;
}
#endif
