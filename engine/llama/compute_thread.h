// The thread on which a model's contexts evaluate.
#ifndef TENON_COMPUTE_THREAD_H
#define TENON_COMPUTE_THREAD_H

#include "rows.h"
#include "shim.h"

typedef struct tn_computer tn_computer;

// A decode to be done, and how it went. It lies in C's memory: the thread reads it after the call
// that started it.
typedef struct tn_job {
    tn_context * context;
    tn_rows * rows; // that are wanted; may be NULL
    struct llama_batch batch;
    int threads;
    int rc;
    tn_effort effort;
    tn_error failure;
} tn_job;

// For each job that is done a byte is written into a pipe. NULL if there can be no more threads.
tn_computer * tn_computer_new(int done);
// One job at a time: the next may be started when this one's byte has been read.
void tn_computer_start(tn_computer * p, tn_job * job);
void tn_computer_free(tn_computer * p);
#endif
