/* What pattern_adorn and the search for its rules share. */
#ifndef BATT_ENGINE_PATTERNS_DECORATE_H
#define BATT_ENGINE_PATTERNS_DECORATE_H

#include "engine/features/grid_analysis.h"

enum {
    DECORATE_MAX_RULES = 8,
    DECORATE_MAX_SIDE = 15,
    DECORATE_MAX_CELLS = DECORATE_MAX_SIDE * DECORATE_MAX_SIDE
};
enum { DECORATE_TURNS = 8, DECORATE_MAX_SCALE = 4, DECORATE_SEGMENTATIONS = 3 };
enum { DECORATE_ANY = -1, DECORATE_COLOR = N_COLORS }; /* in rules: nothing; the color of the object */
/* How: which turns, whether objects may be enlarged, and whether only background is painted. */
enum { DECORATE_TURNINGS = 3, DECORATE_SCALED = 3, DECORATE_UNDER = 6, DECORATE_MODES = 12 };

/* How many turns, as numbered by stamp_turn, a `how` allows. */
static inline int32_t decorate_turns(int64_t how) {
    return how % DECORATE_TURNINGS == 0 ? 1 : how % DECORATE_TURNINGS == 1 ? 4 : DECORATE_TURNS;
}
static inline bool decorate_scaled(int64_t how) {
    return how % DECORATE_UNDER >= DECORATE_SCALED;
}
static inline bool decorate_under(int64_t how) {
    return how >= DECORATE_UNDER;
}

/* Numbers the objects of a way; other cells get -1. Returns how many there are. */
int32_t decorate_label(const GridAnalysis *b, int segmentation, int16_t *label);

#endif
