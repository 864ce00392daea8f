/* The profiler's scopes for evolution; see exec/scope.h. */
#ifndef BATT_EVOLVE_EVOLVE_SCOPES_H
#define BATT_EVOLVE_EVOLVE_SCOPES_H

#include "net/net_scopes.h"

enum {
    SCOPE_BEFORE_EVOLVE = SCOPE_END_NET - 1,
#define SCOPE(id, name, category, text) SCOPE_##id,
#include "evolve/evolve_scopes.def"
#undef SCOPE
    SCOPE_END_EVOLVE
};

#endif
