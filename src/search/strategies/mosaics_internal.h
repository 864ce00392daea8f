/* Learning mosaics: outputs made of one cutting of the input (mosaics_one.c), or of two (mosaics_join.c). */
#ifndef BATT_SEARCH_STRATEGIES_MOSAICS_INTERNAL_H
#define BATT_SEARCH_STRATEGIES_MOSAICS_INTERNAL_H

#include "engine/patterns/mosaic.h"
#include "search/strategies/cuttings.h"

typedef struct Mosaics {
    Search *search;
    Cuttings pool;
    uint32_t offers, intermediates;
    bool done;
} Mosaics;

bool mosaics_may_offer(Mosaics *m); /* counts an offer */
/* Offers the grid at `at` in the search's builder, for so many bits beside those of any mosaic. */
void mosaics_offer(Mosaics *m, Ref at, double cost);

/* Colors through a table. */
typedef struct MosaicMap {
    int8_t to[N_COLORS]; /* -1: not seen */
    uint32_t changed;
} MosaicMap;
/* Whether the turned grids become the outputs through one table. */
bool mosaics_learn_map(const SearchTask *task, const Val *grids, int turn, MosaicMap *map);
Ref mosaics_map_ref(Search *search, Ref at, const MosaicMap *map);
double mosaics_map_cost(const Search *search, const MosaicMap *map);

/* False: the time slice is over. */
bool mosaics_try_one(Mosaics *m, const Cutting *cutting);
bool mosaics_try_joins(Mosaics *m);

#endif
