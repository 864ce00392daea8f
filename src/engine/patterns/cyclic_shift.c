/* Cyclic shifts; see cyclic_shift.h. */
#include "engine/patterns/cyclic_shift.h"

#include "base/check.h"

/* Any number of steps is as good as one between 0 and the length of what it goes around. */
static int32_t around(int64_t at, int32_t length) {
    int64_t rest = at % length;
    return (int32_t)(rest < 0 ? rest + length : rest);
}

/* The number of a cell in its ring, clockwise from the upper left corner; *length: how many the ring has. */
static int32_t ring_number(int32_t h, int32_t w, int32_t i, int32_t j, int32_t *ring, int32_t *length) {
    int32_t up = i < h - 1 - i ? i : h - 1 - i, side = j < w - 1 - j ? j : w - 1 - j,
            d = up < side ? up : side;
    int32_t rows = h - 2 * d, columns = w - 2 * d, a = i - d, b = j - d;
    *ring = d;
    *length = rows == 1 ? columns : columns == 1 ? rows : 2 * (rows + columns) - 4;
    return rows == 1 || a == 0                ? b
           : columns == 1 || b == columns - 1 ? (columns - 1) + a
           : a == rows - 1                    ? (columns - 1) + (rows - 1) + (columns - 1 - b)
                                              : *length - a;
}

/* The cell with a number in a ring. */
static int32_t ring_cell(int32_t h, int32_t w, int32_t d, int32_t number) {
    int32_t rows = h - 2 * d, columns = w - 2 * d, a, b;
    if (number < columns) {
        a = 0;
        b = number;
    } else if (number < columns + rows - 1) {
        a = number - (columns - 1);
        b = columns - 1;
    } else if (number < 2 * columns + rows - 2) {
        a = rows - 1;
        b = columns - 1 - (number - (columns - 1) - (rows - 1));
    } else {
        a = 2 * (rows + columns) - 4 - number;
        b = 0;
    }
    return (a + d) * w + b + d;
}

/* How far the k-th of n lines goes. Without room on the left, lines that go there start from the right. */
static int64_t sheared(int64_t steps, int32_t k, int32_t n) {
    return n == 1 ? 0 : steps >= 0 ? k * steps : (n - 1 - k) * -steps;
}

bool cshift_size(CShiftMode mode, int64_t steps, int32_t *h, int32_t *w) {
    if (mode == CSHIFT_ROWS_SHEAR || mode == CSHIFT_COLUMNS_SHEAR) {
        int32_t lines = mode == CSHIFT_ROWS_SHEAR ? *h : *w;
        if (lines > 1 && (steps > FEATURE_MAX_CELLS || steps < -FEATURE_MAX_CELLS)) {
            return false;
        }
        int64_t far = lines == 1 ? 0 : steps < 0 ? -steps : steps;
        int64_t rows = *h + (mode == CSHIFT_COLUMNS_SHEAR ? far * (*w - 1) : 0);
        int64_t columns = *w + (mode == CSHIFT_ROWS_SHEAR ? far * (*h - 1) : 0);
        if (rows * columns > FEATURE_MAX_CELLS) {
            return false;
        }
        *h = (int32_t)rows;
        *w = (int32_t)columns;
    }
    return true;
}

int32_t cshift_from(CShiftMode mode, int64_t steps, int32_t h, int32_t w, int32_t i, int32_t j) {
    int64_t from;
    int32_t ring, length, number;
    switch (mode) {
    case CSHIFT_ROWS:
        return i * w + around(j - steps % w, w);
    case CSHIFT_COLUMNS:
        return around(i - steps % h, h) * w + j;
    case CSHIFT_RINGS:
        number = ring_number(h, w, i, j, &ring, &length);
        return ring_cell(h, w, ring, around(number - steps % length, length));
    case CSHIFT_ROWS_SLANT:
        return i * w + around(j - i * (steps % w), w);
    case CSHIFT_COLUMNS_SLANT:
        return around(i - j * (steps % h), h) * w + j;
    case CSHIFT_ROWS_LOSE:
        return steps > j || steps <= j - w ? -1 : i * w + (int32_t)(j - steps);
    case CSHIFT_COLUMNS_LOSE:
        return steps > i || steps <= i - h ? -1 : (int32_t)(i - steps) * w + j;
    case CSHIFT_ROWS_SHEAR:
        from = j - sheared(steps, i, h);
        return from >= 0 && from < w ? i * w + (int32_t)from : -1;
    case CSHIFT_COLUMNS_SHEAR:
        from = i - sheared(steps, j, w);
        return from >= 0 && from < h ? (int32_t)from * w + j : -1;
    default:
        return -1;
    }
}

/* Whether a list of steps, one for each line, has a meaning. */
static bool takes_list(CShiftMode mode) {
    return mode == CSHIFT_ROWS || mode == CSHIFT_COLUMNS || mode == CSHIFT_ROWS_LOSE ||
           mode == CSHIFT_COLUMNS_LOSE;
}

Val prim_grid_roll(Ctx *ctx, const Val *a) {
    GridAnalysis b;
    Reason why;
    if (!val_is_int(a[1]) || a[1].i < 0 || a[1].i >= CSHIFT_MODES) {
        return val_fail(FAIL_TYPE);
    }
    bool list = val_is_ints(a[2]) && val_len(a[2]) > 0 && takes_list((CShiftMode)a[1].i);
    if (!val_is_int(a[2]) && !list) {
        return val_fail(FAIL_TYPE);
    }
    if (!analysis_of(a[0], &b, &why)) {
        return val_fail(why);
    }
    CShiftMode mode = (CShiftMode)a[1].i;
    int32_t h = b.h, w = b.w;
    if (!list && !cshift_size(mode, a[2].i, &h, &w)) {
        return val_fail(FAIL_LIMIT);
    }
    int8_t *to = ctx_charge(ctx, (uint64_t)(h * w / 8)) ? grid_buffer(ctx, h, w, &why) : NULL;
    if (to == NULL) {
        return ctx->exhausted ? val_fail_budget(ctx) : val_fail(why);
    }
    bool grows = mode == CSHIFT_ROWS_SHEAR || mode == CSHIFT_COLUMNS_SHEAR;
    bool rows = mode == CSHIFT_ROWS || mode == CSHIFT_ROWS_LOSE;
    for (int32_t k = 0; k < h * w; k++) {
        uint32_t line = (uint32_t)(rows ? k / w : k % w);
        int64_t steps = list ? val_ints_at(a[2], line % val_len(a[2])) : a[2].i;
        int32_t from = cshift_from(mode, steps, b.h, b.w, k / w, k % w);
        to[k] = from >= 0 ? b.c[from] : grows ? 0 : b.background;
    }
    return val_grid8(to, (uint32_t)h, (uint32_t)w);
}
