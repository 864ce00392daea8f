/* A share of the tasks, for work that is split over machines without talking: K/N is the K-th of N shares.
 *
 * Which share a task is in depends on its id, N and the seed alone, not on its place or on the other tasks,
 * so every machine finds the same split by itself and new tasks do not move the old ones. With costs known
 * the shares are made equally heavy instead, and depend on all tasks and costs: then every machine must be
 * given the same. The shares of one split are the whole, and no two have a task in common. */
#ifndef BATT_TASK_SHARD_H
#define BATT_TASK_SHARD_H

#include "task/task.h"

enum { SHARD_MOST = 1 << 20, SHARD_WHY_BYTES = 512 };

typedef struct Shard {
    uint32_t index, count; /* 1..count; count 0: everything */
    uint64_t seed;
} Shard;

typedef struct ShardCosts {
    char *text; /* of the file; ids point into it */
    struct ShardCost *costs;
    size_t count;
} ShardCosts;

/* "K/N" or "K/N:SEED". False: why says what is wrong. */
bool shard_parse(const char *text, Shard *shard, char why[SHARD_WHY_BYTES]);

/* A file of lines "ID COST", costs in any unit; '#' begins a comment. */
bool shard_costs_read(ShardCosts *costs, const char *path, char why[SHARD_WHY_BYTES]);
void shard_costs_free(ShardCosts *costs);

/* Leaves the tasks of this share, in their order. `costs` may be NULL; a task that is not among them counts
 * as the mean. False: no memory. */
bool shard_take(const Shard *shard, const ShardCosts *costs, const Task **tasks, size_t *n_tasks);

/* The share of one id when no costs are known, 1..count. */
uint32_t shard_of(const Shard *shard, const char *id);

#endif
