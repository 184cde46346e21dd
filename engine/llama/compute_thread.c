#include "compute_thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

tn_rows * tn_wanted_rows = NULL;

struct tn_computer {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    tn_job * job; // NULL while there is nothing to do
    bool stop;
    int done;
};

static tn_job * next_job(tn_computer * p) {
    pthread_mutex_lock(&p->lock);
    while (p->job == NULL && !p->stop) {
        pthread_cond_wait(&p->changed, &p->lock);
    }
    tn_job * job = p->job;
    p->job = NULL;
    pthread_mutex_unlock(&p->lock);
    return job;
}

// A byte always fits: there is one for each job, and the next job waits until it is read.
static void tell(int fd) {
    while (write(fd, "", 1) < 0 && errno == EINTR) {
    }
}

static void * compute(void * arg) {
    tn_computer * p = arg;
    for (tn_job * job; (job = next_job(p)) != NULL;) {
        tn_wanted_rows = job->rows;
        job->rc = tn_decode(job->context, job->batch, job->threads, &job->effort, &job->failure);
        tn_wanted_rows = NULL;
        tell(p->done); // the job may be gone behind it
    }
    return NULL;
}

tn_computer * tn_computer_new(int done) {
    tn_computer * p = calloc(1, sizeof(*p));
    if (p == NULL) {
        return NULL;
    }
    p->done = done;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    if (pthread_create(&p->thread, NULL, compute, p) != 0) {
        free(p);
        return NULL;
    }
    return p;
}

static void change(tn_computer * p, tn_job * job, bool stop) {
    pthread_mutex_lock(&p->lock);
    p->job = job;
    p->stop = stop;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void tn_computer_start(tn_computer * p, tn_job * job) { change(p, job, false); }

void tn_computer_free(tn_computer * p) {
    change(p, NULL, true);
    pthread_join(p->thread, NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->changed);
    free(p);
}
