/* Between evolution and the store: saves what each generation found, and what is needed to resume after it.
 *
 * Rows and state are saved together: the store holds them back until half a second has passed, and then
 * commits whole generations. So an interrupted run resumes exactly at its last commit.
 *
 * What solvers score goes into results, what differs score into records. */
#ifndef BATT_SEARCH_PERSISTENCE_EVOLVE_STORE_H
#define BATT_SEARCH_PERSISTENCE_EVOLVE_STORE_H

#include "data/store/solver_file.h"
#include "search/evolution/evolve.h"

typedef struct EvolveStore {
    Store *store;
    int64_t run;
    uint64_t saved_ns; /* time of the last commit */
    Out scratch;
    char settings[512]; /* JSON: everything that affects results, apart from the data */
    char data_hash[17];
    bool resumed;
    const OwnPrims *own; /* primitives of one's own that are known; may be NULL */
    OwnLacking lacking;  /* programs of the store that use others, and are left alone */
    char error[STORE_ERROR_MAX];
} EvolveStore;

/* `stop` (may be NULL) ends the opening, which checks the file. */
bool evolve_store_open(EvolveStore *link, const char *path, const char *settings, uint64_t data_hash,
                       const Stop *stop);
/* Restores the populations of the last run with these settings and data. False: `error` says why. *found:
 * there was a run that can be resumed; if there was one that cannot, `note` says why. */
bool evolve_store_resume(EvolveStore *link, Evolve *evolve, bool *found, char *note, size_t note_size);
/* Makes the best programs (or differs, if those are bred) that the store has for the tasks founders. */
bool evolve_store_founders(EvolveStore *link, Evolve *evolve, size_t *count);
bool evolve_store_begin(EvolveStore *link, uint64_t seed);
/* Stores the members that the last generation added. Commits if it is time to, or if `now`. */
bool evolve_store_save(EvolveStore *link, const Evolve *evolve, bool now);
bool evolve_store_close(EvolveStore *link, const Evolve *evolve, const char *figures);

#endif
