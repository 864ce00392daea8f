/* The primitives that mutation draws from: those of a mode, by weight (weights.def). Immutable once
 * filled. */
#ifndef BATT_SEARCH_EVOLUTION_VOCAB_H
#define BATT_SEARCH_EVOLUTION_VOCAB_H

#include "base/rng.h"
#include "engine/primitives/prim.h"

enum { VOCAB_ROOM = 8192, VOCAB_ARITIES = 5 };

typedef struct Vocab {
    Mode mode;
    bool allowed[PRIM_COUNT]; /* names of the mode: programs in core mode run wherever arc-dsl does */
    uint32_t counts[VOCAB_ARITIES], firsts[VOCAB_ARITIES], total;
    uint8_t weights[PRIM_COUNT]; /* 0: never drawn */
    uint16_t draws[VOCAB_ROOM];  /* by arity, each primitive as often as its weight says */
} Vocab;

void vocab_fill(Vocab *vocab, Mode mode);

/* Draws a primitive of one arity (calls only: none that makes closures). PRIM_COUNT: there is none. */
static inline uint32_t vocab_draw_arity(const Vocab *vocab, Rng *rng, uint32_t arity) {
    return arity >= VOCAB_ARITIES || vocab->counts[arity] == 0
               ? PRIM_COUNT
               : vocab->draws[vocab->firsts[arity] + rng_below(rng, vocab->counts[arity])];
}

#endif
