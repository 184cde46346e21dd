#include "sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tn_sampler {
    struct llama_sampler * chain;
    int n_vocab;
    int keep; // candidates that the chain needs of those it treats alike (top-k); 0: all of them

    // Tokens whose logits the chain may raise or lower by themselves: biased
    // ones and those in the windows of the penalties. They are always candidates.
    int32_t * bias_ids;
    float * biases;
    int n_bias;
    int32_t * recent; // ring of the last accepted tokens
    int recent_size, recent_len, recent_next;
    int32_t * own; // sorted, without doubles
    int n_own;

    llama_token_data * data;
    int n_data, data_size;
    int considered;
};

static void add(struct llama_sampler * chain, struct llama_sampler * s) { llama_sampler_chain_add(chain, s); }

static struct llama_sampler * dry_sampler(const struct llama_model * m, const tn_sampling * o, const char * breakers, int n) {
    const char ** list = calloc(n + 1, sizeof(*list));
    if (list == NULL) {
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        list[i] = breakers;
        breakers += strlen(breakers) + 1;
    }
    const struct llama_vocab * v = llama_model_get_vocab(m);
#ifdef TENON_LIBLLAMA
    struct llama_sampler * s = llama_sampler_init_dry(v, o->dry_multiplier, o->dry_base, o->dry_allowed_length,
                                                      o->dry_penalty_last_n, list, n);
#else
    struct llama_sampler * s = llama_sampler_init_dry(v, llama_model_n_ctx_train(m), o->dry_multiplier, o->dry_base,
                                                      o->dry_allowed_length, o->dry_penalty_last_n, list, n);
#endif
    free(list);
    return s;
}

static struct llama_sampler * penalties_sampler(int n_vocab, const tn_sampling * o) {
#ifdef TENON_LIBLLAMA
    return llama_sampler_init_penalties(n_vocab, o->repeat_last_n, o->repeat_penalty, o->frequency_penalty, o->presence_penalty);
#else
    (void) n_vocab;
    return llama_sampler_init_penalties(o->repeat_last_n, o->repeat_penalty, o->frequency_penalty, o->presence_penalty);
#endif
}

static bool penalizes(const tn_sampling * o) {
    return o->repeat_last_n > 0 && (o->repeat_penalty != 1 || o->frequency_penalty != 0 || o->presence_penalty != 0);
}

static bool dries(const tn_sampling * o) { return o->dry_multiplier != 0 && o->dry_base >= 1 && o->dry_penalty_last_n > 0; }

// The order is llama-server's default; what is switched off is left out.
static void build_chain(tn_sampler * s, const struct llama_model * m, const tn_sampling * o, const char * breakers, int n_breakers) {
    struct llama_sampler * c = s->chain;
    if (o->mirostat != 0) {
        add(c, llama_sampler_init_temp(o->temperature));
        add(c, o->mirostat == 1 ? llama_sampler_init_mirostat(s->n_vocab, o->seed, o->mirostat_tau, o->mirostat_eta, 100)
                                : llama_sampler_init_mirostat_v2(o->seed, o->mirostat_tau, o->mirostat_eta));
        return;
    }
    if (penalizes(o)) {
        add(c, penalties_sampler(s->n_vocab, o));
    }
    if (dries(o)) {
        add(c, dry_sampler(m, o, breakers, n_breakers));
    }
    if (o->top_k > 0) {
        add(c, llama_sampler_init_top_k(o->top_k));
    }
    if (o->typical_p < 1) {
        add(c, llama_sampler_init_typical(o->typical_p, 0));
    }
    if (o->top_p < 1) {
        add(c, llama_sampler_init_top_p(o->top_p, 0));
    }
    if (o->min_p > 0) {
        add(c, llama_sampler_init_min_p(o->min_p, 0));
    }
    if (o->xtc_probability > 0) {
        add(c, llama_sampler_init_xtc(o->xtc_probability, o->xtc_threshold, 0, o->seed));
    }
    add(c, llama_sampler_init_temp(o->temperature));
    add(c, llama_sampler_init_dist(o->seed));
    s->keep = o->top_k > 0 ? o->top_k : 0;
    if (o->temperature <= 0 && o->xtc_probability <= 0 && o->typical_p >= 1) {
        s->keep = 1; // the likeliest wins, and nothing before it can remove it
    }
}

static void * copy(const void * from, size_t n) {
    void * to = malloc(n == 0 ? 1 : n);
    if (to != NULL && n > 0) {
        memcpy(to, from, n);
    }
    return to;
}

// whole is NULL, and the sampler gone, where memory was short for a part of it.
static tn_sampler * whole(tn_sampler * s) {
    if (s->chain == NULL || s->bias_ids == NULL || s->biases == NULL || s->recent == NULL || s->own == NULL) {
        tn_sampler_free(s);
        return NULL;
    }
    return s;
}

tn_sampler * tn_sampler_new(const struct llama_model * m, const tn_sampling * o, const char * breakers, int n_breakers,
                            const int32_t * bias_ids, const float * biases, int n_bias) {
    tn_sampler * s = calloc(1, sizeof(*s));
    if (s == NULL) {
        return NULL;
    }
    s->n_vocab = llama_vocab_n_tokens(llama_model_get_vocab(m));
    s->chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
    s->n_bias = n_bias;
    s->bias_ids = copy(bias_ids, n_bias * sizeof(*bias_ids));
    s->biases = copy(biases, n_bias * sizeof(*biases));
    build_chain(s, m, o, breakers, n_breakers);
    if (penalizes(o)) {
        s->recent_size = o->repeat_last_n;
    }
    if (dries(o) && o->dry_penalty_last_n > s->recent_size) {
        s->recent_size = o->dry_penalty_last_n;
    }
    s->recent = calloc((size_t) s->recent_size + 1, sizeof(*s->recent));
    s->own = calloc((size_t) s->recent_size + n_bias + 1, sizeof(*s->own));
    return whole(s);
}

void tn_sampler_free(tn_sampler * s) {
    llama_sampler_free(s->chain);
    free(s->bias_ids);
    free(s->biases);
    free(s->recent);
    free(s->own);
    free(s->data);
    free(s);
}

void tn_sampler_accept(tn_sampler * s, const int32_t * ids, int n) {
    for (int i = 0; i < n; i++) {
        llama_sampler_accept(s->chain, ids[i]);
        if (s->recent_size == 0) {
            continue;
        }
        s->recent[s->recent_next] = ids[i];
        s->recent_next = (s->recent_next + 1) % s->recent_size;
        if (s->recent_len < s->recent_size) {
            s->recent_len++;
        }
    }
}

int tn_sampler_considered(const tn_sampler * s) { return s->considered; }

static int by_id(const void * a, const void * b) {
    int32_t x = *(const int32_t *) a, y = *(const int32_t *) b;
    return (x > y) - (x < y);
}

static void collect_own(tn_sampler * s) {
    int n = 0;
    memcpy(s->own, s->bias_ids, s->n_bias * sizeof(*s->own));
    memcpy(s->own + s->n_bias, s->recent, s->recent_len * sizeof(*s->own));
    qsort(s->own, s->n_bias + s->recent_len, sizeof(*s->own), by_id);
    for (int i = 0; i < s->n_bias + s->recent_len; i++) {
        if (n == 0 || s->own[n - 1] != s->own[i]) {
            s->own[n++] = s->own[i];
        }
    }
    s->n_own = n;
}

static bool contains(const int32_t * ids, int n, int32_t id) {
    return n > 0 && bsearch(&id, ids, n, sizeof(*ids), by_id) != NULL;
}

static bool is_allowed(const tn_candidates * a, int32_t id) {
    switch (a->kind) {
        case TN_ONLY:
            return contains(a->ids, a->n, id);
        case TN_EXCEPT:
            return !contains(a->ids, a->n, id);
        case TN_BITS:
            return id / 64 < a->n && (a->bits[id / 64] >> (id % 64) & 1) != 0;
    }
    return true;
}

static float bias_of(const tn_sampler * s, int32_t id) {
    const int32_t * at = s->n_bias == 0 ? NULL : bsearch(&id, s->bias_ids, s->n_bias, sizeof(id), by_id);
    return at == NULL ? 0 : s->biases[at - s->bias_ids];
}

static bool reserve(tn_sampler * s, int n) {
    if (n <= s->data_size) {
        return true;
    }
    llama_token_data * data = realloc(s->data, n * sizeof(*data));
    if (data == NULL) {
        return false;
    }
    s->data = data;
    s->data_size = n;
    return true;
}

static void push(tn_sampler * s, const float * logits, int32_t id) {
    float l = logits[id] + bias_of(s, id);
    if (l > -INFINITY) { // also drops a NaN
        s->data[s->n_data++] = (llama_token_data){id, l, 0};
    }
}

// The kept candidates are a heap whose root has the smallest logit.
static void sift(llama_token_data * heap, int n, int i) {
    for (;;) {
        int least = i, l = 2 * i + 1, r = l + 1;
        if (l < n && heap[l].logit < heap[least].logit) {
            least = l;
        }
        if (r < n && heap[r].logit < heap[least].logit) {
            least = r;
        }
        if (least == i) {
            return;
        }
        llama_token_data t = heap[i];
        heap[i] = heap[least];
        heap[least] = t;
        i = least;
    }
}

static float offer(llama_token_data * heap, int * n, int size, int32_t id, float logit) {
    if (*n < size) {
        heap[(*n)++] = (llama_token_data){id, logit, 0};
        if (*n == size) {
            for (int i = size / 2 - 1; i >= 0; i--) {
                sift(heap, size, i);
            }
        }
    } else if (logit > heap[0].logit) {
        heap[0] = (llama_token_data){id, logit, 0};
        sift(heap, size, 0);
    }
    return *n < size ? -INFINITY : heap[0].logit;
}

enum { BLOCK = 32 };

static bool any_above(const float * logits, float least) {
    int above = 0;
    for (int k = 0; k < BLOCK; k++) {
        above |= logits[k] > least;
    }
    return above != 0;
}

// keep_best leaves the best candidates that the chain treats alike in s->data.
static void keep_best(tn_sampler * s, const float * logits, const tn_candidates * a) {
    float least = -INFINITY;
    int n = 0;
    for (int i = 0; i < s->n_vocab; i += BLOCK) {
        int end = i + BLOCK < s->n_vocab ? i + BLOCK : s->n_vocab;
        if (end - i == BLOCK && !any_above(logits + i, least)) {
            continue;
        }
        for (int id = i; id < end; id++) {
            if (logits[id] > least && is_allowed(a, id) && !contains(s->own, s->n_own, id)) {
                least = offer(s->data, &n, s->keep, id, logits[id]);
            }
        }
    }
    s->n_data = n;
}

static bool collect(tn_sampler * s, const float * logits, const tn_candidates * a) {
    s->n_data = 0;
    if (a->kind == TN_ONLY) {
        if (!reserve(s, a->n)) {
            return false;
        }
        for (int i = 0; i < a->n; i++) {
            push(s, logits, a->ids[i]);
        }
        return true;
    }
    collect_own(s);
    if (s->keep > 0 && s->keep < s->n_vocab) {
        if (!reserve(s, s->keep + s->n_own)) {
            return false;
        }
        keep_best(s, logits, a);
        for (int i = 0; i < s->n_own; i++) {
            if (is_allowed(a, s->own[i])) {
                push(s, logits, s->own[i]);
            }
        }
        return true;
    }
    if (!reserve(s, s->n_vocab)) {
        return false;
    }
    for (int id = 0; id < s->n_vocab; id++) {
        if (is_allowed(a, id)) {
            push(s, logits, id);
        }
    }
    return true;
}

int32_t tn_sampler_pick(tn_sampler * s, const float * logits, tn_candidates allowed) {
    if (!collect(s, logits, &allowed) || s->n_data == 0) {
        return -1;
    }
    s->considered = s->n_data;
    llama_token_data_array list = {s->data, (size_t) s->n_data, -1, false};
    llama_sampler_apply(s->chain, &list);
    if (list.selected < 0 || (size_t) list.selected >= list.size) {
        return -1;
    }
    return list.data[list.selected].id;
}

int tn_top(const float * logits, int n, int k, int32_t * ids) {
    llama_token_data * heap = malloc(((size_t) k + 1) * sizeof(*heap));
    if (heap == NULL) {
        return 0;
    }
    int len = 0;
    float least = -INFINITY;
    for (int i = 0; i < n; i++) {
        if (logits[i] > least) {
            least = offer(heap, &len, k, i, logits[i]);
        }
    }
    int found = len;
    for (int i = len / 2 - 1; i >= 0; i--) { // a heap that never filled up is not yet one
        sift(heap, len, i);
    }
    while (len > 0) {
        ids[len - 1] = heap[0].id;
        heap[0] = heap[--len];
        sift(heap, len, 0);
    }
    free(heap);
    return found;
}
