/* objects_t: components as tuples of cells, those nearest to the first one first.
 *
 * A layer of the walk is a set of bits per row. The next layer is the neighbours of this one among the
 * remaining cells, so each layer comes out in reading order by itself. */
#include "engine/arcdsl/color_rows.h"
#include "engine/arcdsl/colors.h"
#include "engine/arcdsl/objects.h"

typedef struct ObjectsWalk {
    Val grid;
    uint64_t *left;       /* bit rows: cells that are not in a component yet */
    uint64_t *now, *next; /* bit rows of layers, with an empty row before and after */
    ColorRows of_color;   /* bit rows by color, made when first asked for */
    int8_t *to;           /* where the next triple goes */
} ObjectsWalk;

/* Lists the component of (i, j) among the cells in `open`, and removes its cells from `open` and
 * walk->left. */
static uint32_t list_component(ObjectsWalk *walk, uint64_t *open, int64_t i, unsigned j, bool diagonal) {
    int64_t top = i, bottom = i, h = walk->grid.n;
    const int8_t *start = walk->to;
    walk->now[i] = (uint64_t)1 << j;
    while (top <= bottom) {
        for (int64_t row = top; row <= bottom; row++) {
            const int8_t *cells = walk->grid.b8 + row * walk->grid.w;
            open[row] &= ~walk->now[row];
            walk->left[row] &= ~walk->now[row];
            for (uint64_t bits = walk->now[row]; bits != 0; bits &= bits - 1) {
                int column = __builtin_ctzll(bits);
                walk->to[0] = (int8_t)row;
                walk->to[1] = (int8_t)column;
                walk->to[2] = cells[column];
                walk->to += 3;
            }
        }
        int64_t from = top > 0 ? top - 1 : 0, until = bottom + 1 < h ? bottom + 1 : h - 1;
        int64_t next_top = h, next_bottom = -1;
        for (int64_t row = from; row <= until; row++) {
            uint64_t here = walk->now[row], beside = walk->now[row - 1] | walk->now[row + 1];
            uint64_t wide = diagonal ? here | beside : here;
            uint64_t next = (wide << 1 | wide >> 1 | beside) & open[row];
            walk->next[row] = next;
            if (next != 0) {
                next_top = next_top < row ? next_top : row;
                next_bottom = row;
            }
        }
        for (int64_t row = top; row <= bottom; row++) {
            walk->now[row] = 0;
        }
        uint64_t *swap = walk->now;
        walk->now = walk->next;
        walk->next = swap;
        top = next_top;
        bottom = next_bottom;
    }
    return (uint32_t)((walk->to - start) / 3);
}

static bool walk_open(Ctx *ctx, Val grid, int32_t bg, ObjectsWalk *walk) {
    size_t rows = (size_t)grid.n + 2;
    walk->grid = grid;
    color_rows_open(&walk->of_color, grid);
    walk->left = ctx_alloc(ctx, 3 * rows * sizeof *walk->left);
    if (walk->left == NULL) {
        return false;
    }
    memset(walk->left, 0, 3 * rows * sizeof *walk->left);
    walk->now = walk->left + rows + 1;
    walk->next = walk->now + rows;
    const uint64_t *background = bg == INT16_MAX ? walk->left : color_rows(ctx, &walk->of_color, bg);
    for (uint32_t i = 0; background != NULL && i < grid.n; i++) {
        walk->left[i] = ~background[i] & ~(uint64_t)0 >> (64 - grid.w);
    }
    return background != NULL;
}

Val objects_walked(Ctx *ctx, Val grid, Links links) {
    int64_t bg = INT16_MAX;
    size_t n = (size_t)grid.n * grid.w;
    if (links.without_bg && !grid_mostcolor(grid, &bg)) {
        return VAL_EMPTY_TUPLE;
    }
    int8_t *triples = ctx_alloc(ctx, 3 * n);
    Val *items = val_buffer(ctx, n);
    CtxMark mark = ctx_mark(ctx);
    ObjectsWalk walk;
    if (triples == NULL || items == NULL || !walk_open(ctx, grid, (int32_t)bg, &walk) ||
        !ctx_charge(ctx, n / 8)) {
        return val_fail_budget(ctx);
    }
    walk.to = triples;
    uint32_t objects = 0;
    for (uint32_t i = 0; i < grid.n; i++) {
        while (walk.left[i] != 0) {
            unsigned j = (unsigned)__builtin_ctzll(walk.left[i]);
            uint64_t *open = walk.left;
            if (links.univalued) {
                open = color_rows(ctx, &walk.of_color, grid.b8[i * grid.w + j]);
                if (open == NULL) {
                    return val_fail_budget(ctx);
                }
            }
            const int8_t *first = walk.to;
            items[objects++] = val_grid8(first, list_component(&walk, open, i, j, links.diagonal), 3);
        }
    }
    ctx_release(ctx, mark);
    return val_plain(VAL_TUPLE, items, objects);
}
