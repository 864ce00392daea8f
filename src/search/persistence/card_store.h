/* Cards in a store: a card that was made of the same sources with the same options is not made again. Each is
 * kept as a finished run, its options as the settings and its text as the state. */
#ifndef BATT_SEARCH_PERSISTENCE_CARD_STORE_H
#define BATT_SEARCH_PERSISTENCE_CARD_STORE_H

#include "data/store/store.h"

/* Appends the text of the newest card with these settings. False: store_error says why. */
bool card_store_find(Store *store, const char *settings, Out *text, bool *found);
/* Keeps a card. One that is too long for the store is not kept, which only means that it is made again:
 * *kept says so. False: store_error says why. */
bool card_store_keep(Store *store, const char *settings, const char *sources, uint64_t seed, const Out *text,
                     bool *kept);

#endif
