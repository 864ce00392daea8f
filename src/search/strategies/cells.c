/* The cells strategy learns a rule that gives every cell of the input its new color or, where
 * outputs are larger by whole factors, colors every cell of the block that an input cell
 * becomes. */
#include "engine/features/larger.h"
#include "search/learning/cell_rules.h"
#include "search/schedule/strategies.h"

/* Whether all outputs are larger than their inputs by the same whole factors in height and width; what the
 * test inputs become must not be too large either. */
static bool find_factors(const SearchTask *t, uint32_t *tall, uint32_t *wide) {
    if (t->n_train == 0 || t->in[0].n == 0 || t->in[0].w == 0) {
        return false;
    }
    *tall = t->out[0].n / t->in[0].n;
    *wide = (uint32_t)(t->out[0].w / t->in[0].w);
    bool good = *tall * *wide > 1 && *tall <= GROW_MAX && *wide <= GROW_MAX;
    for (uint32_t k = 0; k < t->n && good; k++) {
        uint32_t h = t->in[k].n * *tall, w = (uint32_t)t->in[k].w * *wide;
        good = h * w <= FEATURE_MAX_CELLS &&
               (k >= t->n_train || (t->out[k].n == h && (uint32_t)t->out[k].w == w));
    }
    return good;
}

void *strategy_cells_open(Search *search) {
    CellsSource source = {.vals = search->task->in, .begin = cells_begin_input, .owner = search};
    if (!search->task->same_size && !find_factors(search->task, &source.tall, &source.wide)) {
        source.tall = source.wide = 0;
    }
    return cells_open(search, &source);
}

void strategy_cells_run(Search *search, void *state) {
    if (search->task->same_size || cells_grow(state)) {
        cells_search(state, search->effort);
    }
}

void strategy_cells_close(Search *search, void *state) {
    (void)search;
    cells_close(state);
}
