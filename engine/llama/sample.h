// Sampling among few candidates out of a large vocabulary.
#ifndef TENON_SAMPLE_H
#define TENON_SAMPLE_H

#include "shim.h"

// The fields of engine.SamplingNumbers, under their names in requests, and the seed.
typedef struct tn_sampling {
    float temperature, top_p, min_p, typical_p, xtc_probability, xtc_threshold;
    int top_k;
    float repeat_penalty, presence_penalty, frequency_penalty;
    int repeat_last_n;
    float dry_multiplier, dry_base;
    int dry_allowed_length, dry_penalty_last_n;
    int mirostat;
    float mirostat_tau, mirostat_eta;
    uint32_t seed;
} tn_sampling;

// Which tokens may be chosen.
enum { TN_ALL, TN_ONLY, TN_EXCEPT, TN_BITS };

typedef struct tn_candidates {
    int kind;
    const int32_t * ids;   // TN_ONLY, TN_EXCEPT: ascending
    const uint64_t * bits; // TN_BITS: one per token of the vocabulary
    int n;                 // of ids, or words of bits
} tn_candidates;

typedef struct tn_sampler tn_sampler;

// breakers are n_breakers strings, one after the other, each NUL-terminated. bias_ids ascend.
tn_sampler * tn_sampler_new(const struct llama_model * m, const tn_sampling * s, const char * breakers, int n_breakers,
                            const int32_t * bias_ids, const float * biases, int n_bias);
void tn_sampler_free(tn_sampler * s);
void tn_sampler_accept(tn_sampler * s, const int32_t * ids, int n);
// tn_sampler_pick returns a token, or -1 if none is allowed.
int32_t tn_sampler_pick(tn_sampler * s, const float * logits, tn_candidates allowed);
// How many candidates the last pick gave to the chain.
int tn_sampler_considered(const tn_sampler * s);

// tn_logsumexp is log(sum(exp(logits))).
double tn_logsumexp(const float * logits, int n);
// tn_top writes the ids of the k largest logits, best first, and returns how many there are.
int tn_top(const float * logits, int n, int k, int32_t * ids);
#endif
