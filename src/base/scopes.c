/* The table of scopes; see scopes.h. */
#include "base/scopes.h"

const ScopeInfo scope_table[SCOPE_COUNT] = {
#define SCOPE(id, name, category, text) [SCOPE_##id] = {#name, #category, text},
#include "base/scopes.def"
};
