/* What workers noted, taken into a profile; see profile.h. */
#include "core/alloc.h"
#include "prof/profile.h"

#include <math.h>
#include <string.h>

typedef struct Take {
    Profile *profile;
    const Profiler *profiler;
    const ProfWorker *worker;
    uint32_t repeat;
    double *self, *total; /* ticks by node, corrected */
    uint32_t *item;       /* by node: of which item + 1; 0: the root */
    uint32_t *stack;      /* by node */
    double *scale; /* by item: nanoseconds a corrected tick, so that the whole is the item's exact time */
} Take;

/* Whether a caller of the node is the same primitive: its time is in the caller's total already. */
static bool recursive(const ProfWorker *w, uint32_t node) {
    for (uint32_t up = w->nodes[node].parent; up != 0 && w->nodes[up].key < PROF_ITEM;
         up = w->nodes[up].parent) {
        if (w->nodes[up].key == w->nodes[node].key) {
            return true;
        }
    }
    return false;
}

static bool take_node(const Take *t, uint32_t k) {
    Profile *p = t->profile;
    const ProfNode *node = &t->worker->nodes[k];
    uint32_t item = t->item[k] - 1;
    bool is_item = node->key >= PROF_ITEM;
    double scale = t->scale[item], self = t->self[k] * scale, total = t->total[k] * scale;
    if ((node->calls == 0 && !is_item) || item >= p->n_tasks) {
        return true;
    }
    t->stack[k] = profile_stack(p, is_item ? 0 : t->stack[node->parent], is_item ? item : node->key, is_item);
    if (t->stack[k] == 0) {
        return false;
    }
    ProfStack *stack = &p->stacks[t->stack[k]];
    stack->calls += node->calls;
    stack->self_ns += self;
    stack->total_ns += total;
    if (is_item) {
        return true;
    }
    ProfRow *row = profile_row(p, &p->tasks[item], node->key);
    if (row == NULL) {
        return false;
    }
    row->calls += node->calls;
    row->fails += node->fails;
    row->self_ns[t->repeat] += self;
    row->self_ns[p->repeats + t->repeat] += recursive(t->worker, k) ? 0 : total; /* until profile_finish */
    row->failed_ns += node->total > 0 ? total * (double)node->failed / (double)node->total : 0;
    return true;
}

/* Ticks of each item in primitives, and the cost of its stamps; for one worker. */
static void find_items(const Take *t, double *primitives, double *stamps) {
    const ProfWorker *w = t->worker;
    t->item[0] = 0;
    for (uint32_t k = 1; k < w->n_nodes; k++) {
        const ProfNode *node = &w->nodes[k];
        t->item[k] = node->key >= PROF_ITEM ? node->key - PROF_ITEM + 1 : t->item[node->parent];
        uint32_t item = t->item[k] - 1;
        if (node->key < PROF_ITEM && item < t->profiler->n_items) {
            stamps[item] += (double)node->calls * t->profiler->cost.all;
            primitives[item] += t->self[k];
        }
    }
}

static bool open_take(Take *t, const ProfWorker *worker) {
    uint32_t n = worker->n_nodes;
    t->worker = worker;
    t->self = mem_array(n, sizeof *t->self);
    t->total = mem_array(n, sizeof *t->total);
    t->item = mem_array(n, sizeof *t->item);
    t->stack = mem_zalloc(n, sizeof *t->stack);
    if (t->self == NULL || t->total == NULL || t->item == NULL || t->stack == NULL) {
        return false;
    }
    prof_correct(t->profiler, worker, t->self, t->total);
    return true;
}

static void close_take(Take *t) {
    mem_free(t->self);
    mem_free(t->total);
    mem_free(t->item);
    mem_free(t->stack);
    t->self = t->total = NULL;
    t->item = t->stack = NULL;
}

static void find_scales(const Take *t, const uint64_t *evaluated, const double *primitives,
                        const double *stamps) {
    Profile *p = t->profile;
    for (size_t k = 0; k < t->profiler->n_items; k++) {
        const ProfItem *item = &t->profiler->items[k];
        double seen = (double)(evaluated != NULL ? evaluated[k] : item->measured) - stamps[k];
        seen = fmax(seen, primitives[k]);
        bool used = k < p->n_tasks && item->measured > 0 && seen > 0;
        t->scale[k] = used ? 1 / seen : 0;
        if (used) {
            p->tasks[k].seen_ns[t->repeat] = seen * p->ns_per_tick;
        }
    }
}

bool profile_add_pass(Profile *p, Profiler *profiler, uint32_t repeat, const uint64_t *evaluated) {
    size_t n = profiler->n_items;
    unsigned workers = profiler->level >= PROF_TIMING ? profiler->pool->count : 0;
    double *scratch = mem_zalloc(3 * n + 1, sizeof *scratch);
    Take t = {.profile = p, .profiler = profiler, .repeat = repeat, .scale = scratch};
    bool good = scratch != NULL && !profiler->failed;
    p->ns_per_tick = prof_ns_per_tick(profiler);
    p->start_ticks = profiler->start_ticks;
    p->stamp_ns = profiler->cost.all * p->ns_per_tick;
    prof_replay(profiler);
    for (unsigned k = 0; good && k < workers;
         k++) { /* an item may have come to several workers, in several runs */
        good = open_take(&t, &profiler->workers[k]);
        if (good) {
            find_items(&t, scratch + n, scratch + 2 * n);
        }
        close_take(&t);
    }
    if (good) {
        find_scales(&t, evaluated, scratch + n, scratch + 2 * n);
    }
    p->noted = p->lost = 0;
    for (unsigned k = 0; good && k < workers; k++) {
        good = open_take(&t, &profiler->workers[k]);
        if (good) {
            find_items(&t, scratch + n, scratch + 2 * n);
        }
        for (uint32_t node = 1; good && node < t.worker->n_nodes; node++) {
            good = take_node(&t, node);
        }
        p->noted += profiler->workers[k].noted;
        p->lost += profiler->workers[k].lost;
        close_take(&t);
    }
    mem_free(scratch);
    return good;
}

/* ---- a run in which some items were measured ---- */

enum { BUCKETS = 128 };

static int bucket_of(double ticks) {
    int bucket = ticks > 1 ? (int)(2 * log2(ticks)) : 0;
    return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

/* Items are put into classes by their time, two to an octave; the measured ones of a class stand for all of
 * it. A class without any goes to the nearest one that has some. */
static void weigh(Profile *p, const Profiler *profiler) {
    double all[BUCKETS] = {0}, measured[BUCKETS] = {0};
    for (size_t k = 0; k < profiler->n_items; k++) {
        const ProfItem *item = &profiler->items[k];
        all[bucket_of((double)item->ticks)] += (double)item->ticks;
        measured[bucket_of((double)item->ticks)] += item->measured > 0 ? (double)item->ticks : 0;
    }
    double share[BUCKETS];
    memcpy(share, all, sizeof share);
    for (int b = 0; b < BUCKETS; b++) {
        for (int away = 1; all[b] > 0 && measured[b] <= 0 && away < BUCKETS; away++) {
            int to = b + away < BUCKETS && measured[b + away] > 0 ? b + away
                     : b - away >= 0 && measured[b - away] > 0    ? b - away
                                                                  : -1;
            if (to >= 0) {
                share[to] += all[b];
                break;
            }
        }
    }
    for (size_t k = 0; k < profiler->n_items; k++) {
        int b = bucket_of((double)profiler->items[k].ticks);
        p->tasks[k].weight = profiler->items[k].measured > 0 ? share[b] / measured[b] : 0;
    }
}

bool profile_from_run(Profile *p, Profiler *profiler, const char *const *ids) {
    size_t n = profiler->n_items;
    for (uint32_t k = 0; k < PRIM_COUNT; k++) {
        for (unsigned w = 0; w < profiler->pool->count; w++) {
            p->names[k].calls += profiler->pool->workers[w].ctx.calls[k];
            p->names[k].fails += profiler->pool->workers[w].ctx.fails[k];
        }
    }
    if (profiler->level < PROF_TIMING) {
        return true;
    }
    p->ns_per_tick = prof_ns_per_tick(profiler);
    p->tasks = profile_alloc(p, n, sizeof *p->tasks);
    double *times = profile_alloc(p, 3 * n, sizeof *times);
    if (p->tasks == NULL || times == NULL || n > UINT32_MAX) {
        return false;
    }
    p->n_tasks = (uint32_t)n;
    for (size_t k = 0; k < n; k++) {
        times[3 * k] = (double)profiler->items[k].ticks * p->ns_per_tick;
        p->tasks[k] = (ProfTask){.id = profile_text(p, ids[k]),
                                 .reason = "",
                                 .evaluations = 1,
                                 .execute_ns = &times[3 * k],
                                 .seen_ns = &times[3 * k + 1],
                                 .validate_ns = &times[3 * k + 2]};
        if (p->tasks[k].id == NULL) {
            return false;
        }
    }
    weigh(p, profiler);
    return profile_add_pass(p, profiler, 0, NULL) && profile_finish(p);
}
