/* Stores of islands: each rank has a file of its own on its own machine, because SQLite must not be shared
 * over a network; now and then its bytes go to rank 0, which merges them into its store. */
#ifndef BATT_SEARCH_PERSISTENCE_ISLAND_STORE_H
#define BATT_SEARCH_PERSISTENCE_ISLAND_STORE_H

#include "backends/ranks/ranks.h"
#include "data/store/store.h"

enum { ISLAND_PATH_BYTES = 4096, ISLAND_MAX = 4096 };

/* The file of a rank: the path itself for rank 0, with ".rankK" appended for others. False: too long. */
bool island_store_path(char path[ISLAND_PATH_BYTES], const char *store, unsigned rank);
/* Merges the files beside `path` that ranks from `ranks` on have left: those of an earlier run with
 * more ranks, which no rank resumes. False: see `why`. */
bool island_store_adopt(Store *into, const char *path, unsigned ranks, char why[STORE_ERROR_MAX]);
/* Sends the store to rank 0, as RANKS_STORE or RANKS_STORE_LAST. False: it cannot be read, or is too large
 * for a message. */
bool island_store_send(Ranks *ranks, RanksTag tag, Store *store);
/* Receives the store of `rank` and merges it into `into`, through a file beside `path`. False: see `why`. */
bool island_store_take(Ranks *ranks, unsigned rank, RanksTag tag, Store *into, const char *path,
                       char why[STORE_ERROR_MAX]);

#endif
