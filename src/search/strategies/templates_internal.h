/* What the files of the templates part share. */
#ifndef BATT_SEARCH_STRATEGIES_TEMPLATES_INTERNAL_H
#define BATT_SEARCH_STRATEGIES_TEMPLATES_INTERNAL_H

#include "search/schedule/search.h"

/* Looks for rules of pattern_adorn, and offers programs that fit. */
void templates_decorate(Search *search);

#endif
