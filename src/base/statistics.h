/* Counters of what is done, one table for all layers: statistics.def has the rows and says how to add one.
 *
 *     COUNT(&ctx->statistics, RESETS, 1);
 *
 * There are no globals and no atomics: everything that counts has Statistics of its own (a context, a search,
 * a round of evolution, a store), and they are added up when the work is done. */
#ifndef BATT_BASE_STATISTICS_H
#define BATT_BASE_STATISTICS_H

#include <stdint.h>

typedef enum StatisticId {
#define STATISTIC(id, group, name, text) STAT_##id,
#include "base/statistics.def"
#undef STATISTIC
    STATISTIC_COUNT
} StatisticId;

typedef struct Statistics {
    uint64_t n[STATISTIC_COUNT];
} Statistics;

#define COUNT(statistics, id, more) ((statistics)->n[STAT_##id] += (more))
#define COUNTED(statistics, id) ((statistics)->n[STAT_##id])

typedef struct StatisticRow {
    const char *group, *name, *text;
} StatisticRow;
extern const StatisticRow statistic_rows[STATISTIC_COUNT];

void statistics_add(Statistics *to, const Statistics *more);
/* Reduces `now` to what was counted since `before` was copied from it. */
void statistics_since(Statistics *now, const Statistics *before);

#endif
