/* The table of what was seen; see seen.h. */
#include "search/schedule/seen.h"

#include "base/check.h"

#include <string.h>

bool seen_reserve(Seen *seen, Quota *quota) {
    enum { FIRST = 8192 };
    if (seen->count < seen->size / 2) {
        return true;
    }
    Seen larger = {.size = seen->size ? seen->size * 2 : FIRST, .count = seen->count};
    larger.slots = quota_grow(quota, NULL, larger.size, sizeof *larger.slots);
    if (larger.slots == NULL) {
        return false;
    }
    memset(larger.slots, 0, larger.size * sizeof *larger.slots);
    for (uint32_t k = 0; k < seen->size; k++) {
        if (seen->slots[k] != 0) {
            uint32_t at = seen_start(&larger, seen->slots[k]);
            while (larger.slots[at] != 0) {
                at = (at + 1) & (larger.size - 1);
            }
            larger.slots[at] = seen->slots[k];
        }
    }
    quota_free(quota, seen->slots);
    ASSERT((larger.size & (larger.size - 1)) == 0 && larger.count < larger.size / 2, "%u seen in %u places",
           larger.count, larger.size);
    *seen = larger;
    return true;
}

void seen_free(Seen *seen, Quota *quota) {
    quota_free(quota, seen->slots);
    *seen = (Seen){0};
}
