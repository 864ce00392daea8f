/* Parts of grids as values, in the memory that objects and partition would take; see batch.h. */
#include "backends/devices/batch.h"

#include <string.h>

typedef struct Writer {
    const GridParts *parts;
    const int8_t *cells;
    uint32_t *keys, next[BATCH_MAX_CELLS];
} Writer;

static int color_of(const GridPart *part) { /* the first of them */
    return __builtin_ctz(part->colors);
}

static uint32_t cells_in(const GridParts *parts) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < parts->count; k++) {
        n += parts->parts[k].size;
    }
    return n;
}

static void put_cell(Writer *w, bool core, uint32_t at) {
    int32_t i = (int32_t)(at / w->parts->w), j = (int32_t)(at % w->parts->w), c = w->cells[at];
    w->keys[w->next[w->parts->labels[at] - 1]++] = core ? key_core(c, i, j) : key_batt(c, i, j);
}

/* Parts have their keys one after the other, in the order of their numbers. */
static void put_items(Writer *w, bool core, Val *items, const uint32_t *rank) {
    uint32_t at = 0;
    for (uint32_t k = 0; k < w->parts->count; k++) {
        uint32_t size = w->parts->parts[k].size;
        w->next[k] = at;
        items[rank != NULL ? rank[k] : k] =
            val_keys_sorted(core ? VAL_OBJ_CORE : VAL_OBJ_BATT, w->keys + at, size);
        at += size;
    }
}

/* By color, and where that is the same by number. */
static void rank_by_color(const GridParts *parts, uint32_t *rank) {
    uint32_t start[11] = {0};
    for (uint32_t k = 0; k < parts->count; k++) {
        start[color_of(&parts->parts[k]) + 1]++;
    }
    for (int c = 0; c < 10; c++) {
        start[c + 1] += start[c];
    }
    for (uint32_t k = 0; k < parts->count; k++) {
        rank[k] = start[color_of(&parts->parts[k])]++;
    }
}

/* Keys of a part ascend by color first, and parts by their first keys. */
static Val *put_by_color(Ctx *ctx, Writer *w, const Val *items) {
    const GridParts *p = w->parts;
    Val *sorted = val_buffer(ctx, p->count);
    CtxMark mark = ctx_mark(ctx);
    if (sorted == NULL || ctx_alloc(ctx, (size_t)p->h * p->w * 8) == NULL) { /* objects sorts there */
        return NULL;
    }
    ctx_release(ctx, mark);
    uint32_t n = 0;
    for (int c = 0; c < 10; c++) {
        for (uint32_t at = 0; at < p->h * p->w; at++) {
            if (p->labels[at] != 0 && w->cells[at] == c) {
                const Val *item = &items[p->labels[at] - 1];
                if (w->keys + w->next[p->labels[at] - 1] == item->k) {
                    sorted[n++] = *item;
                }
                put_cell(w, true, at);
            }
        }
    }
    return sorted;
}

Val batch_objects(Ctx *ctx, const GridParts *p, const int8_t *cells, bool univalued) {
    bool core = ctx->mode == MODE_CORE;
    uint32_t rank[BATCH_MAX_CELLS];
    Writer w = {.parts = p, .cells = cells};
    w.keys = key_buffer(ctx, cells_in(p));
    Val *items = w.keys != NULL ? val_buffer(ctx, p->count) : NULL;
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    if (core && univalued) {
        rank_by_color(p, rank);
    }
    put_items(&w, core, items, core && univalued ? rank : NULL);
    if (core && !univalued) {
        items = put_by_color(ctx, &w, items);
        return items == NULL ? val_fail_budget(ctx) : val_plain(VAL_SET, items, p->count);
    }
    for (uint32_t at = 0; at < p->h * p->w; at++) {
        if (p->labels[at] != 0) {
            put_cell(&w, core, at);
        }
    }
    return val_plain(VAL_SET, items, p->count);
}

Val batch_partition(Ctx *ctx, const GridParts *p, const int8_t *cells) {
    enum { COLORS = 10 };
    bool core = ctx->mode == MODE_CORE;
    uint32_t rank[COLORS];
    Writer w = {.parts = p, .cells = cells};
    w.keys = key_buffer(ctx, (size_t)p->h * p->w);
    Val *items = val_buffer(ctx, COLORS);
    if (w.keys == NULL || items == NULL) {
        return val_fail_budget(ctx);
    }
    rank_by_color(p, rank);
    put_items(&w, core, items, core ? rank : NULL);
    for (uint32_t at = 0; at < p->h * p->w; at++) {
        if (p->labels[at] != 0) {
            put_cell(&w, core, at);
        }
    }
    return val_plain(VAL_SET, items, p->count);
}
