/* When calls are recorded: items, the scopes inside them, and what the timestamps may cost; see record.h. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "tools/profiler/phase.h"
#include "tools/profiler/record.h"
#include "tools/profiler/record_ticks.h"
#include "tools/profiler/record_tree.h"

#include <math.h>
#include <string.h>

/* ---- allowance ---- */

/* Among other work a recorded call costs more than in the loop that calibrates it: caches and branch
 * predictors know the loop, and not the nodes of the tree. Measured on whole runs. */
#define COLD 3.0

/* Updates the time worked, by the thread's own clock: waiting for a processor earns no timestamps. Reading it
 * is a system call, so this is rare. */
static void earn(const Profiler *p, ProfWorker *w, uint64_t ticks) {
    enum { ITEMS = 64, LONG_TICKS = 1 << 20 };
    if (w->items_since_update < ITEMS && ticks - w->updated_ticks < LONG_TICKS) {
        return;
    }
    uint64_t now = clock_work_ns();
    double rate = (double)(ticks - p->start_ticks) / (double)(clock_now_ns() - p->start_ns);
    w->busy += (double)(now - w->thread_ns) * rate;
    w->thread_ns = now;
    w->updated_ticks = ticks;
    w->items_since_update = 0;
}

/* How many calls may be recorded now: all, or what fits into the share of time that timestamps may take. */
static int64_t allowance(const Profiler *p, const ProfWorker *w) {
    enum { FIRST_CALLS = 512 }; /* so that short runs see something */
    if (p->everything) {
        return INT64_MAX;
    }
    int64_t calls = (int64_t)((PROF_SHARE * w->busy - w->spent) / p->cost.all);
    return w->recorded < FIRST_CALLS && calls < FIRST_CALLS ? FIRST_CALLS : calls;
}

/* ---- places ---- */

/* A window for fewer calls is not worth opening; what opening one costs, in calls. */
enum { MIN_CALLS = 64, OPENING = 4 };

static void set_measure(ProfWorker *w, MeasureFn measure) {
    for (unsigned k = 0; k < w->n_ctxs; k++) {
        prim_measure(w->ctxs[k], measure);
    }
}

/* Calls are recorded from now on, below this node; with timing. */
static void start_calls(ProfWorker *w, uint32_t node, int64_t calls, bool deep, MeasureFn hook) {
    w->cut = 0;
    w->recorded_before = w->recorded;
    w->allowance = calls;
    w->run = (ProfFrame){.at = node};
    w->deep = deep;
    set_measure(w, hook);
}

/* Records calls from now on, below this node, if the allowance permits. */
static void open_window(const Profiler *p, ProfWorker *w, uint32_t node, int64_t calls, bool deep) {
    enum { MIN_NODES = 512 };
    w->cut = 0;
    w->window = false;
    w->recorded_before = w->recorded;
    if (p->level == PROF_TRACE) {
        if (w->traced) {
            w->open = 0;
            w->in_scope = w->nodes[node].key < PROF_ITEM;
            w->apart = true;
            w->window = true;
            set_measure(w, prof_traced_call);
        }
    } else if (calls >= MIN_CALLS && w->room - w->n_nodes >= MIN_NODES) {
        w->odds = 1;
        w->folds = !p->everything;
        w->window = true;
        start_calls(w, node, calls, deep, deep ? prof_timed_call : prof_flat_call);
    }
}

/* Adds the calls recorded since the start to the totals: counts multiplied by `often`, times by `weight`. */
static void fold(ProfWorker *w, double often, double weight) {
    for (uint32_t k = 0; k < w->n_touched; k++) {
        ProfNode *n = &w->nodes[w->touched[k]];
        struct ProfKept *to = w->deep ? &n->kept : &n->flat;
        to->calls += often * (double)n->calls;
        to->fails += often * (double)n->fails;
        to->self += weight * (double)n->self;
        to->total += weight * (double)n->total;
        to->failed += weight * (double)n->failed;
        n->calls = n->fails = 0;
        n->self = n->total = n->failed = 0;
    }
    w->n_touched = 0;
}

/* Credits the place with its time since the window was opened, or would have been. */
static void close_window(Profiler *p, ProfWorker *w, uint64_t now) {
    double whole = (double)(now - w->since);
    ASSERT(now >= w->since, "the clock went back");
    if (w->window) {
        uint64_t end = w->cut != 0 ? w->cut : now, took = end - w->since;
        double timestamp_cost = (double)(w->recorded - w->recorded_before) * p->cost.all;
        set_measure(w, NULL);
        w->window = false;
        if (p->level == PROF_TIMING) {
            struct ProfKept *place = w->deep ? &w->nodes[w->place].kept : &w->nodes[w->place].flat;
            double seen = fmax((double)took - timestamp_cost, 0.1 * (double)took);
            whole = fmax(whole - timestamp_cost, seen);
            double weight = (seen > 0 ? whole / seen : 1) / w->odds;
            ASSERT(isfinite(weight) && weight >= 0, "weight %g: %g ticks seen of %g, odds %g", weight, seen,
                   whole, w->odds);
            fold(w, weight, weight);
            place->total += weight * seen;
            place->self += weight * (seen - (double)w->run.below);
            w->spent += (timestamp_cost + OPENING * p->cost.all) * COLD;
            w->run.at = 0;
        }
        if (w->item < p->n_items) {
            p->items[w->item].measured += took;
        }
    }
    if (w->place != 0) {
        w->nodes[w->place].whole += whole;
    }
}

static bool open_event(ProfWorker *w, uint64_t now, uint32_t key) {
    if (w->cut != 0 || w->n_events + 32 > w->event_room || now - w->base >= EVENT_MAX_TICKS) {
        w->lost++; /* the counters know how many calls that is */
        return false;
    }
    w->events[w->n_events++] = prof_event_word(now - w->base, EVENT_PLACE, EVENT_OPEN, false);
    w->events[w->n_events++] = key;
    return true;
}

static void close_event(ProfWorker *w, uint64_t now, uint32_t key) {
    ASSERT(w->n_events + 1 < w->event_room, "event %llu of %llu", (unsigned long long)w->n_events,
           (unsigned long long)w->event_room);
    uint64_t end = w->cut != 0 ? w->cut : now;
    w->events[w->n_events++] = prof_event_word(end - w->base, EVENT_PLACE, EVENT_CLOSE, false);
    w->events[w->n_events++] = key;
}

/* ---- items ---- */

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

static void begin_item(void *user, Worker *worker, size_t item) {
    ASSERT(worker->index < ((Profiler *)user)->pool->count, "worker %u", worker->index);
    Profiler *p = user;
    ProfWorker *w = &p->workers[worker->index];
    if (p->level >= PROF_TIMING && w->map.count > w->map.size / 4) {
        prof_grow_map(w); /* now, rather than in the middle of a call */
    }
    w->begin = w->since = prof_ticks();
    w->cut = 0;
    w->window = w->traced = false;
    w->item_node = w->place = 0;
    if (w->thread_ns == 0) {
        w->thread_ns = clock_work_ns();
        w->updated_ticks = w->begin;
        w->items_since_update = 0;
    }
    w->working = p->level >= PROF_TIMING && !p->pause && item < p->n_items && item < UINT32_MAX - PROF_ITEM;
    if (!w->working) {
        return;
    }
    uint32_t key = PROF_ITEM + (uint32_t)item;
    w->item = (uint32_t)item;
    w->traced = p->level == PROF_TRACE && open_event(w, w->begin, key);
    int64_t calls = p->level == PROF_TIMING ? allowance(p, w) : 0;
    if (w->traced || calls >= MIN_CALLS) {
        w->item_node = w->place = prof_child(w, 0, key);
        open_window(p, w, w->item_node, calls, true);
        if (!w->window) { /* then nothing is recorded until a scope is entered */
            w->item_node = w->place = 0;
        }
    }
}

static void end_item(void *user, Worker *worker, size_t item) {
    Profiler *p = user;
    ProfWorker *w = &p->workers[worker->index];
    uint64_t now = prof_ticks();
    w->items_since_update++;
    if (w->working) {
        close_window(p, w, now);
        if (w->traced) {
            close_event(w, now, PROF_ITEM + (uint32_t)item);
        }
        w->working = false;
        earn(p, w, now);
    }
    if (item < p->n_items) {
        p->items[item].ticks += now - w->begin;
        p->items[item].worker = worker->index;
    }
}

/* ---- scopes ---- */

static void end_stretch(ProfWorker *w, Scope scope, uint64_t now) {
    ASSERT(scope < SCOPE_COUNT, "scope %u", scope);
    enum { MEMORY = 1 << 14 }; /* stretches; older ones count less and less */
    struct ProfPace *pace = &w->paces[scope];
    pace->count++;
    pace->ticks += (double)(now - w->since);
    if (w->window) {
        pace->windows[w->deep]++;
        pace->calls[w->deep] += (double)(w->recorded - w->recorded_before);
    }
    if (pace->count >= MEMORY) {
        *pace = (struct ProfPace){pace->count / 2,
                                  pace->ticks / 2,
                                  {pace->windows[0] / 2, pace->windows[1] / 2},
                                  {pace->calls[0] / 2, pace->calls[1] / 2}};
    }
}

/* The odds at which windows of one kind in a scope cost half of what timestamps may. */
static double kind_odds(const Profiler *p, const struct ProfPace *pace, bool deep) {
    const double min = 1.0 / 64;
    /* affordable calls per stretch */
    double pays = PROF_SHARE / 2 * pace->ticks / pace->count / (p->cost.all * COLD);
    return fmax(pays / (pace->calls[deep] / pace->windows[deep] + OPENING), min);
}

/* Whether the stretch that begins gets a window is left to chance, with odds that depend only on the past:
 * then its calls, divided by the odds, stand for all stretches without bias. Any rule that looks at the time,
 * or at the allowance left, would favor what follows some kind of work. The odds change slowly, because among
 * windows of very different weight a few would dominate. */
static void begin_stretch(const Profiler *p, ProfWorker *w, Scope scope) {
    enum { FIRST_WINDOWS = 2, MAX_CALLS = 1 << 10 }; /* a stretch may end in a call that makes thousands */
    const double max_deep = 0.125;
    const struct ProfPace *pace = &w->paces[scope];
    const ProfNode *place = &w->nodes[w->place];
    double flat = 1, deep = 0, draw = (double)(rng64(&w->rng) >> 11) * 0x1p-53;
    if (p->everything || (place->flat.total > 0 && place->kept.total <= 0)) {
        deep = 1; /* so that something is seen of each scope in each item */
    } else if (place->flat.total > 0 && pace->windows[0] >= FIRST_WINDOWS &&
               pace->windows[1] >= FIRST_WINDOWS) {
        deep = fmin(kind_odds(p, pace, true), max_deep);
        flat = fmin(kind_odds(p, pace, false), 1 - deep);
    } else if (place->flat.total > 0) {
        deep = max_deep;
        flat = 1 - deep;
    }
    if (draw < deep + flat) {
        open_window(p, w, w->place, p->everything ? INT64_MAX : MAX_CALLS, draw < deep);
        w->odds = draw < deep ? deep : flat;
    }
}

/* Moves from one place of an item to another; SCOPE_NONE is the item itself. */
static void change_place(Profiler *p, ProfWorker *w, Scope from, Scope to, uint64_t now) {
    if (w->item_node == 0) {
        w->item_node = w->place = prof_child(w, 0, PROF_ITEM + w->item);
    }
    end_stretch(w, from, now);
    close_window(p, w, now);
    if (from != SCOPE_NONE && w->traced) {
        close_event(w, now, PROF_SCOPE + from);
    }
    w->place = to == SCOPE_NONE ? w->item_node : prof_child(w, w->item_node, PROF_SCOPE + to);
    if (to != SCOPE_NONE && w->traced && !open_event(w, now, PROF_SCOPE + to)) {
        close_event(w, now, PROF_ITEM + w->item); /* no room: this is where the trace ends */
        w->traced = false;
    }
    w->since = now;
    w->cut = 0;
    if (p->level == PROF_TRACE) {
        open_window(p, w, w->place, 0, true);
    } else {
        begin_stretch(p, w, to);
    }
}

static uint32_t begin_note(ProfWorker *w, Scope scope) {
    if (w->owner->level == PROF_TRACE) {
        if (!w->in_scope || w->n_events + w->open + 8 > w->event_room) {
            return 0; /* where evaluations take microseconds, a trace has only calls */
        }
        w->open++;
        w->note.key = PRIM_COUNT + scope;
        w->events[w->n_events++] =
            prof_event_word(prof_ticks() - w->base, PRIM_COUNT + scope, EVENT_OPEN, false);
        return 1;
    }
    if (--w->allowance < 0) {
        prof_cut_off(w);
        return 0;
    }
    w->note.was = prof_begin(w, PRIM_COUNT + scope);
    w->note.start = prof_ticks();
    return 1;
}

static void end_note(ProfWorker *w) {
    uint64_t now = w->cut != 0 ? w->cut : prof_ticks();
    if (w->owner->level == PROF_TRACE) {
        w->open--;
        w->events[w->n_events++] = prof_event_word(now - w->base, w->note.key, EVENT_CLOSE, false);
        return;
    }
    prof_end(w, w->note.was, now - w->note.start, false);
}

static uint32_t move_scope(Ctx *ctx, uint32_t move, uint32_t scope) {
    ProfWorker *w = ctx->measure_state;
    Profiler *p = w->owner;
    Scope was = w->scope;
    switch ((ScopeMove)move) {
    case MOVE_RECORD_BEGIN:
        return begin_note(w, (Scope)scope);
    case MOVE_RECORD_END:
        end_note(w);
        return 0;
    case MOVE_STAY: /* a trace just continues */
        if (p->level == PROF_TIMING && w->working && !p->everything && was != SCOPE_NONE) {
            change_place(p, w, was, was, prof_ticks());
        }
        return was;
    case MOVE_ENTER:
        w->scope_calls[scope]++; /* fall through */
    case MOVE_BACK:
    default: {
        uint64_t now = prof_ticks();
        w->scope_ticks[was] += now - w->scope_since;
        w->scope_since = now;
        w->scope = (Scope)scope;
        if (p->level >= PROF_TIMING && w->working) {
            change_place(p, w, was, (Scope)scope, now);
            w->nodes[w->place].calls += move == MOVE_ENTER;
        }
        return was;
    }
    }
}

/* ---- evaluation by evaluation ---- */

void prof_open_evaluation(Profiler *p, Worker *worker, size_t item, bool deep) {
    ProfWorker *w = &p->workers[worker->index];
    w->recorded_before = w->recorded;
    w->item_node = item < UINT32_MAX - PROF_ITEM ? prof_child(w, 0, PROF_ITEM + (uint32_t)item) : 0;
    if (w->item_node == 0 || !p->everything) { /* no room; counted as lost */
        return;
    }
    w->inside = w->all = 0;
    w->folds = true;
    w->max_touched = w->room;
    start_calls(w, w->item_node, INT64_MAX, deep, deep ? prof_pass_call : prof_pass_flat_call);
}

uint64_t prof_close_evaluation(Profiler *p, Worker *worker) {
    ProfWorker *w = &p->workers[worker->index];
    set_measure(w, NULL);
    return w->recorded - w->recorded_before;
}

void prof_keep_evaluation(Profiler *p, Worker *worker, double share) {
    ASSERT(share >= 0 && share <= 1, "share %g", share);
    fold(&p->workers[worker->index], share > 0, share);
}

/* ---- coming and going ---- */

enum { FIRST_SLOTS = 4096 };

/* As large as it need ever be: twice as many slots as nodes. */
void prof_grow_map(ProfWorker *w) {
    if (w->map.size < 2 * w->room) {
        map_move(&w->map, w->next_slots, 2 * w->map.size);
        w->next_slots += w->map.size;
    }
}

static bool open_map(ProfWorker *w) {
    uint64_t largest = 2 * (uint64_t)w->room, first = FIRST_SLOTS < largest ? FIRST_SLOTS : largest;
    w->slots = mem_zalloc(2 * largest, sizeof *w->slots);
    w->map = (HashMap){.slots = w->slots, .size = (uint32_t)first};
    w->next_slots = w->slots + first;
    return w->slots != NULL;
}

static bool open_worker(ProfWorker *w, ProfLevel level, uint64_t nodes, uint64_t events) {
    w->room = 1024;
    while (w->room < nodes) {
        w->room *= 2;
    }
    w->event_room = level == PROF_TRACE ? events : 0;
    w->nodes = mem_array(w->room, sizeof *w->nodes);
    w->events = w->event_room > 0 ? mem_array(w->event_room, sizeof *w->events) : NULL;
    w->touched = mem_array(w->room, sizeof *w->touched);
    w->max_touched = PROF_TOUCHED;
    if (w->nodes == NULL || !open_map(w) || w->touched == NULL || (w->event_room > 0 && w->events == NULL)) {
        return false;
    }
    mem_prefer_small_pages(w->nodes, w->room * sizeof *w->nodes);
    mem_prefer_small_pages(w->slots, 4 * (uint64_t)w->room * sizeof *w->slots); /* see open_map */
    mem_prefer_small_pages(w->events, w->event_room * sizeof *w->events);
    ASSERT((w->room & (w->room - 1)) == 0 && w->room >= nodes, "room for %u nodes", w->room);
    w->nodes[0] = (ProfNode){0};
    w->n_nodes = 1;
    return true;
}

void prof_add_ctx(Profiler *p, unsigned worker, Ctx *ctx) {
    ProfWorker *w = &p->workers[worker];
    if (w->n_ctxs < PROF_CTXS) {
        w->ctxs[w->n_ctxs++] = ctx;
        ctx->measure_state = w;
        ctx->scope = p->level > PROF_OFF ? move_scope : NULL;
    }
}

static void find_nesting(uint8_t *nests) {
    for (uint32_t k = 0; k < PRIM_COUNT; k++) { /* a parameter that is a function */
        const char *arrow = strrchr(prim_table[k].signature, '>'),
                   *fn = strstr(prim_table[k].signature, ": fn");
        nests[k] = fn != NULL && fn < arrow && !(prim_table[k].flags & PRIM_CLOSURE);
    }
}

bool prof_attach(Profiler *p, Pool *pool, ProfLevel level, uint64_t nodes, uint64_t events) {
    *p = (Profiler){.pool = pool, .level = level};
    prof_moment(&p->start_ns, &p->start_ticks);
    p->workers = mem_zalloc(pool->count, sizeof *p->workers);
    bool good = p->workers != NULL;
    for (unsigned k = 0; good && k < pool->count && level >= PROF_TIMING; k++) {
        good = open_worker(&p->workers[k], level, nodes, events);
    }
    if (!good) {
        prof_detach(p);
        return false;
    }
    for (unsigned k = 0; k < pool->count; k++) {
        p->workers[k].owner = p;
        p->workers[k].base = p->start_ticks - 1; /* so that no event has the time 0 */
        p->workers[k].rng = rng_stream(p->start_ticks, k, 0);
        find_nesting(p->workers[k].nests);
        p->workers[k].scope_since = p->start_ticks;
        prof_add_ctx(p, k, &pool->workers[k].ctx);
    }
    if (level >= PROF_TIMING) {
        p->cost = prof_calibrate(level);
    }
    for (unsigned k = 0; k < pool->count; k++) {
        p->workers[k].inside = llround(p->cost.inside);
        p->workers[k].all = llround(p->cost.all);
    }
    ASSERT(level < PROF_TIMING || p->cost.all > 0, "a timestamp costs %g ticks", p->cost.all);
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

uint64_t prof_calls(const Profiler *p, uint32_t prim, uint64_t *fails) {
    uint64_t calls = 0;
    *fails = 0;
    for (unsigned k = 0; k < p->pool->count; k++) {
        for (unsigned c = 0; c < p->workers[k].n_ctxs; c++) {
            const Ctx *ctx = p->workers[k].ctxs[c];
            calls += ctx->calls != NULL ? ctx->calls[prim] : 0; /* a worker may lack a context of its own */
            *fails += ctx->calls != NULL ? ctx->fails[prim] : 0;
        }
    }
    return calls;
}

uint64_t prof_scope_ticks(const Profiler *p, Scope scope, uint64_t *calls) {
    uint64_t ticks = 0;
    *calls = 0;
    for (unsigned k = 0; k < p->pool->count; k++) {
        ticks += p->workers[k].scope_ticks[scope];
        *calls += p->workers[k].scope_calls[scope];
    }
    return ticks;
}

uint64_t prof_busy_ns(const Profiler *p) {
    uint64_t sum = 0;
    for (unsigned k = 0; k < p->pool->count; k++) {
        sum += p->pool->workers[k].busy_ns;
    }
    return sum;
}

void prof_detach(Profiler *p) {
    for (unsigned k = 0; p->workers != NULL && k < p->pool->count; k++) {
        ProfWorker *w = &p->workers[k];
        for (unsigned c = 0; c < w->n_ctxs; c++) {
            prim_measure(w->ctxs[c], NULL);
            w->ctxs[c]->measure_state = NULL;
            w->ctxs[c]->scope = NULL;
        }
        mem_free(w->nodes);
        mem_free(w->slots);
        mem_free(w->touched);
        mem_free(w->events);
    }
    if (p->pool != NULL) {
        p->pool->observer = NULL;
    }
    mem_free(p->workers);
    mem_free(p->items);
    *p = (Profiler){0};
}
