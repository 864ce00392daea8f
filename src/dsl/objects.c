/* objects: the connected components of a grid.
 *
 * One scan joins every cell to the neighbours before it (union by smallest place, so a component's root is
 * its first cell). A second walk over the cells, in the order of the mode's keys, hands every cell to its
 * component: components and their keys then come out ascending, and nothing has to be sorted. */
#include "dsl/objects.h"

#include "dsl/colors.h"
#include "dsl/prim.h"
#include "dsl/rows.h"

enum { ON_STACK = 1024 }; /* cells whose scratch space lives on the stack */

typedef struct Work {
    const int8_t *cells;
    uint32_t h, w, n;
    int32_t bg;       /* beyond the bytes: none */
    uint32_t *parent; /* by place: a place before it in its component, or itself */
    uint32_t *order;  /* places in key order, background left out */
    uint32_t *object; /* by root: number of its component */
} Work;

static uint32_t root_of(uint32_t *parent, uint32_t p) {
    while (parent[p] != p) {
        parent[p] = parent[parent[p]];
        p = parent[p];
    }
    return p;
}

static inline uint32_t join(uint32_t *parent, uint32_t root, uint32_t p) {
    uint32_t other = root_of(parent, p);
    if (other < root) {
        parent[root] = other;
        return other;
    }
    parent[other] = root;
    return root;
}

/* Join all cells. A neighbour that is linked through another one already is not looked at. */
static inline void join_all(const Work *work, bool univalued, bool diagonal) {
    const int8_t *cells = work->cells;
    uint32_t *parent = work->parent, p = 0, w = work->w;
    for (uint32_t i = 0; i < work->h; i++) {
        for (uint32_t j = 0; j < w; j++, p++) {
            int8_t c = cells[p];
            parent[p] = p;
            if (c == work->bg) {
                continue;
            }
#define LINKED(q) (univalued ? cells[q] == c : cells[q] != work->bg)
            bool up = i > 0 && LINKED(p - w), left = j > 0 && LINKED(p - 1);
            bool up_left = i > 0 && j > 0 && LINKED(p - w - 1);
            if (diagonal) {
                bool up_right = i > 0 && j + 1 < w && LINKED(p - w + 1);
                if (up) {
                    join(parent, p, p - w);
                } else {
                    uint32_t root = p;
                    if (left) {
                        root = join(parent, root, p - 1);
                    } else if (up_left) {
                        root = join(parent, root, p - w - 1);
                    }
                    if (up_right) {
                        join(parent, root, p - w + 1);
                    }
                }
            } else {
                uint32_t root = p;
                if (left) {
                    root = join(parent, root, p - 1);
                }
                if (up && !(left && up_left)) {
                    join(parent, root, p - w);
                }
            }
#undef LINKED
        }
    }
}

/* Core: by color, then reading order. Batt: reading order. Returns how many. */
static uint32_t order_cells(const Work *work, bool by_color, const uint32_t *count) {
    uint32_t n = 0;
    if (!by_color) {
        for (uint32_t p = 0; p < work->n; p++) {
            work->order[n] = p;
            n += work->cells[p] != work->bg;
        }
        return n;
    }
    uint32_t at[256];
    for (int c = -128; c < 128; c++) {
        at[c + 128] = n;
        n += c == work->bg ? 0 : count[c + 128];
    }
    for (uint32_t p = 0; p < work->n; p++) {
        int8_t c = work->cells[p];
        if (c != work->bg) {
            work->order[at[c + 128]++] = p;
        }
    }
    return n;
}

Val objects_packed(Ctx *ctx, Val grid, Links links) {
    Work work = {.cells = grid.b8, .h = grid.n, .w = grid.w, .n = grid.n * grid.w, .bg = INT16_MAX};
    uint32_t stack[3 * ON_STACK], *scratch = stack, count[256];
    if (work.n > ON_STACK) {
        scratch = ctx_alloc(ctx, 3 * (size_t)work.n * sizeof *scratch);
        if (scratch == NULL || !ctx_charge(ctx, work.n / 8)) {
            return val_fail_budget(ctx);
        }
    }
    work.parent = scratch;
    work.order = scratch + work.n;
    work.object = work.order + work.n;
    if (links.without_bg) {
        int64_t bg;
        if (!grid_mostcolor(grid, &bg)) {
            return val_fail(FAIL_EMPTY);
        }
        work.bg = (int32_t)bg;
    }
    switch (links.univalued << 1 | links.diagonal) {
    case 0:
        join_all(&work, false, false);
        break;
    case 1:
        join_all(&work, false, true);
        break;
    case 2:
        join_all(&work, true, false);
        break;
    default:
        join_all(&work, true, true);
    }
    bool core = ctx->mode == MODE_CORE;
    if (core) {
        colors_count(work.cells, work.n, count);
    }
    uint32_t cells = order_cells(&work, core, count), objects = 0;
    for (uint32_t p = 0; p < work.n; p++) { /* roots come before their cells */
        work.parent[p] = work.parent[work.parent[p]];
        work.object[p] = UINT32_MAX;
    }
    uint32_t *keys = key_buffer(ctx, cells);
    Val *items = val_buffer(ctx, cells);
    if (keys == NULL || items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < cells; k++) { /* number the components, count their cells */
        uint32_t root = work.parent[work.order[k]];
        if (work.object[root] == UINT32_MAX) {
            work.object[root] = objects;
            items[objects++] = (Val){.kind = (uint16_t)(core ? VAL_OBJ_CORE : VAL_OBJ_BATT)};
        }
        items[work.object[root]].n++;
    }
    uint32_t at = 0;
    for (uint32_t k = 0; k < objects; k++) {
        items[k].k = keys + at;
        at += items[k].n;
        items[k].n = 0;
    }
    for (uint32_t k = 0; k < cells; k++) {
        uint32_t p = work.order[k];
        int32_t i = (int32_t)(p / work.w), j = (int32_t)(p % work.w);
        Val *object = &items[work.object[work.parent[p]]];
        size_t place = (size_t)(object->k - keys) + object->n++;
        keys[place] = core ? key_core(work.cells[p], i, j) : key_batt(work.cells[p], i, j);
    }
    ctx_release(ctx, (char *)(items + objects));
    return objects == 0 ? VAL_EMPTY_SET : (Val){.kind = VAL_SET, .n = objects, .v = items};
}

/* ---- the primitives ---- */

static bool keys_hold(const Ctx *ctx, Val grid) {
    return FAST_PATH(ctx) && grid.kind == VAL_GRID8 && grid.n <= KEY_COORD && grid.w <= KEY_COORD;
}

/* In batt mode a grid without cells has no objects. */
static bool no_cells(Val grid) {
    uint32_t h, w;
    Reason why = rows_shape(grid, &h, &w);
    return why == FAIL_RANGE || (why == FAIL_NONE && w == 0);
}

static inline Val objects(Ctx *ctx, Val grid, Links links) {
    if (LIKELY(keys_hold(ctx, grid) && grid.w != 0)) {
        return objects_packed(ctx, grid, links);
    }
    return ctx->mode == MODE_BATT && no_cells(grid) ? VAL_EMPTY_SET : objects_plain(ctx, grid, links, false);
}

static Val walks(Ctx *ctx, Val grid, Links links) {
    if (no_cells(grid)) {
        return VAL_EMPTY_TUPLE;
    }
    return objects_plain(ctx, grid, links, true);
}

Val prim_objects(Ctx *ctx, const Val *a) {
    return objects(ctx, a[0], (Links){val_truth(a[1]), val_truth(a[2]), val_truth(a[3])});
}

Val prim_objects_t(Ctx *ctx, const Val *a) {
    return walks(ctx, a[0], (Links){val_truth(a[1]), val_truth(a[2]), val_truth(a[3])});
}

/* The dialect numbers the eight kinds of components. */
static bool links_by_number(Val type, Links *links) {
    *links = (Links){type.i >> 2 & 1, type.i >> 1 & 1, type.i & 1};
    return val_is_int(type) && type.i >= 0 && type.i < 8;
}

Val prim_o_g(Ctx *ctx, const Val *a) {
    Links links;
    return links_by_number(a[1], &links) ? objects(ctx, a[0], links) : val_atom(ATOM_NONE);
}

Val prim_o_g_t(Ctx *ctx, const Val *a) {
    Links links;
    return links_by_number(a[1], &links) ? walks(ctx, a[0], links) : val_atom(ATOM_NONE);
}
