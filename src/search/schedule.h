/* What runs when. */
#ifndef BATT_SEARCH_SCHEDULE_H
#define BATT_SEARCH_SCHEDULE_H

#include "search/search.h"

/* Run the parts that are not switched off until the budget ends. */
void schedule_run(Search *search);

#endif
