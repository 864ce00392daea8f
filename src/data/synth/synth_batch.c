/* Takes families in turn and skips seeds whose ids collide; see synth_batch.h. */
#include "data/synth/synth_batch.h"

#include "base/mix.h"

#include <stdlib.h>

bool synth_batch_open(SynthBatch *batch, const SynthFamily *const *families, size_t n_families, uint64_t seed,
                      size_t n_tasks) {
    *batch = (SynthBatch){.families = families, .n_families = n_families, .seed = seed};
    return n_tasks < UINT32_MAX && map_reserve(&batch->used, (uint32_t)n_tasks, 16);
}

void synth_batch_close(SynthBatch *batch) {
    map_free(&batch->used);
    *batch = (SynthBatch){0};
}

static bool claim(SynthBatch *batch, uint32_t id) {
    uint64_t hash = map_hash32(id);
    uint32_t at = map_start(&batch->used, hash);
    if (map_next(&batch->used, hash, &at) != MAP_NONE) {
        return false;
    }
    map_put(&batch->used, hash, at, 0);
    return true;
}

const SynthFamily *synth_batch_next(SynthBatch *batch, uint64_t *seed) {
    const SynthFamily *family = batch->families[batch->next % batch->n_families];
    uint64_t number = batch->next++ / batch->n_families;
    for (uint64_t attempt = 0;; attempt++) {
        char id[SYNTH_ID_BYTES];
        *seed = batch->seed * MIX_FACTOR + number + (attempt << 40);
        synth_id(id, family, *seed);
        uint32_t key = (uint32_t)strtoul(id, NULL, 16);
        if (key != 0 && claim(batch, key)) {
            return family;
        }
    }
}
