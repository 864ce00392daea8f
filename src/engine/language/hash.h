/* The identity of a program: a hash of what it computes.
 *
 * Each slot is hashed from the primitive's name and the hashes of its arguments, so names of variables,
 * spacing, the order of independent lines, unused lines and keywords do not count. Primitives count by name
 * and constants by their text, so a hash means the same in every build and can be stored. A primitive of
 * one's own counts by its name, too, whether or not this process has it. */
#ifndef BATT_ENGINE_LANGUAGE_HASH_H
#define BATT_ENGINE_LANGUAGE_HASH_H

#include "engine/language/program.h"

/* hashes: scratch for the hashes of all slots, prog_slots() of them. */
ProgHash prog_hash(const Program *p, ProgHash *hashes);
/* The hash of a program whose result has this hash, as prog_hash fills them in. */
ProgHash prog_hash_of_slot(ProgHash slot, Mode mode);
static inline bool prog_hash_eq(ProgHash a, ProgHash b) {
    return a.hi == b.hi && a.lo == b.lo;
}

#endif
