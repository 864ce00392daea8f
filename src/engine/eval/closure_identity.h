/* Which closures of a program can be told apart.
 *
 * Closures built by separate calls are never equal, and they are ordered by when they were made; but only a
 * program that compares them, or keeps those of several calls in one container, can notice. Most programs
 * call their closures and nothing else, so that in a battery equal calls can be one call
 * (engine/eval/battery.h), whatever order the program makes them in. */
#ifndef BATT_ENGINE_EVAL_CLOSURE_IDENTITY_H
#define BATT_ENGINE_EVAL_CLOSURE_IDENTITY_H

#include "engine/language/program.h"
#include "engine/language/types.h"
#include "engine/primitives/prim.h"

/* What the analysis needs to know about each primitive, from its signature. */
typedef struct ClosureRoles {
    struct ClosureRole {
        uint8_t functions; /* bit k: parameter k is a function, which is called and not looked at */
        bool hands_on;     /* its result may hold functions */
    } of[PRIM_COUNT];
} ClosureRoles;
void closure_roles_fill(ClosureRoles *roles);

/* Finds the calls whose closures may be compared, or come into one container, with those of other calls.
 * False: there are none. `scratch` has room for two numbers per slot of the program. `types` are those of its
 * slots as inferred, or NULL: then only the signatures say what a result may hold, which is quicker and sees
 * more danger. */
bool closure_groups_find(const ClosureRoles *roles, const Program *program, Types *types,
                         const TypeId *slot_types, uint32_t *scratch);
/* Whether the call of this slot is one of them; `slots`: how many the program has. */
bool closure_meets_others(uint32_t *scratch, uint32_t slots, uint32_t slot);

#endif
