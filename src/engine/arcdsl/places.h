/* The places of packed keys in a grid of bytes or a window of bits, eight keys at a time.
 *
 * Finding out whether a key lies inside, and where, takes the same few operations for every key; with
 * vectors, once for eight keys. Nearly always all eight lie inside, and the caller needs no test for each.
 */
#ifndef BATT_ENGINE_ARCDSL_PLACES_H
#define BATT_ENGINE_ARCDSL_PLACES_H

#include "engine/arcdsl/packed_patch.h"

#include <string.h>

enum { PLACES = 8 };
typedef uint32_t Places __attribute__((vector_size(PLACES * sizeof(uint32_t))));

/* Where the next eight keys lie in a window of h x w places whose first one has the fields `up` and `back`,
 * counted along its rows; false: not all of them do. */
INLINE bool places_in(const uint32_t *keys, KeyFields f, uint32_t up, uint32_t back, uint32_t h, uint32_t w,
                      uint32_t *at) {
    Places key;
    memcpy(&key, keys, sizeof key);
    Places i = (key >> f.row & f.mask) - up, j = (key >> f.col & f.mask) - back, to = i * w + j;
    Places outside = (Places)(i >= h) | (Places)(j >= w);
    memcpy(at, &to, sizeof to);
    uint64_t any[sizeof outside / sizeof(uint64_t)];
    memcpy(any, &outside, sizeof any);
    return (any[0] | any[1] | any[2] | any[3]) == 0;
}

/* The same for the cells of a grid. */
INLINE bool places_of(unsigned kind, const uint32_t *keys, Val grid, uint32_t *at) {
    KeyFields f = key_fields(kind);
    return places_in(keys, f, f.bias, f.bias, grid.n, grid.w, at);
}

#endif
