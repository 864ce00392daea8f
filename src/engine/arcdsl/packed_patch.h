/* Packed patches (VAL_INDICES and the object kind of the mode): the fields of their keys and their bounds;
 * and the plain way for all other patches, with cells of 64-bit coordinates.
 *
 * Every primitive on patches first asks patch_packed(); if that is false, it takes its plain path. */
#ifndef BATT_ENGINE_ARCDSL_PACKED_PATCH_H
#define BATT_ENGINE_ARCDSL_PACKED_PATCH_H

#include "engine/value/patch.h"

/* How a primitive reads its patch: as decided by the object test, or always as indices (`_i`) or as cells
 * (`_o`). */
typedef enum PatchAs { AS_PATCH, AS_INDICES, AS_OBJECT } PatchAs;

typedef struct Box {
    int64_t top, left, bottom, right; /* all inclusive */
} Box;

/* A coordinate is (key >> row & mask) - bias. */
typedef struct KeyFields {
    uint8_t row, col;
    uint16_t bias;
    uint32_t mask;
} KeyFields;

static inline KeyFields key_fields(unsigned kind) {
    ASSERT(kind >= VAL_INDICES && kind <= VAL_OBJ_BATT, "kind %u", kind);
    return kind == VAL_INDICES    ? (KeyFields){16, 0, KEY_INDEX, 0xffff}
           : kind == VAL_OBJ_CORE ? (KeyFields){12, 0, KEY_COORD, 0xfff}
                                  : (KeyFields){20, 8, KEY_COORD, 0xfff};
}

/* Called before a walk over the keys, so it charges for one, as allocations charge for what is written. */
static inline bool patch_packed(Ctx *ctx, Val p, PatchAs as) {
    bool packed = FAST_PATH(ctx) && ((as != AS_OBJECT && p.kind == VAL_INDICES) ||
                                     (as != AS_INDICES && p.kind == (unsigned)ctx_object_kind(ctx)));
    ctx->fuel -= packed ? p.n >> 6 : 0;
    return packed;
}

/* The index key of a place, which is the 24 bits of row and column in an object's key. */
enum { INDEX_FROM_COORD = (KEY_INDEX - KEY_COORD) << 16 | (KEY_INDEX - KEY_COORD) };
static inline uint32_t index_from_place(uint32_t place) {
    ASSERT(place >> 24 == 0, "place %#x", place);
    return ((place & 0xfff000) << 4 | (place & 0xfff)) + INDEX_FROM_COORD;
}

/* ---- bounds of packed patches ---- */

static inline int32_t key_row_in(KeyFields f, uint32_t key) {
    return (int32_t)(key >> f.row & f.mask) - f.bias;
}
static inline int32_t key_col_in(KeyFields f, uint32_t key) {
    return (int32_t)(key >> f.col & f.mask) - f.bias;
}
static inline int32_t keys_min(Val p, unsigned shift, KeyFields f) {
    ASSERT(p.n > 0, "the smallest of none");
    uint32_t mask = f.mask << shift, min = mask;
    for (uint32_t k = 0; k < p.n; k++) {
        uint32_t x = p.k[k] & mask;
        min = x < min ? x : min;
    }
    return (int32_t)(min >> shift) - f.bias;
}
static inline int32_t keys_max(Val p, unsigned shift, KeyFields f) {
    ASSERT(p.n > 0, "the greatest of none");
    uint32_t mask = f.mask << shift, max = 0;
    for (uint32_t k = 0; k < p.n; k++) {
        uint32_t x = p.k[k] & mask;
        max = x > max ? x : max;
    }
    return (int32_t)(max >> shift) - f.bias;
}
/* Rows ascend in indices and in the objects of batt mode; core objects are sorted by color first. */
static inline bool keys_ascend_by_row(Val p) {
    ASSERT(val_is_keys(p) && p.n > 0, "kind %u, n %u", p.kind, p.n);
    return p.kind != VAL_OBJ_CORE || (p.k[0] ^ p.k[p.n - 1]) >> 24 == 0;
}
static inline int32_t keys_top(Val p) {
    ASSERT(val_is_keys(p) && p.n > 0, "kind %u, n %u", p.kind, p.n);
    KeyFields f = key_fields(p.kind);
    return keys_ascend_by_row(p) ? key_row_in(f, p.k[0]) : keys_min(p, 12, f);
}
static inline int32_t keys_bottom(Val p) {
    ASSERT(val_is_keys(p) && p.n > 0, "kind %u, n %u", p.kind, p.n);
    KeyFields f = key_fields(p.kind);
    return keys_ascend_by_row(p) ? key_row_in(f, p.k[p.n - 1]) : keys_max(p, 12, f);
}
static inline int32_t keys_left(Val p) {
    KeyFields f = key_fields(p.kind);
    return keys_min(p, f.col, f);
}
static inline int32_t keys_right(Val p) {
    KeyFields f = key_fields(p.kind);
    return keys_max(p, f.col, f);
}
static inline Box keys_box(Val p) {
    ASSERT(val_is_keys(p) && p.n > 0, "kind %u, n %u", p.kind, p.n);
    KeyFields f = key_fields(p.kind);
    uint32_t mask = f.mask << f.col, min = mask, max = 0;
    for (uint32_t k = 0; k < p.n; k++) {
        uint32_t x = p.k[k] & mask;
        min = x < min ? x : min;
        max = x > max ? x : max;
    }
    return (Box){keys_top(p), (int32_t)(min >> f.col) - f.bias, keys_bottom(p),
                 (int32_t)(max >> f.col) - f.bias};
}
static inline Box box_grown(Box b, int64_t by) {
    ASSERT(b.top <= b.bottom && b.left <= b.right, "rows %lld to %lld, columns %lld to %lld",
           (long long)b.top, (long long)b.bottom, (long long)b.left, (long long)b.right);
    return (Box){b.top - by, b.left - by, b.bottom + by, b.right + by};
}

/* ---- the plain way (packed_patch.c) ---- */

/* The elements of toindices(p), or of its `_i` or `_o` variant, before duplicates are removed. n = 0: there
 * are none. */
Reason patch_ix(Ctx *ctx, Val p, PatchAs as, Patch *patch);
/* Bounds of any patch; FAIL_EMPTY if toindices gives nothing. */
Reason patch_box(Ctx *ctx, Val p, PatchAs as, Box *box);
/* The set of these cells (or of indices, if the patch is not an object). Colors must be integers. */
Val patch_set(Ctx *ctx, const Patch *patch);
/* The set of (di, dj) + (si * i, sj * j), with i and j exchanged first if `turn`, for a non-empty
 * container. */
typedef struct PatchMap {
    bool turn;
    int64_t si, sj, di, dj; /* si and sj are 1 or -1 */
} PatchMap;
Val patch_mapped(Ctx *ctx, Val p, const PatchMap *map);

/* ---- primitives of the patch family that others build on ---- */

Val patch_toindices(Ctx *ctx, Val p);
Val patch_shifted(Ctx *ctx, Val p, int64_t di, int64_t dj); /* p: a non-empty container */
Val box_backdrop(Ctx *ctx, Box b);                          /* all places of the box */
/* its border; works with the sides in either order */
Val box_outline(Ctx *ctx, Box b);

#endif
