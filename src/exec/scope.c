/* The table of scopes; see scope.h. */
#include "exec/scope.h"

const ScopeInfo scope_table[SCOPE_COUNT] = {
#define SCOPE(id, name, category, text) {#name, #category, text},
#include "exec/scopes.def"
#undef SCOPE
};
