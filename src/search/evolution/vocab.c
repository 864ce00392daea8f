/* Filling a vocabulary; see vocab.h. */
#include "search/evolution/vocab.h"

#include "base/check.h"

#include <string.h>

enum { PLAIN = 2 };

static const struct {
    uint16_t prim;
    uint8_t weight;
} weights[] = {
#define WEIGHT(name, n) {P_##name, n},
#include "search/evolution/weights.def"
#undef WEIGHT
};

static bool listed(uint32_t prim, unsigned *weight) {
    for (size_t k = 0; k < sizeof weights / sizeof *weights; k++) {
        if (weights[k].prim == prim) {
            *weight = weights[k].weight;
            return true;
        }
    }
    return false;
}

static unsigned vocab_weight(uint32_t prim) {
    unsigned weight = PLAIN;
    const char *name = prim_table[prim].name;
    size_t length = strlen(name);
    if (!listed(prim, &weight) && length > 2 && name[length - 2] == '_') {
        int base = prim_find(name, length - 2);
        if (base >= 0 && listed((uint32_t)base, &weight)) {
            weight = (weight + 1) / 2;
        }
    }
    return weight;
}

void vocab_fill(Vocab *v, Mode mode) {
    unsigned not_ours = PRIM_OURS | (mode == MODE_CORE ? PRIM_DIALECT : PRIM_CORE_ONLY);
    *v = (Vocab){.mode = mode};
    for (uint32_t arity = 1; arity < VOCAB_ARITIES; arity++) {
        v->firsts[arity] = v->total;
        for (uint32_t prim = 0; prim < PRIM_COUNT; prim++) {
            const PrimInfo *info = &prim_table[prim];
            v->allowed[prim] = (info->flags & not_ours) == 0;
            if (info->arity != arity || !v->allowed[prim] || (info->flags & PRIM_CLOSURE)) {
                continue;
            }
            v->weights[prim] = (uint8_t)vocab_weight(prim);
            for (unsigned k = v->weights[prim]; k > 0 && v->total < VOCAB_ROOM; k--) {
                v->draws[v->total++] = (uint16_t)prim;
            }
        }
        v->counts[arity] = v->total - v->firsts[arity];
        ASSERT(v->total <= VOCAB_ROOM && v->counts[arity] > 0, "arity %u: %u of %u draws", arity,
               v->counts[arity], v->total);
    }
}
