//go:build cgo && !libllama

// The one place that looks behind llama.h: there, flash attention is chosen once, with the context. The memory that it
// wants serves the other kind too, so that one context can use it for single tokens and not for prompts.
#include "../src/llama-context.h"

extern "C" void tn_set_flash(struct llama_context * c, bool on) {
    const_cast<llama_cparams &>(c->get_cparams()).flash_attn = on;
}
