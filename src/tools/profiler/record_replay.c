/* From what was recorded to trees of calls, after a run; see record.h. */
#include "tools/profiler/record.h"
#include "tools/profiler/record_tree.h"

#include <math.h>
#include <string.h>

/* ---- timing ---- */

/* In calls that call thousands of others, the timestamps cost more than those others. So the length of calls
 * from a place is taken from flat windows alone; deep windows only tell how it is divided among their
 * callees. */
static void settle_worker(ProfWorker *w) {
    for (uint32_t k = 1; k < w->n_nodes; k++) {
        ProfNode *node = &w->nodes[k];
        const ProfNode *parent = &w->nodes[node->parent];
        struct ProfKept *kept = &node->kept, *flat = &node->flat;
        double longer = 1, more = 1;
        if (node->key >= PROF_SCOPE) {
            *kept = flat->total > 0 ? *flat : *kept;
            continue;
        }
        if (parent->key < PROF_SCOPE) { /* scaled as its caller is */
            longer = parent->flat.total;
            more = parent->flat.calls;
        } else if (parent->flat.total > 0) {
            longer = kept->total > 0 ? fmax(flat->total, 0) / kept->total : 0;
            more = kept->calls > 0 ? flat->calls / kept->calls : 0;
        }
        bool seen = kept->total > 0 && kept->calls > 0;
        *kept = seen || parent->key < PROF_SCOPE || parent->flat.total <= 0
                    ? (struct ProfKept){more * kept->calls, more * kept->fails, longer * kept->self,
                                        longer * kept->total, longer * kept->failed}
                    : *flat;
        flat->total = longer; /* read by its callees */
        flat->calls = more;
    }
}

/* ---- tracing ---- */

/* Calls inside others are mostly alike, made in a loop: every second one has no timestamp. It shares the time
 * up to the next call's timestamp evenly with that call; at the end of the loop it is assumed to last as long
 * as the one before. `last` is when the event before it ended, `usual` how long that took if it was a call.
 */
static uint64_t fill_timestamp(const ProfWorker *w, uint64_t next_at, uint64_t last, uint64_t usual) {
    bool more = next_at < w->n_events;
    uint64_t word = more ? w->events[next_at] : 0, ticks = word >> EVENT_TICKS;
    uint64_t until = ticks != 0 && w->base + ticks > last ? w->base + ticks : last + usual;
    return more && (word & 3) == EVENT_CALL ? last + (until - last) / 2
           : last + usual < until           ? last + usual
                                            : until;
}

enum { DEEPEST = 4096, CHILDREN = 64 };
typedef struct Replay {
    int64_t below[DEEPEST];
    uint64_t start[DEEPEST], last;
    uint32_t at[DEEPEST], depth;
    struct ReplayChild { /* by part of the key: the last child found, for calls in loops */
        uint32_t parent, key, node;
    } children[CHILDREN];
} Replay;

static inline uint32_t replay_child(Replay *r, ProfWorker *w, uint32_t key) {
    struct ReplayChild *child = &r->children[key % CHILDREN];
    uint32_t parent = r->at[r->depth];
    if (UNLIKELY(parent != child->parent || key != child->key || child->node == 0)) {
        *child = (struct ReplayChild){parent, key, prof_child(w, parent, key)};
    }
    return child->node;
}

static inline void replay_took(ProfNode *node, int64_t took, int64_t inner, bool failed) {
    node->total += took;
    node->self += took - inner;
    if (UNLIKELY(failed)) {
        node->fails++;
        node->failed += took;
    }
}

static inline void replay_call(Replay *r, ProfWorker *w, const ProfEvent *e) {
    ProfNode *node = &w->nodes[replay_child(r, w, e->key)];
    int64_t took = (int64_t)(e->ticks - r->last);
    r->below[r->depth] += took;
    r->last = e->ticks;
    node->calls++;
    w->recorded += e->key < PRIM_COUNT;
    replay_took(node, took, 0, e->failed);
}

static void replay_open(Replay *r, ProfWorker *w, const ProfEvent *e) {
    uint32_t node = replay_child(r, w, e->key);
    r->depth++;
    r->at[r->depth] = node;
    r->start[r->depth] = r->last = e->ticks != 0 ? e->ticks : r->last;
    r->below[r->depth] = 0;
}

static void replay_close(Replay *r, ProfWorker *w, const ProfEvent *e) {
    bool place = e->key >= PROF_SCOPE;
    ProfNode *node = &w->nodes[r->at[r->depth]];
    int64_t took = (int64_t)(e->ticks - r->start[r->depth]), inner = r->below[r->depth];
    r->depth--;
    r->below[r->depth] += took;
    if (place && r->depth > 0) { /* a scope's time is not its item's */
        w->nodes[r->at[r->depth]].total -= took;
    }
    r->last = e->ticks;
    node->calls += !place;
    w->recorded += e->key < PRIM_COUNT;
    replay_took(node, took, inner, e->failed);
}

/* Turns events into the tree, as if timed: a call's time runs from the end of the event before to its own
 * end. Events without a time get one on the way. */
static void replay_worker(ProfWorker *w) {
    Replay r;
    r.last = r.depth = r.at[0] = 0;
    r.below[0] = 0;
    r.start[0] = 0;
    memset(r.children, 0, sizeof r.children);
    uint64_t usual = 0;
    for (uint64_t k = 0; k < w->n_events;) {
        uint64_t mine = k;
        ProfEvent e = prof_event_read(w->events, w->base, &k);
        if (LIKELY(e.kind == EVENT_CALL)) {
            if (e.ticks == 0) {
                e.ticks = fill_timestamp(w, k, r.last, usual);
                w->events[mine] = prof_event_word(e.ticks - w->base, e.key, EVENT_CALL, e.failed);
            }
            usual = e.ticks - r.last;
            replay_call(&r, w, &e);
            continue;
        }
        usual = 0;
        if (e.kind == EVENT_CLOSE) {
            replay_close(&r, w, &e);
        } else if (r.depth + 1 == DEEPEST) {
            w->lost++;
            return;
        } else {
            replay_open(&r, w, &e);
        }
    }
}

void prof_build_trees(Profiler *p) {
    for (unsigned k = 0; p->level >= PROF_TIMING && k < p->pool->count; k++) {
        if (p->level == PROF_TRACE) {
            replay_worker(&p->workers[k]);
        } else if (!p->everything) {
            settle_worker(&p->workers[k]);
        }
    }
}
