/* The bytes of messages: a sequence of little-endian numbers, and of texts preceded by their length.
 *
 * Writing appends to an Out. Reading trusts nothing: every read is checked against the end, and after one
 * fails all others give zero. So a reader need not check each read, but asks once, at the end, whether
 * everything was there. */
#ifndef BATT_BACKENDS_RANKS_WIRE_H
#define BATT_BACKENDS_RANKS_WIRE_H

#include "base/out.h"

#include <stdint.h>

void wire_u8(Out *out, uint8_t n);
void wire_u32(Out *out, uint32_t n);
void wire_u64(Out *out, uint64_t n);
void wire_double(Out *out, double x);
void wire_block(Out *out, const void *bytes, size_t length); /* length first */
void wire_text(Out *out, const char *text);

typedef struct Wire {
    const uint8_t *at, *end;
    bool bad; /* something was missing or invalid */
} Wire;

static inline Wire wire_of(const void *bytes, size_t length) {
    return (Wire){.at = bytes, .end = length > 0 ? (const uint8_t *)bytes + length : bytes};
}

uint8_t wire_get_u8(Wire *wire);
uint32_t wire_get_u32(Wire *wire);
uint64_t wire_get_u64(Wire *wire);
double wire_get_double(Wire *wire);
/* The number, or 0 and bad if it is above `max`. */
uint32_t wire_get_below(Wire *wire, uint32_t max);
/* A count of things that take at least `each` bytes; bad if the rest of the message cannot hold that many. */
uint32_t wire_get_count(Wire *wire, size_t each);
bool wire_get_bool(Wire *wire);
/* Pointers to bytes inside the message; NULL only if bad. */
const void *wire_get_block(Wire *wire, size_t *length);
const void *wire_get_bytes(Wire *wire, size_t length);
/* Whether everything was there and nothing is left over. */
bool wire_ends(const Wire *wire);

#endif
