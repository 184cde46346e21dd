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

namespace tenon {

constexpr int together = 8; // columns that panels are multiplied with
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

// in_pieces calls compute for all rows that this thread takes, so many (high) at a time. Where
// none of them is wanted they are skipped. In a node's first product, whose activations lie
// where the work buffer begins, the counter is ready: threads take pieces from it, so an
// interrupted thread takes fewer. The pieces of other products are dealt out.
template <typename function> void in_pieces(const ggml_compute_params & params, const asked & p, int high, function compute) {
    const wanted rows(p.m);
    int64_t all = (p.m + high - 1) / high, size = std::max<int64_t>(all / (16 * params.nth), 1);
    for (int64_t piece = params.ith; piece * size < all;) {
        for (int64_t i = piece * size; i < std::min(all, (piece + 1) * size); i++) {
            int count = std::min<int64_t>(high, p.m - i * high);
            if (!rows.none(i * high, count)) {
                compute(i * high, count);
            }
        }
        piece = p.b == params.wdata ? ggml_threadpool_chunk_add(params.threadpool, 1) : piece + params.nth;
    }
}

// strip has a block of the activations of a few columns, side by side. So one address leads to
// all: with one for each column, most of what the processor loads would be addresses.
// Corrections are what each part's sum starts with: weights were made unsigned, so the sum is
// too large.
template <typename format, int columns> struct strip {
    int32_t q[format::words][columns]; // four activations each
    int32_t corrections[format::parts][columns];
    int32_t d[columns]; // the scale, a float
};

// side is how many of n columns share a strip, some at most. All strips are of much the same
// width.
constexpr int side(int n, int some) {
    int groups = (n + some - 1) / some;
    return (n + groups - 1) / groups;
}

// rows_of is how many rows a block is of.
template <typename block> constexpr int rows_of = 1;
template <> inline constexpr int rows_of<block_q4_Kx8> = 8;

// scales_of writes the scales of some of the rows' blocks side by side, a while before the
// products. Written just before a product reads them, they would make the processor wait for its
// own stores. A block of several rows has them side by side.
template <int high> inline void scales_of(const block_q4_Kx8 * const *, int64_t, int64_t, uint16_t *) {}
template <int high, typename block> inline void scales_of(const block * const rows[high], int64_t first, int64_t last, uint16_t * d) {
    for (int i = 0; i < high; i++) {
        for (int64_t k = first; k < last; k++) {
            d[k * high + i] = rows[i][k].d;
        }
    }
}

// room_for_strips is one thread's memory, for all formats. It grows to what the widest product
// asks for.
inline int32_t * room_for_strips(int64_t words) {
    thread_local std::unique_ptr<int32_t[]> room;
    thread_local int64_t size = 0;
    if (words > size) {
        room.reset(new int32_t[words]);
        size = words;
    }
    return room.get();
}

// product computes what is asked, in a format. That has kinds of blocks, a panel of rows' blocks,
// and how many columns and panels are multiplied side by side. It writes a column's block into a
// strip, fills a panel, and adds panels' products with a strip.
template <typename format> class product {
    typedef typename format::weights weights;
    template <int panels> using panels_of = typename format::panel[panels]; // of blocks
    static constexpr int side_by_side = format::panels, high = side_by_side * lanes;
    static constexpr int words = format::words + format::parts + 1; // of a column's block

    // scratch is one thread's, too.
    struct scratch {
        std::unique_ptr<panels_of<side_by_side>[]> filled;
        std::unique_ptr<uint16_t[]> scales; // of a panel's rows
        int64_t width = 0;

        void reserve(int64_t blocks) {
            if (blocks > width) {
                filled.reset(new panels_of<side_by_side>[blocks]);
                scales.reset(new uint16_t[blocks * high]);
                width = blocks;
            }
        }
    };

    inline static thread_local scratch own;

    asked p;

    const weights * row(int64_t i) const { return (const weights *) p.a + i / rows_of<weights> * p.a_stride; }

    // prepare writes all columns into strips, as add will look for them.
    void prepare(int32_t * to) const {
        const int64_t pass = p.n <= few ? p.n : together;
        for (int64_t j = 0; j < p.n;) {
            int n = side(std::min(pass - j % pass, p.n - j), format::columns);
            for (int64_t k = 0; k < p.blocks; k++, to += n * words) {
                for (int i = 0; i < n; i++) {
                    format::prepare(((const typename format::activations *) p.b)[(j + i) * p.b_stride + k], to + i, n);
                }
            }
            j += n;
        }
    }

    // places finds rows; where there are too few, the last stands for those that are missing.
    template <int high> void places(int64_t first, int count, const weights * rows[high]) const {
        for (int i = 0; i < high; i++) {
            rows[i] = row(first + std::min(i, count - 1));
        }
    }

    // ask asks early for weights: the processor does not see them coming. It is for the next rows,
    // piece by piece as they lie. Large blocks lie apart, and would be driven out of the nearest
    // cache until then: of each row the one a few ahead is asked for.
    template <int high> static inline void ask(const weights * const rows[high], const weights * next, int64_t k, int64_t blocks) {
        constexpr bool apart = rows_of<weights> == 1 && sizeof(weights) > 64;
        constexpr size_t size = apart ? sizeof(weights) : high / rows_of<weights> * sizeof(weights);
        int64_t at = k + ahead < blocks ? k + ahead : k + ahead - blocks + (next - rows[0]);
        for (int i = 0; i < (apart ? high : 1); i++) {
            const char * from = apart ? (const char *) (rows[i] + at) : (const char *) next + k * size;
            for (size_t line = 0; line < size; line += 64) {
                __builtin_prefetch(from + line);
            }
        }
    }

    template <int panels>
    static inline void fill(const weights * const rows[panels * lanes], int64_t k, const uint16_t * d, panels_of<panels> & p) {
        for (int i = 0; i < panels; i++) {
            format::fill(rows + i * lanes, k, d + (k * panels + i) * lanes, p[i]);
        }
    }

    // add adds the products of a block's panels with n columns, in groups.
    template <int n, int panels>
    __attribute__((always_inline))
    static inline void add(const panels_of<panels> & p, const int32_t * strips, int64_t k, int64_t blocks, floats * sums) {
        constexpr int first = side(n, format::columns);
        format::template add<first, panels>(p, ((const strip<format, first> *) strips)[k], sums);
        if constexpr (n > first) {
            add<n - first, panels>(p, strips + first * blocks * words, k, blocks, sums + first * panels);
        }
    }

    // pass multiplies a panel's rows with few columns. The panel is not written to memory, which
    // bounds the speed: the rows are few, so that what is asked for stays in the nearest cache.
    void pass(int64_t first, int count, const int32_t * strips) const {
        typedef void (*passer)(const weights * const *, const weights *, uint16_t *, const int32_t *, int64_t, floats *);
        static const passer passers[few + 1] = {
            nullptr, passing<1>, passing<2>, passing<3>, passing<4>, passing<5>, passing<6>, passing<7>, passing<8>,
            passing<9>, passing<10>, passing<11>, passing<12>, passing<13>, passing<14>, passing<15>, passing<16>,
        };
        const weights * rows[lanes];
        places<lanes>(first, count, rows);
        scales_of<lanes>(rows, 0, std::min(p.blocks, ahead), own.scales.get());
        floats sums[few];
        passers[p.n](rows, rows[lanes - 1] + p.a_stride, own.scales.get(), strips, p.blocks, sums);
        write<1>(sums, p.n, p.c + first, count);
    }

    template <int n> static void passing(const weights * const * rows, const weights * next, uint16_t * d, const int32_t * strips,
                                         int64_t blocks, floats * out) {
        floats sums[n] = {};
        for (int64_t k = 0; k < blocks; k++) {
            ask<lanes>(rows, next, k, blocks);
            if (k < blocks - ahead) {
                scales_of<lanes>(rows, k + ahead, k + ahead + 1, d);
            }
            panels_of<1> panel;
            fill<1>(rows, k, d, panel);
            add<n, 1>(panel, strips, k, blocks, sums);
        }
        std::copy_n(sums, n, out);
    }

    // fill turns rows into panels, to be multiplied with many columns.
    void fill(int64_t first, int count) const {
        const weights * rows[high];
        places<high>(first, count, rows);
        scales_of<high>(rows, 0, p.blocks, own.scales.get());
        for (int64_t k = 0; k < p.blocks; k++) {
            ask<high>(rows, rows[high - 1] + p.a_stride, k, p.blocks);
            fill<side_by_side>(rows, k, own.scales.get(), own.filled[k]);
        }
    }

    // multiply writes the products of panels with a few columns; those of a column lie side by
    // side.
    void multiply(int columns, const int32_t * strips, float * out, int count) const {
        typedef void (*multiplier)(const panels_of<side_by_side> *, const int32_t *, int64_t, floats *);
        static const multiplier multipliers[together + 1] = {
            nullptr, multiplying<1>, multiplying<2>, multiplying<3>, multiplying<4>,
            multiplying<5>, multiplying<6>, multiplying<7>, multiplying<8>,
        };
        for (int j = 0; j < columns; j++) { // where sums go to is far apart, and in no cache
            for (int i = 0; i < count; i += lanes) {
                __builtin_prefetch(out + j * p.c_stride + i, 1);
            }
        }
        floats sums[together * side_by_side];
        multipliers[columns](own.filled.get(), strips, p.blocks, sums);
        write<side_by_side>(sums, columns, out, count);
    }

    template <int n>
    static void multiplying(const panels_of<side_by_side> * p, const int32_t * strips, int64_t blocks, floats * out) {
        floats sums[n * side_by_side] = {};
        for (int64_t k = 0; k < blocks; k++) {
            add<n, side_by_side>(p[k], strips, k, blocks, sums);
        }
        std::copy_n(sums, n * side_by_side, out);
    }

    template <int panels> void write(const floats * sums, int columns, float * out, int count) const {
        for (int j = 0; j < columns; j++) {
            for (int i = 0; i < panels && i * lanes < count; i++) {
                store(out + j * p.c_stride + i * lanes, sums[j * panels + i], std::min(lanes, count - i * lanes));
            }
        }
    }

public:
    explicit product(const asked & p) : p(p) {}

    // share computes this thread's share.
    void share(const ggml_compute_params & params) const {
        const int64_t column = p.blocks * words;
        int32_t * strips = room_for_strips(p.n * column);
        own.reserve(p.blocks);
        prepare(strips);
        if (p.n <= few) {
            in_pieces(params, p, lanes, [=](int64_t first, int count) { pass(first, count, strips); });
            return;
        }
        in_pieces(params, p, high, [=](int64_t first, int count) {
            fill(first, count);
            for (int64_t j = 0; j < p.n; j += together) {
                multiply(std::min<int64_t>(together, p.n - j), strips + j * column, p.c + j * p.c_stride + first, count);
            }
        });
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
