/* The net part; see part_net.c. */
#ifndef BATT_SEARCH_PART_NET_H
#define BATT_SEARCH_PART_NET_H

#include "search/search.h"

/* Milliseconds of the budget that are held back for a net; 0: there will be none. */
double part_net_time(Search *search);
/* Whether the programs found so far leave something to say: none fits, or the best ones that do are as good
 * as each other. */
bool part_net_needed(Search *search);

#endif
