/* Random batteries for comparing devices with the processor: programs of everything that has a form on
 * devices, and of some that has none, on random grids. Of enough programs, each primitive ends one. */
#ifndef BATT_TOOLS_DEVICES_PROGRAMS_H
#define BATT_TOOLS_DEVICES_PROGRAMS_H

#include "backends/devices/levels.h"
#include "engine/language/parse.h"

enum { TEST_MAX_SIDE = 30 };

typedef struct TestBattery {
    Battery *battery;
    unsigned nparams; /* 3: the programs are the dialect's, as those of every third seed are */
    ProgList programs;
    LevelsSample *samples;
    uint32_t n_samples;
    Image *images; /* the inputs */
    int8_t *cells;
} TestBattery;

/* False: no memory; free it all the same. */
bool test_battery_make(TestBattery *t, Ctx *ctx, uint64_t seed, uint32_t programs, uint32_t samples);
/* One call of a primitive for each sample, on grids of about `cells` cells. False: no memory, or the
 * primitive has no form, see test_battery_knows. */
bool test_battery_make_call(TestBattery *t, Ctx *ctx, const char *primitive, uint32_t cells,
                            uint32_t samples);
bool test_battery_knows(const char *primitive);
void test_battery_free(TestBattery *t);
enum { TEST_MAX_PARAMS = 3 };
/* The parameters of a sample, for LevelsSpec. */
void test_battery_input(Ctx *ctx, const void *user, unsigned nparams, Val *params);

#endif
