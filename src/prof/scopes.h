/* The scopes of all layers, in one table. To give a layer scopes, add it here and in scopes.c. */
#ifndef BATT_PROF_SCOPES_H
#define BATT_PROF_SCOPES_H

#include "store/store_scopes.h" /* the last layer that has any */

enum { SCOPE_COUNT = SCOPE_END_STORE };

typedef struct ScopeInfo {
    const char *name, *category, *text;
} ScopeInfo;
extern const ScopeInfo scope_table[SCOPE_COUNT];

#endif
