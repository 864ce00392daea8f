/* The places of the bits that are set in a word, eight columns at a time: a table says where they are in a
 * byte, and all eight are written, whether there or not. */
#ifndef BATT_ENGINE_VALUE_BIT_POSITIONS_H
#define BATT_ENGINE_VALUE_BIT_POSITIONS_H

#include "engine/value/ctx.h"

#include <string.h>

enum { BIT_POSITIONS_SPARE = 8 }; /* numbers that may be overwritten after the last one */

extern const uint8_t bit_positions[256][8]; /* in order, then zeros */

/* Writes `base` plus the number of every bit that is set; returns the end. */
INLINE uint32_t *bit_positions_write(uint64_t bits, uint32_t base, uint32_t *to) {
    while (bits != 0) {
        unsigned zeros = (unsigned)__builtin_ctzll(bits) & 0x38;
        bits >>= zeros;
        base += zeros;
        uint8_t places[8]; /* a copy, which `to` cannot overlap: so all eight are made at once */
        memcpy(places, bit_positions[bits & 255], sizeof places);
        for (uint32_t k = 0; k < 8; k++) {
            to[k] = base + places[k];
        }
        to += __builtin_popcountll(bits & 255);
        bits >>= 8;
        base += 8;
    }
    return to;
}

#endif
