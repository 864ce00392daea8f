/* Bases: grids on the way from the inputs to the outputs, which any part may find and any part may start
 * from.
 *
 * A base has a grid for each input, of the outputs' sizes on the training pairs, and the program that makes
 * it. The few that are most like the outputs are kept, best first; of equals the one that came first. */
#ifndef BATT_SEARCH_BASES_H
#define BATT_SEARCH_BASES_H

#include "core/value.h"
#include "lang/program.h"

struct Search;

enum { BASES_MOST = 16 };

typedef struct Base {
    Val *vals; /* one per input; one block with their cells */
    Program *program;
    double cost;
    bool held;     /* something depends on it: it is not dropped */
    uint32_t like; /* cells of the training outputs that are right, in thousandths of each output, added up */
} Base;

typedef struct Bases {
    Base items[BASES_MOST];
    uint32_t count;
} Bases;

/* Whether grids are enough like the outputs to be kept; then `like` is for bases_add. They have the sizes of
 * the outputs. */
bool bases_want(const struct Search *search, const Val *vals, uint32_t *like);
/* Takes the program over (NULL is ignored), copies the grids. */
void bases_add(struct Search *search, const Val *vals, uint32_t like, double cost, Program *program);
void bases_free(struct Search *search);

#endif
