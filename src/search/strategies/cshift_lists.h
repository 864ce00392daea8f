/* Rows or columns that take the numbers of a short list in turn, as waves do: every line says how far it
 * went, and lines that take the same number must agree. */
#ifndef BATT_SEARCH_STRATEGIES_CSHIFT_LISTS_H
#define BATT_SEARCH_STRATEGIES_CSHIFT_LISTS_H

#include "search/schedule/search.h"

/* Offers programs with such lists; outputs have the sizes of their inputs, and all grids are small
 * enough for a GridAnalysis. */
void cshift_try_lists(Search *search);

#endif
