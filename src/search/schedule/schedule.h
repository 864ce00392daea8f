/* The schedule, which decides what runs when: a queue of looks.
 *
 * A line is one part at one view of the task (search/schedule/arms.def), with a state that lives from look
 * to look. The next turn goes to the line with the smallest (time spent + time of its next look) / expected
 * gain; a look that was cut short comes back for twice as long. So breadth comes before depth, every line
 * gets its share of any budget however large, and a larger budget does not change the beginning. The best
 * bases (search/schedule/intermediates.h) become views of their own.
 *
 * A program that fits does not end the search; it limits how unpromising further looks may be. */
#ifndef BATT_SEARCH_SCHEDULE_SCHEDULE_H
#define BATT_SEARCH_SCHEDULE_SCHEDULE_H

#include "search/schedule/search.h"

/* Runs the parts that are not switched off until the budget ends, the search is to pause, or no look is worth
 * it. Called again, it goes on. */
void schedule_run(Search *search);
/* Closes the parts' states. */
void schedule_close(Search *search);
/* Notes how far each line has got, for a later search of the task; returns how many there are. */
uint32_t schedule_past(const Search *search, ArmPast *past);

#endif
