/* What pattern_adorn and the search for its rules share. */
#ifndef BATT_PATTERNS_ADORN_H
#define BATT_PATTERNS_ADORN_H

#include "engine/features/board.h"

enum { ADORN_MOST_RULES = 8, ADORN_MOST_SIDE = 15, ADORN_MOST_CELLS = ADORN_MOST_SIDE * ADORN_MOST_SIDE };
enum { ADORN_TURNS = 8, ADORN_MOST_SCALE = 4, ADORN_WAYS = 3 };
enum { ADORN_ANY = -1, ADORN_COLOR = BOARD_COLORS }; /* in rules: nothing; the color of the object */
/* How: which turns, whether objects may be enlarged, and whether only ground is painted. */
enum { ADORN_TURNINGS = 3, ADORN_SCALED = 3, ADORN_UNDER = 6, ADORN_HOWS = 12 };

/* How many turns, as numbered by stamp_turn, a `how` allows. */
static inline int32_t adorn_turns(int64_t how) {
    return how % ADORN_TURNINGS == 0 ? 1 : how % ADORN_TURNINGS == 1 ? 4 : ADORN_TURNS;
}
static inline bool adorn_scaled(int64_t how) {
    return how % ADORN_UNDER >= ADORN_SCALED;
}
static inline bool adorn_under(int64_t how) {
    return how >= ADORN_UNDER;
}

/* Numbers the objects of a way; other cells get -1. Returns how many there are. */
int32_t adorn_label(const Board *b, int way, int16_t *label);

#endif
