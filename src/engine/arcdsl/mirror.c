/* Mirrors and block scaling of patches; those of grids are in turn.h. */
#include "engine/arcdsl/packed_patch.h"
#include "engine/arcdsl/turn.h"
#include "engine/primitives/prim.h"

#include <string.h>

typedef enum Mirror { ACROSS_H, ACROSS_V, ACROSS_D, ACROSS_C } Mirror;

/* ---- packed patches ---- */

/* Places n keys, which are one color of a core object or any other patch as a whole, in their new rows by a
 * counting sort. The cells of a new row arrive in order if the keys are taken forward (h, d) or backward (v,
 * c), so no further sort is needed. */
static void place_keys(const uint32_t *from, uint32_t n, KeyFields f, Mirror mirror, Box box, uint32_t *out) {
    enum { ROWS = 256 };
    uint32_t start[ROWS + 1];
    bool turn = mirror >= ACROSS_D, back = mirror == ACROSS_V || mirror == ACROSS_C;
    bool flip_row = mirror == ACROSS_H || mirror == ACROSS_C,
         flip_col = mirror == ACROSS_V || mirror == ACROSS_C;
    unsigned row_from = turn ? f.col : f.row, col_from = turn ? f.row : f.col;
    uint32_t top = (uint32_t)(box.top + f.bias), left = (uint32_t)(box.left + f.bias);
    uint32_t height = (uint32_t)(turn ? box.right - box.left : box.bottom - box.top);
    uint32_t width = (uint32_t)(turn ? box.bottom - box.top : box.right - box.left);
    uint32_t row_base = turn ? left : top, col_base = turn ? top : left;
    uint32_t rest = ~(f.mask << f.row | f.mask << f.col);
    memset(start, 0, (height + 2) * sizeof *start);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t r = (from[k] >> row_from & f.mask) - row_base;
        start[(flip_row ? height - r : r) + 1]++;
    }
    for (uint32_t r = 1; r <= height; r++) {
        start[r] += start[r - 1];
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t key = from[back ? n - 1 - k : k];
        uint32_t r = (key >> row_from & f.mask) - row_base, c = (key >> col_from & f.mask) - col_base;
        r = flip_row ? height - r : r;
        c = flip_col ? width - c : c;
        out[start[r]++] = (key & rest) | (top + r) << f.row | (left + c) << f.col;
    }
}

static Val mirror_keys(Ctx *ctx, Val p, Mirror mirror, Box box) {
    KeyFields f = key_fields(p.kind);
    uint32_t *out = key_buffer(ctx, p.n);
    if (out == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t from = 0, to; from < p.n; from = to) {
        to = p.n;
        if (p.kind == VAL_OBJ_CORE && (p.k[from] ^ p.k[to - 1]) >> 24 != 0) {
            to = from + 1;
            while (to < p.n && p.k[to] >> 24 == p.k[from] >> 24) {
                to++;
            }
        }
        place_keys(p.k + from, to - from, f, mirror, box, out + from);
    }
    /* Only batt cells of several colors at one place, taken backward, can be out of order now. */
    return p.kind == VAL_OBJ_BATT ? val_keys(ctx, VAL_OBJ_BATT, out, p.n)
                                  : val_keys_sorted((Kind)p.kind, out, p.n);
}

static bool mirror_fits(Val p, Mirror mirror, Box box) {
    int64_t h = box.bottom - box.top, w = box.right - box.left, end = key_fields(p.kind).bias;
    return h < 256 && w < 256 && (mirror < ACROSS_D || (box.top + w < end && box.left + h < end));
}

/* ---- all patches ---- */

static Val mirror_plain(Ctx *ctx, Val p, Mirror mirror, Box b) {
    int64_t rows, cols, turned, back;
    if (__builtin_add_overflow(b.top, b.bottom, &rows) || __builtin_add_overflow(b.left, b.right, &cols) ||
        __builtin_sub_overflow(b.top, b.left, &turned) || turned == INT64_MIN) {
        return val_fail(FAIL_OVERFLOW);
    }
    switch (mirror) {
    case ACROSS_H:
        return patch_mapped(ctx, p, &(PatchMap){.si = -1, .sj = 1, .di = rows});
    case ACROSS_V:
        return patch_mapped(ctx, p, &(PatchMap){.si = 1, .sj = -1, .dj = cols});
    case ACROSS_D:
        return patch_mapped(ctx, p, &(PatchMap){.turn = true, .si = 1, .sj = 1, .di = turned, .dj = -turned});
    case ACROSS_C:
    default:
        if (__builtin_add_overflow(b.top, b.right, &rows) ||
            __builtin_add_overflow(b.left, b.bottom, &back)) {
            return val_fail(FAIL_OVERFLOW);
        }
        return patch_mapped(ctx, p, &(PatchMap){.turn = true, .si = -1, .sj = -1, .di = rows, .dj = back});
    }
}

static Val mirror_patch(Ctx *ctx, Val p, PatchAs as, Mirror mirror) {
    Box box;
    Reason why = patch_box(ctx, p, as, &box);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    if (LIKELY(patch_packed(ctx, p, as)) && mirror_fits(p, mirror, box)) {
        return mirror_keys(ctx, p, mirror, box);
    }
    return mirror_plain(ctx, p, mirror, box);
}

static inline Val mirror_piece(Ctx *ctx, Val p, Mirror mirror, Val (*of_grid)(Ctx *, Val)) {
    return val_is_tuple(p) ? of_grid(ctx, p) : mirror_patch(ctx, p, AS_PATCH, mirror);
}

static inline Val mirror_tuple(Ctx *ctx, Val p, Val (*of_grid)(Ctx *, Val)) {
    return val_is_tuple(p) ? of_grid(ctx, p) : val_fail(FAIL_TYPE);
}

#define MIRROR(letter, which)                                         \
    Val prim_##letter##mirror(Ctx *ctx, const Val *a) {               \
        return mirror_piece(ctx, a[0], which, grid_##letter##mirror); \
    }                                                                 \
    Val prim_##letter##mirror_t(Ctx *ctx, const Val *a) {             \
        return mirror_tuple(ctx, a[0], grid_##letter##mirror);        \
    }
#define MIRROR_OF(name, as, which)                 \
    Val prim_##name(Ctx *ctx, const Val *a) {      \
        return mirror_patch(ctx, a[0], as, which); \
    }
MIRROR(h, ACROSS_H)
MIRROR(v, ACROSS_V)
MIRROR(d, ACROSS_D)
MIRROR(c, ACROSS_C)
MIRROR_OF(hmirror_f, AS_PATCH, ACROSS_H)
MIRROR_OF(hmirror_i, AS_INDICES, ACROSS_H)
MIRROR_OF(hmirror_o, AS_OBJECT, ACROSS_H)
MIRROR_OF(vmirror_i, AS_INDICES, ACROSS_V)
MIRROR_OF(vmirror_o, AS_OBJECT, ACROSS_V)
MIRROR_OF(dmirror_f, AS_PATCH, ACROSS_D)
MIRROR_OF(dmirror_i, AS_INDICES, ACROSS_D)
MIRROR_OF(dmirror_o, AS_OBJECT, ACROSS_D)
MIRROR_OF(cmirror_f, AS_PATCH, ACROSS_C)

Val prim_vmirror_f(Ctx *ctx, const Val *a) { /* the only one of the four that accepts the empty set */
    return a[0].kind == VAL_SET && a[0].n == 0 ? a[0] : mirror_patch(ctx, a[0], AS_PATCH, ACROSS_V);
}

Val prim_mir_rot_f(Ctx *ctx, const Val *a) {
    static const uint16_t mirrors[] = {P_hmirror_f, P_dmirror_f, P_vmirror_f, P_cmirror_f};
    if (!val_is_int(a[1]) || a[1].i < 0 || a[1].i > 3) {
        return a[0];
    }
    return prim1(ctx, mirrors[a[1].i], a[0]);
}

/* ---- upscale ---- */

/* f rows of f copies for each row of cells; keys come in order, except for several colors at one place. */
static Val upscale_keys(Ctx *ctx, Val p, uint32_t f, Box box) {
    KeyFields field = key_fields(p.kind);
    uint32_t row_part = p.kind == VAL_OBJ_CORE ? 0xfffff000 : 0xfff00000;
    uint32_t top = (uint32_t)(box.top + field.bias), left = (uint32_t)(box.left + field.bias);
    uint32_t rest = ~(field.mask << field.row | field.mask << field.col), one = (uint32_t)1 << field.col;
    uint32_t n = p.n * f * f, at = 0;
    uint32_t *out = key_buffer(ctx, n);
    if (out == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t from = 0, to; from < p.n; from = to) {
        uint32_t row = (top + f * ((p.k[from] >> field.row & field.mask) - top)) << field.row;
        for (to = from + 1; to < p.n && ((p.k[to] ^ p.k[from]) & row_part) == 0; to++) {
        }
        for (uint32_t u = 0; u < f; u++, row += (uint32_t)1 << field.row) {
            for (uint32_t k = from; k < to; k++) {
                uint32_t col = left + f * ((p.k[k] >> field.col & field.mask) - left);
                uint32_t key = (p.k[k] & rest) | row | col << field.col;
                for (uint32_t v = 0; v < f; v++, key += one) {
                    out[at++] = key;
                }
            }
        }
    }
    return p.kind == VAL_OBJ_BATT ? val_keys(ctx, VAL_OBJ_BATT, out, n)
                                  : val_keys_sorted(VAL_OBJ_CORE, out, n);
}

/* from + f * (x - from) + u */
static bool scaled(int64_t x, int64_t from, int64_t f, int64_t u, int64_t *result) {
    return !__builtin_sub_overflow(x, from, result) && !__builtin_mul_overflow(*result, f, result) &&
           !__builtin_add_overflow(*result, from, result) && !__builtin_add_overflow(*result, u, result);
}

static Val upscale_plain(Ctx *ctx, Val p, int64_t f, Box box) {
    Patch patch;
    Reason why = patch_read(ctx, p, &patch);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    if (f > LIMIT_ELEMENTS || f * f > LIMIT_ELEMENTS / patch.n) {
        return val_fail(FAIL_LIMIT);
    }
    Patch big = {.object = true};
    big.cells = ctx_alloc(ctx, (size_t)(patch.n * f * f) * sizeof *big.cells);
    if (big.cells == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < patch.n; k++) {
        for (int64_t u = 0; u < f; u++) {
            for (int64_t v = 0; v < f; v++) {
                PatchCell *c = &big.cells[big.n++];
                c->c = patch.cells[k].c;
                if (!scaled(patch.cells[k].i, box.top, f, u, &c->i) ||
                    !scaled(patch.cells[k].j, box.left, f, v, &c->j)) {
                    return val_fail(FAIL_OVERFLOW);
                }
            }
        }
    }
    return patch_set(ctx, &big);
}

static Val upscale_patch(Ctx *ctx, Val p, Val factor) {
    Box box;
    if (!val_is_container(p)) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(p) == 0) {
        return VAL_EMPTY_SET;
    }
    if (p.kind == VAL_INDICES || !val_is_int(factor)) {
        return val_fail(FAIL_TYPE);
    }
    Reason why = patch_box(ctx, p, AS_OBJECT, &box);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    int64_t f = factor.i;
    if (f <= 0) {
        return VAL_EMPTY_SET;
    }
    if (patch_packed(ctx, p, AS_OBJECT) && f < KEY_COORD && p.n * f * f <= LIMIT_ELEMENTS &&
        box.top + f * (box.bottom - box.top + 1) <= KEY_COORD &&
        box.left + f * (box.right - box.left + 1) <= KEY_COORD) {
        return upscale_keys(ctx, p, (uint32_t)f, box);
    }
    return upscale_plain(ctx, p, f, box);
}

Val prim_upscale(Ctx *ctx, const Val *a) {
    return val_is_tuple(a[0]) ? grid_upscale(ctx, a[0], a[1]) : upscale_patch(ctx, a[0], a[1]);
}
Val prim_upscale_t(Ctx *ctx, const Val *a) {
    return grid_upscale(ctx, a[0], a[1]);
}
Val prim_upscale_f(Ctx *ctx, const Val *a) {
    return upscale_patch(ctx, a[0], a[1]);
}
