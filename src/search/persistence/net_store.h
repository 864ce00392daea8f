/* Nets in a store, so that a run resumes where an earlier one stopped. */
#ifndef BATT_SEARCH_PERSISTENCE_NET_STORE_H
#define BATT_SEARCH_PERSISTENCE_NET_STORE_H

#include "data/store/store.h"
#include "search/net/net.h"

/* Loads what the store holds for this task and seed, if anything, into the net. False: it is damaged or of
 * another task, and the net is unchanged. */
bool net_store_load(Store *store, Net *net, const char *task, uint64_t seed);
/* False: it could not be kept; store_error says why. */
bool net_store_save(Store *store, const Net *net, const char *task, uint64_t seed);

#endif
