/* The hooks that primitive calls pass while an item is measured; see record.h. */
#include "base/clock.h"
#include "tools/profiler/phase.h"
#include "tools/profiler/record.h"
#include "tools/profiler/record_ticks.h"
#include "tools/profiler/record_tree.h"

#include <math.h>

const char *prof_level_name(ProfLevel level) {
    static const char *const names[] = {"off", "counters", "timing", "trace"};
    return names[level];
}

/* ---- timing ---- */

__attribute__((noinline)) uint32_t prof_new_node(ProfWorker *w, uint32_t parent, uint32_t key, uint64_t hash,
                                                 uint32_t slot) {
    if (w->n_nodes == w->room) {
        w->lost++;
        return parent;
    }
    w->nodes[w->n_nodes] = (ProfNode){.parent = parent, .key = key};
    if (map_is_full(&w->map)) {
        prof_grow_map(w);
        map_add(&w->map, hash, w->n_nodes);
    } else {
        map_put(&w->map, hash, slot, w->n_nodes);
    }
    return w->n_nodes++;
}

/* The rest of a place whose allowance is used up runs unmeasured. */
__attribute__((noinline)) void prof_cut_off(ProfWorker *w) {
    for (unsigned k = 0; k < w->n_ctxs; k++) {
        prim_measure(w->ctxs[k], NULL);
    }
    w->cut = prof_ticks();
}

/* A call that does nothing: what is left between two timestamps is the cost of timestamps and of calling. */
static __attribute__((noinline)) Val nothing(Ctx *ctx, const Val *args) {
    (void)ctx;
    return args[0];
}

/* The cost of a timestamp depends on the code around it, so it is measured there, after every sixteenth
 * call. What is called between the two does nothing, through a pointer as a primitive is called: timestamps
 * in order let nothing overlap, so a call takes longer between them than elsewhere. */
static inline void read_empty(ProfWorker *w, ProfEmpty *empty, Ctx *ctx, const Val *v) {
    enum { TURNS = 16, MAX_TICKS = 2000 }; /* calls; ticks, beyond which a pair was interrupted */
    if (UNLIKELY(w->turn-- == 0)) {
        w->turn = TURNS - 1;
        PrimFn fn = nothing;
        __asm__ volatile("" : "+r"(fn)); /* not known to the compiler */
        uint64_t start = prof_ticks_in_order();
        Val none = fn(ctx, v);
        uint64_t took = prof_ticks_in_order() - start;
        __asm__ volatile("" : : "m"(none));
        if (took < MAX_TICKS) {
            empty->ticks += took;
            empty->count++;
        }
    }
}

/* All hooks that time calls are this function, each with constants of its own: `flat` ones do not see what
 * the call calls in turn; those of passes have no allowance, and timestamps in order. */
static inline __attribute__((always_inline)) Val timed(Ctx *ctx, uint32_t prim, const Val *args, bool pass,
                                                       bool flat) {
    ProfWorker *w = ctx->measure_state;
    if (!pass && UNLIKELY(--w->allowance < 0)) {
        prof_cut_off(w);
        return ctx->fns[prim](ctx, args);
    }
    if (flat) {
        prim_measure(ctx, NULL);
    }
    ProfFrame was = prof_begin(w, prim);
    uint64_t start = pass ? prof_ticks_in_order() : prof_ticks();
    Val v = ctx->fns[prim](ctx, args);
    uint64_t end = pass ? prof_ticks_in_order() : !flat && UNLIKELY(w->cut != 0) ? w->cut : prof_ticks();
    prof_end(w, was, end - start, val_failed(v));
    if (flat) {
        prim_measure(ctx, pass ? prof_pass_flat_call : prof_flat_call);
    }
    if (pass) {
        read_empty(w, &w->empty[!flat][prim], ctx, &v);
    }
    return v;
}

Val prof_timed_call(Ctx *ctx, uint32_t prim, const Val *args) {
    return timed(ctx, prim, args, false, false);
}
Val prof_flat_call(Ctx *ctx, uint32_t prim, const Val *args) {
    return timed(ctx, prim, args, false, true);
}
Val prof_pass_call(Ctx *ctx, uint32_t prim, const Val *args) {
    return timed(ctx, prim, args, true, false);
}
Val prof_pass_flat_call(Ctx *ctx, uint32_t prim, const Val *args) {
    return timed(ctx, prim, args, true, true);
}

/* ---- tracing ---- */

/* A call that calls others, or that stands apart: an event at either end. */
static __attribute__((noinline)) Val traced_pair(Ctx *ctx, ProfWorker *w, uint32_t prim, const Val *args) {
    w->open++;
    w->apart = w->in_scope; /* for an item only its first call, so that it does not get the time before it */
    w->events[w->n_events++] = prof_event_word(prof_ticks() - w->base, prim, EVENT_OPEN, false);
    Val v = ctx->fns[prim](ctx, args);
    uint64_t now = UNLIKELY(w->cut != 0) ? w->cut : prof_ticks();
    w->open--;
    w->events[w->n_events++] = prof_event_word(now - w->base, prim, EVENT_CLOSE, val_failed(v));
    return v;
}

Val prof_traced_call(Ctx *ctx, uint32_t prim, const Val *args) {
    ProfWorker *w = ctx->measure_state;
    uint64_t mine = w->n_events;
    if (UNLIKELY(mine + w->open + 8 > w->event_room)) { /* keep room to close what is open */
        w->lost++;
        prof_cut_off(w);
        return ctx->fns[prim](ctx, args);
    }
    bool top = w->open == 0;
    if (w->nests[prim] || (w->apart && top)) {
        return traced_pair(ctx, w, prim, args);
    }
    Val v = ctx->fns[prim](ctx, args);
    /* it called others after all: from the next time on they will be inside it */
    if (UNLIKELY(w->n_events != mine)) {
        w->nests[prim] = 1;
        if (w->cut != 0) {
            return v;
        }
    }
    bool timestamped = top || w->skipped;
    w->skipped = top || !timestamped; /* the first call inside another has a timestamp */
    w->events[w->n_events++] =
        prof_event_word(timestamped ? prof_ticks() - w->base : 0, prim, EVENT_CALL, val_failed(v));
    return v;
}

/* ---- cost ---- */

/* The smallest ticks per call, over many short rounds: interruptions only ever add. It has been found if no
 * round for some time was better. *inside gets the smallest that the hook records of a call, if it records
 * times. A mean of several calls, because the minimum of single ones would hide what pipelines overlap. */
static double ticks_a_call(Ctx *ctx, double *inside) {
    enum { ROUNDS = 200, CALLS = 64, IDLE_ROUNDS = 8 };
    double best = INFINITY;
    Val one = val_int(1);
    ProfWorker *w = ctx->measure_state;
    for (unsigned r = 0, found = 0; r < ROUNDS && r - found <= IDLE_ROUNDS; r++) {
        ctx->fuel = 1 << 20;
        w->n_events = 1;
        w->nodes[1].self = 0;
        uint64_t start = prof_ticks();
        for (unsigned k = 0; k < CALLS; k++) {
            prim_call(ctx, P_identity, &one, 1);
        }
        double mean = (double)(prof_ticks() - start) / CALLS;
        found = mean < best ? r : found;
        best = fmin(best, mean);
        *inside = fmin(*inside, (double)w->nodes[1].self / CALLS);
    }
    return best;
}

ProfCost prof_calibrate(ProfLevel level) {
    enum { EVENTS = 256, SLOTS = 16 };
    PrimFn fns[PRIM_COUNT];
    uint64_t counters[2 * PRIM_COUNT] = {0};
    ProfNode nodes[4] = {{0}};
    uint64_t slots[SLOTS] = {0};
    uint64_t events[EVENTS] = {0};
    ProfWorker w = {.nodes = nodes,
                    .map = {.slots = slots, .size = SLOTS},
                    .n_nodes = 1,
                    .room = 4,
                    .events = events,
                    .event_room = EVENTS,
                    .allowance = INT64_MAX};
    for (uint32_t k = 0; k < PRIM_COUNT; k++) {
        fns[k] = nothing;
    }
    Ctx ctx = {.fns = fns, .calls = counters, .fails = counters + PRIM_COUNT, .measure_state = &w};
    double none = INFINITY, inside = INFINITY;
    prim_measure(&ctx, NULL);
    double bare = ticks_a_call(&ctx, &none);
    prim_measure(&ctx, level == PROF_TRACE ? prof_traced_call : prof_timed_call);
    double hooked = ticks_a_call(&ctx, &inside);
    ProfCost cost = {.all = fmax(hooked - bare, 1)};
    /* The apparent time of a call that does nothing is the part of the cost between the timestamps. */
    cost.inside = level == PROF_TRACE ? cost.all : fmin(inside, cost.all);
    return cost;
}

void prof_correct(const Profiler *p, const ProfWorker *w, double *self, double *total) {
    double inside = p->level == PROF_TRACE ? p->cost.inside : 0; /* timing subtracts them at once */
    double outside = p->level == PROF_TRACE ? p->cost.all - p->cost.inside : 0;
    for (uint32_t k = 0; k < w->n_nodes; k++) {
        const ProfNode *node = &w->nodes[k];
        double own = node->key < PROF_SCOPE && k != 0 ? prof_node_calls(node) * inside : 0;
        self[k] = node->kept.self + (double)node->self - own;
        total[k] = prof_node_total(node) - own;
    }
    /* Children come after their parents, so going backwards a node is complete before it is passed up. */
    for (uint32_t k = w->n_nodes; k-- > 1;) {
        const ProfNode *node = &w->nodes[k];
        if (node->key < PROF_SCOPE) {
            self[node->parent] -= prof_node_calls(node) * outside;
            double cost = prof_node_total(node) - total[k] + prof_node_calls(node) * outside;
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
    uint64_t now = 0, ticks = 0;
    do { /* a run that was over at once: wait until the two clocks can be told apart */
        prof_moment(&now, &ticks);
    } while (now - p->start_ns < SHORTEST);
    return (double)(now - p->start_ns) / (double)(ticks - p->start_ticks);
}
