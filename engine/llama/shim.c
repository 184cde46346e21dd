#define _GNU_SOURCE // dladdr
#include "shim.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ggml-backend.h"
#include "ggml-cpu.h"
#include "ggml.h"

#include "_cgo_export.h"
#include "room.h"

static int log_min_level = GGML_LOG_LEVEL_INFO;

// Where this thread's error lines go while it is inside a call that reports them.
static _Thread_local tn_error * pending;
static _Thread_local bool pending_warnings;
static _Thread_local int last_level = GGML_LOG_LEVEL_INFO;

static void keep_error(const char * text) {
    size_t used = strlen(pending->text);
    snprintf(pending->text + used, sizeof(pending->text) - used, "%s", text);
}

static void on_log(enum ggml_log_level level, const char * text, void * user) {
    (void) user;
    if (level == GGML_LOG_LEVEL_CONT) {
        level = (enum ggml_log_level) last_level;
    }
    last_level = level;
    if (pending != NULL && (level == GGML_LOG_LEVEL_ERROR || (pending_warnings && level == GGML_LOG_LEVEL_WARN))) {
        keep_error(text);
        return;
    }
    if ((int) level >= log_min_level) {
        tenonLog((int) level, (char *) text);
    }
}

// ggml ends the process where it cannot go on. Error lines before its message give the reason.
// They are held for the caller of the call that fails, who never gets them: so they are printed
// here.
static void on_crash(const char * message) {
    fprintf(stderr, "%s%s\n", pending != NULL ? pending->text : "", message);
}

// ggml says nothing when the library of a GPU is there but cannot be loaded, as without its
// driver.
static void explain_missing_gpu(const char * dir) {
    static const char * const kinds[] = {"cuda", "hip", "vulkan", "sycl", "musa", NULL};
    char path[4352], line[8192];
    for (const char * const * kind = kinds; *kind != NULL; kind++) {
        snprintf(path, sizeof(path), "%s/libggml-%s.so", dir, *kind);
        if (access(path, F_OK) == 0 && dlopen(path, RTLD_LAZY | RTLD_LOCAL) == NULL) {
            snprintf(line, sizeof(line), "no layer goes to a GPU, its library cannot be loaded: %s", dlerror());
            tenonLog(GGML_LOG_LEVEL_ERROR, line);
        }
    }
}

// A shared libllama may keep GPUs, and the CPU in variants for several processors, in libraries of
// their own. They are looked for beside it and where its build installs them, then in ggml's own
// list of places, which begins with the working folder.
static void load_backends(void) {
    Dl_info at;
    char dir[4096];
    if (ggml_backend_dev_count() > 0) {
        return;
    }
    if (dladdr((void *) llama_backend_init, &at) != 0 && at.dli_fname != NULL && strlen(at.dli_fname) < sizeof(dir) - 16) {
        strcpy(dir, at.dli_fname);
        char * slash = strrchr(dir, '/');
        for (const char * const * rest = (const char * const[]) {"", "/../bin", NULL}; slash != NULL && *rest != NULL; rest++) {
            strcpy(slash, *rest);
            ggml_backend_load_all_from_path(dir);
            if (ggml_backend_dev_count() > 0) {
                explain_missing_gpu(dir);
                return;
            }
        }
    }
    ggml_backend_load_all();
}

void tn_init(int min_level) {
    log_min_level = min_level;
    llama_log_set(on_log, NULL); // sets ggml's callback too
    ggml_set_abort_callback(on_crash);
    load_backends();
    llama_backend_init();
}

static bool on_progress(float progress, void * user) {
    return tenonProgress(progress, (uintptr_t) user);
}

struct llama_model * tn_model_load(const char * path, const tn_model_options * o, tn_error * err) {
    struct llama_model_params p = llama_model_default_params();
    p.n_gpu_layers = o->gpu_layers;
    p.vocab_only = o->vocab_only;
#ifdef TENON_LIBLLAMA
    p.load_mode = o->mmap ? LLAMA_LOAD_MODE_MMAP : LLAMA_LOAD_MODE_NONE;
#else
    p.use_mmap = o->mmap;
#endif
    p.progress_callback = on_progress;
    p.progress_callback_user_data = (void *) o->progress;
    pending = err;
#ifdef __linux__
    if (o->room > 0) {
        tn_room_open(o->room);
    }
#endif
    struct llama_model * m = llama_model_load_from_file(path, p);
#ifdef __linux__
    tn_room_close();
#endif
    pending = NULL;
    return m;
}

// The thread pool's functions live in the CPU backend, which may be a library
// loaded at run time, so they are looked up rather than linked.
static void * cpu_proc(const char * name) {
    ggml_backend_dev_t dev = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    return dev == NULL ? NULL : ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(dev), name);
}

static struct ggml_threadpool * new_pool(int threads) {
    struct ggml_threadpool * (*create)(struct ggml_threadpool_params *) = cpu_proc("ggml_threadpool_new");
    if (create == NULL) {
        return NULL;
    }
    struct ggml_threadpool_params p = ggml_threadpool_params_default(threads);
    // wait for the next token some two milliseconds awake, then asleep: others may need the core
    p.poll = 1;
    return create(&p);
}

static void free_pool(struct ggml_threadpool * pool) {
    void (*release)(struct ggml_threadpool *) = cpu_proc("ggml_threadpool_free");
    if (pool != NULL && release != NULL) {
        release(pool);
    }
}

static bool on_abort(void * user) {
    return __atomic_load_n(&((tn_context *) user)->abort, __ATOMIC_RELAXED) != 0;
}

static struct llama_context_params context_params(const tn_context_options * o) {
    struct llama_context_params p = llama_context_default_params();
    p.n_ctx = o->n_ctx;
    p.n_batch = o->n_batch;
    p.n_ubatch = o->n_ubatch;
    p.n_seq_max = o->n_seq_max;
    p.n_threads = o->threads;
    p.n_threads_batch = o->threads;
    p.type_k = (enum ggml_type) o->type_k;
    p.type_v = (enum ggml_type) o->type_v;
    p.flash_attn_type = (enum llama_flash_attn_type) o->flash_attn;
    p.pooling_type = (enum llama_pooling_type) o->pooling;
    p.rope_freq_base = o->rope_freq_base;
    p.rope_freq_scale = o->rope_freq_scale;
    p.embeddings = o->embeddings;
    p.kv_unified = true; // sequences share cells
    p.swa_full = o->swa_full;
    p.offload_kqv = true;
    p.no_perf = true;
    return p;
}

// There are two pools: one of all threads, for prompts, and one of as many as decode now. The
// threads of a larger pool would wake for every token to find that they are not wanted; a pool
// for each number would be thousands of threads on a machine of 64 cores. llama.cpp pauses the
// pool that it leaves.
static struct ggml_threadpool * pool_of(tn_context * c, int n) {
    if (n == c->most_threads) {
        if (c->all == NULL) {
            c->all = new_pool(n);
        }
        return c->all;
    }
    if (c->some_threads != n && c->retired == NULL) {
        struct ggml_threadpool * made = new_pool(n);
        if (made != NULL) {
            c->retired = c->some;
            c->some = made;
            c->some_threads = n;
        }
    }
    return c->some;
}

static void use_threads(tn_context * c, int n) {
    if (n == c->threads || n < 1 || n > c->most_threads) {
        return;
    }
    c->threads = n;
    llama_set_n_threads(c->llama, n, n);
    struct ggml_threadpool * pool = pool_of(c, n);
    if (pool != NULL) {
        llama_attach_threadpool(c->llama, pool, pool);
    }
}

// After a step that computed, nothing knows of the retired pool any more.
static void free_retired(tn_context * c) {
    free_pool(c->retired);
    c->retired = NULL;
}

tn_context * tn_context_new(struct llama_model * m, const tn_context_options * o, tn_error * err) {
    tn_context * c = calloc(1, sizeof(*c));
    if (c == NULL) {
        return NULL;
    }
    struct llama_context_params p = context_params(o);
    p.abort_callback = on_abort;
    p.abort_callback_data = c;
    pending = err;
    c->llama = llama_init_from_model(m, p);
    pending = NULL;
    if (c->llama == NULL) {
        free(c);
        return NULL;
    }
    c->most_threads = o->threads;
    c->swa_full = o->swa_full;
    use_threads(c, o->threads);
    return c;
}

void tn_context_free(tn_context * c) {
    llama_free(c->llama);
    free_pool(c->all);
    free_pool(c->some);
    free_retired(c);
    free(c);
}

void tn_context_abort(tn_context * c, bool on) {
    __atomic_store_n(&c->abort, on, __ATOMIC_RELAXED);
}

static int64_t read_clock(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

// bytes_to_leave is how many bytes of logits can stay where they are computed. A batch that is
// evaluated in parts would lose those of the first, and a recurrent model's tokens are put in
// another order. Both may happen where the cells of a sliding window have no room for it at once.
static size_t bytes_to_leave(const tn_context * c, struct llama_batch b) {
    const struct llama_model * m = llama_get_model(c->llama);
    if (b.n_tokens > (int) llama_n_ubatch(c->llama) || llama_model_is_recurrent(m) || llama_model_is_hybrid(m) ||
        (llama_model_n_swa(m) > 0 && !c->swa_full)) {
        return 0;
    }
    size_t outputs = 0;
    for (int i = 0; i < b.n_tokens; i++) {
        outputs += b.logits[i] != 0;
    }
    return outputs * llama_vocab_n_tokens(llama_model_get_vocab(m)) * sizeof(float);
}

int tn_decode(tn_context * c, struct llama_batch b, int threads, tn_effort * effort, tn_error * err) {
    use_threads(c, threads);
    pending = err;
    pending_warnings = true;
    int64_t wall = read_clock(CLOCK_MONOTONIC), cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
#ifdef __linux__
    tn_leave_logits(bytes_to_leave(c, b));
#endif
    int rc = llama_decode(c->llama, b);
#ifdef __linux__
    c->left = tn_which_logits();
#endif
    llama_synchronize(c->llama);
    effort->cpu_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    effort->wall_ns = read_clock(CLOCK_MONOTONIC) - wall;
    pending = NULL;
    pending_warnings = false;
    if (rc == 0) {
        free_retired(c);
    }
    return rc;
}

const float * tn_logits(const tn_context * c, int i) {
    const float * p = llama_get_logits_ith(c->llama, i);
    return p == NULL || c->left.at == NULL ? p : c->left.at + (p - c->left.meant);
}

size_t tn_state_set(tn_context * c, const uint8_t * data, size_t size, int seq, tn_error * err) {
    pending = err;
    size_t n = llama_state_seq_set_data(c->llama, data, size, seq);
    pending = NULL;
    return n;
}

struct llama_adapter_lora * tn_adapter_load(struct llama_model * m, const char * path, tn_error * err) {
    pending = err;
    struct llama_adapter_lora * a = llama_adapter_lora_init(m, path);
    pending = NULL;
    return a;
}

int tn_set_adapters(tn_context * c, struct llama_adapter_lora ** adapters, float * scales, size_t n) {
#ifdef TENON_LIBLLAMA
    return llama_set_adapters_lora(c->llama, adapters, n, scales);
#else
    for (size_t i = 0; i < n; i++) {
        int rc = llama_set_adapter_lora(c->llama, adapters[i], scales[i]);
        if (rc != 0) {
            return rc;
        }
    }
    return 0;
#endif
}

size_t tn_pieces(const struct llama_vocab * v, char * buf, size_t size, uint32_t * ends) {
    size_t used = 0;
    int n = llama_vocab_n_tokens(v);
    for (int i = 0; i < n; i++) {
        char * to = used < size ? buf + used : NULL;
        int room = used < size ? (int) (size - used) : 0;
        int len = llama_token_to_piece(v, i, to, room, 0, true);
        used += len < 0 ? -len : len;
        ends[i] = (uint32_t) used;
    }
    return used;
}

void tn_attrs(const struct llama_vocab * v, uint32_t * attrs) {
    int n = llama_vocab_n_tokens(v);
    for (int i = 0; i < n; i++) {
        attrs[i] = (uint32_t) llama_vocab_get_attr(v, i) | (llama_vocab_is_eog(v, i) ? TN_END : 0);
    }
}

void tn_texts(const struct llama_vocab * v, const char ** texts, uint32_t * sizes, float * scores) {
    int n = llama_vocab_n_tokens(v);
    for (int i = 0; i < n; i++) {
        texts[i] = llama_vocab_get_text(v, i);
        sizes[i] = (uint32_t) strlen(texts[i]);
        scores[i] = llama_vocab_get_score(v, i);
    }
}

uint64_t tn_gpu_free(void) {
    uint64_t sum = 0;
    for (size_t i = 0; i < ggml_backend_dev_count(); i++) {
        ggml_backend_dev_t dev = ggml_backend_dev_get(i);
        if (ggml_backend_dev_type(dev) != GGML_BACKEND_DEVICE_TYPE_GPU) {
            continue;
        }
        size_t free_bytes = 0, total = 0;
        ggml_backend_dev_memory(dev, &free_bytes, &total);
        sum += free_bytes;
    }
    return sum;
}
