/* Counting equal values with a hash table, or by linear search while there are few. The table is its own, not
 * one of base/hash_map.h: each probe is a step that is charged, so its layout is part of what programs cost.
 */
#include "engine/arcdsl/tally.h"

#include "base/mix.h"

#include <string.h>

enum { FEW = TALLY_ROWS };

Reason tally_open(Ctx *ctx, Tally *t, uint32_t room) {
    *t = (Tally){.room = room};
    t->items = val_buffer(ctx, room);
    t->counts = key_buffer(ctx, room);
    if (t->items == NULL || t->counts == NULL) {
        return room > LIMIT_ELEMENTS ? FAIL_LIMIT : (Reason)val_fail_budget(ctx).w;
    }
    if (room > FEW) {
        uint32_t size = 2u << (32 - __builtin_clz(room));
        t->slots = ctx_alloc(ctx, size * sizeof *t->slots);
        if (t->slots == NULL || !ctx_clear(ctx, t->slots, size * sizeof *t->slots)) {
            return (Reason)val_fail_budget(ctx).w;
        }
        t->mask = size - 1;
        ASSERT((size & t->mask) == 0 && size > room, "a table of %u for %u", size, room);
    }
    return FAIL_NONE;
}

static void append(Tally *t, Val v) {
    ASSERT(t->n < t->room && !val_failed(v), "%u of %u distinct values", t->n, t->room);
    t->items[t->n] = v;
    t->counts[t->n++] = 1;
}

/* Tells most values apart without reading all of a large one. Equal values hash equally. */
static uint32_t quick_hash(Val v, unsigned depth) {
    const uint64_t odd = MIX_FACTOR;
    uint64_t h;
    switch (v.kind) {
    case VAL_INT:
    case VAL_PAIR:
    case VAL_TRIPLE:
    case VAL_CELL:
        h = ((uint64_t)v.i ^ (uint64_t)v.n << 40) * odd;
        break;
    case VAL_INDICES:
    case VAL_OBJ_CORE:
    case VAL_OBJ_BATT:
        h = ((uint64_t)v.k[0] << 32 ^ v.k[v.n - 1] ^ (uint64_t)v.k[v.n / 2] << 16) * odd + v.n;
        break;
    case VAL_TUPLE:
    case VAL_SET:
        h = v.n;
        for (uint32_t k = 0; k < v.n && k < 4 && depth != 0; k++) {
            h = (h ^ quick_hash(v.v[k], depth - 1)) * odd;
        }
        break;
    default:
        return (uint32_t)val_hash(v, 0);
    }
    return (uint32_t)(h >> 32);
}

static inline bool same(Val a, Val b) {
    if (a.kind != b.kind ||
        a.n != b.n) { /* equal values differ in this only if they are rows, stored in two ways */
        return UNLIKELY(a.kind + b.kind == VAL_ROW8 + VAL_ROW64) && val_eq(a, b);
    }
    return (a.head == b.head && a.i == b.i) || (a.kind > VAL_CELL && val_eq(a, b));
}

/* The position of a value among the items, or their number. */
static inline uint32_t search(const Tally *t, Val v) {
    uint32_t k = 0;
    if (v.kind <= VAL_CELL) {
        while (k < t->n && (t->items[k].i != v.i || t->items[k].head != v.head)) {
            k++;
        }
        return k;
    }
    while (k < t->n && !same(t->items[k], v)) {
        k++;
    }
    return k;
}

static inline Reason add(Ctx *ctx, Tally *t, Val v) {
    uint64_t cost = v.kind <= VAL_CELL ? 0 : val_weight(v) / STEP_WEIGHT;
    if (!ctx_charge(ctx, t->slots == NULL ? cost * t->n : 1 + 2 * cost)) {
        return (Reason)ctx->exhausted;
    }
    if (t->slots == NULL) {
        uint32_t k = search(t, v);
        if (k < t->n) {
            t->counts[k]++;
        } else {
            append(t, v);
        }
        return FAIL_NONE;
    }
    for (uint32_t at = quick_hash(v, 3);; at++) {
        uint32_t *slot = &t->slots[at & t->mask];
        if (*slot == 0) {
            append(t, v);
            *slot = t->n;
            return FAIL_NONE;
        }
        if (same(t->items[*slot - 1], v)) {
            t->counts[*slot - 1]++;
            return FAIL_NONE;
        }
        if (UNLIKELY(!ctx_charge(ctx, 1 + cost))) { /* so that values made to collide run out of steps */
            return (Reason)ctx->exhausted;
        }
    }
}

Reason tally_add(Ctx *ctx, Tally *t, Val v) {
    return add(ctx, t, v);
}

Reason tally_take(Ctx *ctx, Val c, Tally *t) {
    uint32_t n = val_len(c);
    Reason why = tally_open(ctx, t, n);
    if (c.kind == VAL_TUPLE || c.kind == VAL_SET) {
        for (uint32_t k = 0; k < n && why == FAIL_NONE; k++) {
            why = add(ctx, t, c.v[k]);
        }
        return why;
    }
    for (uint32_t k = 0; k < n && why == FAIL_NONE; k++) {
        why = add(ctx, t, val_at(c, k));
    }
    return why;
}

/* The first and the last cells of a row, up to eight each: all there is of a row of up to 16. */
typedef struct RowEnds {
    uint64_t first, last;
} RowEnds;

static inline RowEnds ends_of(const int8_t *row, uint32_t w) {
    RowEnds ends = {0, 0};
    if (w >= 8) {
        memcpy(&ends.first, row, 8);
        memcpy(&ends.last, row + w - 8, 8);
    } else if (w >= 4) {
        memcpy(&ends.first, row, 4);
        memcpy(&ends.last, row + w - 4, 4);
    } else {
        ends.first =
            (uint8_t)row[0] | (uint32_t)(uint8_t)row[w / 2] << 8 | (uint32_t)(uint8_t)row[w - 1] << 16;
    }
    return ends;
}

Reason tally_rows(Ctx *ctx, Val grid, RowTally *t) {
    RowEnds ends[TALLY_ROWS];
    uint32_t w = grid.w, n = grid.n;
    t->n = 0;
    if (!ctx_charge(ctx, n * sizeof(Val) / 64)) { /* what a tally of values takes */
        return (Reason)ctx->exhausted;
    }
    for (uint32_t k = 0; k < n; k++) {
        const int8_t *row = grid.b8 + (size_t)k * w;
        RowEnds mine = ends_of(row, w);
        uint32_t at = 0;
        for (; at < t->n; at++) {
            if (ends[at].first == mine.first && ends[at].last == mine.last &&
                (w <= 16 || memcmp(grid.b8 + (size_t)t->first[at] * w, row, w) == 0)) {
                break;
            }
        }
        if (at == t->n) {
            ends[at] = mine;
            t->first[at] = (uint8_t)k;
            t->counts[at] = 0;
            t->n++;
        }
        t->counts[at]++;
    }
    return FAIL_NONE;
}
