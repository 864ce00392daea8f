/* Explaining outputs by a grid that a learner made; see forms.h. */
#include "search/strategies/forms.h"

#include <string.h>

enum { COLORS = 10 };
typedef enum OutputForm { FORM_WHOLE, FORM_TABLE, FORM_HOLE, FORM_CHANGED, FORM_COUNT } OutputForm;
static const double FORM_COST[FORM_COUNT] = {0, 2, 2, 2};
enum { ENTRY_COST = 6 }; /* for naming the colors, and what they become */

typedef struct Forms {
    Search *search;
    const FormSource *source;
    unsigned left; /* forms that are not refuted yet, bits */
    int8_t table[COLORS][COLORS];
} Forms;

static bool same_size(Val a, Val b) {
    return a.kind == VAL_GRID8 && b.kind == VAL_GRID8 && a.n == b.n && a.w == b.w;
}

/* Notes what each pair of colors of input and grid becomes; false: it becomes two different things. */
static bool note_table(Forms *f, Val in, Val grid, Val out) {
    if (!same_size(in, grid) || !same_size(grid, out)) {
        return false;
    }
    for (size_t k = 0; k < (size_t)out.n * out.w; k++) {
        if ((uint8_t)in.b8[k] >= COLORS || (uint8_t)grid.b8[k] >= COLORS) {
            return false;
        }
        int8_t *entry = &f->table[in.b8[k]][grid.b8[k]];
        if (*entry >= 0 && *entry != out.b8[k]) {
            return false;
        }
        *entry = out.b8[k];
    }
    return true;
}

/* Whether the output is cut out of the grid: the rectangle around the cells where the input has the mask's
 * color, or (mask -1) differs from the grid. */
static bool is_hole(Val in, Val grid, Val out, int8_t mask) {
    if (!same_size(in, grid)) {
        return false;
    }
    int32_t top = (int32_t)in.n, left = in.w, bottom = -1, right = -1;
    for (int32_t i = 0; i < (int32_t)in.n; i++) {
        for (int32_t j = 0; j < in.w; j++) {
            int32_t k = i * in.w + j;
            if (mask >= 0 ? in.b8[k] == mask : in.b8[k] != grid.b8[k]) {
                top = i < top ? i : top;
                left = j < left ? j : left;
                bottom = i > bottom ? i : bottom;
                right = j > right ? j : right;
            }
        }
    }
    if (bottom - top + 1 != (int32_t)out.n || right - left + 1 != out.w) {
        return false;
    }
    for (int32_t i = 0; i < (int32_t)out.n; i++) {
        const int8_t *row = grid.b8 + (top + i) * grid.w + left;
        if (memcmp(row, out.b8 + i * out.w, out.w) != 0) {
            return false;
        }
    }
    return true;
}

/* Drops the forms that a training pair refutes. */
static void look_at_pair(Forms *f, uint32_t pair, Val grid) {
    const SearchTask *t = f->search->task;
    Val in = t->in[pair], out = t->out[pair];
    bool good[FORM_COUNT] = {
        [FORM_WHOLE] = val_eq(grid, out),
        [FORM_TABLE] = (f->left >> FORM_TABLE & 1) && note_table(f, in, grid, out),
        [FORM_HOLE] = (f->left >> FORM_HOLE & 1) && is_hole(in, grid, out, f->source->mask),
        [FORM_CHANGED] = (f->left >> FORM_CHANGED & 1) && is_hole(in, grid, out, -1),
    };
    for (unsigned form = 0; form < FORM_COUNT; form++) {
        f->left &= ~(unsigned)(!good[form] << form);
    }
}

/* How many entries do not just keep the grid's color; -1: none needs the grid, so it explains nothing. */
static int32_t count_entries(const Forms *f) {
    int32_t entries = 0;
    bool needs_grid = false;
    for (int32_t x = 0; x < COLORS; x++) {
        int8_t first = -1;
        for (int32_t y = 0; y < COLORS; y++) {
            int8_t z = f->table[x][y];
            if (z >= 0) {
                needs_grid |= first >= 0 && z != first;
                first = z;
                entries += z != y;
            }
        }
    }
    return needs_grid ? entries : -1;
}

/* The table of all pairs of colors; pairs that were not met keep the grid's color. */
static Val table_value(Forms *f) {
    Reason why;
    int8_t *rows = grid_buffer(f->search->ctx, COLORS * COLORS, 3, &why);
    int32_t n = 0;
    for (int8_t x = 0; x < COLORS && rows != NULL; x++) {
        for (int8_t y = 0; y < COLORS; y++, n++) {
            int8_t z = f->table[x][y];
            const int8_t row[3] = {x, y, z >= 0 ? z : y};
            memcpy(rows + n * 3, row, sizeof row);
        }
    }
    return rows != NULL ? val_grid8(rows, COLORS * COLORS, 3) : val_fail(why);
}

static Ref build_form(Forms *f, OutputForm form) {
    Builder *b = &f->search->builder;
    Ref grid = f->source->build(f->source->owner, b, PARAM_I);
    Ref cells;
    switch (form) {
    case FORM_TABLE:
        return build_call(b, P_stamp_table, (Ref[]){PARAM_I, grid, build_const(b, table_value(f))}, 3);
    case FORM_HOLE:
        cells = build_call(b, P_ofcolor, (Ref[]){PARAM_I, build_const(b, val_int(f->source->mask))}, 2);
        return build_call(b, P_subgrid, (Ref[]){cells, grid}, 2);
    case FORM_CHANGED:
        cells = build_call(b, P_cellwise, (Ref[]){PARAM_I, grid, build_const(b, val_int(-1))}, 3);
        cells = build_call(b, P_ofcolor, (Ref[]){cells, build_const(b, val_int(-1))}, 2);
        return build_call(b, P_subgrid, (Ref[]){cells, grid}, 2);
    default:
        return grid;
    }
}

bool forms_try(Search *s, const FormSource *source) {
    Forms f = {.search = s, .source = source};
    const SearchTask *t = s->task;
    CtxMark mark = ctx_mark(s->ctx);
    bool any = false, changes = false;
    memset(f.table, -1, sizeof f.table);
    f.left = (1u << FORM_WHOLE) | (t->same_size ? 1u << FORM_TABLE : 1u << FORM_CHANGED);
    f.left |= (unsigned)(!t->same_size && source->mask >= 0) << FORM_HOLE;
    for (uint32_t k = 0; k < t->n_train && f.left != 0; k++) {
        ctx_rebudget(s->ctx);
        Val grid = source->make(source->owner, s->ctx, k);
        bool go_on = search_spend(s, ctx_steps_used(s->ctx));
        changes |= !val_eq(grid, t->in[k]);
        look_at_pair(&f, k, grid);
        if (!go_on) {
            f.left = 0;
        }
        ctx_release(s->ctx, mark);
    }
    ctx_rebudget(s->ctx);
    if (f.left >> FORM_WHOLE & 1) { /* gives the same as the others, more simply */
        f.left = 1u << FORM_WHOLE;
    }
    for (unsigned form = 0; form < FORM_COUNT && changes; form++) {
        int32_t entries = form == FORM_TABLE ? count_entries(&f) : 0;
        if ((f.left >> form & 1) && entries >= 0) {
            build_start(&s->builder);
            double cost = source->cost + FORM_COST[form] + ENTRY_COST * entries;
            Program *program = search_finish(s, build_form(&f, (OutputForm)form));
            any |= search_offer_from(s, program, cost, form == FORM_TABLE ? UINT64_MAX : source->from, NULL);
        }
    }
    ctx_release(s->ctx, mark);
    return any;
}
