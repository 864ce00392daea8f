/* The profiler's scopes for keeping results; see exec/scope.h. */
#ifndef BATT_STORE_STORE_SCOPES_H
#define BATT_STORE_STORE_SCOPES_H

#include "search/search_scopes.h"

enum {
    SCOPE_BEFORE_STORE = SCOPE_END_SEARCH - 1,
#define SCOPE(id, name, category, text) SCOPE_##id,
#include "store/store_scopes.def"
#undef SCOPE
    SCOPE_END_STORE
};

#endif
