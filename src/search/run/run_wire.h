/* The verdict of a task as bytes, sent from the rank that ran it to rank 0. */
#ifndef BATT_SEARCH_RUN_RUN_WIRE_H
#define BATT_SEARCH_RUN_RUN_WIRE_H

#include "backends/ranks/wire.h"
#include "search/run/run.h"

void run_pack(Out *out, const RunSpec *spec, const RunTask *result);
/* Reads to the end. False: these bytes are not a result of this task, or no memory; then nothing is kept. */
bool run_unpack(RunTask *result, const RunSpec *spec, const Task *task, Wire *wire);

#endif
