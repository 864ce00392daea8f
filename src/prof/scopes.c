/* The table of scopes, layer by layer; see scopes.h. */
#include "prof/scopes.h"

const ScopeInfo scope_table[SCOPE_COUNT] = {
#define SCOPE(id, name, category, text) [SCOPE_##id] = {#name, #category, text},
#include "accel/accel_scopes.def"
#include "evolve/evolve_scopes.def"
#include "exec/exec_scopes.def"
#include "net/net_scopes.def"
#include "search/search_scopes.def"
#include "store/store_scopes.def"
#include "task/task_scopes.def"
#undef SCOPE
};
