/* The identity of a program: what it computes from what.
 *
 * Each slot is hashed from the primitive's name and the hashes of its arguments, so names of variables,
 * spacing, the order of independent lines, unused lines and keywords do not count. Primitives count by name
 * and constants by their text, so a hash means the same in every build and can be stored. */
#ifndef BATT_LANG_HASH_H
#define BATT_LANG_HASH_H

#include "lang/program.h"

ProgHash prog_hash(const Program *program, ProgHash *scratch); /* scratch: prog_slots() places */
static inline bool prog_hash_eq(ProgHash a, ProgHash b) {
    return a.hi == b.hi && a.lo == b.lo;
}

#endif
