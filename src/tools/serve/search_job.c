/* Runs a search in a thread of its own, and reports what it has found so far. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "engine/language/print.h"
#include "search/learning/idioms.h"
#include "search/schedule/strategies.h"
#include "search/session/session.h"
#include "tools/serve/serve_internal.h"

#include <stdio.h>
#include <string.h>

enum { MAX_FINDS = 60 };

typedef struct Find {
    char *program; /* text, owned */
    const char *strategy;
    uint32_t right, pairs;
    double cost, cpu_seconds; /* what search had used when it found it */
    bool kept;
} Find;

struct SearchJob {
    Serve *serve;
    pthread_t thread;
    bool started; /* the thread must be joined */
    Stop stop;
    const Task *task;
    unsigned seconds;
    pthread_mutex_t lock; /* guards the members below */
    bool running, no_memory;
    char error[256];
    uint64_t begin_ns, end_ns; /* wall-clock time */
    uint64_t cpu_ns;           /* CPU time of the search once it is over */
    Find finds[MAX_FINDS];     /* best first */
    size_t count, offered;
};

SearchJob *search_job_open(Serve *serve) {
    SearchJob *s = mem_zalloc(1, sizeof *s);
    if (s != NULL) {
        s->serve = serve;
        pthread_mutex_init(&s->lock, NULL);
    }
    return s;
}

static void forget(SearchJob *s) {
    for (size_t k = 0; k < s->count; k++) {
        mem_free(s->finds[k].program);
    }
    s->count = s->offered = 0;
    s->no_memory = false;
    s->error[0] = '\0';
}

void search_job_stop(SearchJob *s) {
    stop_request(&s->stop);
    if (s->started) {
        pthread_join(s->thread, NULL);
    }
    s->started = false;
}

void search_job_close(SearchJob *s) {
    if (s == NULL) {
        return;
    }
    search_job_stop(s);
    forget(s);
    pthread_mutex_destroy(&s->lock);
    mem_free(s);
}

/* ---- in the thread ---- */

static bool comes_before(const Find *a, const Find *b) {
    return a->right != b->right ? a->right > b->right : a->cost < b->cost;
}

static size_t place_of(const SearchJob *s, const Find *find) {
    size_t at = s->count;
    while (at > 0 && comes_before(find, &s->finds[at - 1])) {
        at--;
    }
    return at;
}

static void insert(SearchJob *s, const Find *find) {
    size_t at = place_of(s, find);
    if (s->count == MAX_FINDS) {
        mem_free(s->finds[--s->count].program);
    }
    memmove(&s->finds[at + 1], &s->finds[at], (s->count - at) * sizeof *s->finds);
    s->finds[at] = *find;
    s->count++;
    ASSERT(s->count <= MAX_FINDS && (at == 0 || !comes_before(find, &s->finds[at - 1])) &&
               (at + 1 == s->count || !comes_before(&s->finds[at + 1], find)),
           "find %zu of %zu out of order", at, s->count);
}

static void found(void *user, const Search *search, const Candidate *c) {
    SearchJob *s = user;
    Find find = {.strategy = strategy_names[c->strategy],
                 .right = c->right,
                 .pairs = search->own->n_train,
                 .cost = c->cost,
                 .cpu_seconds = search_ms(search) * 1e-3};
    pthread_mutex_lock(&s->lock);
    s->offered++;
    if (place_of(s, &find) < MAX_FINDS) {
        Out text;
        out_init(&text);
        print_program(&text, c->program, c->program->name);
        find.program = text.failed ? NULL : mem_strndup(text.data, text.len);
        out_free(&text);
        if (find.program != NULL) {
            insert(s, &find);
        } else {
            s->no_memory = true;
        }
    }
    pthread_mutex_unlock(&s->lock);
}

/* Stores programs that fit all training pairs, without being asked. */
static void keep_fitting(SearchJob *s, SolveTask *r, Ctx *ctx) {
    for (uint32_t k = 0; k < r->n_programs && s->serve->store != NULL; k++) {
        const Program *p = r->programs[k].program;
        char why[STORE_ERROR_MAX] = "";
        bool fits = r->programs[k].right == (uint32_t)s->task->n_train;
        bool kept = fits && steps_keep(s->serve, ctx, s->task, p, why, sizeof why);
        Out text;
        out_init(&text);
        print_program(&text, p, p->name);
        pthread_mutex_lock(&s->lock);
        if (fits && !kept) {
            snprintf(s->error, sizeof s->error, "%.255s", why);
        }
        for (size_t f = 0; kept && f < s->count; f++) {
            s->finds[f].kept |= strcmp(s->finds[f].program, text.data) == 0;
        }
        pthread_mutex_unlock(&s->lock);
        out_free(&text);
    }
}

static void *work(void *user) {
    enum { MEMORY = 512 << 20 };
    SearchJob *s = user;
    Session session = {.tasks = &s->task, .n_tasks = 1, .own_time = true};
    Tunables tunables = tunables_default;
    char why[256] = "out of memory";
    IdiomSet *idioms = idioms_builtin(why, sizeof why);
    session.limits = (SearchLimits){.time_ns = s->seconds * UINT64_C(1000000000),
                                    .stop = &s->stop,
                                    .tunables = &tunables,
                                    .idioms = idioms,
                                    .found = found,
                                    .user = s};
    bool good = idioms != NULL && session_open(&session, 1, MEMORY);
    if (good) {
        session_run(&session);
        keep_fitting(s, &session.results[0], &session.checks[0]);
    }
    uint64_t cpu_ns = good ? session.results[0].time_ns : 0;
    session_close(&session);
    idioms_free(idioms);
    pthread_mutex_lock(&s->lock);
    if (!good) {
        snprintf(s->error, sizeof s->error, "%s", why);
    }
    s->end_ns = clock_now_ns();
    s->cpu_ns = cpu_ns;
    s->running = false;
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- from outside ---- */

bool search_job_begin(SearchJob *s, const Task *task, unsigned seconds) {
    search_job_stop(s);
    ASSERT(!s->running, "a search still runs for task %s", s->task->id);
    forget(s);
    s->stop = 0;
    s->task = task;
    s->seconds = seconds;
    s->begin_ns = clock_now_ns();
    s->running = true;
    s->started = callstack_thread(&s->thread, work, s);
    if (!s->started) {
        s->running = false; /* otherwise the thread clears it at its end */
    }
    return s->started;
}

static void write_find(Json *json, const Find *f) {
    json_begin_object(json);
    json_kv_string(json, "program", f->program);
    json_kv_string(json, "strategy", f->strategy);
    json_kv_uint(json, "right", f->right);
    json_kv_uint(json, "pairs", f->pairs);
    json_kv_fixed(json, "cost", f->cost, 1);
    json_kv_fixed(json, "cpu_seconds", f->cpu_seconds, 2);
    json_kv_bool(json, "kept", f->kept);
    json_end_object(json);
}

void search_job_write(SearchJob *s, Json *json) {
    pthread_mutex_lock(&s->lock);
    uint64_t end = s->running ? clock_now_ns() : s->end_ns;
    json_kv_string(json, "task", s->task != NULL ? s->task->id : "");
    json_kv_bool(json, "running", s->running);
    json_kv_fixed(json, "wall_seconds", s->task != NULL ? (double)(end - s->begin_ns) * 1e-9 : 0, 2);
    json_kv_uint(json, "limit_cpu_seconds", s->seconds);
    if (s->task != NULL && !s->running) {
        json_kv_fixed(json, "cpu_seconds", (double)s->cpu_ns * 1e-9, 2);
    }
    json_kv_uint(json, "offered", s->offered);
    json_kv_string(json, "error", s->no_memory ? "out of memory" : s->error);
    json_key(json, "candidates");
    json_begin_array(json);
    for (size_t k = 0; k < s->count; k++) {
        write_find(json, &s->finds[k]);
    }
    json_end_array(json);
    pthread_mutex_unlock(&s->lock);
}
