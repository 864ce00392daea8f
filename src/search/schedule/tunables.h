/* The numbers that steer search (search/schedule/tunables.def): their defaults, their bounds, and changing
 * one. */
#ifndef BATT_SEARCH_SCHEDULE_TUNABLES_H
#define BATT_SEARCH_SCHEDULE_TUNABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Tunables {
#define TUNABLE(type, name, value, min, max, text) type name;
#include "search/schedule/tunables.def"
#undef TUNABLE
} Tunables;

extern const Tunables tunables_default;

typedef struct TunableRow {
    const char *name, *text;
    bool whole; /* only whole numbers */
    double value, min, max;
} TunableRow;

extern const TunableRow tunable_rows[]; /* ends with a name of NULL */

/* Changes one by NAME=VALUE. False: `why` says what is wrong. */
bool tunables_set(Tunables *tunables, const char *text, char *why, size_t why_size);
/* A hash of all values, to tell apart searches with different numbers. */
uint64_t tunables_hash(const Tunables *tunables);
double tunables_get(const Tunables *tunables, const TunableRow *row);

#endif
