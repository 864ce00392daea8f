/* Every operation of a device against the processor: random jobs, byte by byte; and random batteries, value
 * by value. The report is what a user sends us. */
#ifndef BATT_TOOLS_DEVICES_SELFTEST_H
#define BATT_TOOLS_DEVICES_SELFTEST_H

#include "engine/eval/pool.h"
#include "engine/primitives/prim.h"
#include "tools/devices/jobs.h"

typedef struct SelftestRow {
    const char *name;
    uint64_t items, differences;
    uint64_t failed;            /* whether the device could not do it */
    uint64_t device_ns, cpu_ns; /* of an operation; 0 for a part of one */
    char why[200];              /* what went wrong first; else empty */
} SelftestRow;

enum { SELFTEST_ROUNDS = 12, SELFTEST_BATTERIES = 5 };

typedef struct Selftest {
    SelftestRow ops[BACKEND_OPS];
    SelftestRow steps[GRID_OPS];   /* of grids */
    SelftestRow prims[PRIM_COUNT]; /* calls of batteries; those without items have no form */
    uint64_t build_ns, seed;
} Selftest;

/* Fills the report; failures of the device are in it. False: no memory, or stopped. */
bool selftest_run(Selftest *test, Backend *backend, uint64_t seed, const Stop *stop);
bool selftest_good(const Selftest *test);
uint64_t selftest_differences(const SelftestRow *rows, unsigned n);

#endif
