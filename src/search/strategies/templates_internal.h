/* Shared by the files of the templates strategy. */
#ifndef BATT_SEARCH_STRATEGIES_TEMPLATES_INTERNAL_H
#define BATT_SEARCH_STRATEGIES_TEMPLATES_INTERNAL_H

#include "search/schedule/search.h"

/* Searches for rules of pattern_adorn, and offers programs that fit. */
void templates_decorate(Search *search);

#endif
