/* Between search and the store: finished tasks are kept there, so that an interrupted run can resume. */
#ifndef BATT_SEARCH_PERSISTENCE_SOLVE_STORE_H
#define BATT_SEARCH_PERSISTENCE_SOLVE_STORE_H

#include "data/store/solver_file.h"
#include "search/session/session.h"
#include "search/strategies/library.h"

typedef struct SolveStore {
    const char *path;
    const Stop *stop; /* ends the opening of the store, which checks it; may be NULL */
    Session *session;
    char settings[256], data_hash[17]; /* runs that agree in both count as one run */
    Store *store;                      /* NULL: none was asked for */
    int64_t run;
    char *state; /* which tasks are done: one hex digit per four tasks */
    size_t n_resumed;
    const OwnPrims *own; /* primitives of one's own that are known; may be NULL */
    OwnLacking lacking;  /* programs of the store that use others, and are left alone */
    char error[STORE_ERROR_MAX];
    bool failed;
} SolveStore;

/* Sets what is kept and where; call it before opening the store. */
void solve_store_describe(SolveStore *keep, const char *path, Session *session, uint64_t data_hash,
                          bool own_vocabulary);
/* Opens the store and takes over the answers of an earlier run with the same settings on the same tasks.
 * False: error in keep. */
bool solve_store_open(SolveStore *keep, Ctx *ctx);
bool solve_store_load(SolveStore *keep, Library *library, Ctx *ctx); /* its programs into the library */
/* The library's programs from the store as bytes for other ranks, and back. */
bool solve_store_pack(SolveStore *keep, Out *out);
bool solve_store_unpack(Wire *wire, Library *library, Ctx *ctx); /* false: incomplete, or no memory */
void solve_store_task(SolveStore *keep, size_t item); /* keeps a finished task; one call at a time */
/* Nets of searches: the first loads what the store holds for the task and seed, if anything (false: it is
 * damaged or of another task); the
 * second saves a net, whether or not there is a program, so that a longer search resumes from it.
 * One call at a time. */
bool solve_store_resume_net(SolveStore *keep, struct Net *net, const char *task, uint64_t seed);
void solve_store_keep_net(SolveStore *keep, const struct Net *net, const char *task, uint64_t seed);
bool solve_store_close(SolveStore *keep); /* false: error in keep */

#endif
