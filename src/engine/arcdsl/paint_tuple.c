/* Coloring the places of a tuple; see paint_tuple.h. */
#include "engine/arcdsl/paint_tuple.h"

#include "engine/arcdsl/rows.h"

#include <string.h>

static size_t block_bytes(size_t bytes) {
    return (bytes + 15) & ~(size_t)15;
}

typedef struct PlainCost {
    size_t bytes, steps;
} PlainCost;

static void plain_block(PlainCost *cost, size_t times, size_t bytes) {
    cost->bytes += times * block_bytes(bytes);
    cost->steps += times * (block_bytes(bytes) >> 6);
}

/* What edit_plain costs for a grid of bytes that has columns, and reading n places before. */
static PlainCost plain_cost(Val grid, uint32_t n) {
    PlainCost cost = {0};
    plain_block(&cost, 1, n * sizeof(PatchCell));
    plain_block(&cost, 1, grid.n * sizeof(Row));
    plain_block(&cost, grid.n, grid.w * sizeof(Val));
    plain_block(&cost, 1, grid.n * sizeof(Val));
    plain_block(&cost, grid.n, grid.w == 2 || grid.w == 3 ? grid.w * sizeof(int64_t) : grid.w);
    plain_block(&cost, 1, (size_t)grid.n * grid.w + 8);
    return cost;
}

/* Whether all elements are cells that can be painted, or pairs. */
static bool tuple_of_places(const Ctx *ctx, Val patch, PatchAs as) {
    if (patch.kind == VAL_GRID8) {
        return (as == AS_PATCH && patch.w == 2) || (ctx->mode == MODE_BATT && patch.w == 3);
    }
    if (patch.kind != VAL_TUPLE || ctx->mode != MODE_CORE) {
        return false;
    }
    for (uint32_t k = 0; k < patch.n; k++) {
        if (patch.v[k].kind != VAL_CELL || val_color(patch.v[k]) != (int8_t)val_color(patch.v[k])) {
            return false;
        }
    }
    return patch.n != 0;
}

INLINE void edit_place(int8_t *cells, Val grid, int32_t i, int32_t j, int8_t new, int only) {
    if ((uint32_t)i < grid.n && (uint32_t)j < grid.w) {
        int8_t *cell = cells + (size_t)i * grid.w + (size_t)j;
        *cell = only == PAINT_ANY || *cell == only ? new : *cell;
    }
}

bool paint_tuple(Ctx *ctx, Val grid, Val patch, PatchAs as, int color, int only, Val *to) {
    if (!grid_packed(ctx, grid) || grid.w == 0 || !tuple_of_places(ctx, patch, as)) {
        return false;
    }
    PlainCost cost = plain_cost(grid, patch.n);
    size_t n = (size_t)grid.n * grid.w;
    if (ctx_room(ctx) < cost.bytes || !ctx_ensure(ctx, cost.steps + n)) {
        return false;
    }
    int64_t fuel = ctx->fuel;
    int8_t *cells = ctx_alloc(ctx, n + GRID_SPARE);
    ctx->fuel = fuel - (int64_t)cost.steps;
    memcpy(cells, grid.b8, n);
    for (uint32_t k = 0; k < patch.n; k++) {
        if (patch.kind == VAL_GRID8) {
            const int8_t *place = patch.b8 + (size_t)k * patch.w;
            edit_place(cells, grid, place[0], place[1], (int8_t)(color == PAINT_OWN ? place[2] : color),
                       only);
        } else {
            Val cell = patch.v[k];
            edit_place(cells, grid, cell.a, cell.b, (int8_t)(color == PAINT_OWN ? val_color(cell) : color),
                       only);
        }
    }
    *to = val_grid8(cells, grid.n, grid.w);
    return true;
}
