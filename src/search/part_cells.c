/* The cells part: a rule that gives every cell of the input its new color. */
#include "search/cell_rules.h"
#include "search/parts.h"

static bool begin_input(void *owner, Ref *base) {
    Search *search = owner;
    build_start(&search->builder);
    *base = PARAM_I;
    return true;
}

void *part_cells_open(Search *search) {
    return cells_open(search, &(CellsBase){.vals = search->task->in, .begin = begin_input, .owner = search});
}

void part_cells_run(Search *search, void *state) {
    if (search->task->same_size) {
        cells_look(state, search->effort);
    }
}

void part_cells_close(Search *search, void *state) {
    (void)search;
    cells_close(state);
}
