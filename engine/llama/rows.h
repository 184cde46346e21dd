// Which logits of a decode are wanted. Where a grammar allows few tokens the kernels compute only
// their rows of the output matrix, which can be most of a small model's weights.
#ifndef TENON_ROWS_H
#define TENON_ROWS_H

#include <stdint.h>

typedef struct tn_rows {
    int64_t count;   // of the matrix: a product with so many rows gives logits
    // read and written atomically: bits tells which rows are wanted. Until then all are
    int32_t known;
    uint64_t bits[]; // row r is bit r%64 of word r/64
} tn_rows;

#ifdef __cplusplus
extern "C" __attribute__((weak)) // a library of kernels may be loaded by another program
#else
extern
#endif
    tn_rows * tn_wanted_rows; // of the decode that runs; NULL if there is none
#endif
