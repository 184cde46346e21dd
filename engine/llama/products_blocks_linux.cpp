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
    static constexpr int words = 8, parts = 1;
    static constexpr int columns = 8, panels = vnni ? 2 : 1; // that are multiplied side by side

    // panel has in q[i] weights 4i to 4i+3 of each row.
    struct panel {
        ints q[8];
        floats d;
    };

    static inline void prepare(const block_q8_0 & b, int32_t * to, int columns) {
        for (int i = 0; i < words; i++, to += columns) {
            *to = int_at(b.q + 4 * i);
        }
        to[0] = both(correction(b.q, excess), correction(b.q + 16, excess));
        to[columns] = bits(_cvtsh_ss(b.d));
    }

    static inline void fill(const block * const places[lanes], int64_t k, const uint16_t * d, panel & p) {
        p.d = halves(d);
        turn(places, k, p.q);
    }

    // add adds the products of a block of each row with n columns.
    template <int n, int panels>
    __attribute__((always_inline))
    static inline void add(const panel (&p)[panels], const strip<blocks_of_32, n> & c, floats * sums) {
        ints products[n][panels];
        for (int j = 0; j < n; j++) {
            for (ints & sum : products[j]) {
                sum = excess ? all(c.corrections[0][j]) : ints{};
            }
        }
        for (int i = 0; i < words; i++) {
            for (int j = 0; j < n; j++) {
                const ints y = all(c.q[i][j]);
                for (int panel = 0; panel < panels; panel++) {
                    ints & sum = products[j][panel];
                    if constexpr (excess == 0) {
                        sum = signed_dots(sum, p[panel].q[i], y);
                    } else {
                        sum = dots(sum, p[panel].q[i], y);
                    }
                }
            }
        }
        for (int j = 0; j < n; j++) {
            for (int panel = 0; panel < panels; panel++, sums++) {
                ints sum = excess == 0 ? products[j][panel] : whole(products[j][panel]);
                *sums = add_product(sum, p[panel].d * as_floats(all(c.d[j])), *sums);
            }
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
