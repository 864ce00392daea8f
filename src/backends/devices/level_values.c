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

/* Objects that could be those of a grid: of colors 0 to 9, nowhere two. */
static bool objects_form(Val v, LevelValue *form) {
    uint64_t seen[LEVEL_MAX_PLANE / 64] = {0};
    int32_t top = INT32_MAX, left = INT32_MAX, bottom = INT32_MIN, right = INT32_MIN;
    for (uint32_t o = 0; o < v.n; o++) {
        Val object = v.v[o];
        LevelValue one;
        if ((object.kind != VAL_OBJ_CORE && object.kind != VAL_OBJ_BATT) || !patch_form(object, &one)) {
            return false;
        }
        top = one.a < top ? one.a : top;
        left = one.b < left ? one.b : left;
        bottom = one.a + one.h > bottom ? one.a + one.h : bottom;
        right = one.b + one.w > right ? one.b + one.w : right;
    }
    if ((int64_t)(bottom - top) * (right - left) > LEVEL_MAX_PLANE) {
        return false;
    }
    *form = (LevelValue){.form = LEVEL_OBJECTS, .a = top, .b = left, .n = v.n};
    form->h = (uint16_t)(bottom - top);
    form->w = (uint16_t)(right - left);
    for (uint32_t o = 0; o < v.n; o++) {
        for (uint32_t k = 0; k < v.v[o].n; k++) {
            uint32_t key = v.v[o].k[k], kind = v.v[o].kind;
            int32_t at = (key_row(kind, key) - top) * form->w + key_col(kind, key) - left,
                    c = key_color(kind, key);
            if (c < 0 || c > 9 || (seen[at / 64] >> (at % 64) & 1)) {
                return false;
            }
            seen[at / 64] |= (uint64_t)1 << (at % 64);
        }
    }
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
        return v.n == 0 || objects_form(v, form);
    case VAL_PRIM:
        *form = (LevelValue){.form = LEVEL_FUNCTION, .a = level_op_of(v.n)};
        return form->a >= 0 && form->a < LEVEL_NO_FUNCTION;
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
    case LEVEL_OBJECTS:
        return form->n * sizeof(LevelPart) + 3 * (size_t)form->h * form->w;
    default:
        return 0;
    }
}

typedef struct Plane { /* where the arrays of LEVEL_OBJECTS are */
    LevelPart *parts;
    uint16_t *labels;
    unsigned char *cells;
} Plane;

static Plane plane_of(const LevelValue *form, const unsigned char *bytes) {
    Plane p = {.parts = (LevelPart *)(uintptr_t)bytes};
    p.labels = (uint16_t *)(p.parts + form->n);
    p.cells = (unsigned char *)(p.labels + (size_t)form->h * form->w);
    return p;
}

static void write_objects(Val v, const LevelValue *form, unsigned char *to) {
    Plane plane = plane_of(form, to);
    memset(to, 0, level_bytes(form));
    for (uint32_t o = 0; o < v.n; o++) {
        LevelValue box;
        (void)patch_form(v.v[o], &box);
        LevelPart *part = &plane.parts[o];
        *part = (LevelPart){.n = (uint16_t)box.n, .h = box.h, .w = box.w};
        part->top = (uint16_t)(box.a - form->a);
        part->left = (uint16_t)(box.b - form->b);
        for (uint32_t k = 0; k < box.n; k++) {
            uint32_t key = v.v[o].k[k], kind = v.v[o].kind, c = (uint32_t)key_color(kind, key);
            size_t at =
                (size_t)(key_row(kind, key) - form->a) * form->w + (size_t)(key_col(kind, key) - form->b);
            plane.labels[at] = (uint16_t)(o + 1);
            plane.cells[at] = (unsigned char)c;
            part->colors = (uint16_t)(part->colors | 1u << c);
        }
    }
}

void level_write(Val v, const LevelValue *form, unsigned char *to) {
    size_t bytes = level_bytes(form);
    if (form->form == LEVEL_OBJECTS) {
        write_objects(v, form, to);
        return;
    }
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

bool level_is_sound(const LevelValue *value, const unsigned char *from) {
    uint32_t counts[LEVEL_MAX_PLANE] = {0}, n = value->form == LEVEL_OBJECTS ? value->n : 0;
    for (uint32_t k = 0; n > 0 && k < (uint32_t)value->h * value->w; k++) {
        uint32_t label = plane_of(value, from).labels[k];
        if (label > n) {
            return false;
        }
        counts[label > 0 ? label - 1 : n - 1] += label > 0;
    }
    for (uint32_t o = 0; o < n; o++) {
        if (counts[o] == 0 || counts[o] != plane_of(value, from).parts[o].n) {
            return false;
        }
    }
    return true;
}

/* In the order that they have there. */
static Val read_objects(Ctx *ctx, const LevelValue *value, const unsigned char *from) {
    Plane plane = plane_of(value, from);
    bool core = ctx->mode == MODE_CORE;
    uint32_t area = (uint32_t)value->h * value->w, next[LEVEL_MAX_PLANE], at = 0;
    uint32_t *keys = key_buffer(ctx, area);
    Val *items = val_buffer(ctx, value->n);
    if (keys == NULL || items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t o = 0; o < value->n; o++) {
        next[o] = at;
        at += plane.parts[o].n;
    }
    for (uint32_t k = 0; k < area; k++) {
        int32_t i = value->a + (int32_t)(k / value->w), j = value->b + (int32_t)(k % value->w),
                c = plane.cells[k];
        if (plane.labels[k] != 0) {
            keys[next[plane.labels[k] - 1]++] = core ? key_core(c, i, j) : key_batt(c, i, j);
        }
    }
    for (uint32_t o = 0; o < value->n; o++) {
        uint32_t n = plane.parts[o].n;
        items[o] = val_keys(ctx, core ? VAL_OBJ_CORE : VAL_OBJ_BATT, keys + next[o] - n, n);
    }
    return val_plain(VAL_SET, items, value->n);
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
    case LEVEL_OBJECTS:
        return read_objects(ctx, value, from);
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
