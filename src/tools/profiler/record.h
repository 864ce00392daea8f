/* Collecting: what workers record while programs run.
 *
 * A Profiler is attached to a Pool. Every item that pool_run hands out (a task, for most commands) is timed
 * by one pair of timestamps of the clock; the calls inside it are recorded if the item is *measured*:
 *
 *   PROF_COUNTERS  no item is measured; the engine's own counters of calls and failures are all there is
 *   PROF_TIMING    calls are timed at entry and exit, and summed up in a tree below their item
 *   PROF_TRACE     every call is recorded as an event, timed at exit (and at entry, if it calls functions)
 *
 * Reading the clock at every call would slow a program that takes three microseconds down by a third. So,
 * with timing, a worker measures only as many items as it can afford: the (calibrated) cost of timestamps
 * stays below PROF_SHARE of the time spent so far; of an item that becomes too expensive only the first part
 * is measured. Items not measured count with their exact time, and what was measured is scaled to it
 * (tools/profiler/profile.h). For a command whose purpose is the profile, `everything` measures all items,
 * and the cost of the timestamps is subtracted.
 *
 * Items that take seconds, such as those of search and evolution, say what they are doing
 * (engine/eval/scope.h). The time in each scope is exact, even with PROF_COUNTERS. It is divided into
 * stretches, and calls are recorded in windows: randomly chosen stretches, with odds that the allowance can
 * pay for. Flat windows record calls made by the scope itself, deep ones also what those call.
 *
 * Every worker writes to memory of its own, allocated before the run: no lock, no allocation while programs
 * run. */
#ifndef BATT_TOOLS_PROFILER_RECORD_H
#define BATT_TOOLS_PROFILER_RECORD_H

#include "base/hash_map.h"
#include "base/rng.h"
#include "engine/eval/pool.h"
#include "engine/eval/scope.h"
#include "engine/primitives/prim.h"

typedef enum ProfLevel { PROF_OFF, PROF_COUNTERS, PROF_TIMING, PROF_TRACE } ProfLevel;
#define PROF_LEVELS "off|counters|timing|trace"
const char *prof_level_name(ProfLevel level);

#define PROF_SHARE 0.025 /* of the time, for timestamps */

/* Keys of nodes. Below PROF_NAMES: primitives, and scopes that are recorded like calls (PRIM_COUNT + scope).
 * Then places that are entered: scopes from PROF_SCOPE on, items from PROF_ITEM on. */
enum { PROF_NAMES = PRIM_COUNT + SCOPE_COUNT, PROF_SCOPE = 1 << 19, PROF_ITEM = 1 << 20 };

/* One node of the tree of calls: a primitive called from one chain of callers. Node 0 is the root; parents
 * come before their children. Times of a scope are in no other place: an item's own are those outside its
 * scopes. */
typedef struct ProfNode {
    uint32_t parent, key;
    uint64_t calls, fails;
    /* Ticks: without callees, with them, in calls that failed. With timing they are without timestamps, and
     * may be negative for calls that take no time. */
    int64_t self, total, failed;
    /* of a place: ticks in it, whether calls were recorded or not; with timing, without timestamps */
    double whole;
    /* The same for finished windows, each weighted by (time of its stretch / time of the window) / odds of
     * the stretch to get a window: for those that record all calls, and for those that record only calls from
     * the place itself. */
    struct ProfKept {
        double calls, fails, self, total, failed;
    } kept, flat;
} ProfNode;

typedef enum ProfEventKind { EVENT_CALL, EVENT_OPEN, EVENT_CLOSE } ProfEventKind;

/* EVENT_CALL: a call without callees that ended at `ticks` and began where the event before it ended. A
 * place, and a call that has callees or comes from a scope, is a pair of OPEN and CLOSE. An OPEN with ticks 0
 * begins where the event before it ended. */
typedef struct ProfEvent {
    uint64_t ticks;
    uint32_t key;
    uint8_t kind, failed;
} ProfEvent;

/* Events are kept as words, so that a long trace touches little memory: kind, failed, key, and the ticks
 * since `base`, 0 for an event without. The key of a place does not fit; it is a word of its own, after this
 * one. */
enum { EVENT_KEY = 3, EVENT_TICKS = 15, EVENT_PLACE = (1 << (EVENT_TICKS - EVENT_KEY)) - 1 };
_Static_assert((int)PROF_NAMES < (int)EVENT_PLACE, "keys of calls fit a word");
#define EVENT_MAX_TICKS ((uint64_t)1 << (64 - EVENT_TICKS)) /* two days */

static inline uint64_t prof_event_word(uint64_t ticks, uint32_t key, ProfEventKind kind, bool failed) {
    return ticks << EVENT_TICKS | (uint64_t)key << EVENT_KEY | (uint64_t)failed << 2 | kind;
}
/* The event at *at, which moves on to the next one. */
static inline ProfEvent prof_event_read(const uint64_t *words, uint64_t base, uint64_t *at) {
    uint64_t word = words[(*at)++], ticks = word >> EVENT_TICKS;
    uint32_t key = (uint32_t)(word >> EVENT_KEY) & EVENT_PLACE;
    return (ProfEvent){.ticks = ticks != 0 ? base + ticks : 0,
                       .key = key == EVENT_PLACE ? (uint32_t)words[(*at)++] : key,
                       .kind = word & 3,
                       .failed = word >> 2 & 1};
}

typedef struct ProfItem {
    uint64_t ticks;    /* from begin to end, summed up over runs; 0: not run */
    uint64_t measured; /* the part in which calls were recorded */
    uint32_t worker;
} ProfItem;

/* Ticks that recording one call adds: between its own timestamps, and in all. */
typedef struct ProfCost {
    double inside, all;
} ProfCost;

/* The running call: its node, the ticks of its callees so far, and those of the timestamps in it. */
typedef struct ProfFrame {
    uint32_t at;
    int64_t below, timestamp_cost;
} ProfFrame;

enum { PROF_CTXS = 4, PROF_TOUCHED = 1024 };

/* Pairs of timestamps with nothing between them, taken where a call had just ended: what a timestamp
 * costs there.
 */
typedef struct ProfEmpty {
    uint64_t ticks, count;
} ProfEmpty;

typedef struct ProfWorker {
    ProfNode *nodes;
    HashMap map; /* nodes but the root, by the hashes of (parent, key) */
    /* Cleared memory for this map and all larger ones that it may grow to, one after the other; what is not
     * used is never touched. */
    uint64_t *slots, *next_slots;
    uint32_t n_nodes, room;
    ProfFrame run;
    uint64_t cut;      /* when the allowance ran out in this place; 0: it did not */
    int64_t allowance; /* calls that may be recorded in this place */
    uint64_t lost;     /* calls that found no room */
    uint64_t *events;  /* words (prof_event_word) */
    uint64_t n_events, event_room, base;
    uint64_t open; /* traced calls that have not ended */
    bool skipped;  /* the last call had no timestamp, or is at the top level */
    bool in_scope; /* other work happens between calls, so all are timed at entry too */
    bool apart;    /* the next call is timed at entry too, unless it is inside another */
    /* the item at hand */
    bool working;
    uint32_t item, item_node; /* node 0: none yet */
    uint64_t begin;           /* when it began */
    /* the place at hand */
    uint32_t place; /* its node; 0: none */
    bool folds;     /* windows may end before their place does */
    /* calls are recorded, or were until the cut; the place's event is open */
    bool window, traced;
    uint64_t since, recorded_before; /* of the stretch at hand */
    double odds;                     /* of its window */
    bool deep;                       /* all calls are recorded */
    Rng rng;
    /* stretches in each scope: how many, and their ticks; their flat and deep windows, and the calls recorded
     * in them */
    struct ProfPace {
        double count, ticks, windows[2], calls[2];
    } paces[SCOPE_COUNT];
    Scope scope;
    uint64_t scope_since, scope_ticks[SCOPE_COUNT], scope_calls[SCOPE_COUNT]; /* exact, of all items */
    struct {          /* what scope_record_begin began */
        uint32_t key; /* in a trace */
        ProfFrame was;
        uint64_t start;
    } note;
    uint32_t *touched, n_touched, max_touched; /* nodes of the window at hand */
    uint32_t turn;                             /* in passes: calls until the next empty pair of timestamps */
    ProfEmpty empty[2][PRIM_COUNT];            /* of flat passes; of deep ones */
    double busy, spent;                        /* ticks that this worker ran; those spent on timestamps */
    uint64_t thread_ns;          /* thread clock when `busy` was last updated; 0: not in this run */
    uint64_t updated_ticks;      /* the same in ticks */
    uint32_t items_since_update; /* items since then */
    uint64_t recorded;           /* calls recorded in all */
    int64_t inside, all;         /* ProfCost, of timing */
    uint8_t nests[PRIM_COUNT];   /* it calls functions that it is given, or was seen to call others */
    Ctx *ctxs[PROF_CTXS];        /* those the worker evaluates with */
    unsigned n_ctxs;
    struct Profiler *owner;
} ProfWorker;

typedef struct Profiler {
    Pool *pool;
    ProfLevel level;
    bool everything; /* measure all items, whatever it costs */
    bool pause;      /* measure none, only time items */
    ProfWorker *workers;
    ProfItem *items; /* of all runs since prof_clear */
    size_t n_items;
    ProfCost cost;
    uint64_t start_ticks, start_ns;
    bool failed; /* no memory for a run's items: nothing is measured then */
    PoolObserver observer;
} Profiler;

/* False: out of memory. `events` is the room for each worker's events (trace), in words. The profiler must
 * not move. */
bool prof_attach(Profiler *profiler, Pool *pool, ProfLevel level, uint64_t nodes, uint64_t events);
/* A context that a worker evaluates with besides its own; it must stay until prof_detach. */
void prof_add_ctx(Profiler *profiler, unsigned worker, Ctx *ctx);
void prof_detach(Profiler *profiler);
/* Forget what was recorded so far; the trees keep their shape. */
void prof_clear(Profiler *profiler);
/* Calls and failures of a primitive, in all contexts; ticks in a scope, by all workers. */
uint64_t prof_calls(const Profiler *profiler, uint32_t prim, uint64_t *fails);
uint64_t prof_scope_ticks(const Profiler *profiler, Scope scope, uint64_t *calls);
uint64_t prof_busy_ns(const Profiler *profiler); /* of all workers: from their first to their last item */
/* Nanoseconds per tick, measured since prof_attach (for at least a few milliseconds). */
double prof_ns_per_tick(const Profiler *profiler);

/* After a run: the trees of the workers from what they recorded. For a trace they are built by replaying its
 * events; with timing the two kinds of windows are combined. */
void prof_build_trees(Profiler *profiler);
/* Fills self[] and total[] (n_nodes each, in ticks); for a trace the cost of the timestamps is subtracted. */
void prof_correct(const Profiler *profiler, const ProfWorker *worker, double *self, double *total);

/* ---- evaluation by evaluation, for passes (record_passes.h) ---- */

/* Calls are recorded from now on: all if `deep`, else those made by the program itself. Their times are
 * recorded as they are, timestamps included. */
void prof_open_evaluation(Profiler *profiler, Worker *worker, size_t item, bool deep);
uint64_t prof_close_evaluation(Profiler *profiler, Worker *worker); /* how many calls were recorded */
/* Keeps the calls of the evaluation just closed, with their times multiplied by `share`; 0: forgets them. */
void prof_keep_evaluation(Profiler *profiler, Worker *worker, double share);

/* The hooks themselves, and what they cost. */
Val prof_timed_call(Ctx *ctx, uint32_t prim, const Val *args);
Val prof_flat_call(Ctx *ctx, uint32_t prim, const Val *args); /* without what it calls */
Val prof_traced_call(Ctx *ctx, uint32_t prim, const Val *args);
Val prof_pass_call(Ctx *ctx, uint32_t prim, const Val *args);
Val prof_pass_flat_call(Ctx *ctx, uint32_t prim, const Val *args);
ProfCost prof_calibrate(ProfLevel level);

#endif
