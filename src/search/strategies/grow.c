/* The table of entries and the moves that fill it; see grow.h. */
#include "search/strategies/grow.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "engine/eval/scope.h"
#include "engine/stamps/stamp.h"

#include <string.h>

enum { TAKES_STAMP = 1, TAKES_LIST = 2, TAKES_BOTH = 3 };
enum { GIVES_STAMP, GIVES_LIST, GIVES_SAME };
enum { SIZE_NONE, SIZE_IN, SIZE_OUT };
enum { NO_HOW = -1 };

/* Families of moves: a primitive with each of the values first..last for its last argument. */
static const struct MoveFamily {
    uint16_t prim;
    int8_t first, last;
    uint8_t size, takes, gives;
} MOVE_FAMILIES[] = {
    {P_stamp_keep, 0, 9, SIZE_NONE, TAKES_BOTH, GIVES_SAME},
    {P_stamp_erase, 1, 9, SIZE_NONE, TAKES_BOTH, GIVES_SAME},
    {P_stamp_trim, 0, 3, SIZE_NONE, TAKES_BOTH, GIVES_SAME},
    {P_stamp_box, 0, 4, SIZE_NONE, TAKES_BOTH, GIVES_SAME},
    {P_stamp_home, NO_HOW, NO_HOW, SIZE_NONE, TAKES_BOTH, GIVES_SAME},
    {P_stamp_fill, 0, 3, SIZE_NONE, TAKES_BOTH, GIVES_SAME},
    {P_stamp_main, NO_HOW, NO_HOW, SIZE_NONE, TAKES_BOTH, GIVES_SAME},
    {P_stamp_turn, 1, 8, SIZE_NONE, TAKES_BOTH, GIVES_SAME},
    {P_stamp_tally, 0, 8, SIZE_NONE, TAKES_BOTH, GIVES_SAME},
    {P_stamp_rays, 0, 14, SIZE_NONE, TAKES_BOTH, GIVES_SAME},
    {P_stamp_frame, 0, 2, SIZE_NONE, TAKES_BOTH, GIVES_SAME},
    {P_stamp_join, 0, 2, SIZE_NONE, TAKES_BOTH, GIVES_SAME},
    {P_stamp_spread, 0, 1, SIZE_NONE, TAKES_BOTH, GIVES_SAME},
    {P_stamp_half, 0, 5, SIZE_NONE, TAKES_BOTH, GIVES_SAME},
    {P_stamp_split, 0, SPLIT_WAYS - 1, SIZE_NONE, TAKES_STAMP, GIVES_LIST},
    {P_stamp_best, 0, STAMP_CRITERIA - 1, SIZE_NONE, TAKES_LIST, GIVES_STAMP},
    {P_stamp_odd, NO_HOW, NO_HOW, SIZE_NONE, TAKES_LIST, GIVES_STAMP},
    {P_stamp_heap, NO_HOW, NO_HOW, SIZE_NONE, TAKES_LIST, GIVES_STAMP},
    {P_stamp_line, NO_HOW, NO_HOW, SIZE_NONE, TAKES_LIST, GIVES_STAMP},
    {P_stamp_pile, 0, 1, SIZE_NONE, TAKES_LIST, GIVES_STAMP},
    {P_stamp_bests, 0, STAMP_CRITERIA - 1, SIZE_NONE, TAKES_LIST, GIVES_LIST},
    {P_stamp_rest, 0, STAMP_CRITERIA - 1, SIZE_NONE, TAKES_LIST, GIVES_LIST},
    {P_stamp_overlay, NO_HOW, NO_HOW, SIZE_NONE, TAKES_LIST, GIVES_STAMP},
    {P_stamp_paste, NO_HOW, NO_HOW, SIZE_IN, TAKES_STAMP, GIVES_STAMP},
    {P_stamp_wrap, NO_HOW, NO_HOW, SIZE_IN, TAKES_STAMP, GIVES_STAMP},
    {P_stamp_scale, NO_HOW, NO_HOW, SIZE_IN, TAKES_STAMP, GIVES_STAMP},
    {P_stamp_tile, 0, 4, SIZE_IN, TAKES_STAMP, GIVES_STAMP},
    {P_stamp_paste, NO_HOW, NO_HOW, SIZE_OUT, TAKES_STAMP, GIVES_STAMP},
    {P_stamp_wrap, NO_HOW, NO_HOW, SIZE_OUT, TAKES_STAMP, GIVES_STAMP},
    {P_stamp_scale, NO_HOW, NO_HOW, SIZE_OUT, TAKES_STAMP, GIVES_STAMP},
    {P_stamp_tile, 0, 4, SIZE_OUT, TAKES_STAMP, GIVES_STAMP},
    {P_stamp_corner, 1, 4, SIZE_OUT, TAKES_STAMP, GIVES_STAMP},
};

static void fill_moves(Grow *g) {
    for (size_t f = 0; f < sizeof MOVE_FAMILIES / sizeof *MOVE_FAMILIES; f++) {
        const struct MoveFamily *m = &MOVE_FAMILIES[f];
        for (int how = m->first; how <= m->last && g->n_moves < MAX_MOVES; how++) {
            g->moves[g->n_moves++] = (Move){m->prim, (int8_t)how, m->size, m->takes, m->gives};
            ASSERT(how >= INT8_MIN && how <= INT8_MAX, "way %d of a move", how);
        }
    }
}

static bool reserve(Grow *g) {
    Quota *quota = &g->search->quota;
    if (g->count == g->room) {
        uint32_t room = g->room ? g->room * 2 : 4096;
        GrowEntry *entries = quota_grow(quota, g->entries, room, sizeof *entries);
        if (entries == NULL) {
            return false;
        }
        g->entries = entries;
        g->room = room;
    }
    return quota_map_reserve(quota, &g->seen);
}

/* Adds an entry unless there is one with these values, which are copied. GROW_NONE: there is, or no
 * memory. */
static uint32_t grow_add(Grow *g, const Val *vals, uint32_t parent, unsigned move, unsigned depth,
                         bool list) {
    uint32_t n = g->task->n;
    uint64_t hash = list;
    if (!reserve(g)) {
        g->full = true;
        return GROW_NONE;
    }
    for (uint32_t k = 0; k < n; k++) {
        hash = val_hash(vals[k], hash);
    }
    uint32_t at = map_start(&g->seen, hash);
    for (uint32_t other; (other = map_next(&g->seen, hash, &at)) != MAP_NONE;) {
        const GrowEntry *e = &g->entries[other];
        if (e->list == list && vals_eq(e->vals, vals, n)) {
            return GROW_NONE;
        }
    }
    ASSERT(parent == GROW_NONE || parent < g->count, "entry %u comes from %u", g->count, parent);
    Val *kept = ctx_alloc(g->search->ctx, n * sizeof *kept);
    if (kept == NULL) {
        return GROW_NONE;
    }
    memcpy(kept, vals, n * sizeof *kept);
    map_put(&g->seen, hash, at, g->count);
    ASSERT(g->count < g->room, "entry %u in room for %u", g->count, g->room);
    g->entries[g->count] = (GrowEntry){kept, parent, (uint16_t)move, (uint8_t)depth, list, 0};
    return g->count++;
}

static Val shape_of(Val grid) {
    return val_pair32((int32_t)grid.n, grid.w);
}

bool grow_add_blank(Grow *g, GrowRoot root, const Val *dims) {
    Val vals[SEARCH_MAX_SAMPLES];
    for (uint32_t k = 0; k < g->task->n; k++) {
        vals[k] = stamp_val(g->search->ctx, stamp_full(g->search->ctx, 0, 0, dims[k].a, dims[k].b, 0));
        if (val_failed(vals[k])) {
            return false;
        }
    }
    grow_add(g, vals, GROW_NONE, root, 1, false);
    return true;
}

/* Adds the outputs of other pairs as roots: what they have in common may be part of the answer. On its own
 * pair an output must not be seen, so it is blank there. */
static bool add_outputs(Grow *g) {
    const SearchTask *t = g->task;
    for (uint32_t m = 0; m < t->n_train && m < g->search->tune->stamps_outputs_max && t->n_train > 1; m++) {
        Val vals[SEARCH_MAX_SAMPLES];
        for (uint32_t k = 0; k < t->n; k++) {
            vals[k] = t->out[m];
        }
        Val blank = shape_of(t->out[m]);
        vals[m] = stamp_val(g->search->ctx, stamp_full(g->search->ctx, 0, 0, blank.a, blank.b, 0));
        if (val_failed(vals[m])) {
            return false;
        }
        grow_add(g, vals, GROW_NONE, ROOT_OUTPUT + m, 1, false);
    }
    return true;
}

bool grow_open(Grow *g, Search *search) {
    const SearchTask *t = search->task;
    memset(g, 0, sizeof *g);
    g->search = search;
    g->task = t;
    fill_moves(g);
    for (uint32_t k = 0; k < t->n; k++) {
        int32_t cells = (int32_t)(t->in[k].n * t->in[k].w);
        g->dims_in[k] = shape_of(t->in[k]);
        g->max_cells = cells > g->max_cells ? cells : g->max_cells;
        if (k < t->n_train) {
            cells = (int32_t)(t->out[k].n * t->out[k].w);
            g->max_cells = cells > g->max_cells ? cells : g->max_cells;
        }
    }
    g->max_cells *= 2;
    if (grow_add(g, t->in, GROW_NONE, ROOT_INPUT, 0, false) == GROW_NONE ||
        !grow_add_blank(g, ROOT_BLANK_IN, g->dims_in) || !add_outputs(g)) {
        grow_close(g);
        return false;
    }
    return true;
}

void grow_close(Grow *g) {
    quota_free(&g->search->quota, g->entries);
    quota_map_free(&g->search->quota, &g->seen);
    memset(g, 0, sizeof *g);
}

/* ---- moves ---- */

static bool too_large(const Grow *g, Val v) {
    Stamp s;
    if (stamp_read(v, &s)) {
        return stamp_cells(&s) > g->max_cells;
    }
    int64_t cells = 0;
    for (uint32_t k = 0; k < v.n; k++) {
        if (stamp_read(v.v[k], &s)) {
            cells += stamp_cells(&s);
        }
    }
    return cells > 5 * (int64_t)g->max_cells;
}

static Val apply(Grow *g, const Move *m, Val v, uint32_t sample) {
    Val args[3] = {v};
    unsigned n = 1;
    if (m->size != SIZE_NONE) {
        args[n++] = m->size == SIZE_IN ? g->dims_in[sample] : g->dims_out[sample];
    }
    if (m->how != NO_HOW) {
        args[n] = val_int(m->how);
    }
    return prim_direct(g->search->ctx, m->prim, args);
}

/* Tries one move on one entry. False: the budget or the memory is used up. */
static bool try_move(Grow *g, uint32_t from, unsigned move) {
    Search *s = g->search;
    const Move *m = &g->moves[move];
    GrowEntry e = g->entries[from];
    Val vals[SEARCH_MAX_SAMPLES];
    CtxMark mark = ctx_mark(s->ctx);
    uint32_t n = g->task->n, k = 0;
    for (; k < n; k++) {
        vals[k] = apply(g, m, e.vals[k], k);
        if (val_failed(vals[k]) || too_large(g, vals[k])) {
            break;
        }
    }
    COUNT(s->statistics, VALUES, k);
    bool go_on = search_spend(s, 1 + k);
    bool list = m->gives == GIVES_LIST || (m->gives == GIVES_SAME && e.list);
    bool recorded = scope_record_begin(s->ctx, SCOPE_KNOWN);
    bool added = k == n && grow_add(g, vals, from, move, e.depth + 1u, list) != GROW_NONE;
    scope_record_end(s->ctx, recorded);
    if (!added) {
        ctx_release(s->ctx, mark);
    }
    g->full |= (double)ctx_bytes_used(s->ctx) > s->tune->stamps_arena_share * (double)s->ctx->budget.bytes;
    return go_on && !g->full && s->ctx->exhausted == FAIL_NONE;
}

enum { TRIED_UNSIZED = 1, TRIED_SIZED = 2, TRIED_OVERLAY = 4 };

/* Kinds of moves that were not made yet from an entry. */
static uint8_t left_to_try(const Grow *g, const GrowEntry *e) {
    return (uint8_t)((g->has_size ? TRIED_SIZED : 0) | TRIED_UNSIZED) & (uint8_t)~e->tried;
}

/* Begins with the entries of the smallest depth that have moves left. False: there are none below
 * this depth. */
static bool begin_batch(Grow *g, unsigned depth) {
    GrowBatch b = {.end = g->count, .depth = depth};
    for (uint32_t k = 0; k < g->count; k++) {
        const GrowEntry *e = &g->entries[k];
        if (e->depth < b.depth && left_to_try(g, e) != 0) {
            b.depth = e->depth;
            b.first = b.next = k;
        }
    }
    g->batch = b.depth < depth ? b : (GrowBatch){0};
    return b.depth < depth;
}

/* Lists are overlaid afterwards, so they are useful even after the last step. */
static bool is_wanted(const Grow *g, const GrowEntry *e, const Move *m) {
    uint8_t kind = m->size == SIZE_OUT ? TRIED_SIZED : TRIED_UNSIZED;
    return e->depth == g->batch.depth && (left_to_try(g, e) & kind) &&
           (m->takes & (e->list ? TAKES_LIST : TAKES_STAMP));
}

/* Makes one move after the other from all entries of the batch. False: cut short, to be resumed. */
static bool make_batch(Grow *g) {
    GrowBatch *b = &g->batch;
    for (; b->move < g->n_moves; b->move++, b->next = b->first) {
        const Move *m = &g->moves[b->move];
        while (b->next < b->end) {
            uint32_t from = b->next++;
            if (is_wanted(g, &g->entries[from], m) && !try_move(g, from, b->move)) {
                return false;
            }
        }
    }
    for (uint32_t k = b->first; k < b->end; k++) {
        GrowEntry *e = &g->entries[k];
        e->tried |= e->depth == b->depth ? left_to_try(g, e) : 0;
    }
    *b = (GrowBatch){0};
    return true;
}

bool grow_overlay_lists(Grow *g) {
    unsigned move = 0;
    while (g->moves[move].prim != P_stamp_overlay) {
        move++;
    }
    for (uint32_t k = 0, n = g->count; k < n; k++) {
        if (g->entries[k].list && !(g->entries[k].tried & TRIED_OVERLAY)) {
            g->entries[k].tried |= TRIED_OVERLAY;
            if (!try_move(g, k, move)) {
                return false;
            }
        }
    }
    return true;
}

bool grow_to_depth(Grow *g, unsigned depth) {
    uint64_t begin = clock_work_ns();
    bool go_on = true;
    while (go_on && (g->batch.end > 0 ? g->batch.depth < depth : begin_batch(g, depth))) {
        go_on = make_batch(g);
    }
    search_built(g->search, begin);
    return go_on;
}

/* ---- expressions ---- */

bool grow_is_sized(const Grow *g, uint32_t entry) {
    const GrowEntry *e = &g->entries[entry];
    return e->parent != GROW_NONE && g->moves[e->move].size == SIZE_OUT;
}

Ref *grow_refs(Grow *g) {
    size_t n = (size_t)g->count + 1; /* the last is the output's size */
    Ref *refs = quota_grow(&g->search->kept, NULL, n, sizeof *refs);
    if (refs != NULL) {
        memset(refs, 0xff, n * sizeof *refs);
        build_start(&g->search->builder);
    }
    return refs;
}

Ref grow_ref(Grow *g, uint32_t entry, Ref *refs) {
    Builder *b = &g->search->builder;
    const GrowEntry *e = &g->entries[entry];
    if (refs[entry] != GROW_NONE) {
        return refs[entry];
    }
    if (e->parent == GROW_NONE) {
        if (e->move >= ROOT_OUTPUT) {
            return refs[entry] = build_const(b, g->task->out[e->move - ROOT_OUTPUT]);
        }
        if (e->move == ROOT_INPUT) {
            return refs[entry] = PARAM_I;
        }
        Ref dims = PARAM_I;
        dims = e->move == ROOT_BLANK_IN ? build_op(b, OP_PRIM, P_shape, &dims, 1, 0, "", 0)
                                        : grow_size_ref(g, refs);
        Ref args[2] = {build_const(b, val_int(0)), dims};
        return refs[entry] = build_op(b, OP_PRIM, P_canvas, args, 2, 0, "", 0);
    }
    const Move *m = &g->moves[e->move];
    Ref args[3] = {grow_ref(g, e->parent, refs)};
    unsigned n = 1;
    if (m->size == SIZE_OUT) {
        args[n++] = grow_size_ref(g, refs);
    } else if (m->size == SIZE_IN) {
        Ref input = PARAM_I;
        args[n++] = build_op(b, OP_PRIM, P_shape, &input, 1, 0, "", 0);
    }
    if (m->how != NO_HOW) {
        args[n++] = build_const(b, val_int(m->how));
    }
    return refs[entry] = build_op(b, OP_PRIM, m->prim, args, n, 0, "", 0);
}
