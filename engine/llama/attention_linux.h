// What the two ways of attending share: see attention_linux.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>

#include "ggml-cpu.h"
#include "ggml.h"
#include "params_linux.h"
#include "vectors_linux.h"

namespace tenon {

// cap is softcap·tanh(x), of scores divided by softcap.
inline vec cap(vec x, float softcap) {
    vec_int negative = x < 0;
    vec e = exponential(-2 * choose(negative, -x, x));
    vec y = softcap * (1 - e) / (1 + e);
    return choose(negative, -y, y);
}

inline void scale(float * p, int n, float by) {
    for (int i = 0; i < n; i++) {
        p[i] *= by;
    }
}

constexpr int stretch = 64;       // cells of the memory that are attended to at once
constexpr int prefetched = 12;    // cells ahead
constexpr int head_limit = 1024;  // longest head, in floats

// attention is what a node asks for.
struct attention {
    const ggml_tensor *q, *k, *v, *mask, *sinks;
    ggml_tensor * dst;
    float scale, bias, softcap;
    int key, value;     // floats of a head
    int tokens, cells;  // of the batch, of the memory
    int heads, sharing; // heads in all, and that share keys
};

// seen is what tokens see of a stretch of cells.
enum seen { nothing, all, some };

inline const uint16_t * mask_row(const attention & a, int batch, int token) {
    return (const uint16_t *) ((const char *) a.mask->data + token * a.mask->nb[1] + batch % a.mask->ne[3] * a.mask->nb[3]);
}

// look tells what a token sees of cells, by the bits of its mask's halves.
inline seen look(const uint16_t * mask, int cells) {
    const uint16_t infinity = 0xfc00; // negative
    uint16_t hidden = 0, open = 0;
    for (int k = 0; k < cells; k++) {
        hidden |= mask[k];
        open |= mask[k] ^ infinity;
    }
    return open == 0 ? nothing : hidden == 0 ? all : some;
}

// take_cells converts the keys or values of a stretch of cells to floats, with a gap behind each.
// Cells beyond the last are 0. So are those that hidden, if given, hides with −∞: a cell of
// another sequence may hold NaN, and 0·NaN is NaN.
inline void take_cells(const ggml_tensor * t, const attention & a, int head, int batch, int cell, float * to, int gap, const float * hidden) {
    int length = t->ne[0], cells = std::min<int>(stretch, a.cells - cell);
    const char * from = (const char *) t->data + head / a.sharing * t->nb[2] + batch / (a.q->ne[3] / t->ne[3]) * t->nb[3] + cell * t->nb[1];
    size_t bytes = ggml_row_size(t->type, length);
    for (int k = 0; k < cells; k++, from += t->nb[1], to += length + gap) {
        // other heads lie between: the processor does not see what comes next
        for (size_t line = 0; line < bytes; line += 64) {
            __builtin_prefetch(from + prefetched * t->nb[1] + line);
        }
        if (hidden != NULL && hidden[k] == -INFINITY) {
            std::fill_n(to, length, 0.0f);
        } else if (t->type == GGML_TYPE_F16) {
            ggml_cpu_fp16_to_fp32((const ggml_fp16_t *) from, to, length);
        } else if (t->type == GGML_TYPE_F32) {
            memcpy(to, from, sizeof(float) * length);
        } else {
            ggml_get_type_traits(t->type)->to_float(from, to, length);
        }
    }
    std::fill_n(to, (stretch - cells) * (length + gap), 0.0f);
}

// give_out writes what a token's head gathered: dst is [batch][token][head][value]. A sink is a
// score without a value (gpt-oss): it only takes weight away.
inline void give_out(const attention & a, int batch, int token, int head, float * gathered, float most, float sum) {
    float sink = a.sinks == NULL ? -INFINITY : ((const float *) a.sinks->data)[head];
    if (sink > -INFINITY) {
        float top = std::max(most, sink), shrink = expf(most - top);
        sum = sum * shrink + expf(sink - top);
        scale(gathered, a.value, shrink);
    }
    scale(gathered, a.value, sum == 0 ? 0 : 1 / sum);
    size_t row = ((size_t) batch * a.tokens + token) * a.heads + head;
    memcpy((float *) a.dst->data + row * a.value, gathered, sizeof(float) * a.value);
}

// Each is called on each of ggml's threads.
// attention_tiles_linux.cpp
void attend_tiles(const attention & a, const ggml_compute_params & params);
// attention_tokens_linux.cpp
void attend_tokens(const attention & a, const ggml_compute_params & params);

} // namespace tenon
