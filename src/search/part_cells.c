/* The cells part: a rule that gives every cell of the input its new color. */
#include "search/cell_rules.h"
#include "search/parts.h"

static bool begin_input(void *owner, Ref *base) {
    Search *search = owner;
    build_start(&search->builder);
    *base = PARAM_I;
    return true;
}

void part_cells_run(Search *search, void *state) {
    (void)state;
    if (search->task->same_size) {
        cells_try(search, &(CellsBase){.vals = search->task->in, .begin = begin_input, .owner = search},
                  search->effort);
    }
}
