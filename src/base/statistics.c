/* The table of counters, and sums of them; see statistics.h. */
#include "base/statistics.h"

#include "base/check.h"

const StatisticRow statistic_rows[STATISTIC_COUNT] = {
#define STATISTIC(id, group, name, text) {#group, name, text},
#include "base/statistics.def"
#undef STATISTIC
};

void statistics_add(Statistics *to, const Statistics *more) {
    for (unsigned k = 0; k < STATISTIC_COUNT; k++) {
        to->n[k] += more->n[k];
    }
}

void statistics_since(Statistics *now, const Statistics *before) {
    for (unsigned k = 0; k < STATISTIC_COUNT; k++) {
        ASSERT(now->n[k] >= before->n[k], "%s went down from %llu to %llu", statistic_rows[k].name,
               (unsigned long long)before->n[k], (unsigned long long)now->n[k]);
        now->n[k] -= before->n[k];
    }
}
