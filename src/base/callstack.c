/* Stack bounds, and threads with a large enough stack; see callstack.h. */
#include "base/callstack.h"

#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

/* The stack of the main thread, without the 0.2 ms that the library takes to read the process's mappings: its
 * top holds the program's name, and the limit bounds it. False: another thread, or a limit so large that
 * mappings may lie within it. */
static bool main_bounds(uintptr_t *low, size_t *bytes) {
    enum { PAGE = 4096, LARGE = 64 << 20 };
    struct rlimit limit;
    uintptr_t name = getauxval(AT_EXECFN), top = (name + PAGE - 1) / PAGE * PAGE;
    if (name == 0 || gettid() != getpid() || getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > LARGE ||
        limit.rlim_cur >= top) {
        return false;
    }
    *bytes = (size_t)limit.rlim_cur / PAGE * PAGE;
    *low = top - *bytes;
    return (uintptr_t)__builtin_frame_address(0) - *low < *bytes; /* not on a coroutine's stack */
}

bool callstack_bounds(uintptr_t *low, size_t *bytes) {
    if (main_bounds(low, bytes)) {
        return true;
    }
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
