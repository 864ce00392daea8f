/* Which of equally good programs comes first, independent of the files they were read from.
 *
 * The one with fewer distinct calls; then an order of their contents; then of their names. Calls are counted
 * as a battery of the program alone has them: equal calls once, constants computed, arguments of commutative
 * primitives sorted. So a program has the same place whether it is read from its own file or from a battery
 * that it was merged into. */
#ifndef BATT_SEARCH_RUN_PROGRAM_PLACES_H
#define BATT_SEARCH_RUN_PROGRAM_PLACES_H

#include "engine/eval/battery.h"

/* places[k] becomes the place of programs[k], 0..n-1. `ctx` is only used to compute constants. False: no
 * memory. */
bool program_places(const Program *const *programs, size_t n, bool safe, Ctx *ctx, uint32_t *places);

#endif
