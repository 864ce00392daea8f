/* Many synthetic tasks at once: which family and seed the k-th one has, so that no two share an id. */
#ifndef BATT_DATA_SYNTH_SYNTH_BATCH_H
#define BATT_DATA_SYNTH_SYNTH_BATCH_H

#include "base/hash_map.h"
#include "data/synth/synth.h"

typedef struct SynthBatch {
    const SynthFamily *const *families; /* borrowed; taken in turn */
    size_t n_families;
    uint64_t seed;
    size_t next;
    HashMap used; /* ids so far, each its own hash */
} SynthBatch;

/* False: out of memory. */
bool synth_batch_open(SynthBatch *batch, const SynthFamily *const *families, size_t n_families, uint64_t seed,
                      size_t n_tasks);
void synth_batch_close(SynthBatch *batch);

/* The next of the n_tasks. The j-th task of a family does not depend on the other families (unless ids
 * collide, which happens about once in 100,000 tasks). */
const SynthFamily *synth_batch_next(SynthBatch *batch, uint64_t *seed);

#endif
