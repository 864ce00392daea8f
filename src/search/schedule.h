/* What runs when: a queue of looks.
 *
 * A line is one part at one view of the task (search/looks.def), with a state that lives from look to look.
 * Of all lines the one with the least (time spent + time of its next look) / expected gain has its turn; a
 * look that was cut short comes back for twice as long. So breadth comes before depth, every line gets its
 * share of any budget however large, and a larger budget leaves the beginning as it is. The best grids that
 * were made on the way (search/bases.h) become views of their own.
 *
 * A program that fits does not end the search: it bounds how unpromising a look may be that is still taken.
 */
#ifndef BATT_SEARCH_SCHEDULE_H
#define BATT_SEARCH_SCHEDULE_H

#include "search/search.h"

/* Run the parts that are not switched off until the budget ends. */
void schedule_run(Search *search);
/* Closes the parts' states. */
void schedule_close(Search *search);
/* What was done of the lines, for a later search of the task; how many. */
uint32_t schedule_past(const Search *search, LookPast *past);

#endif
