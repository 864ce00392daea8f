/* Intermediates: grids between the inputs and the outputs, which any strategy may find and any strategy may
 * start from.
 *
 * One has a grid for each input (on the training pairs, of the output's size, unless a primitive of one's own
 * made it) and the program that makes it. The few that are most like the outputs are kept, best first; ties
 * go to the one that came first. */
#ifndef BATT_SEARCH_SCHEDULE_INTERMEDIATES_H
#define BATT_SEARCH_SCHEDULE_INTERMEDIATES_H

#include "engine/language/program.h"
#include "engine/value/value.h"

struct Search;

enum { INTERMEDIATES_MAX = 64 };

typedef struct Intermediate {
    Val *vals; /* one per input; one block with their cells */
    Program *program;
    double cost;
    bool held;     /* something depends on it: it is not dropped */
    uint32_t like; /* right cells in thousandths of each training output, added up */
} Intermediate;

typedef struct Intermediates {
    Intermediate items[INTERMEDIATES_MAX];
    uint32_t count;
} Intermediates;

/* How many cells of an output a grid has right, in thousandths; none if it has another size. */
uint32_t intermediates_likeness(Val grid, Val output);
/* Whether grids are new, and enough like the outputs to be kept; if so, pass `like` on
 * to intermediates_add. */
bool intermediates_want(const struct Search *search, const Val *vals, uint32_t *like);
/* Takes the program over (NULL is ignored) and copies the grids. */
void intermediates_add(struct Search *search, const Val *vals, uint32_t like, double cost, Program *program);
/* The programs of the best ones; returns how many. */
uint32_t intermediates_programs(const struct Search *search, const Program **to, uint32_t max);
void intermediates_free(struct Search *search);

#endif
