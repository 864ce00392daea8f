/* Where everything of a net lies on a device, and how its work is cut into pieces; see kernels/tiling.h.
 *
 * Parameters and moments are laid out as in NetMemory, so that a state is uploaded and downloaded
 * in its saved form. Computed arrays have the order of NetMemory's slices, plus some that only a
 * device needs. */
#ifndef BATT_SEARCH_NET_DEVICE_TILING_H
#define BATT_SEARCH_NET_DEVICE_TILING_H

#include "search/net/kernels/tiling.h"
#include "search/net/memory.h"

/* Lists of pieces: what the work-groups of a launch have. All are in the order of tensors, then of tasks. */
typedef enum NdList {
    ND_LIST_TILES,   /* up to ND_TILE sites of a slice */
    ND_LIST_TENSORS, /* a tensor */
    ND_LIST_SLICES,
    ND_LIST_COLORS, /* a color of a slice, of the tensors with rays */
    ND_LIST_HEADS,  /* the tiles that feed the heads */
    ND_LIST_GRIDS,  /* a grid of an example */
    ND_LIST_SPANS,  /* up to ND_LANES weights */
    ND_LISTS
} NdList;

/* Describes a task for the device, except where its stretch begins and what comes back from it. Returns the
 * numbers of its stretch; 0: they are too many to be counted. */
uint64_t nd_describe(const NetMemory *mem, NdTask *to);
/* Numbers that come back each step: a loss per tensor and grid, and the logits and scores of tests. */
size_t nd_back_numbers(const NetShape *shape);
/* What does not change: weights of means, masks, sizes, grids, as numbers for the stretch from task->averages
 * on. */
size_t nd_fixed_numbers(const NdTask *task);
void nd_fixed(const NetMemory *mem, const NdTask *task, float *to);

/* Pieces of a tensor of a task in a list, written to `to` unless it is NULL; returns how many. */
size_t nd_pieces(const NetMemory *mem, const NdTask *task, NdList list, NetTensorId t, NetWord which,
                 NdPiece *to);

enum { ND_TABLES = 64 + 3 * ND_TABLE };
void nd_tables(float *to); /* of mixing */

#endif
