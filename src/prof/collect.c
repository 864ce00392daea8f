/* The hooks that primitive calls pass while an item is measured; see collect.h. */
#include "prof/collect.h"

#include "core/alloc.h"
#include "prof/phase.h"
#include "prof/ticks.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* ---- the tree ---- */

static uint32_t slot_of(uint32_t parent, uint32_t key, uint32_t mask) {
    return (uint32_t)(((uint64_t)parent << 32 | key) * 0x9e3779b97f4a7c15u >> 32) & mask;
}

static __attribute__((noinline)) uint32_t new_node(ProfWorker *w, uint32_t parent, uint32_t key,
                                                   uint32_t slot) {
    if (w->n_nodes == w->room) {
        w->lost++;
        return parent;
    }
    w->nodes[w->n_nodes] = (ProfNode){.parent = parent, .key = key};
    w->slots[slot] = w->n_nodes;
    return w->n_nodes++;
}

static inline uint32_t child_of(ProfWorker *w, uint32_t parent, uint32_t key) {
    uint32_t slot = slot_of(parent, key, w->mask);
    for (uint32_t node; (node = w->slots[slot]) != 0; slot = (slot + 1) & w->mask) {
        if (LIKELY(w->nodes[node].key == key && w->nodes[node].parent == parent)) {
            return node;
        }
    }
    return new_node(w, parent, key, slot);
}

/* ---- timing ---- */

/* The rest of an item whose allowance is used up runs unmeasured; the calls that are open end here. */
static __attribute__((noinline)) void cut_off(Ctx *ctx, ProfWorker *w) {
    ctx->measure = NULL;
    w->cut = prof_ticks();
}

Val prof_timed_call(Ctx *ctx, uint32_t prim, const Val *args) {
    ProfWorker *w = ctx->measure_state;
    if (UNLIKELY(--w->allowance < 0)) {
        cut_off(ctx, w);
        return ctx->fns[prim](ctx, args);
    }
    uint32_t parent = w->at, at = child_of(w, parent, prim);
    uint64_t below = w->below;
    w->at = at;
    w->below = 0;
    uint64_t start = prof_ticks();
    Val v = ctx->fns[prim](ctx, args);
    uint64_t took = (LIKELY(w->cut == 0) ? prof_ticks() : w->cut) - start;
    ProfNode *node = &w->nodes[at];
    node->calls++;
    node->total += took;
    node->self += took - w->below;
    if (UNLIKELY(val_failed(v))) {
        node->fails++;
        node->failed += took;
    }
    w->below = below + took;
    w->at = parent;
    w->noted++;
    return v;
}

/* ---- tracing ---- */

Val prof_traced_call(Ctx *ctx, uint32_t prim, const Val *args) {
    ProfWorker *w = ctx->measure_state;
    uint64_t mine = w->n_events;
    if (UNLIKELY(mine + w->open + 4 > w->event_room)) { /* keep room to close what is open */
        w->lost++;
        return ctx->fns[prim](ctx, args);
    }
    w->n_events = mine + 1;
    w->open++;
    w->events[mine] = (ProfEvent){w->stamp_entry[prim] ? prof_ticks() : 0, prim, EVENT_OPEN, 0};
    Val v = ctx->fns[prim](ctx, args);
    w->open--;
    w->noted++;
    if (LIKELY(w->n_events == mine + 1)) {
        w->events[mine].kind = EVENT_CALL;
        bool stamp = w->open == 0 || w->skipped;
        w->skipped = w->open == 0 || !stamp; /* the first call inside another has one */
        w->events[mine].ticks = stamp ? prof_ticks() : 0;
        w->events[mine].failed = val_failed(v);
    } else {
        w->events[w->n_events++] = (ProfEvent){prof_ticks(), prim, EVENT_CLOSE, val_failed(v)};
    }
    return v;
}

/* Calls inside others are mostly many of a kind, in a loop: every other one goes without a stamp. It shares
 * the time up to the next call's stamp evenly with that call; at the end of the loop it is taken to last as
 * long as the one before. */
static void fill_stamps(ProfWorker *w) {
    uint64_t last = 0, usual = 0; /* when the event before ended; how long it took if it was a call */
    for (uint64_t k = 0; k < w->n_events; k++) {
        ProfEvent *e = &w->events[k];
        if (e->kind == EVENT_CALL && e->ticks == 0) {
            const ProfEvent *next = k + 1 < w->n_events ? &w->events[k + 1] : e;
            uint64_t until = next->ticks > last ? next->ticks : last + usual;
            e->ticks = next->kind == EVENT_CALL && next != e ? last + (until - last) / 2
                       : last + usual < until                ? last + usual
                                                             : until;
        }
        usual = e->kind == EVENT_CALL ? e->ticks - last : 0;
        last = e->ticks != 0 ? e->ticks : last;
    }
}

/* Events into the tree, as if timed: a call's time runs from the end of the event before to its own end. */
static void replay_worker(ProfWorker *w) {
    enum { DEEPEST = 4096 };
    uint64_t start[DEEPEST], below[DEEPEST], last = 0;
    uint32_t at[DEEPEST], depth = 0;
    fill_stamps(w);
    at[0] = 0;
    below[0] = 0;
    start[0] = 0;
    for (uint64_t k = 0; k < w->n_events; k++) {
        const ProfEvent *e = &w->events[k];
        if (e->kind == EVENT_OPEN) {
            if (depth + 1 == DEEPEST) {
                w->lost++;
                return;
            }
            depth++;
            at[depth] = child_of(w, at[depth - 1], e->key);
            start[depth] = last = e->ticks != 0 ? e->ticks : last;
            below[depth] = 0;
            continue;
        }
        uint32_t node = e->kind == EVENT_CALL ? child_of(w, at[depth], e->key) : at[depth];
        uint64_t took = e->ticks - (e->kind == EVENT_CALL ? last : start[depth]);
        uint64_t inner = e->kind == EVENT_CALL ? 0 : below[depth];
        depth -= e->kind == EVENT_CLOSE;
        below[depth] += took;
        last = e->ticks;
        w->nodes[node].calls += e->key < PROF_ITEM;
        w->nodes[node].total += took;
        w->nodes[node].self += took - inner;
        if (e->failed) {
            w->nodes[node].fails++;
            w->nodes[node].failed += took;
        }
    }
}

void prof_replay(Profiler *p) {
    for (unsigned k = 0; p->level == PROF_TRACE && k < p->pool->count; k++) {
        replay_worker(&p->workers[k]);
    }
}

/* ---- items ---- */

#define COLD 1.5 /* among other work a stamp costs more than in the loop that calibrates it */

/* Time of this thread on a processor: waiting for one earns no stamps. A system call, so it is made seldom.
 */
static uint64_t thread_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void earn(const Profiler *p, ProfWorker *w, uint64_t ticks) {
    enum { ITEMS = 64, LONG_TICKS = 1 << 20 };
    w->unearned++;
    if (w->unearned < ITEMS && ticks < LONG_TICKS) {
        return;
    }
    uint64_t now = thread_ns();
    double rate = (double)(prof_ticks() - p->start_ticks) / (double)(phase_clock_ns() - p->start_ns);
    w->busy += (double)(now - w->thread_ns) * rate;
    w->thread_ns = now;
    w->unearned = 0;
}

static void start_run(void *user, size_t items) {
    Profiler *p = user;
    for (unsigned k = 0; k < p->pool->count; k++) {
        p->workers[k].thread_ns = 0; /* it will be another thread */
    }
    if (items > p->n_items) {
        ProfItem *more = mem_grow(p->items, items, sizeof *more);
        if (more == NULL) {
            p->failed = true;
            return;
        }
        memset(more + p->n_items, 0, (items - p->n_items) * sizeof *more);
        p->items = more;
        p->n_items = items;
    }
}

/* How many calls may be noted now: all, or what fits into the share of time that stamps may take. */
static int64_t allowance(const Profiler *p, const ProfWorker *w) {
    enum { FIRST_CALLS = 512 }; /* so that short runs see something */
    if (p->everything) {
        return INT64_MAX;
    }
    int64_t calls = (int64_t)((PROF_SHARE * w->busy - w->spent) / p->cost.all);
    return w->noted < FIRST_CALLS && calls < FIRST_CALLS ? FIRST_CALLS : calls;
}

static void begin_item(void *user, Worker *worker, size_t item) {
    enum { LEAST_CALLS = 64, LEAST_NODES = 512 };
    Profiler *p = user;
    ProfWorker *w = &p->workers[worker->index];
    w->begin = prof_ticks();
    w->cut = 0;
    w->noted_before = w->noted;
    if (w->thread_ns == 0) {
        w->thread_ns = thread_ns();
        w->unearned = 0;
    }
    if (p->level < PROF_TIMING || p->pause || item >= p->n_items || item >= UINT32_MAX - PROF_ITEM) {
        return;
    }
    if (p->level == PROF_TRACE) {
        if (w->n_events + 16 < w->event_room) {
            w->open = 0;
            w->events[w->n_events++] = (ProfEvent){w->begin, PROF_ITEM + (uint32_t)item, EVENT_OPEN, 0};
            worker->ctx.measure = prof_traced_call;
        }
        return;
    }
    int64_t calls = allowance(p, w);
    if (calls >= LEAST_CALLS && w->room - w->n_nodes >= LEAST_NODES) {
        w->allowance = calls;
        w->at = child_of(w, 0, PROF_ITEM + (uint32_t)item);
        w->below = 0;
        worker->ctx.measure = prof_timed_call;
    }
}

static void end_item(void *user, Worker *worker, size_t item) {
    Profiler *p = user;
    ProfWorker *w = &p->workers[worker->index];
    uint64_t now = prof_ticks();
    bool measured = worker->ctx.measure != NULL || w->cut != 0;
    worker->ctx.measure = NULL;
    earn(p, w, now - w->begin);
    w->spent += (double)(w->noted - w->noted_before) * p->cost.all * COLD;
    if (measured && p->level == PROF_TRACE) {
        w->events[w->n_events++] = (ProfEvent){now, PROF_ITEM + (uint32_t)item, EVENT_CLOSE, 0};
    } else if (measured) {
        ProfNode *node = &w->nodes[w->at];
        uint64_t took = (w->cut != 0 ? w->cut : now) - w->begin;
        node->total += took;
        node->self += took - w->below;
        w->at = 0;
    }
    if (item < p->n_items) {
        p->items[item].ticks += now - w->begin;
        p->items[item].measured += measured ? (w->cut != 0 ? w->cut : now) - w->begin : 0;
        p->items[item].worker = worker->index;
    }
}

/* ---- cost ---- */

static Val nothing(Ctx *ctx, const Val *args) {
    (void)ctx;
    return args[0];
}

/* The least ticks a call, over many short rounds: interruptions only ever add. */
static double ticks_a_call(Ctx *ctx, unsigned rounds) {
    enum { CALLS = 64 };
    double best = INFINITY;
    Val one = val_int(1);
    for (unsigned r = 0; r < rounds; r++) {
        ctx->fuel = 1 << 20;
        ProfWorker *w = ctx->measure_state;
        w->n_events = 1;
        uint64_t start = prof_ticks();
        for (unsigned k = 0; k < CALLS; k++) {
            prim_call(ctx, P_identity, &one, 1);
        }
        best = fmin(best, (double)(prof_ticks() - start) / CALLS);
    }
    return best;
}

ProfCost prof_calibrate(ProfLevel level) {
    enum { ROUNDS = 200, EVENTS = 256, SLOTS = 16 };
    static const uint8_t no_entry[PRIM_COUNT];
    PrimFn fns[PRIM_COUNT];
    uint64_t counters[2 * PRIM_COUNT] = {0};
    ProfNode nodes[4] = {{0}};
    uint32_t slots[SLOTS] = {0};
    ProfEvent events[EVENTS] = {{0}};
    ProfWorker w = {.nodes = nodes,
                    .slots = slots,
                    .n_nodes = 1,
                    .room = 4,
                    .mask = SLOTS - 1,
                    .events = events,
                    .event_room = EVENTS,
                    .stamp_entry = no_entry};
    for (uint32_t k = 0; k < PRIM_COUNT; k++) {
        fns[k] = nothing;
    }
    Ctx ctx = {.fns = fns, .calls = counters, .fails = counters + PRIM_COUNT, .measure_state = &w};
    double bare = ticks_a_call(&ctx, ROUNDS);
    ctx.measure = level == PROF_TRACE ? prof_traced_call : prof_timed_call;
    w.allowance = INT64_MAX;
    double hooked = ticks_a_call(&ctx, ROUNDS);
    ProfCost cost = {.all = fmax(hooked - bare, 1)};
    /* What a call that does nothing seems to take: the part of the cost between the stamps. The least of
     * single calls would hide what pipelines overlap, the mean would count interruptions: the least mean of
     * rounds. */
    cost.inside = level == PROF_TRACE ? cost.all : cost.all / 2;
    if (level != PROF_TRACE) {
        double best = INFINITY;
        for (unsigned r = 0; r < ROUNDS; r++) {
            nodes[1].calls = nodes[1].self = 0;
            ticks_a_call(&ctx, 1);
            best = fmin(best, (double)nodes[1].self / (double)nodes[1].calls);
        }
        cost.inside = fmin(best, cost.all);
    }
    return cost;
}

void prof_correct(const Profiler *p, const ProfWorker *w, double *self, double *total) {
    double outside = p->cost.all - p->cost.inside;
    for (uint32_t k = 0; k < w->n_nodes; k++) {
        const ProfNode *node = &w->nodes[k];
        double own = node->key < PROF_ITEM && k != 0 ? (double)node->calls * p->cost.inside : 0;
        self[k] = (double)node->self - own;
        total[k] = (double)node->total - own;
    }
    /* Children come after their parents, so going backwards a node is complete before it is passed up. */
    for (uint32_t k = w->n_nodes; k-- > 1;) {
        const ProfNode *node = &w->nodes[k];
        if (node->key < PROF_ITEM) {
            self[node->parent] -= (double)node->calls * outside;
            double cost = (double)node->total - total[k] + (double)node->calls * outside;
            total[node->parent] -= cost;
        }
    }
    for (uint32_t k = 0; k < w->n_nodes; k++) {
        self[k] = fmax(self[k], 0);
        total[k] = fmax(total[k], self[k]);
    }
}

double prof_ns_per_tick(const Profiler *p) {
    enum { SHORTEST = 2000000 };
    uint64_t now, ticks;
    do { /* a run that was over at once: wait until the two clocks can be told apart */
        now = phase_clock_ns();
        ticks = prof_ticks();
    } while (now - p->start_ns < SHORTEST);
    return (double)(now - p->start_ns) / (double)(ticks - p->start_ticks);
}

/* ---- coming and going ---- */

static bool open_worker(ProfWorker *w, ProfLevel level, uint64_t nodes, uint64_t events) {
    w->room = 1024;
    while (w->room < nodes) {
        w->room *= 2;
    }
    w->mask = 2 * w->room - 1;
    w->event_room = level == PROF_TRACE ? events : 0;
    w->nodes = mem_array(w->room, sizeof *w->nodes);
    w->slots = mem_zalloc(2 * (size_t)w->room, sizeof *w->slots);
    w->events = w->event_room > 0 ? mem_array(w->event_room, sizeof *w->events) : NULL;
    if (w->nodes == NULL || w->slots == NULL || (w->event_room > 0 && w->events == NULL)) {
        return false;
    }
    w->nodes[0] = (ProfNode){0};
    w->n_nodes = 1;
    return true;
}

bool prof_attach(Profiler *p, Pool *pool, ProfLevel level, uint64_t nodes, uint64_t events) {
    *p = (Profiler){.pool = pool, .level = level};
    p->start_ns = phase_clock_ns();
    p->start_ticks = prof_ticks();
    for (uint32_t k = 0; k < PRIM_COUNT; k++) { /* a parameter that is a function */
        const char *arrow = strrchr(prim_table[k].signature, '>'),
                   *fn = strstr(prim_table[k].signature, ": fn");
        p->stamp_entry[k] = fn != NULL && fn < arrow && !(prim_table[k].flags & PRIM_CLOSURE);
    }
    p->workers = mem_zalloc(pool->count, sizeof *p->workers);
    bool good = p->workers != NULL;
    for (unsigned k = 0; good && k < pool->count && level >= PROF_TIMING; k++) {
        p->workers[k].owner = p;
        p->workers[k].stamp_entry = p->stamp_entry;
        good = open_worker(&p->workers[k], level, nodes, events);
    }
    if (!good) {
        prof_detach(p);
        return false;
    }
    for (unsigned k = 0; k < pool->count; k++) {
        pool->workers[k].ctx.measure_state = &p->workers[k];
    }
    if (level >= PROF_TIMING) {
        p->cost = prof_calibrate(level);
    }
    p->observer = (PoolObserver){.user = p, .start = start_run, .begin = begin_item, .end = end_item};
    pool->observer = level >= PROF_TIMING ? &p->observer : NULL;
    return true;
}

void prof_clear(Profiler *p) {
    for (unsigned k = 0; p->level >= PROF_TIMING && k < p->pool->count; k++) {
        ProfWorker *w = &p->workers[k];
        for (uint32_t n = 0; n < w->n_nodes; n++) {
            w->nodes[n] = (ProfNode){.parent = w->nodes[n].parent, .key = w->nodes[n].key};
        }
        w->n_events = 0;
    }
    if (p->items != NULL) {
        memset(p->items, 0, p->n_items * sizeof *p->items);
    }
}

void prof_detach(Profiler *p) {
    if (p->pool != NULL) {
        p->pool->observer = NULL;
        for (unsigned k = 0; k < p->pool->count; k++) {
            p->pool->workers[k].ctx.measure = NULL;
            p->pool->workers[k].ctx.measure_state = NULL;
            if (p->workers != NULL) {
                mem_free(p->workers[k].nodes);
                mem_free(p->workers[k].slots);
                mem_free(p->workers[k].events);
            }
        }
    }
    mem_free(p->workers);
    mem_free(p->items);
    *p = (Profiler){0};
}
