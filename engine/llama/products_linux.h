// The way through a product that all kinds of weights take: see products_linux.cpp.
#pragma once

#include "ggml-cpu.h"
#include "ggml.h"
#include "params_linux.h"

#include "lanes_linux.h"
#include "rows_linux.h"

#ifdef TENON_PRODUCTS
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace tenon {

constexpr int together = 8; // columns that a panel is multiplied with
constexpr int few = 16;     // columns for which no panel is written to memory

// ahead is how many blocks before a product its rows' scales are written, and large blocks are
// asked for.
constexpr int64_t ahead = 2;

// As in ggml-common.h, which only ggml itself can include.
struct block_q8_K {
    float d;
    int8_t q[256];
    int16_t sums[16]; // of sixteen activations
};
static_assert(sizeof(block_q8_K) == 292, "blocks of ggml");

// As in ggml's repack.h: Q4_K of eight rows, which ggml interleaves when it loads them.
struct block_q4_Kx8 {
    uint16_t d[8], dmin[8];
    uint8_t scales[96]; // of each part of 32 weights: eight scales and eight minima of 6 bits
    // eight bytes of each row; low halves are of one part, high ones of the next
    uint8_t q[16][64];
};
static_assert(sizeof(block_q4_Kx8) == 1152, "blocks of ggml");

// asked is what ggml wants: m rows of weights times n columns of activations. Strides of a and b
// are in blocks.
struct asked {
    int64_t m, n, blocks;
    const void * a;
    int64_t a_stride;
    const void * b;
    int64_t b_stride;
    float * c;
    int64_t c_stride;
};

// in_pieces calls compute for each panel that this thread takes. Panels without a wanted row
// are skipped. In a node's first product, whose activations lie where the work buffer begins,
// the counter is ready: threads take pieces from it, so an interrupted thread takes fewer. The
// pieces of other products are dealt out.
template <typename function> void in_pieces(const ggml_compute_params & params, const asked & p, function compute) {
    const wanted rows(p.m);
    int64_t panels = (p.m + lanes - 1) / lanes, size = std::max<int64_t>(panels / (16 * params.nth), 1);
    for (int64_t piece = params.ith; piece * size < panels;) {
        for (int64_t i = piece * size; i < std::min(panels, (piece + 1) * size); i++) {
            int count = std::min<int64_t>(lanes, p.m - i * lanes);
            if (!rows.none(i * lanes, count)) {
                compute(i * lanes, count);
            }
        }
        piece = p.b == params.wdata ? ggml_threadpool_chunk_add(params.threadpool, 1) : piece + params.nth;
    }
}

// column_of holds one token's activations: its blocks, each block's scale, and the value that
// each part's sum starts with. That takes off what the sum has too much because weights were
// made unsigned.
template <typename block> struct column_of {
    const block * blocks;
    float * d;
    int32_t * correction;
};

// rows_of is how many rows a block is of.
template <typename block> constexpr int rows_of = 1;
template <> inline constexpr int rows_of<block_q4_Kx8> = 8;

// scales_of writes the scales of some of the rows' blocks side by side, a while before the
// products. Written just before a product reads them, they would make the processor wait for its
// own stores. A block of several rows has them side by side.
inline void scales_of(const block_q4_Kx8 * const *, int64_t, int64_t, uint16_t *) {}
template <typename block> inline void scales_of(const block * const rows[lanes], int64_t first, int64_t last, uint16_t * d) {
    for (int i = 0; i < lanes; i++) {
        for (int64_t k = first; k < last; k++) {
            d[k * lanes + i] = rows[i][k].d;
        }
    }
}

// product computes what is asked, in a format. That has kinds of blocks, a panel of rows' blocks,
// and how many columns are multiplied side by side. It prepares a column, fills a panel, and adds
// a panel's products with n columns.
template <typename format> class product {
    typedef typename format::weights weights;
    typedef column_of<typename format::activations> column;

    // scratch is one thread's. It grows to what the widest product asks for.
    struct scratch {
        std::unique_ptr<typename format::panel[]> panels;
        std::unique_ptr<uint16_t[]> scales; // of a panel's rows
        std::unique_ptr<float[]> d;
        std::unique_ptr<int32_t[]> corrections;
        std::vector<column> columns;
        int64_t width = 0, size = 0;

        void reserve(int64_t blocks, int64_t n) {
            if (blocks > width) {
                panels.reset(new typename format::panel[blocks]);
                scales.reset(new uint16_t[blocks * lanes]);
                width = blocks;
            }
            if (blocks * n > size) {
                d.reset(new float[blocks * n]);
                corrections.reset(new int32_t[blocks * n * format::parts]);
                size = blocks * n;
            }
            columns.resize(n);
        }
    };

    inline static thread_local scratch own;

    asked p;

    const weights * row(int64_t i) const { return (const weights *) p.a + i / rows_of<weights> * p.a_stride; }

    // prepare takes all columns.
    void prepare() const {
        own.reserve(p.blocks, p.n);
        for (int64_t j = 0; j < p.n; j++) {
            const auto * blocks = (const typename format::activations *) p.b + j * p.b_stride;
            own.columns[j] = {blocks, &own.d[j * p.blocks], &own.corrections[j * p.blocks * format::parts]};
            format::prepare(own.columns[j], p.blocks);
        }
    }

    // compute multiplies some rows, at most a panel's.
    void compute(int64_t first, int count) const {
        if (p.n <= few) {
            pass(first, count);
            return;
        }
        fill(first, count);
        for (int64_t j = 0; j < p.n; j += together) {
            multiply(std::min<int64_t>(together, p.n - j), &own.columns[j], p.c + j * p.c_stride + first, count);
        }
    }

    // places finds rows; where there are too few, the last stands for those that are missing.
    void places(int64_t first, int count, const weights * rows[lanes]) const {
        for (int i = 0; i < lanes; i++) {
            rows[i] = row(first + std::min(i, count - 1));
        }
    }

    // ask asks early for weights: the processor does not see them coming. It is for the next rows,
    // piece by piece as they lie. Large blocks lie apart, and would be driven out of the nearest
    // cache until then: of each row the one a few ahead is asked for.
    static inline void ask(const weights * const rows[lanes], const weights * next, int64_t k, int64_t blocks) {
        constexpr bool apart = rows_of<weights> == 1 && sizeof(weights) > 64;
        constexpr size_t size = apart ? sizeof(weights) : lanes / rows_of<weights> * sizeof(weights);
        int64_t at = k + ahead < blocks ? k + ahead : k + ahead - blocks + (next - rows[0]);
        for (int i = 0; i < (apart ? lanes : 1); i++) {
            const char * from = apart ? (const char *) (rows[i] + at) : (const char *) next + k * size;
            for (size_t line = 0; line < size; line += 64) {
                __builtin_prefetch(from + line);
            }
        }
    }

    // fill turns rows into panels, to be multiplied with many columns.
    void fill(int64_t first, int count) const {
        const weights * rows[lanes];
        places(first, count, rows);
        scales_of(rows, 0, p.blocks, own.scales.get());
        for (int64_t k = 0; k < p.blocks; k++) {
            ask(rows, rows[lanes - 1] + p.a_stride, k, p.blocks);
            format::fill(rows, k, own.scales.get(), own.panels[k]);
        }
    }

    // pass multiplies rows with few columns: no panel is written to memory.
    void pass(int64_t first, int count) const {
        typedef void (*passer)(const weights * const *, const weights *, uint16_t *, const column *, int64_t, floats *);
        static const passer passers[few + 1] = {
            nullptr, passing<1>, passing<2>, passing<3>, passing<4>, passing<5>, passing<6>, passing<7>, passing<8>,
            passing<9>, passing<10>, passing<11>, passing<12>, passing<13>, passing<14>, passing<15>, passing<16>,
        };
        const weights * rows[lanes];
        places(first, count, rows);
        scales_of(rows, 0, std::min(p.blocks, ahead), own.scales.get());
        floats sums[few];
        passers[p.n](rows, rows[lanes - 1] + p.a_stride, own.scales.get(), own.columns.data(), p.blocks, sums);
        for (int j = 0; j < p.n; j++) {
            store(p.c + j * p.c_stride + first, sums[j], count);
        }
    }

    // add adds a panel's products with n columns, in groups of much the same size: some at most.
    template <int n, int some>
    static inline void add(const typename format::panel & p, const column * c, int64_t k, floats * sums) {
        constexpr int groups = (n + some - 1) / some, first = (n + groups - 1) / groups;
        format::template add<first>(p, c, k, sums);
        if constexpr (groups > 1) {
            add<n - first, some>(p, c + first, k, sums + first);
        }
    }

    template <int n> static void passing(const weights * const * rows, const weights * next, uint16_t * d, const column * c, int64_t blocks,
                                         floats * out) {
        floats sums[n] = {};
        for (int64_t k = 0; k < blocks; k++) {
            ask(rows, next, k, blocks);
            if (k < blocks - ahead) {
                scales_of(rows, k + ahead, k + ahead + 1, d);
            }
            typename format::panel panel;
            format::fill(rows, k, d, panel);
            add<n, format::side_by_side>(panel, c, k, sums);
        }
        std::copy_n(sums, n, out);
    }

    template <int n> static void multiplying(const typename format::panel * p, const column * c, int64_t blocks, floats * out) {
        floats sums[n] = {};
        for (int64_t k = 0; k < blocks; k++) {
            add<n, format::side_by_side>(p[k], c, k, sums);
        }
        std::copy_n(sums, n, out);
    }

    // multiply writes the products of a panel's rows with a few columns; those of a column lie
    // side by side.
    void multiply(int columns, const column * c, float * out, int count) const {
        typedef void (*multiplier)(const typename format::panel *, const column *, int64_t, floats *);
        static const multiplier multipliers[together + 1] = {
            nullptr, multiplying<1>, multiplying<2>, multiplying<3>, multiplying<4>,
            multiplying<5>, multiplying<6>, multiplying<7>, multiplying<8>,
        };
        floats sums[together];
        multipliers[columns](own.panels.get(), c, p.blocks, sums);
        for (int j = 0; j < columns; j++) {
            store(out + j * p.c_stride, sums[j], count);
        }
    }

public:
    explicit product(const asked & p) : p(p) {}

    // share computes this thread's share.
    void share(const ggml_compute_params & params) const {
        prepare();
        in_pieces(params, p, [this](int64_t first, int count) { compute(first, count); });
    }
};

// Each is called on each of ggml's threads, and false where it does not know the types.
// products_blocks_linux.cpp
bool multiply_blocks(const ggml_compute_params & params, const asked & p, int a_type);
// products_superblocks_linux.cpp
bool multiply_superblocks(const ggml_compute_params & params, const asked & p, int a_type);
void multiply_interleaved(const ggml_compute_params & params, const asked & p); // there, too

} // namespace tenon
#endif
