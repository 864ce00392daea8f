/* The tree of calls of a worker: finding and making nodes. Only for the hooks (collect.c, watch.c). */
#ifndef BATT_PROF_TREE_H
#define BATT_PROF_TREE_H

#include "prof/collect.h"

/* Notes no more calls in this place; those that are open end here. */
void prof_cut_off(ProfWorker *worker);
uint32_t prof_new_node(ProfWorker *worker, uint32_t parent, uint32_t key, uint32_t slot);

/* A call below this node is over: remembered for the end of the window, if there is one. */
static inline void prof_touch(ProfWorker *w, uint32_t node) {
    if (w->nodes[node].calls++ == 0 && w->folds) {
        w->touched[w->n_touched++] = node;
        if (UNLIKELY(w->n_touched == PROF_TOUCHED - 1)) {
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
    uint32_t slot = (uint32_t)(((uint64_t)parent << 32 | key) * 0x9e3779b97f4a7c15u >> 32) & w->mask;
    for (uint32_t node; (node = w->slots[slot]) != 0; slot = (slot + 1) & w->mask) {
        if (LIKELY(w->nodes[node].key == key && w->nodes[node].parent == parent)) {
            return node;
        }
    }
    return prof_new_node(w, parent, key, slot);
}

#endif
