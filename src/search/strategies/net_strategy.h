/* The net strategy; see net_strategy.c. */
#ifndef BATT_SEARCH_STRATEGIES_NET_STRATEGY_H
#define BATT_SEARCH_STRATEGIES_NET_STRATEGY_H

#include "search/schedule/search.h"

/* How long its first time slice should be; 0: there is no net for the task, or no time for one. */
double strategy_net_slice_ms(const Search *search);
/* Whether the programs found so far leave something to say: none fits, or the best ones that do are as good
 * as each other. */
bool strategy_net_needed(Search *search);
/* Asks the net, if there is one, how likely the answers of all candidates are. */
void strategy_net_weigh(Search *search);

#endif
