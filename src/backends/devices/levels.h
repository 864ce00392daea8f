/* A battery over many samples at once, node by node, on devices and the host.
 *
 *     Levels *levels = levels_open(&spec, &why);              NULL: no device has a part in it, see `why`
 *     levels_run(levels, samples, n, stop)                     a chunk, at most levels_chunk(levels) of them
 *     LevelsAnswer answer = levels_answer(levels, sample, program);
 *     levels_grid(levels, sample, program, &image, cells)      its grid, if a device judged it
 *     levels_close(levels);
 *
 * Nodes with a form on devices (kernels/level_ops.h) are done there for all samples in as few launches as the
 * graph has levels; the others by the host, which gets only the operands it needs, and whose results go up
 * only where a device needs them. Inputs and expected outputs go up once, answers are judged where they are.
 * Values, steps and failures are those of battery_run. What a device cannot do for a sample is left, and with
 * it the programs that need it: the caller runs these alone. Nodes that are often left go to the host with
 * the next chunk.
 *
 * Some samples are done by battery_run first, to see what values nodes have, and compared with the devices.
 */
#ifndef BATT_BACKENDS_DEVICES_LEVELS_H
#define BATT_BACKENDS_DEVICES_LEVELS_H

#include "backends/devices/backend.h"
#include "base/image.h"
#include "engine/eval/battery.h"

enum { LEVELS_MAX_CELLS = 8192 }; /* of a grid on a device */

typedef struct LevelsSample {
    Image input, expected; /* expected: without cells if it is not known */
    const void *user;      /* for `parameters` */
} LevelsSample;

typedef struct LevelsSpec {
    Backend *backend;
    const Battery *battery;
    Pool *pool;                 /* runs the host's part */
    Budget budget;              /* of each node, as in battery_run */
    unsigned nparams;           /* 1: the input; 3: the second and the third are the input */
    const LevelsSample *probes; /* that show what values nodes have */
    uint32_t n_probes;
    uint32_t compared; /* samples of each device's first chunk that are compared with battery_run */
    void (*parameters)(Ctx *ctx, const void *user, unsigned nparams, Val *params);
    /* Hears of every value that is compared; a difference is then no failure. NULL: nobody. */
    void (*compare)(void *user, uint32_t prim, bool same);
    void *user;
} LevelsSpec;

typedef struct LevelsAnswer {
    Val value;      /* failed, or the answer, if the host has it */
    uint64_t steps; /* as of battery_answer */
    int verdict;    /* LEVEL_RIGHT .. of kernels/levels.h; -1: judge the value */
    bool left;      /* not known: run the program alone */
} LevelsAnswer;

typedef struct Levels Levels;

bool levels_can_do(uint32_t prim); /* calls of the primitive, on devices */
Levels *levels_open(const LevelsSpec *spec, DeviceError *why);
uint32_t levels_chunk(const Levels *levels);
/* False: stopped, no memory, or a device failed, and the backend knows it: the samples are not done. */
bool levels_run(Levels *levels, const LevelsSample *samples, uint32_t n, const Stop *stop);
/* False, under BACKEND_AUTO only: the processor alone is faster, as the probes and the last chunk show.
 * `why`: what they show; empty under BACKEND_OPENCL, where nobody asks. */
bool levels_pays(const Levels *levels, char *why, size_t room);
LevelsAnswer levels_answer(const Levels *levels, uint32_t sample, int program);
/* Writes the cells of an answer that a device judged; from any thread. False: the device failed. */
bool levels_grid(Levels *levels, uint32_t sample, int program, Image *image, int8_t *cells);
void levels_close(Levels *levels); /* may be NULL */

#endif
