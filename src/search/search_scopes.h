/* The profiler's scopes for search; see exec/scope.h. */
#ifndef BATT_SEARCH_SEARCH_SCOPES_H
#define BATT_SEARCH_SEARCH_SCOPES_H

#include "evolve/evolve_scopes.h"

enum {
    SCOPE_BEFORE_SEARCH = SCOPE_END_EVOLVE - 1,
#define SCOPE(id, name, category, text) SCOPE_##id,
#include "search/search_scopes.def"
#undef SCOPE
    SCOPE_END_SEARCH
};

#endif
