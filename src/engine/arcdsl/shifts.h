/* The union of one patch shifted by many pairs: mapply(lbind(shift, patch), pairs), the commonest use of
 * mapply; also of neighbours, and of rays in one direction, which are such patches shifted to places.
 *
 * It is the sum of two sets of places. If it lies within 256 rows and columns, one of the sets becomes rows
 * of bits, which are shifted as whole rows by every place of the other; otherwise keys are written copy by
 * copy and sorted. An object is shifted color by color, since that is the order of its keys. */
#ifndef BATT_ENGINE_ARCDSL_SHIFTS_H
#define BATT_ENGINE_ARCDSL_SHIFTS_H

#include "engine/arcdsl/closure_plan.h"

/* Makes all copies at once, if the plan does nothing else and there is certainly enough room and fuel. False:
 * nothing was done. Charges and counts what single calls and merging their results would have cost. */
bool shifts_merged(Ctx *ctx, ClosurePlan *plan, Val *to);

#endif
