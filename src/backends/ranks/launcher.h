/* Whether a launcher (mpirun, srun) started us as one of several ranks, and the plugin that reaches the
 * others. This only reads some environment variables; nothing is loaded if there is one rank. */
#ifndef BATT_BACKENDS_RANKS_LAUNCHER_H
#define BATT_BACKENDS_RANKS_LAUNCHER_H

#include "backends/ranks/transport.h"

#include <stdint.h>

typedef struct Launcher {
    const char *name; /* the variable that says so; NULL: no launcher */
    uint32_t ranks;   /* 0: the launcher does not say */
} Launcher;

/* BATT_RANKS=0 in the environment means no launcher, whatever other variables say. */
Launcher launcher_look(void);
/* Loads the plugin from beside the binary, or from ../lib/batt relative to it. NULL: `why` says what is
 * missing and what to do. */
const RanksTransport *launcher_transport(char why[RANKS_WHY_BYTES]);

#endif
