/* Shards of the tasks, for work split over machines that do not communicate: K/N is the K-th of N shards.
 *
 * The shard of a task depends on its id, N and the seed alone, not on its position or on the other
 * tasks, so every machine computes the same split and new tasks do not move old ones. If costs are
 * given, the shards are balanced by them instead and depend on all tasks and costs, so every machine
 * must be given the same ones. The shards of one split cover all tasks, and no two have a task in
 * common. */
#ifndef BATT_DATA_TASKS_SHARD_H
#define BATT_DATA_TASKS_SHARD_H

#include "data/tasks/task.h"

enum { SHARD_MAX = 1 << 20, SHARD_WHY_BYTES = 512 };

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

/* Keeps only the tasks of this share, in their order. `costs` may be NULL; a task without a cost counts as
 * the mean. False: no memory. */
bool shard_take(const Shard *shard, const ShardCosts *costs, const Task **tasks, size_t *n_tasks);

#endif
