// The thread on which a model's contexts evaluate.
#ifndef TENON_COMPUTE_H
#define TENON_COMPUTE_H

#include "shim.h"

typedef struct tn_computer tn_computer;

// A decode to be done, and how it went. It lies in C's memory: the thread reads it after the call that started it.
typedef struct tn_job {
    tn_context * context;
    struct llama_batch batch;
    int threads;
    uintptr_t done; // a cgo.Handle given to tenonComputed

    int rc;
    tn_effort effort;
    tn_error failure;
} tn_job;

tn_computer * tn_computer_new(void); // NULL if there can be no more threads
// One job at a time: the next may be started when tenonComputed was called for this one.
void tn_computer_start(tn_computer * p, tn_job * job);
void tn_computer_free(tn_computer * p);
#endif
