/* Which values were seen already: an open-addressing hash table from hashes to item numbers.
 *
 * The items themselves belong to the caller, which gives each a hash and decides which of those with the same
 * hash is meant. A slot holds half of the hash beside the number, so that most others are skipped without
 * looking at the items. */
#ifndef BATT_SEARCH_SCHEDULE_SEEN_H
#define BATT_SEARCH_SCHEDULE_SEEN_H

#include "search/schedule/quota.h"

enum { SEEN_NOT = 0xffffffffu };

typedef struct Seen {
    uint64_t *slots; /* number + 1 in the lower half; 0: free */
    uint32_t size, count;
} Seen;

/* Makes room for one more; false: no memory. To be called before a walk that may end in seen_put. */
bool seen_reserve(Seen *seen, Quota *quota);
void seen_free(Seen *seen, Quota *quota);

/* A walk over the items that may have this hash:
 *     for (uint32_t at = seen_start(s, hash), k; (k = seen_next(s, hash, &at)) != SEEN_NOT;) ...
 * When it is over, slot `at` is free for seen_put. */
static inline uint32_t seen_start(const Seen *seen, uint64_t hash) {
    return (uint32_t)(hash >> 32) & (seen->size - 1);
}

static inline uint32_t seen_next(const Seen *seen, uint64_t hash, uint32_t *at) {
    for (;;) {
        uint64_t slot = seen->slots[*at];
        if (slot == 0) {
            return SEEN_NOT;
        }
        *at = (*at + 1) & (seen->size - 1);
        if (slot >> 32 == hash >> 32) {
            return (uint32_t)slot - 1;
        }
    }
}

static inline void seen_put(Seen *seen, uint64_t hash, uint32_t at, uint32_t number) {
    seen->slots[at] = (hash >> 32 << 32) | (number + 1);
    seen->count++;
}

#endif
