/* The scopes of running tasks; see exec/scope.h. */
#ifndef BATT_TASK_TASK_SCOPES_H
#define BATT_TASK_TASK_SCOPES_H

#include "accel/accel_scopes.h"

enum {
    SCOPE_BEFORE_TASK = SCOPE_END_ACCEL - 1,
#define SCOPE(id, name, category, text) SCOPE_##id,
#include "task/task_scopes.def"
#undef SCOPE
    SCOPE_END_TASK
};

#endif
