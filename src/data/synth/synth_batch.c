/* Takes families in turn and skips seeds whose ids collide; see synth_batch.h. */
#include "data/synth/synth_batch.h"

#include "base/alloc.h"

#include <stdlib.h>

bool synth_batch_open(SynthBatch *batch, const SynthFamily *const *families, size_t n_families, uint64_t seed,
                      size_t n_tasks) {
    size_t room = 16;
    while (room < n_tasks * 2) {
        room *= 2;
    }
    *batch = (SynthBatch){.families = families, .n_families = n_families, .seed = seed, .mask = room - 1};
    batch->used = mem_zalloc(room, sizeof *batch->used);
    return batch->used != NULL;
}

void synth_batch_close(SynthBatch *batch) {
    mem_free(batch->used);
    *batch = (SynthBatch){0};
}

static bool claim(SynthBatch *batch, uint32_t id) {
    for (size_t at = id & batch->mask;; at = (at + 1) & batch->mask) {
        if (batch->used[at] == 0) {
            batch->used[at] = id;
            return true;
        }
        if (batch->used[at] == id) {
            return false;
        }
    }
}

const SynthFamily *synth_batch_next(SynthBatch *batch, uint64_t *seed) {
    const SynthFamily *family = batch->families[batch->next % batch->n_families];
    uint64_t number = batch->next++ / batch->n_families;
    for (uint64_t attempt = 0;; attempt++) {
        char id[SYNTH_ID_BYTES];
        *seed = batch->seed * 0x9E3779B97F4A7C15u + number + (attempt << 40);
        synth_id(id, family, *seed);
        uint32_t key = (uint32_t)strtoul(id, NULL, 16);
        if (key != 0 && claim(batch, key)) {
            return family;
        }
    }
}
