/* Hints: the dialect's annotations of parameters and results, which guide mutation when it replaces
 * arguments.
 *
 * A hint is a word in a primitive's row, "Grid, C_, Patch -> Grid"; `-` is a parameter without one. */
#ifndef BATT_ENGINE_LANGUAGE_HINTS_H
#define BATT_ENGINE_LANGUAGE_HINTS_H

#include "engine/language/names.h"

typedef struct Hint {
    const char *text; /* in the table of primitives: not terminated */
    size_t length;    /* 0: there is none */
} Hint;

Hint hint_param(uint32_t prim, uint32_t k);
Hint hint_result(uint32_t prim);
bool hint_is(Hint hint, const char *word);

/* The range of constants that an argument with this hint may be; false: it has no range. */
bool hint_range(Hint hint, ConstantId *first, ConstantId *last);
/* Whether an argument with hint `given` may replace one with hint `old`. Not symmetric. */
bool hint_accepts(Hint old, Hint given);
/* Whether the tables know this hint. */
bool hint_known(Hint hint);

#endif
