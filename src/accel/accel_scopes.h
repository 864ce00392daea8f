/* The profiler's scopes for devices; see exec/scope.h. */
#ifndef BATT_ACCEL_ACCEL_SCOPES_H
#define BATT_ACCEL_ACCEL_SCOPES_H

#include "exec/scope.h"

enum {
    SCOPE_BEFORE_ACCEL = SCOPE_END_EXEC - 1,
#define SCOPE(id, name, category, text) SCOPE_##id,
#include "accel/accel_scopes.def"
#undef SCOPE
    SCOPE_END_ACCEL
};

#endif
