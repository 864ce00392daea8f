/* A cache of the types of calls: direct-mapped, so it forgets, which only costs finding a type again. */
#ifndef BATT_SEARCH_EVOLUTION_MEMO_H
#define BATT_SEARCH_EVOLUTION_MEMO_H

#include "base/mix.h"
#include "engine/language/types.h"

#include <string.h>

enum { MEMO_ARGS = 4, MEMO_BITS = 12, MEMO_ROOM = 1 << MEMO_BITS };

typedef struct MemoKey {
    /* TypeId, or MEMO_PRIM and a primitive; also the number of arguments and the mode. Never 0. */
    uint32_t function;
    TypeId args[MEMO_ARGS];
} MemoKey;
#define MEMO_PRIM (1u << 30)
#define MEMO_BATT (1u << 29)
#define MEMO_USED (1u << 31)

typedef struct MemoEntry {
    MemoKey key;
    TypeId type;
} MemoEntry;

typedef struct TypeMemo {
    MemoEntry entries[MEMO_ROOM];
} TypeMemo;

/* The place for a call of at most MEMO_ARGS arguments; it holds that call if the keys are equal. */
static inline MemoEntry *memo_place(TypeMemo *memo, MemoKey key) {
    uint64_t h = key.function, factor = MIX_FACTOR;
    for (int k = 0; k < MEMO_ARGS; k++) { /* no term depends on the one before */
        h += (key.args[k] + 1) * (factor << 8 * k | 1);
    }
    return &memo->entries[h * factor >> (64 - MEMO_BITS)];
}

static inline bool memo_knows(const MemoEntry *entry, const MemoKey *key) {
    return memcmp(&entry->key, key, sizeof *key) == 0;
}

#endif
