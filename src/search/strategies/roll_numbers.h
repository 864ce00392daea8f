/* Numbers that an input gives, as programs: where a color lies, what may be counted, and small constants.
 * Whoever knows which numbers the pairs ask for looks for one here that is right on all of them. */
#ifndef BATT_SEARCH_ROLL_NUMBERS_H
#define BATT_SEARCH_ROLL_NUMBERS_H

#include "search/schedule/search.h"

enum { ROLL_NUMBERS_MOST = 512 };

typedef struct RollNumber {
    uint8_t kind;   /* of roll_numbers.c */
    int8_t what;    /* a constant, a side or a number of grids */
    int8_t color;   /* whose place it is; -1: the least frequent one */
    int8_t plus;    /* added to it */
    bool minus;     /* then its sign is changed */
    double cost;    /* bits */
    int32_t *value; /* by sample, tests included */
} RollNumber;

typedef struct RollNumbers {
    RollNumber all[ROLL_NUMBERS_MOST]; /* cheapest first; no two have the same values */
    uint32_t count;
} RollNumbers;

/* Values are in the search's context. False: there is no room. */
bool roll_numbers_find(Search *search, RollNumbers *numbers);
/* Whether both are places of one color. */
bool roll_numbers_alike(const RollNumber *a, const RollNumber *b);
Ref roll_number_ref(Builder *b, const RollNumber *number);

#endif
