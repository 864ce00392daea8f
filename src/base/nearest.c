/* Edit distance in which swapping two neighboring letters, a common typo, counts as one edit. */
#include "base/nearest.h"

#include <string.h>

enum { NEAREST_MAX = 40 }; /* longer names get no suggestion */

static size_t min_size(size_t a, size_t b) {
    return a < b ? a : b;
}

Nearest nearest_to(const char *text, size_t length) {
    size_t reach = length < 4 ? 1 : length < 8 ? 2 : 3;
    return (Nearest){text, length, NULL, reach + 1};
}

static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len) {
    size_t rows[3][NEAREST_MAX + 1], *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_len; j++) {
        above[j] = j;
    }
    for (size_t i = 1; i <= a_len; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            row[j] = min_size(above[j - 1] + (a[i - 1] != b[j - 1]), min_size(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = min_size(row[j], before[j - 2] + 1);
            }
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[b_len];
}

void nearest_offer(Nearest *nearest, const char *candidate) {
    size_t length = strlen(candidate);
    if (length > NEAREST_MAX || nearest->length > NEAREST_MAX || nearest->length == 0) {
        return;
    }
    size_t found = distance(nearest->text, nearest->length, candidate, length);
    if (found < nearest->distance && found < length) {
        nearest->distance = found;
        nearest->best = candidate;
    }
}
