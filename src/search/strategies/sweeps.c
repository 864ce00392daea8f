/* The sweeps strategy learns a rule per cell that sees what it has painted so far.
 *
 * The training outputs show what every neighbour has become by the time a sweep reaches a cell, so
 * a rule that is right on each cell by itself makes the whole output when it sweeps. Each order of
 * the cells has its own table of questions. */
#include "base/alloc.h"
#include "search/learning/cell_rules.h"
#include "search/schedule/strategies.h"

typedef struct Sweeps {
    unsigned order, effort; /* that are tried now */
} Sweeps;

void *strategy_sweeps_open(Search *search) {
    (void)search;
    return mem_zalloc(1, sizeof(Sweeps));
}

void strategy_sweeps_run(Search *search, void *state) {
    Sweeps *s = state;
    if (!search->task->same_size) {
        return;
    }
    if (s->effort != search->effort) { /* all orders once more */
        s->effort = search->effort;
        s->order = 0;
    }
    for (; s->order < CELLS_ORDERS && !search->slice_over; s->order++) {
        cells_try(search,
                  &(CellsSource){.vals = search->task->in,
                                 .cost = search->tune->sweeps_cost,
                                 .max = search->tune->sweeps_cost_max,
                                 .begin = cells_begin_input,
                                 .owner = search,
                                 .sweeps = true,
                                 .order = s->order},
                  search->effort);
        if (search->slice_over) { /* start this order over when there is more time */
            return;
        }
    }
}

void strategy_sweeps_close(Search *search, void *state) {
    (void)search;
    mem_free(state);
}
