/* The net part; see part_net.c. */
#ifndef BATT_SEARCH_PART_NET_H
#define BATT_SEARCH_PART_NET_H

#include "search/schedule/search.h"

/* How long its first look should be; 0: there is no net for the task, or no time for one. */
double part_net_look_ms(const Search *search);
/* Whether the programs found so far leave something to say: none fits, or the best ones that do are as good
 * as each other. */
bool part_net_needed(Search *search);
/* Asks the net, if there is one, how likely the answers of all candidates are. */
void part_net_weigh(Search *search);

#endif
