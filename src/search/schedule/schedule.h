/* The schedule, which decides what runs when: a queue of slices.
 *
 * An arm is one strategy on one view of the task (search/schedule/arms.def), with a state that lives from
 * slice to slice. The next turn goes to the arm with the smallest (time spent + time of its next slice) /
 * expected gain; a slice that was cut short comes back for twice as long. So breadth comes before depth,
 * every arm gets its share of any budget however large, and a larger budget does not change the beginning.
 * The best intermediates (search/schedule/intermediates.h) become views of their own.
 *
 * A program that fits does not end the search; it limits how unpromising further slices may be. */
#ifndef BATT_SEARCH_SCHEDULE_SCHEDULE_H
#define BATT_SEARCH_SCHEDULE_SCHEDULE_H

#include "search/schedule/search_state.h"

/* Runs the strategies that are not switched off until the budget ends, the search is to pause, or no slice is
 * worth it. Called again, it goes on. */
void schedule_run(Search *search);
/* Lets the strategies that rate candidates do so. */
void schedule_weigh(Search *search);
/* Closes the strategies' states. */
void schedule_close(Search *search);
/* Notes how far each arm has got, for a later search of the task; returns how many there are. */
uint32_t schedule_past(const Search *search, ArmPast *past);

#endif
