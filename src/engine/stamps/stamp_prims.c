/* The stamp primitives: they convert values to stamps, call stamp.h, and convert back. What works on a stamp
 * also works on each stamp of a list. */
#include "engine/stamps/stamp.h"

#include <string.h>

enum { MAX_STAMPS = 128 };

static Val map(Ctx *ctx, Val v, StampFn fn, int32_t how) {
    Stamp s;
    if (stamp_read(v, &s)) {
        return stamp_val(ctx, fn(ctx, &s, how));
    }
    if (!stamp_is_list(v)) {
        return val_fail(FAIL_TYPE);
    }
    Val *items = val_buffer(ctx, v.n);
    uint32_t kept = 0;
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < v.n; k++) { /* stamps without an answer drop out of the list */
        stamp_read(v.v[k], &s);
        Stamp to = fn(ctx, &s, how);
        if (to.h != 0) {
            items[kept] = stamp_val(ctx, to);
            if (val_failed(items[kept++])) {
                return val_fail_budget(ctx);
            }
        }
    }
    if (ctx->exhausted != FAIL_NONE) {
        return val_fail_budget(ctx);
    }
    return kept != 0 ? val_tuple(ctx, items, kept) : val_fail(FAIL_EMPTY);
}

static Val map_how(Ctx *ctx, const Val *a, StampFn fn) {
    if (!val_is_int(a[1]) || a[1].i != (int8_t)a[1].i) {
        return val_fail(val_is_int(a[1]) ? FAIL_RANGE : FAIL_TYPE);
    }
    return map(ctx, a[0], fn, (int32_t)a[1].i);
}

#define STAMP_HOW(name)                             \
    Val prim_stamp_##name(Ctx *ctx, const Val *a) { \
        return map_how(ctx, a, stamp_##name);       \
    }
STAMP_HOW(keep)
STAMP_HOW(erase)
STAMP_HOW(paint)
STAMP_HOW(trim)
STAMP_HOW(box)
STAMP_HOW(fill)
STAMP_HOW(turn)
STAMP_HOW(tally)
STAMP_HOW(rays)
STAMP_HOW(frame)
STAMP_HOW(join)
STAMP_HOW(spread)
STAMP_HOW(half)

Val prim_stamp_home(Ctx *ctx, const Val *a) {
    return map(ctx, a[0], stamp_home, 0);
}

Val prim_stamp_main(Ctx *ctx, const Val *a) {
    return map(ctx, a[0], stamp_main, 0);
}

/* ---- to a size ---- */

typedef struct Size {
    int32_t h, w;
} Size;

static bool read_size(Val v, Size *size) {
    if (v.kind != VAL_PAIR || v.a < 1 || v.b < 1 || v.a > STAMP_MAX_SIDE || v.b > STAMP_MAX_SIDE) {
        return false;
    }
    *size = (Size){v.a, v.b};
    return true;
}

typedef enum Fit { FIT_PASTE, FIT_WRAP, FIT_SCALE, FIT_TILE, FIT_CORNER } Fit;

static Stamp fit_one(Ctx *ctx, const Stamp *s, Size size, Fit fit, int32_t how) {
    switch (fit) {
    case FIT_PASTE:
        return stamp_paste(ctx, s, size.h, size.w);
    case FIT_WRAP:
        return stamp_wrap(ctx, s, size.h, size.w);
    case FIT_SCALE:
        return stamp_scale(ctx, s, size.h, size.w);
    case FIT_CORNER:
        return stamp_corner(ctx, s, size.h, size.w, how);
    default:
        if (how == 4) {
            return stamp_repeat(ctx, s, size.h, size.w);
        }
        return how >= 0 && how <= 3 ? stamp_tile(ctx, s, size.h, size.w, how & 1, how >> 1) : STAMP_NONE;
    }
}

static Val fit(Ctx *ctx, const Val *a, Fit way, int64_t how) {
    Size size;
    Stamp s;
    if (!read_size(a[1], &size)) {
        return val_fail(FAIL_TYPE);
    }
    if (stamp_read(a[0], &s)) {
        return stamp_val(ctx, fit_one(ctx, &s, size, way, (int32_t)how));
    }
    return val_fail(FAIL_TYPE);
}

#define FIT(name, way)                        \
    Val prim_##name(Ctx *ctx, const Val *a) { \
        return fit(ctx, a, way, 0);           \
    }
FIT(stamp_paste, FIT_PASTE)
FIT(stamp_wrap, FIT_WRAP)
FIT(stamp_scale, FIT_SCALE)

/* With a choice from 0 to 4; fit_one refuses others. */
#define FIT_CHOSEN(name, way)                                                                \
    Val prim_##name(Ctx *ctx, const Val *a) {                                                \
        return val_is_int(a[2]) ? fit(ctx, a, way, a[2].i >= 0 && a[2].i <= 4 ? a[2].i : -1) \
                                : val_fail(FAIL_TYPE);                                       \
    }
FIT_CHOSEN(stamp_tile, FIT_TILE)
FIT_CHOSEN(stamp_corner, FIT_CORNER)

/* ---- lists ---- */

Val prim_stamp_split(Ctx *ctx, const Val *a) {
    Stamp s, list[MAX_STAMPS];
    if (!stamp_read(a[0], &s) || !val_is_int(a[1])) {
        return val_fail(FAIL_TYPE);
    }
    int32_t n =
        a[1].i >= 0 && a[1].i < SPLIT_WAYS ? stamp_split(ctx, &s, (int32_t)a[1].i, list, MAX_STAMPS) : 0;
    if (n <= 0 || !ctx_charge(ctx, (uint64_t)n)) {
        return ctx->exhausted != FAIL_NONE ? val_fail_budget(ctx) : val_fail(FAIL_EMPTY);
    }
    Val *items = val_buffer(ctx, (size_t)n);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (int32_t k = 0; k < n; k++) {
        items[k] = stamp_val(ctx, list[k]);
        if (val_failed(items[k])) {
            return items[k];
        }
    }
    return val_tuple(ctx, items, (uint32_t)n);
}

/* Reads a list of stamps into the arena; NULL with *why: not a list, or no memory. */
static Stamp *read_list(Ctx *ctx, Val v, Reason *why) {
    *why = FAIL_TYPE;
    if (!stamp_is_list(v)) {
        return NULL;
    }
    Stamp *list = ctx_alloc(ctx, v.n * sizeof *list);
    *why = (Reason)ctx->exhausted;
    for (uint32_t k = 0; list != NULL && k < v.n; k++) {
        stamp_read(v.v[k], &list[k]);
    }
    return list;
}

static Val put_together(Ctx *ctx, Val v, Stamp (*fn)(Ctx *, const Stamp *, int32_t)) {
    Reason why;
    Stamp *list = read_list(ctx, v, &why);
    return list != NULL ? stamp_val(ctx, fn(ctx, list, (int32_t)v.n)) : val_fail(why);
}

#define PUT_TOGETHER(name)                    \
    Val prim_##name(Ctx *ctx, const Val *a) { \
        return put_together(ctx, a[0], name); \
    }
PUT_TOGETHER(stamp_overlay)
PUT_TOGETHER(stamp_heap)
PUT_TOGETHER(stamp_line)

Val prim_stamp_pile(Ctx *ctx, const Val *a) {
    Reason why;
    Stamp *list = read_list(ctx, a[0], &why);
    if (list == NULL || !val_is_int(a[1])) {
        return val_fail(list == NULL ? why : FAIL_TYPE);
    }
    return stamp_val(ctx, stamp_pile(ctx, list, (int32_t)a[0].n, a[1].i == 0 ? 0 : a[1].i == 1 ? 1 : -1));
}

Val prim_stamp_odd(Ctx *ctx, const Val *a) {
    Reason why;
    Stamp *list = read_list(ctx, a[0], &why);
    int32_t found = list != NULL ? stamp_odd_one(list, (int32_t)a[0].n) : -1;
    return found >= 0 ? a[0].v[found] : val_fail(list != NULL ? FAIL_EMPTY : why);
}

typedef enum StampChoice { CHOOSE_BEST, CHOOSE_BESTS, CHOOSE_REST } StampChoice;

static Val choose(Ctx *ctx, const Val *a, StampChoice choice) {
    Reason why;
    Stamp *list = read_list(ctx, a[0], &why);
    if (list == NULL) {
        return val_fail(why);
    }
    if (!val_is_int(a[1]) || a[1].i < 0 || a[1].i >= STAMP_CRITERIA) {
        return val_fail(val_is_int(a[1]) ? FAIL_RANGE : FAIL_TYPE);
    }
    uint32_t n = a[0].n, best = 0, kept = 0;
    int32_t *values = ctx_alloc(ctx, n * sizeof *values);
    Val *items = val_buffer(ctx, n);
    if (values == NULL || items == NULL || !ctx_charge(ctx, n)) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        values[k] = stamp_criterion(ctx, &list[k], (int32_t)a[1].i);
        best = values[k] > values[best] ? k : best;
    }
    if (choice == CHOOSE_BEST) {
        return a[0].v[best];
    }
    for (uint32_t k = 0; k < n; k++) {
        if ((values[k] == values[best]) == (choice == CHOOSE_BESTS)) {
            items[kept++] = a[0].v[k];
        }
    }
    return kept != 0 ? val_tuple(ctx, items, kept) : val_fail(FAIL_EMPTY);
}

Val prim_stamp_best(Ctx *ctx, const Val *a) {
    return choose(ctx, a, CHOOSE_BEST);
}

Val prim_stamp_bests(Ctx *ctx, const Val *a) {
    return choose(ctx, a, CHOOSE_BESTS);
}

Val prim_stamp_rest(Ctx *ctx, const Val *a) {
    return choose(ctx, a, CHOOSE_REST);
}

/* ---- stacking ---- */

/* Writes the cells of a layer into those cells of a canvas that are still -1. */
Val prim_stamp_lay(Ctx *ctx, const Val *a) {
    Stamp base, layer;
    if (!stamp_read(a[0], &base) || !stamp_read(a[1], &layer) || !val_is_int(a[2])) {
        return val_fail(FAIL_TYPE);
    }
    if (a[2].i < 0 || a[2].i > 2) {
        return val_fail(FAIL_RANGE);
    }
    int8_t *to = stamp_new(ctx, base.h, base.w);
    if (to == NULL) {
        return val_fail(ctx->exhausted ? (Reason)ctx->exhausted : FAIL_LIMIT);
    }
    for (int32_t i = 0, k = 0; i < base.h; i++) {
        for (int32_t j = 0; j < base.w; j++, k++) {
            int32_t li = base.i + i - layer.i, lj = base.j + j - layer.j;
            bool inside = li >= 0 && lj >= 0 && li < layer.h && lj < layer.w;
            int8_t c = inside ? layer.c[li * layer.w + lj] : 0;
            bool wanted = inside && base.c[k] == -1 && (a[2].i == 2 || (c != 0) == (a[2].i == 0));
            to[k] = wanted ? c : base.c[k];
        }
    }
    return stamp_val(ctx, (Stamp){base.i, base.j, base.h, base.w, to});
}
