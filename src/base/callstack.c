/* Stack bounds, and threads with a large enough stack; see callstack.h. */
#include "base/callstack.h"

#include <sys/resource.h>

bool callstack_bounds(uintptr_t *low, size_t *bytes) {
    pthread_attr_t attr;
    void *base = NULL;
    if (pthread_getattr_np(pthread_self(), &attr) != 0) {
        return false;
    }
    bool good = pthread_attr_getstack(&attr, &base, bytes) == 0 && *bytes > 0;
    pthread_attr_destroy(&attr);
    *low = (uintptr_t)base;
    return good;
}

bool callstack_fits_now(CallStack *stack, uintptr_t at) {
    uintptr_t low;
    size_t bytes;
    if (!callstack_bounds(&low, &bytes) || at - low >= bytes) {
        return true;
    }
    size_t reserve = bytes / 2 < CALLSTACK_RESERVE ? bytes / 2 : CALLSTACK_RESERVE;
    *stack = (CallStack){low + reserve, bytes - reserve};
    return at - stack->low < stack->room;
}

bool callstack_thread(pthread_t *thread, void *(*work)(void *arg), void *arg) {
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) != 0) {
        return false;
    }
    bool good = pthread_attr_setstacksize(&attr, CALLSTACK_BYTES) == 0 &&
                pthread_create(thread, &attr, work, arg) == 0;
    pthread_attr_destroy(&attr);
    return good;
}

typedef struct Job {
    void (*work)(void *arg);
    void *arg;
} Job;

static void *run_job(void *arg) {
    const Job *job = arg;
    job->work(job->arg);
    return NULL;
}

bool callstack_run(void (*work)(void *arg), void *arg) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= CALLSTACK_MIN) {
        work(arg);
        return true;
    }
    Job job = {work, arg};
    pthread_t thread;
    return callstack_thread(&thread, run_job, &job) && pthread_join(thread, NULL) == 0;
}
