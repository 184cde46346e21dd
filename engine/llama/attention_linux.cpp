//go:build cgo && !libllama

// Attention on CPUs, in the place of ggml's fused pass: that goes through the memory once for
// each token and head, converts each key as often, and is slower for prompts than two products
// of matrices. The linker brings ggml's calls here (--wrap in llama_ollama.go, kernels.cmake).
// Of many tokens, tiles are computed; few tokens are computed side by side, in all heads that
// share keys, and so are many that see different cells. Cells that no token sees cost next to
// nothing: other sequences', later ones, those behind a sliding window.
//
// Both are FlashAttention-2 (Dao, https://arxiv.org/abs/2307.08691), in 32-bit floats.
#include "attention_linux.h"

using namespace tenon;

// Fewer tokens are no tile: that has room for more.
static const int few_tokens = 16;

static attention asked(ggml_tensor * dst) {
    attention a = {};
    a.q = dst->src[0], a.k = dst->src[1], a.v = dst->src[2], a.mask = dst->src[3], a.sinks = dst->src[4], a.dst = dst;
    memcpy(&a.scale, dst->op_params, sizeof(float));
    memcpy(&a.bias, dst->op_params + 1, sizeof(float));
    memcpy(&a.softcap, dst->op_params + 2, sizeof(float));
    a.key = a.k->ne[0], a.value = a.v->ne[0];
    a.tokens = a.q->ne[1], a.cells = a.k->ne[1];
    a.heads = a.q->ne[2], a.sharing = a.heads / a.k->ne[2];
    if (a.softcap != 0) {
        a.scale /= a.softcap;
    }
    return a;
}

// rows tells whether a tensor's rows are what ggml demands: numbers side by side, of a type that
// can be converted.
static bool rows(const ggml_tensor * t) {
    return t->nb[0] == ggml_type_size(t->type) &&
        (t->type == GGML_TYPE_F32 || t->type == GGML_TYPE_F16 || ggml_get_type_traits(t->type)->to_float != NULL);
}

// fits holds what ggml's own pass asserts, and what is assumed here beside it.
static bool fits(const attention & a) {
    const ggml_tensor * mask = a.mask;
    return rows(a.q) && rows(a.k) && rows(a.v) && a.q->ne[0] == a.key && a.v->ne[1] == a.cells && a.heads % a.k->ne[2] == 0 &&
        a.q->ne[3] % a.k->ne[3] == 0 && a.q->ne[3] % a.v->ne[3] == 0 &&
        a.dst->type == GGML_TYPE_F32 && ggml_is_contiguous(a.dst) && a.dst->ne[0] == a.value && a.dst->ne[1] == a.heads &&
        a.dst->ne[2] == a.tokens && a.dst->ne[3] == a.q->ne[3] &&
        (a.sinks == NULL || (a.sinks->type == GGML_TYPE_F32 && a.sinks->ne[0] == a.heads)) &&
        (mask == NULL || (mask->type == GGML_TYPE_F16 && rows(mask) && mask->ne[0] >= a.cells && mask->ne[1] >= a.tokens));
}

// known tells what is computed here: what llama.cpp's models ask for, but for ALiBi. The rest is
// ggml's, and its asserts.
static bool known(const attention & a) {
    return fits(a) && a.bias == 0 && a.key % width == 0 && a.value % width == 0 && a.key <= head_limit && a.value <= head_limit &&
        a.q->type == GGML_TYPE_F32 && a.k->ne[2] == a.v->ne[2] && (a.mask == NULL || a.mask->ne[2] == 1);
}

// Of a group of tokens, so many are asked what they see.
static const int group = 32, asked_of = 4;

// A tile attends to a stretch for all its tokens in the time in which so many tokens do one by
// one.
static const int tile_gain = 4;

// apart tells whether many tokens are faster one by one than in tiles. Those of many streams are:
// each sees cells of its own, and a tile would compute for all of them what any of them sees.
static bool apart(const attention & a) {
    if (a.mask == NULL) {
        return false;
    }
    int64_t alone = 0, tiled = 0;
    for (int first = 0; first < a.tokens; first += group) {
        int tokens = std::min(group, a.tokens - first);
        int64_t sights = 0, together = 0;
        for (int cell = 0; cell < a.cells; cell += stretch) {
            int seers = 0;
            for (int i = 0; i < asked_of; i++) {
                int token = first + i * (tokens - 1) / (asked_of - 1);
                seers += look(mask_row(a, 0, token) + cell, std::min<int>(stretch, a.cells - cell)) != nothing;
            }
            sights += seers;
            together += seers > 0;
        }
        // What more tokens see beside what one does is what each of those that were asked has
        // added.
        int64_t one = sights / asked_of, added = std::max<int64_t>(0, together - one) / (asked_of - 1);
        alone += tokens * one;
        tiled += group * (one + (tokens - 1) * added) / tile_gain; // a tile is computed whole
    }
    return alone < tiled;
}

extern "C" void __real_ggml_compute_forward_flash_attn_ext(const ggml_compute_params * params, ggml_tensor * dst);

// Called by ggml on each of its threads.
extern "C" void __wrap_ggml_compute_forward_flash_attn_ext(const ggml_compute_params * params, ggml_tensor * dst) {
    attention a = asked(dst);
    if (uses_reference(*params) || !known(a)) {
        __real_ggml_compute_forward_flash_attn_ext(params, dst);
    } else if (a.tokens < few_tokens || apart(a)) {
        attend_tokens(a, *params);
    } else {
        attend_tiles(a, *params);
    }
}
