/* arc-dsl's programs in the names of the dialect, which has one primitive for grids and one for patches where
 * arc-dsl has one for both (vmirror: vmirror_t, vmirror_f). Types decide. */
#ifndef BATT_SEARCH_EVOLUTION_DIALECT_NAMES_H
#define BATT_SEARCH_EVOLUTION_DIALECT_NAMES_H

#include "engine/language/infer.h"

/* Renames what the dialect calls otherwise, in a program that the caller owns. False: it calls something that
 * the dialect does not have, or not for certain: *missing is the first such primitive; or no memory, with
 * *missing -1. */
bool dialect_names(Types *types, Program *program, int *missing);

#endif
