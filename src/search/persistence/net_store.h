/* Nets in a store: where a run goes on, and where it left off. */
#ifndef BATT_SEARCH_PERSISTENCE_NET_STORE_H
#define BATT_SEARCH_PERSISTENCE_NET_STORE_H

#include "data/store/store.h"
#include "search/net/net.h"

/* Makes the net what the store holds for this task and seed; false: there is none that fits, and it stays as
 * it is. */
bool net_store_load(Store *store, Net *net, const char *task, uint64_t seed);
/* False: it could not be kept; store_error says why. */
bool net_store_save(Store *store, const Net *net, const char *task, uint64_t seed);

#endif
