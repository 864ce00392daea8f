/* The reconstruction loss: the nats needed to reproduce the known grids, and their gradient.
 *
 * The heads give, for each example and both its grids, a logit per color and cell and a score per
 * row and column. A grid of known size may lie anywhere in the frame: its probability is the sum
 * over all places of that of the rows and columns (a segment's score is what it contains less what
 * it leaves out) times that of its colors. Where the size rule does not determine a grid's size,
 * segments of all lengths compete.
 *
 * This is cheap compared with the net, so it is done in double. */
#ifndef BATT_SEARCH_NET_LOSS_H
#define BATT_SEARCH_NET_LOSS_H

#include "search/net/memory.h"

typedef struct NetHeads { /* of one example, or gradients of it */
    double *logits;       /* [grid: input, output][color, black first][row][column] */
    double *rows;         /* [grid][row] */
    double *columns;      /* [grid][column] */
} NetHeads;

size_t net_loss_scratch(const NetShape *shape); /* doubles */

/* Nats for the known grids of example e at step t; gradients are of 10 times that, as it enters the loss. */
double net_loss(const NetShape *shape, size_t t, size_t e, const NetHeads *heads, const NetHeads *gradients,
                double *scratch);

/* The logarithm of the probability of any grid in the place of an output, at the end of training: logits are
 * [color][row][column], and the grid is at most as large as the frame, in palette numbers. */
double net_log_likelihood(const NetShape *shape, const double *logits, const double *rows,
                          const double *columns, const uint8_t *grid, NetSize size, double *scratch);

#endif
