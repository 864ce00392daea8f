/* The tree of calls of a worker: finding and making nodes. Only for the hooks (record_calls.c,
 * record_items.c). */
#ifndef BATT_TOOLS_PROFILER_RECORD_TREE_H
#define BATT_TOOLS_PROFILER_RECORD_TREE_H

#include "base/check.h"
#include "base/mix.h"
#include "tools/profiler/record.h"

/* Stops recording calls in this place; open ones end here. */
void prof_cut_off(ProfWorker *worker);
/* Doubles the table of nodes, if it may still grow. */
void prof_grow_map(ProfWorker *worker);
/* Makes a node, which the map gets at `slot`; without room, returns the parent. */
uint32_t prof_new_node(ProfWorker *worker, uint32_t parent, uint32_t key, uint64_t hash, uint32_t slot);

/* A call of this node is over: remembered for the end of the window, if there is one. */
static inline void prof_touch(ProfWorker *w, uint32_t node) {
    if (w->nodes[node].calls++ == 0 && w->folds) {
        ASSERT(w->n_touched < w->max_touched, "%u nodes touched", w->n_touched);
        w->touched[w->n_touched++] = node;
        if (UNLIKELY(w->n_touched == w->max_touched - 1)) {
            w->allowance = 0;
        }
    }
}

static inline double prof_node_calls(const ProfNode *n) {
    return n->kept.calls + (double)n->calls;
}
static inline double prof_node_total(const ProfNode *n) {
    return n->kept.total + (double)n->total;
}

static inline uint32_t prof_child(ProfWorker *w, uint32_t parent, uint32_t key) {
    uint64_t hash = mix64((uint64_t)parent << 32, key);
    uint32_t slot = map_start(&w->map, hash);
    for (uint32_t node; (node = map_next(&w->map, hash, &slot)) != MAP_NONE;) {
        if (LIKELY(w->nodes[node].key == key && w->nodes[node].parent == parent)) {
            return node;
        }
    }
    return prof_new_node(w, parent, key, hash, slot);
}

/* With timing: a call, or a scope that is recorded like one, begins and ends. */
static inline ProfFrame prof_begin(ProfWorker *w, uint32_t key) {
    ProfFrame was = w->run;
    w->run = (ProfFrame){.at = prof_child(w, was.at, key)};
    return was;
}
static inline void prof_end(ProfWorker *w, ProfFrame was, uint64_t ticks, bool failed) {
    int64_t took = (int64_t)ticks - w->inside - w->run.timestamp_cost;
    ASSERT(w->run.at > 0 && w->run.at < w->n_nodes, "node %u of %u", w->run.at, w->n_nodes);
    ProfNode *node = &w->nodes[w->run.at];
    prof_touch(w, w->run.at);
    node->total += took;
    node->self += took - w->run.below;
    if (UNLIKELY(failed)) {
        node->fails++;
        node->failed += took;
    }
    was.below += took;
    was.timestamp_cost += w->run.timestamp_cost + w->all;
    w->run = was;
    w->recorded++;
}

#endif
