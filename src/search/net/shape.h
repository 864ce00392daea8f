/* A task as the net sees it: all its grids in one frame, test outputs unknown.
 *
 * Training pairs come first, then the tests. Colors are numbered by the palette of all known grids,
 * black (0) first. Outputs of tests are never read; where a size rule holds among the training
 * pairs, their sizes are predicted by it. */
#ifndef BATT_SEARCH_NET_SHAPE_H
#define BATT_SEARCH_NET_SHAPE_H

#include "data/tasks/task.h"

typedef struct NetSize {
    uint32_t h, w;
} NetSize;

typedef struct NetExample {
    NetSize size[2]; /* of input and output; predicted for tests */
    /* palette numbers, row-major; output NULL for tests */
    const uint8_t *grid[2];
} NetExample;

typedef struct NetShape {
    uint32_t n, n_train, n_test; /* n = n_train + n_test */
    uint32_t colors;             /* without black */
    uint8_t palette[TASK_COLORS];
    uint32_t rows, columns;               /* of the frame */
    bool same, same_inputs, same_outputs; /* sizes: output as input; of all inputs; of all outputs */
    bool known;                           /* sizes of test outputs are predicted, not guessed */
    NetExample *examples;
    uint8_t *cells; /* all grids */
} NetShape;

/* False: `why` (may be NULL) says why this task cannot be done, or it is MEM_NONE. */
bool net_shape_open(NetShape *shape, const Task *task, const char **why);
void net_shape_close(NetShape *shape);

/* Whether the size of this grid is one of several that it could be. */
static inline bool net_size_uncertain(const NetShape *shape, bool output) {
    return !(shape->same || (output ? shape->same_outputs : shape->same_inputs));
}
/* Whether a cell lies in the input or the output of an example. */
static inline bool net_inside(const NetShape *shape, size_t e, size_t x, size_t y) {
    const NetSize *size = shape->examples[e].size;
    return (x < size[0].h && y < size[0].w) || (x < size[1].h && y < size[1].w);
}
/* The weight of a cell in the mean over the rows of its column, or over the columns of its row: only cells
 * inside count, if the sizes of all grids are known. */
double net_mean_weight(const NetShape *shape, size_t e, size_t x, size_t y, bool over_rows);

#endif
