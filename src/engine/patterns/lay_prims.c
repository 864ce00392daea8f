/* The primitives that lay lists out; see lay.h. */
#include "base/check.h"
#include "engine/patterns/lay.h"

#include <string.h>

/* Reads two integers within inclusive bounds. */
static bool read_two(Val v, int32_t min_a, int32_t max_a, int32_t min_b, int32_t max_b, int32_t *a,
                     int32_t *b) {
    int64_t x, y;
    if (!val_get_pair(v, &x, &y) || x < min_a || x > max_a || y < min_b || y > max_b) {
        return false;
    }
    *a = (int32_t)x;
    *b = (int32_t)y;
    return true;
}

static bool read_runs(Val v, LayRun *runs) {
    if (!val_is_tuple(v) || val_len(v) > LAY_MAX) {
        return false;
    }
    for (uint32_t k = 0; k < val_len(v); k++) {
        int32_t color, times;
        if (!read_two(val_at(v, k), 0, N_COLORS - 1, 0, LAY_MAX_TIMES, &color, &times)) {
            return false;
        }
        runs[k] = (LayRun){(int8_t)color, (int16_t)times};
    }
    return true;
}

Val prim_lay_runs(Ctx *ctx, const Val *a) {
    LayRun runs[LAY_MAX];
    int32_t h, w, path, again, foreground, rest;
    Reason why;
    if (!read_runs(a[0], runs) || !read_two(a[1], 0, FEATURE_MAX_CELLS, 0, FEATURE_MAX_CELLS, &h, &w) ||
        !read_two(a[2], 0, LAY_PATHS - 1, 0, 1, &path, &again) ||
        !read_two(a[3], -1, N_COLORS - 1, 0, N_COLORS - 1, &foreground, &rest)) {
        return val_fail(FAIL_TYPE);
    }
    int32_t n = (int32_t)val_len(a[0]);
    if (!lay_size((LayPath)path, runs, n, &h, &w)) {
        return val_fail(FAIL_LIMIT);
    }
    int8_t *to = ctx_charge(ctx, (uint64_t)(h * w / 8 + n)) ? grid_buffer(ctx, h, w, &why) : NULL;
    if (to == NULL) {
        return ctx->exhausted ? val_fail_budget(ctx) : val_fail(why);
    }
    lay_runs(runs, n, (LayPath)path, again != 0, (LayColors){(int8_t)foreground, (int8_t)rest}, h, w, to);
    return val_grid8(to, (uint32_t)h, (uint32_t)w);
}

static bool is_picture(Val v) {
    if (v.kind != VAL_GRID8 || v.n == 0 || v.w == 0 || (uint64_t)v.n * v.w > FEATURE_MAX_CELLS) {
        return false;
    }
    for (size_t k = 0; k < (size_t)v.n * v.w; k++) {
        if ((uint8_t)v.b8[k] >= N_COLORS) {
            return false;
        }
    }
    return true;
}

static void lay_one(int8_t *to, int32_t width, LaySize corner, Val grid, int8_t rest) {
    for (int32_t k = 0; k < (int32_t)grid.n * grid.w; k++) {
        int32_t at = (corner.h + k / grid.w) * width + corner.w + k % grid.w;
        to[at] = grid.b8[k] != rest ? grid.b8[k] : to[at];
    }
}

Val prim_lay_grids(Ctx *ctx, const Val *a) {
    LaySize sizes[LAY_MAX], corners[LAY_MAX];
    int32_t way, gap;
    Reason why;
    uint32_t n = val_is_tuple(a[0]) ? val_len(a[0]) : 0;
    if (n == 0 || n > LAY_MAX || !read_two(a[1], 0, LAYING_COUNT - 1, 0, LAY_MAX_GAP, &way, &gap) ||
        !val_is_int(a[2]) || a[2].i < 0 || a[2].i >= N_COLORS) {
        return val_fail(n == 0 && val_is_tuple(a[0]) ? FAIL_EMPTY : FAIL_TYPE);
    }
    for (uint32_t k = 0; k < n; k++) {
        Val grid = val_at(a[0], k);
        if (!is_picture(grid)) {
            return val_fail(FAIL_TYPE);
        }
        sizes[k] = (LaySize){(int32_t)grid.n, grid.w};
    }
    LaySize whole = lay_corners((Laying)way, gap, sizes, (int32_t)n, corners);
    if (whole.h * whole.w > FEATURE_MAX_CELLS) {
        return val_fail(FAIL_LIMIT);
    }
    int8_t *to = ctx_charge(ctx, n + (uint64_t)(whole.h * whole.w / 8))
                     ? grid_buffer(ctx, whole.h, whole.w, &why)
                     : NULL;
    if (to == NULL) {
        return ctx->exhausted ? val_fail_budget(ctx) : val_fail(why);
    }
    memset(to, (int)a[2].i, (size_t)(whole.h * whole.w));
    for (uint32_t k = 0; k < n; k++) {
        lay_one(to, whole.w, corners[k], val_at(a[0], k), (int8_t)a[2].i);
    }
    return val_grid8(to, (uint32_t)whole.h, (uint32_t)whole.w);
}
