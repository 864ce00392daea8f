/* "did you mean": the known name closest to a misspelt one.
 *
 * Offer every candidate; `best` is then the closest, or NULL if none is near enough to be helpful. */
#ifndef BATT_BASE_NEAREST_H
#define BATT_BASE_NEAREST_H

#include <stddef.h>

typedef struct Nearest {
    const char *text;
    size_t length;
    const char *best;
    size_t distance; /* of the best so far; candidates must be closer than this */
} Nearest;

Nearest nearest_to(const char *text, size_t length);
void nearest_offer(Nearest *nearest, const char *candidate);

#endif
