/* Numbers that programs can compute from an input: where a color lies, what can be counted, and
 * small constants. A learner that knows which number each pair needs searches this list for one
 * that is right on all pairs. */
#ifndef BATT_SEARCH_STRATEGIES_CSHIFT_NUMBERS_H
#define BATT_SEARCH_STRATEGIES_CSHIFT_NUMBERS_H

#include "search/schedule/search.h"

enum { CSHIFT_NUMBERS_MAX = 512 };

typedef struct CShiftNumber {
    uint8_t kind;   /* of cshift_numbers.c */
    int8_t what;    /* a constant, a side or a number of grids */
    int8_t color;   /* whose place it is; -1: the least frequent one */
    int8_t plus;    /* added to it */
    bool minus;     /* then its sign is changed */
    double cost;    /* bits */
    int32_t *value; /* by sample, tests included */
} CShiftNumber;

typedef struct CShiftNumbers {
    CShiftNumber all[CSHIFT_NUMBERS_MAX]; /* cheapest first; no two have the same values */
    uint32_t count;
} CShiftNumbers;

/* Values are in the search's context. False: there is no room. */
bool cshift_numbers_find(Search *search, CShiftNumbers *numbers);
/* Whether both are places of one color. */
bool cshift_numbers_alike(const CShiftNumber *a, const CShiftNumber *b);
Ref cshift_number_ref(Builder *b, const CShiftNumber *number);

#endif
