//go:build cgo && !libllama

// The one place that looks behind llama.h: there, flash attention is chosen once, with the context. The memory that it
// wants serves the other kind too, so that each batch can have the one that is faster for it.
#include <algorithm>

#include "../src/llama-context.h"
#include "../src/llama-model.h"

// For fewer tokens the fused pass is faster: it reads the memory once.
static const int few_tokens = 16;

// What a pair of a token and one before it costs in the fused pass, where it costs 1 by way of matrices. Those compute
// all pairs; the fused pass leaves out what a sliding window hides. Gemma 3 270M on two Zen 4 cores.
static const int64_t fused_cost = 3;

static bool windows_pay(const llama_hparams & h, int64_t depth) {
    int64_t windowed = 0, layers = h.n_layer;
    for (uint32_t i = 0; i < h.n_layer; i++) {
        windowed += h.is_swa(i);
    }
    int64_t seen = (layers - windowed) * depth + windowed * std::min<int64_t>(depth, h.n_swa);
    return fused_cost * seen < layers * depth;
}

extern "C" void tn_choose_attention(struct llama_context * c, int tokens, int depth) {
    bool fused = tokens < few_tokens || windows_pay(c->get_model().hparams, depth);
    const_cast<llama_cparams &>(c->get_cparams()).flash_attn = fused;
}
