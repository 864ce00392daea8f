/* Between evolution and the store: what a generation found, and what going on after it needs.
 *
 * Rows and state are saved together: the store holds them back until half a second has gone by, and then
 * commits whole generations. So an interrupted run goes on exactly where the last commit was. */
#ifndef BATT_STORE_EVOLVE_STORE_H
#define BATT_STORE_EVOLVE_STORE_H

#include "evolve/evolve.h"
#include "store/store.h"

typedef struct EvolveStore {
    Store *store;
    int64_t run;
    uint64_t saved_ns; /* when the last commit was */
    Out scratch;
    char settings[512]; /* JSON: what decides about results, apart from the data */
    char data_hash[17];
    bool resumed;
    char error[STORE_ERROR_MAX];
} EvolveStore;

bool evolve_store_open(EvolveStore *link, const char *path, const char *settings, uint64_t data_hash);
/* Puts the populations of the last run with these settings and data back. False: `error` says why. *found:
 * there was one that can be gone on with; `note` says why not, if there was one. */
bool evolve_store_resume(EvolveStore *link, Evolve *evolve, bool *found, char *note, size_t note_size);
/* The best programs that the store has for the tasks become founders. */
bool evolve_store_founders(EvolveStore *link, Evolve *evolve, size_t *count);
bool evolve_store_begin(EvolveStore *link, uint64_t seed);
/* What came in with the last generation. Commits if it is time, or if `now`. */
bool evolve_store_save(EvolveStore *link, const Evolve *evolve, bool now);
bool evolve_store_close(EvolveStore *link, const Evolve *evolve, const char *figures);

#endif
