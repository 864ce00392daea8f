/* The profiler's scopes, from one table (scopes.def); engine/eval/scope.h enters and leaves them. */
#ifndef BATT_BASE_SCOPES_H
#define BATT_BASE_SCOPES_H

typedef enum Scope {
#define SCOPE(id, name, category, text) SCOPE_##id,
#include "base/scopes.def"
    SCOPE_COUNT
} Scope;

typedef struct ScopeInfo {
    const char *name, *category, *text;
} ScopeInfo;
extern const ScopeInfo scope_table[SCOPE_COUNT];

#endif
