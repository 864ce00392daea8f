/* The result of a task as bytes, sent from the rank that searched it to rank 0. */
#ifndef BATT_SEARCH_SESSION_SOLVE_WIRE_H
#define BATT_SEARCH_SESSION_SOLVE_WIRE_H

#include "backends/ranks/wire.h"
#include "engine/language/parse.h"
#include "search/session/solve.h"

void solve_pack(Out *out, const SolveTask *result);
/* Reads a result up to the end of the wire; `result` must be empty. False: these bytes are not a result of
 * this task, or no memory; then nothing is kept. */
bool solve_unpack(SolveTask *result, const Task *task, Lang *lang, Wire *wire);

#endif
