// What differs between the llama.cpp that is compiled in and a shared libllama,
// and what is better done in C than through many cgo calls.
// Nothing here keeps a pointer into Go memory after it returns, except opaque
// handles (uintptr_t).
#ifndef TENON_SHIM_H
#define TENON_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !__has_include("llama.h")
#error llama.h is not found: build with make, or set its flags first: eval "$(make -s env | sed s/^/export\ /)"
#endif
#include "llama.h"
#include "logits.h"

// The first lines that llama.cpp logged as errors during a call, NUL-terminated.
typedef struct tn_error {
    char text[1024];
} tn_error;

// Lines below min_level (ggml_log_level) are dropped before they reach Go.
void tn_init(int min_level);

typedef struct tn_model_options {
    int gpu_layers;
    bool mmap;
    bool vocab_only;
    size_t room;        // bytes to make ready for weights that are read; 0: none
    uintptr_t progress; // a cgo.Handle given to tenonProgress
} tn_model_options;

struct llama_model * tn_model_load(const char * path, const tn_model_options * o, tn_error * err);

typedef struct tn_context_options {
    uint32_t n_ctx, n_batch, n_ubatch, n_seq_max;
    int threads; // the most that tn_decode will ask for
    int type_k, type_v; // enum ggml_type
    int flash_attn;     // enum llama_flash_attn_type
    int pooling;        // enum llama_pooling_type
    float rope_freq_base, rope_freq_scale;
    bool embeddings, swa_full;
} tn_context_options;

// A llama_context with its own threads and a flag that stops a running decode.
typedef struct tn_context {
    struct llama_context * llama;
    struct ggml_threadpool * all;     // of most_threads
    struct ggml_threadpool * some;    // of some_threads
    struct ggml_threadpool * retired; // llama.cpp pauses it at the next step, and leaves it then
    int most_threads, some_threads, threads;
    int abort; // read and written atomically
    bool swa_full;       // as in tn_context_options
    tn_left_logits left; // of the last decode
} tn_context;

// What a decode took: time, and CPU time of the whole process meanwhile.
typedef struct tn_effort {
    int64_t wall_ns, cpu_ns;
} tn_effort;

tn_context * tn_context_new(struct llama_model * m, const tn_context_options * o, tn_error * err);
void tn_context_free(tn_context * c);
void tn_context_abort(tn_context * c, bool on);
// tn_decode runs llama_decode on so many threads.
int tn_decode(tn_context * c, struct llama_batch b, int threads, tn_effort * effort, tn_error * err);
// tn_logits are those of the last decode's token i, until the next one; NULL if it has none.
const float * tn_logits(const tn_context * c, int i);
size_t tn_state_set(tn_context * c, const uint8_t * data, size_t size, int seq, tn_error * err);
int tn_set_adapters(tn_context * c, struct llama_adapter_lora ** adapters, float * scales, size_t n);
struct llama_adapter_lora * tn_adapter_load(struct llama_model * m, const char * path, tn_error * err);

// tn_pieces writes the bytes of every token to buf, control tokens spelled, one after the other,
// and where each ends to ends[n_vocab]. It returns the bytes needed; nothing is written beyond
// size.
size_t tn_pieces(const struct llama_vocab * v, char * buf, size_t size, uint32_t * ends);

// tn_attrs writes the attributes (enum llama_token_attr) of every token, with TN_END for those
// that end a generation.
#define TN_END (1u << 31)
void tn_attrs(const struct llama_vocab * v, uint32_t * attrs);

// tn_texts gives every token's text, as the vocabulary holds it until the model is freed, the
// text's size in bytes, and the token's score.
void tn_texts(const struct llama_vocab * v, const char ** texts, uint32_t * sizes, float * scores);

// tn_longest_first sorts n token ids as llama.cpp looks for special tokens. sizes are by id.
void tn_longest_first(int32_t * ids, size_t n, const uint32_t * sizes);

// Memory of the devices that layers could be offloaded to, in bytes; 0 without any.
uint64_t tn_gpu_free(void);
#endif
