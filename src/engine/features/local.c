/* Pieces of a grid that can be treated separately and put back: what a local task is made of. */
#include "engine/features/local.h"

#include <string.h>

static uint32_t piece_height(const LocalPiece *x) {
    return (uint32_t)((x->box.bottom - x->box.top) / x->down + 1);
}

static uint32_t piece_width(const LocalPiece *x) {
    return (uint32_t)((x->box.right - x->box.left) / x->right + 1);
}

/* Where the cells of a piece are in the grid, row by row. */
static int32_t piece_cell(const GridAnalysis *b, const LocalPiece *x, uint32_t cell) {
    int32_t w = (int32_t)piece_width(x), k = (int32_t)cell;
    return (x->box.top + k / w * x->down) * b->w + x->box.left + k % w * x->right;
}

static Val cut_piece(Ctx *ctx, const GridAnalysis *b, const LocalPieces *p, int32_t which) {
    Reason why;
    const LocalPiece *x = &p->items[which];
    uint32_t h = piece_height(x), w = piece_width(x);
    int8_t *to = grid_buffer(ctx, h, w, &why);
    for (uint32_t k = 0; k < h * w && to != NULL; k++) {
        int32_t at = piece_cell(b, x, k);
        bool own = x->color >= 0 ? b->c[at] == x->color : p->owner[at] == which;
        to[k] = own ? b->c[at] : x->blank;
    }
    return to != NULL ? val_grid8(to, h, w) : val_fail(why);
}

Val local_cut(Ctx *ctx, const GridAnalysis *what, const LocalPieces *p) {
    Val *items = val_buffer(ctx, (size_t)p->count);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (int32_t k = 0; k < p->count; k++) {
        items[k] = cut_piece(ctx, what, p, k);
        if (val_failed(items[k])) {
            return items[k];
        }
    }
    return val_tuple(ctx, items, (uint32_t)p->count);
}

/* Paints a piece in its place: its own cells, or whatever is not blank of a piece of one color. */
static void paste(const GridAnalysis *b, const LocalPieces *p, int32_t which, Val piece, int8_t *to) {
    const LocalPiece *x = &p->items[which];
    for (uint32_t k = 0; k < piece.n * piece.w; k++) {
        int32_t at = piece_cell(b, x, k);
        if (x->color >= 0 ? piece.b8[k] != x->blank : p->owner[at] == which) {
            to[at] = piece.b8[k];
        }
    }
}

/* Reads the first argument as a grid and finds the pieces that the second asks for; false: *failure says why
 * not. */
static bool begin(Ctx *ctx, const Val *a, GridAnalysis *b, LocalPieces *p, Val *failure) {
    Reason why;
    if (!val_is_int(a[1])) {
        *failure = val_fail(FAIL_TYPE);
    } else if (a[1].i < 0 || a[1].i >= LOCAL_HOWS) {
        *failure = val_fail(FAIL_RANGE);
    } else if (!analysis_of(a[0], b, &why)) {
        *failure = val_fail(why);
    } else if (!ctx_charge(ctx, (uint64_t)b->n / 8)) {
        *failure = val_fail_budget(ctx);
    } else if (!local_places(b, (LocalHow)a[1].i, p)) {
        *failure = val_fail(FAIL_EMPTY);
    } else {
        return true;
    }
    return false;
}

Val prim_local_split(Ctx *ctx, const Val *a) {
    GridAnalysis b;
    LocalPieces pieces;
    Val failure;
    return begin(ctx, a, &b, &pieces, &failure) ? local_cut(ctx, &b, &pieces) : failure;
}

Val prim_local_join(Ctx *ctx, const Val *a) {
    GridAnalysis b;
    LocalPieces pieces;
    Val failure;
    Reason why;
    if (a[2].kind != VAL_TUPLE) {
        return val_fail(FAIL_TYPE);
    }
    if (!begin(ctx, a, &b, &pieces, &failure)) {
        return failure;
    }
    if (val_len(a[2]) != (uint32_t)pieces.count) {
        return val_fail(FAIL_RANGE);
    }
    int8_t *to = grid_buffer(ctx, (uint32_t)b.h, (uint32_t)b.w, &why);
    if (to == NULL) {
        return val_fail(why);
    }
    if (a[1].i == LOCAL_COLORS) {
        memset(to, b.background, (size_t)b.n);
    } else {
        memcpy(to, b.c, (size_t)b.n);
    }
    for (int32_t k = 0; k < pieces.count; k++) {
        Val piece = val_at(a[2], (uint32_t)k);
        if (piece.kind != VAL_GRID8) {
            return val_fail(FAIL_TYPE);
        }
        if (piece.n != piece_height(&pieces.items[k]) || piece.w != piece_width(&pieces.items[k])) {
            return val_fail(FAIL_RANGE);
        }
        paste(&b, &pieces, k, piece, to);
    }
    return val_grid8(to, (uint32_t)b.h, (uint32_t)b.w);
}

Val prim_local_lay(Ctx *ctx, const Val *a) {
    GridAnalysis b;
    LocalPieces pieces;
    Val failure, grids[LOCAL_MAX];
    Reason why;
    int32_t rows, columns, order[LOCAL_MAX];
    uint32_t h = 0, w = 0;
    if (a[2].kind != VAL_TUPLE) {
        return val_fail(FAIL_TYPE);
    }
    if (!begin(ctx, a, &b, &pieces, &failure)) {
        return failure;
    }
    if (val_len(a[2]) != (uint32_t)pieces.count || !local_table(&pieces, &rows, &columns, order)) {
        return val_fail(FAIL_RANGE);
    }
    for (int32_t k = 0; k < pieces.count; k++) {
        grids[k] = val_at(a[2], (uint32_t)order[k]);
        if (grids[k].kind != VAL_GRID8) {
            return val_fail(FAIL_TYPE);
        }
        int32_t left = k - k % columns, above = k % columns;
        if (grids[k].n != grids[left].n || grids[k].w != grids[above].w) {
            return val_fail(FAIL_RANGE);
        }
        h += above == 0 ? grids[k].n : 0;
        w += left == 0 ? grids[k].w : 0u;
    }
    int8_t *to = grid_buffer(ctx, h, w, &why);
    if (to == NULL) {
        return val_fail(why);
    }
    int8_t *band = to;
    for (int32_t k = 0; k < pieces.count; band += (size_t)grids[k].n * w, k += columns) {
        uint32_t left = 0;
        for (int32_t x = k; x < k + columns; left += grids[x++].w) {
            for (uint32_t i = 0; i < grids[x].n; i++) {
                memcpy(band + (size_t)i * w + left, grids[x].b8 + (size_t)i * grids[x].w, grids[x].w);
            }
        }
    }
    return val_grid8(to, h, w);
}
