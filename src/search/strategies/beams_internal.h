/* Learning a rule over beams (engine/patterns/beams.h): which beams are drawn, and what a beam does
 * at what it meets.
 *
 * Every act is tried on every beam of the training pairs: does the output have one color along it?
 * Changed cells that only one beam can paint must be painted by it. From there on beams are items
 * like any other (items.h). Where beams explain only some of the changed cells, what they draw
 * becomes an intermediate grid for other strategies. */
#ifndef BATT_SEARCH_STRATEGIES_BEAMS_INTERNAL_H
#define BATT_SEARCH_STRATEGIES_BEAMS_INTERNAL_H

#include "engine/patterns/beams.h"
#include "search/learning/items.h"

enum { BEAMS_MAX = 6000, BEAMS_MAX_ACTS = 1024 };

typedef struct BeamSearch {
    Search *search;
    int background;
    const Beams *of[SEARCH_MAX_SAMPLES];
    uint32_t first[SEARCH_MAX_SAMPLES + 1]; /* beam of each sample; those of the training pairs come first */
    uint32_t n, n_train;
    uint8_t *sample;              /* by beam */
    BeamAct acts[BEAMS_MAX_ACTS]; /* without colors; the first one draws nothing */
    ItemAct prices[BEAMS_MAX_ACTS];
    bool useful[BEAMS_MAX_ACTS]; /* it paints something right in a way that the plain one does not */
    uint32_t n_acts;
    int8_t *want; /* as in Items */
    uint16_t *covers;
    uint8_t *must, *kept;
    int16_t *coverer[SEARCH_MAX_SAMPLES];       /* by cell: the only beam that can paint it, or NEED_.. */
    uint32_t first_changed[SEARCH_MAX_SAMPLES]; /* of each pair, among all changed cells */
    uint16_t *change[SEARCH_MAX_SAMPLES];       /* by cell: its number among the changed ones of the pair */
    uint64_t *reach;
    uint32_t reach_words;
    uint32_t needs, unmet; /* changed cells that beams can paint, and those that none can */
    BeamPath *path;
    Items items;
} BeamSearch;

enum { NEED_NOT = -3, NEED_OPEN = -2, NEED_MANY = -1 };

bool beams_list_acts(BeamSearch *b); /* and what each would do */

#endif
