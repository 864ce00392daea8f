/* Making shapes symmetric: the cells that a shape lacks to equal its mirror images or turns are painted on
 * background.
 *
 * Background is no evidence against an axis. So of all points around which a shape can be completed without
 * meeting another color, the one that adds the fewest cells is taken. Points have doubled coordinates, as
 * they may lie between cells. */
#include "engine/features/grid_analysis.h"

#include <string.h>

enum { FLIP_I = 1, FLIP_J = 2, SWAP = 4, MAX_TURNS = 8, LOOKS_PER_STEP = 32 };
typedef enum ShapeScope { SCOPE_ALL, SCOPE_MCOMPS, SCOPE_COLORS, SCOPES } ShapeScope;

/* What each turn does to the offset from the point: change signs, then swap. The identity is left out. */
static const int8_t GROUPS[][MAX_TURNS] = {
    {FLIP_J},                                        /* left, right */
    {FLIP_I},                                        /* top, bottom */
    {FLIP_J, FLIP_I, FLIP_I | FLIP_J},               /* both */
    {FLIP_I | FLIP_J},                               /* half turn */
    {FLIP_I | SWAP, FLIP_J | SWAP, FLIP_I | FLIP_J}, /* quarter turns */
    {FLIP_J, FLIP_I, FLIP_I | FLIP_J, SWAP, FLIP_I | SWAP, FLIP_J | SWAP, FLIP_I | FLIP_J | SWAP}, /* all */
    {SWAP},                                          /* diagonal */
    {FLIP_I | FLIP_J | SWAP},                        /* the other diagonal */
    {SWAP, FLIP_I | FLIP_J | SWAP, FLIP_I | FLIP_J}, /* both diagonals */
};
enum { GROUP_COUNT = sizeof GROUPS / sizeof *GROUPS };

typedef struct RepairShape {
    int16_t cells[FEATURE_MAX_CELLS];
    int32_t count;
    int32_t top, bottom, left, right;
} RepairShape;

typedef struct Shapes {
    const GridAnalysis *grid;
    const int8_t *group;
    uint64_t looks;
    int16_t label[FEATURE_MAX_CELLS];
    int16_t seen[FEATURE_MAX_CELLS]; /* the trial that added a cell */
    int16_t trial;
    RepairShape shape;
} Shapes;

/* The image of a cell about a point; -1: outside, -2: between cells. */
static int32_t turned(const GridAnalysis *b, int32_t turn, int32_t k, int32_t a, int32_t c) {
    int32_t u = 2 * (k / b->w) - a, v = 2 * (k % b->w) - c;
    u = turn & FLIP_I ? -u : u;
    v = turn & FLIP_J ? -v : v;
    int32_t i2 = a + (turn & SWAP ? v : u), j2 = c + (turn & SWAP ? u : v);
    if (i2 % 2 != 0 || j2 % 2 != 0) {
        return -2;
    }
    bool inside = i2 >= 0 && j2 >= 0 && i2 < 2 * b->h && j2 < 2 * b->w;
    return inside ? i2 / 2 * b->w + j2 / 2 : -1;
}

/* The number of cells that completing the shape around a point adds, including those outside the grid; `max`
 * if there are at least that many, or if it meets another color. */
static int32_t count_added(Shapes *s, int32_t a, int32_t c, int32_t max) {
    const GridAnalysis *b = s->grid;
    int32_t added = 0;
    s->trial++;
    for (int32_t x = 0; x < s->shape.count && added < max; x++) {
        int32_t k = s->shape.cells[x];
        for (const int8_t *turn = s->group; turn < s->group + MAX_TURNS && *turn != 0; turn++) {
            int32_t to = turned(b, *turn, k, a, c);
            s->looks++;
            if (to == -2 || (to >= 0 && b->c[to] != b->background && b->c[to] != b->c[k])) {
                return max;
            }
            bool fresh = to < 0 || (b->c[to] == b->background && s->seen[to] != s->trial);
            added += fresh;
            if (to >= 0) {
                s->seen[to] = s->trial;
            }
        }
    }
    return added < max ? added : max;
}

static void complete(Shapes *s, int8_t *cells) {
    const GridAnalysis *b = s->grid;
    int32_t best = INT32_MAX, at_a = 0, at_c = 0;
    for (int32_t a = 2 * s->shape.top; a <= 2 * s->shape.bottom; a++) {
        for (int32_t c = 2 * s->shape.left; c <= 2 * s->shape.right; c++) {
            int32_t added = count_added(s, a, c, best);
            if (added < best) {
                best = added;
                at_a = a;
                at_c = c;
            }
        }
    }
    for (int32_t x = 0; x < s->shape.count && best < INT32_MAX; x++) {
        for (const int8_t *turn = s->group; turn < s->group + MAX_TURNS && *turn != 0; turn++) {
            int32_t k = s->shape.cells[x], to = turned(b, *turn, k, at_a, at_c);
            if (to >= 0) {
                cells[to] = b->c[k];
            }
        }
    }
}

static void gather(Shapes *s, int32_t number) {
    const GridAnalysis *b = s->grid;
    RepairShape *shape = &s->shape;
    shape->count = 0;
    shape->top = b->h;
    shape->left = b->w;
    shape->bottom = shape->right = -1;
    for (int32_t k = 0; k < b->n; k++) {
        if (s->label[k] == number) {
            int32_t i = k / b->w, j = k % b->w;
            shape->cells[shape->count++] = (int16_t)k;
            shape->top = i < shape->top ? i : shape->top;
            shape->bottom = i > shape->bottom ? i : shape->bottom;
            shape->left = j < shape->left ? j : shape->left;
            shape->right = j > shape->right ? j : shape->right;
        }
    }
}

/* Numbers the shapes and returns how many there are. */
static int32_t label(Shapes *s, int64_t scope) {
    const GridAnalysis *b = s->grid;
    if (scope == SCOPE_MCOMPS) {
        return analysis_label(b, true, s->label);
    }
    for (int32_t k = 0; k < b->n; k++) {
        s->label[k] = (int16_t)(b->c[k] == b->background ? -1 : scope == SCOPE_COLORS ? b->c[k] : 0);
    }
    return scope == SCOPE_COLORS ? N_COLORS : 1;
}

Val prim_shape_repair(Ctx *ctx, const Val *a) {
    GridAnalysis b;
    Reason why;
    if (!val_is_int(a[1]) || !val_is_int(a[2])) {
        return val_fail(FAIL_TYPE);
    }
    if (a[1].i < 0 || a[1].i >= GROUP_COUNT || a[2].i < 0 || a[2].i >= SCOPES) {
        return val_fail(FAIL_RANGE);
    }
    int8_t *to = analysis_of(a[0], &b, &why) ? grid_buffer(ctx, b.h, b.w, &why) : NULL;
    if (to == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    Shapes *s = ctx_charge(ctx, (uint64_t)b.n) ? ctx_alloc(ctx, sizeof *s) : NULL;
    if (s == NULL) {
        return val_fail_budget(ctx);
    }
    memcpy(to, b.c, (size_t)b.n);
    s->grid = &b;
    s->group = GROUPS[a[1].i];
    for (int32_t x = 0, shapes = label(s, a[2].i); x < shapes; x++) {
        memset(s->seen, 0, sizeof s->seen);
        s->trial = 0;
        s->looks = (uint64_t)b.n;
        gather(s, x);
        complete(s, to);
        if (!ctx_charge(ctx, s->looks / LOOKS_PER_STEP)) {
            return val_fail_budget(ctx);
        }
    }
    ctx_release(ctx, mark);
    return val_grid8(to, (uint32_t)b.h, (uint32_t)b.w);
}
