/* Components of any tuple of rows, the plain way: a flood fill from every remaining place, layer by layer. */
#include "engine/arcdsl/colors.h"
#include "engine/arcdsl/objects.h"
#include "engine/arcdsl/rows.h"

#include <string.h>

typedef struct Field {
    uint32_t h, w;
    const Val *entry; /* h x w */
    uint8_t *open;    /* by place: whether it belongs to a component and is not listed yet */
    uint32_t *list;   /* places of the current component, in order */
    uint32_t *layer, *tmp;
    Links links;
} Field;

static Reason field_read(Ctx *ctx, Val grid, Links links, Field *field) {
    *field = (Field){.links = links};
    Val bg = val_int(0);
    if (links.without_bg) {
        bg = colors_most(ctx, grid);
        if (val_failed(bg)) {
            return (Reason)bg.w;
        }
    }
    Reason why = rows_shape(grid, &field->h, &field->w);
    if (why != FAIL_NONE) {
        return why;
    }
    uint64_t n = (uint64_t)field->h * field->w;
    if (n > LIMIT_ELEMENTS) {
        return FAIL_LIMIT;
    }
    Val *entry = val_buffer(ctx, n);
    field->entry = entry;
    field->open = ctx_alloc(ctx, n);
    field->list = key_buffer(ctx, n);
    field->layer = ctx_alloc(ctx, 8 * n * sizeof *field->layer);
    field->tmp = ctx_alloc(ctx, 8 * n * sizeof *field->tmp);
    if (entry == NULL || field->open == NULL || field->list == NULL || field->layer == NULL ||
        field->tmp == NULL) {
        return (Reason)ctx->exhausted;
    }
    for (uint32_t i = 0, p = 0; i < field->h; i++) {
        for (uint32_t j = 0; j < field->w; j++, p++) {
            why = rows_at(grid, i, j, &entry[p]);
            if (why != FAIL_NONE) {
                return why;
            }
            field->open[p] = !links.without_bg || !val_eq(entry[p], bg);
        }
    }
    return FAIL_NONE;
}

/* Writes the component of `start` to field->list, breadth first, each layer in reading order. Returns its
 * size. */
static uint32_t flood(Field *field, uint32_t start) {
    uint32_t listed = 0, n = 1;
    field->layer[0] = start;
    while (n > 0) {
        uint32_t from = listed, wide = 0;
        for (uint32_t k = 0; k < n; k++) {
            field->open[field->layer[k]] = 0;
            field->list[listed++] = field->layer[k];
        }
        for (; from < listed; from++) {
            uint32_t p = field->list[from], i = p / field->w, j = p % field->w;
            for (int d = 0; d < 9; d++) {
                /* wraps around below 0 */
                uint32_t x = i + (uint32_t)(d / 3) - 1, y = j + (uint32_t)(d % 3) - 1;
                uint32_t q = x * field->w + y;
                if ((d % 2 == 0 && !field->links.diagonal) || x >= field->h || y >= field->w ||
                    !field->open[q]) {
                    continue;
                }
                if (!field->links.univalued || val_eq(field->entry[q], field->entry[p])) {
                    field->layer[wide++] = q;
                }
            }
        }
        n = keys_sort_unique(field->layer, wide, field->tmp);
    }
    return listed;
}

Val objects_plain(Ctx *ctx, Val grid, Links links, bool walk) {
    Field field;
    Reason why = field_read(ctx, grid, links, &field);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    uint32_t n = field.h * field.w, objects = 0;
    Val *items = val_buffer(ctx, n);
    if (items == NULL || !ctx_charge(ctx, n / 2)) {
        return val_fail_budget(ctx);
    }
    for (uint32_t p = 0; p < n; p++) {
        if (!field.open[p]) {
            continue;
        }
        uint32_t size = flood(&field, p);
        Val *cells = val_buffer(ctx, size);
        if (cells == NULL) {
            return val_fail_budget(ctx);
        }
        for (uint32_t k = 0; k < size; k++) {
            uint32_t q = field.list[k];
            cells[k] = rows_cell(ctx, field.entry[q], q / field.w, q % field.w);
            if (val_failed(cells[k])) {
                return cells[k];
            }
        }
        items[objects] = walk ? val_tuple(ctx, cells, size) : val_set(ctx, cells, size);
        if (val_failed(items[objects++])) {
            return items[objects - 1];
        }
    }
    return walk ? val_tuple(ctx, items, objects) : val_set(ctx, items, objects);
}
