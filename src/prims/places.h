/* The places of packed keys in a grid of bytes, eight keys at a time.
 *
 * Whether a key lies in the grid, and where, is the same few operations for every key; with vectors of eight
 * they are made once for eight. Nearly always all eight lie inside, and whoever asked needs no test for each.
 */
#ifndef BATT_PRIMS_PLACES_H
#define BATT_PRIMS_PLACES_H

#include "prims/patchset.h"

#include <string.h>

enum { PLACES = 8 };
typedef uint32_t Places __attribute__((vector_size(PLACES * sizeof(uint32_t))));

/* Where the next eight keys lie in the cells of a grid; false: not all of them do. */
INLINE bool places_of(unsigned kind, const uint32_t *keys, Val grid, uint32_t *at) {
    KeyFields f = key_fields(kind);
    uint32_t h = grid.n, w = grid.w;
    Places key;
    memcpy(&key, keys, sizeof key);
    Places i = (key >> f.row & f.mask) - f.bias, j = (key >> f.col & f.mask) - f.bias, to = i * w + j;
    Places outside = (Places)(i >= h) | (Places)(j >= w);
    memcpy(at, &to, sizeof to);
    uint64_t any[sizeof outside / sizeof(uint64_t)];
    memcpy(any, &outside, sizeof any);
    return (any[0] | any[1] | any[2] | any[3]) == 0;
}

#endif
