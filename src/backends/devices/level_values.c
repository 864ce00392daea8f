/* Values as devices have them, and back; see levels_internal.h. */
#include "backends/devices/levels_internal.h"

#include <string.h>

enum { FAR = 1 << 20 };

static bool grid_form(Val v, LevelValue *form) {
    if (v.kind != VAL_GRID8 || v.w == 0 || v.w > LEVEL_MAX_SIDE || v.n > LEVEL_MAX_SIDE ||
        (uint32_t)v.n * v.w > LEVEL_MAX_CELLS) {
        return false;
    }
    *form = (LevelValue){.form = LEVEL_GRID, .h = (uint16_t)v.n, .w = v.w};
    return true;
}

/* Whether every place of an object has one cell. */
static bool has_single_places(Val v, int32_t top, int32_t left, int32_t w) {
    uint64_t seen[LEVEL_MAX_CELLS / 64] = {0};
    for (uint32_t k = 0; k < v.n; k++) {
        int32_t at = (key_row(v.kind, v.k[k]) - top) * w + key_col(v.kind, v.k[k]) - left;
        if (seen[at / 64] >> (at % 64) & 1) {
            return false;
        }
        seen[at / 64] |= (uint64_t)1 << (at % 64);
    }
    return true;
}

/* A patch: its box, if it is one that fits. */
static bool patch_form(Val v, LevelValue *form) {
    int32_t top = INT32_MAX, left = INT32_MAX, bottom = INT32_MIN, right = INT32_MIN;
    for (uint32_t k = 0; k < v.n; k++) {
        int32_t i = key_row(v.kind, v.k[k]), j = key_col(v.kind, v.k[k]);
        if (v.kind != VAL_INDICES && key_color(v.kind, v.k[k]) == LEVEL_ABSENT) {
            return false;
        }
        top = i < top ? i : top;
        bottom = i > bottom ? i : bottom;
        left = j < left ? j : left;
        right = j > right ? j : right;
    }
    int32_t h = bottom - top + 1, w = right - left + 1, max_w = v.kind == VAL_INDICES ? 64 : LEVEL_MAX_SIDE;
    if (h > LEVEL_MAX_SIDE || w > max_w || h * w > LEVEL_MAX_CELLS || top < -KEY_COORD || left < -KEY_COORD ||
        bottom >= KEY_COORD || right >= KEY_COORD ||
        (v.kind != VAL_INDICES && !has_single_places(v, top, left, w))) {
        return false;
    }
    *form = (LevelValue){.form = v.kind == VAL_INDICES ? LEVEL_INDICES : LEVEL_OBJECT,
                         .a = top,
                         .b = left,
                         .h = (uint16_t)h,
                         .w = (uint16_t)w,
                         .n = v.n};
    return true;
}

bool level_form(Val v, LevelValue *form) {
    switch (v.kind) {
    case VAL_FAIL:
        *form = (LevelValue){.form = LEVEL_FAIL, .a = v.w, .prim = (uint16_t)v.n};
        return true;
    case VAL_INT:
        *form = (LevelValue){.form = LEVEL_INT, .a = (int32_t)v.i};
        return v.i == (int32_t)v.i;
    case VAL_PAIR:
        *form = (LevelValue){.form = LEVEL_PAIR, .a = v.a, .b = v.b};
        return true;
    case VAL_GRID8:
        return grid_form(v, form);
    case VAL_INDICES:
    case VAL_OBJ_CORE:
    case VAL_OBJ_BATT:
        return patch_form(v, form);
    case VAL_SET:
        *form = (LevelValue){.form = LEVEL_EMPTY_SET};
        return v.n == 0;
    case VAL_TUPLE:
        if (v.n == 0) {
            *form = (LevelValue){.form = LEVEL_EMPTY_TUPLE};
            return true;
        }
        if (v.n == 2 && v.v[0].kind == VAL_PAIR && grid_form(v.v[1], form)) {
            form->form = LEVEL_STAMP;
            form->a = v.v[0].a;
            form->b = v.v[0].b;
            return form->a > -FAR && form->a < FAR && form->b > -FAR && form->b < FAR;
        }
        return false;
    default:
        return false;
    }
}

size_t level_bytes(const LevelValue *form) {
    switch (form->form) {
    case LEVEL_GRID:
    case LEVEL_STAMP:
    case LEVEL_OBJECT:
        return (size_t)form->h * form->w;
    case LEVEL_INDICES:
        return form->h * sizeof(uint64_t);
    default:
        return 0;
    }
}

void level_write(Val v, const LevelValue *form, unsigned char *to) {
    size_t bytes = level_bytes(form);
    if (form->form == LEVEL_GRID || form->form == LEVEL_STAMP) {
        memcpy(to, form->form == LEVEL_GRID ? v.b8 : v.v[1].b8, bytes);
        return;
    }
    memset(to, form->form == LEVEL_OBJECT ? LEVEL_ABSENT : 0, bytes);
    for (uint32_t k = 0; bytes > 0 && k < v.n; k++) {
        size_t i = (size_t)(key_row(v.kind, v.k[k]) - form->a),
               j = (size_t)(key_col(v.kind, v.k[k]) - form->b);
        if (form->form == LEVEL_INDICES) {
            uint64_t row;
            memcpy(&row, to + i * sizeof row, sizeof row);
            row |= (uint64_t)1 << j;
            memcpy(to + i * sizeof row, &row, sizeof row);
        } else {
            to[i * form->w + j] = (unsigned char)key_color(v.kind, v.k[k]);
        }
    }
}

static Val read_patch(Ctx *ctx, const LevelValue *p, const unsigned char *from) {
    uint32_t *keys = key_buffer(ctx, p->n), n = 0;
    if (keys == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t i = 0; i < p->h; i++) {
        uint64_t row;
        memcpy(&row, from + i * sizeof row, sizeof row);
        for (; row != 0 && n < p->n; row &= row - 1) {
            keys[n++] = key_index(p->a + (int32_t)i, p->b + __builtin_ctzll(row));
        }
    }
    return val_keys_sorted(VAL_INDICES, keys, n);
}

static Val read_object(Ctx *ctx, const LevelValue *p, const unsigned char *from) {
    uint32_t *keys = key_buffer(ctx, p->n), n = 0;
    bool core = ctx->mode == MODE_CORE;
    if (keys == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < (uint32_t)p->h * p->w && n < p->n; k++) {
        int32_t c = (int8_t)from[k], i = p->a + (int32_t)(k / p->w), j = p->b + (int32_t)(k % p->w);
        if (c != LEVEL_ABSENT) {
            keys[n++] = core ? key_core(c, i, j) : key_batt(c, i, j);
        }
    }
    return val_keys(ctx, core ? VAL_OBJ_CORE : VAL_OBJ_BATT, keys, n);
}

Val level_read(Ctx *ctx, const LevelValue *value, const unsigned char *from) {
    Val grid = {0};
    switch (value->form) {
    case LEVEL_FAIL:
        return (Val){.kind = VAL_FAIL, .w = (uint16_t)value->a, .n = value->prim};
    case LEVEL_INT:
        return val_int(value->a);
    case LEVEL_PAIR:
        return val_pair32(value->a, value->b);
    case LEVEL_GRID:
        return val_grid8((const int8_t *)from, value->h, value->w);
    case LEVEL_STAMP:
        grid = val_grid8((const int8_t *)from, value->h, value->w);
        return val_tuple2(ctx, val_pair32(value->a, value->b), grid);
    case LEVEL_INDICES:
        return read_patch(ctx, value, from);
    case LEVEL_OBJECT:
        return read_object(ctx, value, from);
    case LEVEL_EMPTY_SET:
        return VAL_EMPTY_SET;
    default:
        return VAL_EMPTY_TUPLE;
    }
}

uint8_t level_verdict(Val v, const Image *expected) {
    if (v.kind != VAL_GRID8) {
        return val_failed(v) ? LEVEL_FAILED : LEVEL_NOT_GRID;
    }
    for (uint32_t k = 0; k < v.n * v.w; k++) {
        if (v.b8[k] < 0 || v.b8[k] > 9) {
            return LEVEL_NOT_GRID;
        }
    }
    if (expected->cells == NULL) {
        return LEVEL_UNKNOWN;
    }
    if ((int32_t)v.n != expected->h || v.w != expected->w) {
        return LEVEL_WRONG_SIZE;
    }
    return memcmp(v.b8, expected->cells, (size_t)v.n * v.w) == 0 ? LEVEL_RIGHT : LEVEL_WRONG;
}
