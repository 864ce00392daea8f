/* Finding cuttings; see cuttings.h. */
#include "search/strategies/cuttings.h"

#include "engine/stamps/stamp.h"

#include <stdlib.h>
#include <string.h>

enum { BACKGROUNDS = 2, TRIES = 1 + BACKGROUNDS * SEGMENT_COUNT, WORDS = 2 * OBJECTS_MAX / 64 };

static const double SHRINK_COSTS[SHRINK_COUNT] = {0, 1.5, 3, 2.5};

bool cuttings_open(Search *search, Cuttings *c) {
    *c = (Cuttings){.items = quota_grow(&search->quota, NULL, CUTTINGS_MAX, sizeof *c->items)};
    return c->items != NULL;
}

void cuttings_close(Search *search, Cuttings *c) {
    for (uint32_t k = 0; k < c->count; k++) {
        quota_free(&search->quota, c->items[k].vals);
    }
    quota_free(&search->quota, c->items);
}

/* ---- what is kept ---- */

static uint64_t hash_vals(const Val *vals, uint32_t n) {
    uint64_t hash = n;
    for (uint32_t k = 0; k < n; k++) {
        hash = val_hash(vals[k], hash);
    }
    return hash;
}

static bool copy_vals(Search *search, const Val *vals, Cutting *to) {
    uint32_t n = search->task->n;
    size_t bytes = n * sizeof *vals;
    for (uint32_t k = 0; k < n; k++) {
        bytes += (size_t)vals[k].n * vals[k].w;
    }
    to->vals = quota_grow(&search->quota, NULL, bytes, 1);
    int8_t *cells = to->vals != NULL ? (int8_t *)(to->vals + n) : NULL;
    for (uint32_t k = 0; k < n && to->vals != NULL; k++) {
        size_t size = (size_t)vals[k].n * vals[k].w;
        memcpy(cells, vals[k].b8, size);
        to->vals[k] = val_grid8(cells, vals[k].n, vals[k].w);
        cells += size;
    }
    return to->vals != NULL;
}

static void keep(Search *search, Cuttings *c, const Val *vals, Cutting *made) {
    made->hash = hash_vals(vals, search->task->n);
    for (uint32_t k = 0; k < c->count; k++) {
        Cutting *old = &c->items[k];
        if (old->hash == made->hash && vals_eq(old->vals, vals, search->task->n)) {
            if (made->cost < old->cost) {
                made->vals = old->vals;
                *old = *made;
            }
            return;
        }
    }
    if (c->count < CUTTINGS_MAX && copy_vals(search, vals, made)) {
        c->items[c->count++] = *made;
    }
}

/* ---- shrinking ---- */

static bool shrink(Ctx *ctx, Val grid, CuttingShrink how, Val *to) {
    Stamp s, small;
    if (!stamp_read(grid, &s)) {
        return false;
    }
    small = stamp_trim(ctx, &s, (int32_t)how == SHRINK_CONTENT ? 0 : how == SHRINK_MERGED ? 2 : 3);
    if (small.h == 0) {
        return false;
    }
    *to = val_grid8(small.c, (uint32_t)small.h, (uint32_t)small.w);
    return true;
}

/* Keeps these grids as they are, and shrunk. */
static void keep_all(Search *search, Cuttings *c, const Val *vals, const Cutting *about, CuttingsWant want) {
    const SearchTask *t = search->task;
    for (int how = 0; how < SHRINK_COUNT; how++) {
        Cutting made = *about;
        Val small[SEARCH_MAX_SAMPLES];
        bool good = true, changes = how == SHRINK_NOT;
        for (uint32_t s = 0; s < t->n && good; s++) {
            small[s] = vals[s];
            good = how == SHRINK_NOT || shrink(search->ctx, vals[s], (CuttingShrink)how, &small[s]);
            changes |= small[s].n != vals[s].n || small[s].w != vals[s].w;
        }
        if (good && changes && want(t, small)) {
            made.shrink = (uint8_t)how;
            made.cost += SHRINK_COSTS[how];
            keep(search, c, small, &made);
        }
    }
}

/* ---- objects ---- */

typedef struct ChosenObjects { /* one object of each input, by number in its scene */
    uint8_t object[SEARCH_MAX_SAMPLES];
} ChosenObjects;

/* Whether a question, or its opposite, chooses one object of every input, or several that look the same. */
static bool choose(const Objects *o, const ObjectsQuestion *q, bool no, SceneCut cut, ChosenObjects *to) {
    for (uint32_t s = 0; s < o->search->task->n; s++) {
        int32_t found = -1;
        for (uint32_t k = o->first[s]; k < o->first[s + 1]; k++) {
            int32_t object = (int32_t)(k - o->first[s]);
            if (q != NULL && bits_has(q->yes, k) == no) {
                continue;
            }
            if (found >= 0 && !scene_cut_same(o->scenes[s], found, object, cut)) {
                return false;
            }
            found = found < 0 ? object : found;
        }
        if (found < 0) {
            return false;
        }
        to->object[s] = (uint8_t)found;
    }
    return true;
}

static void keep_chosen(Objects *o, Cuttings *c, const ChosenObjects *chosen, const Cutting *about,
                        CuttingsWant want) {
    Ctx *ctx = o->search->ctx;
    Val vals[SEARCH_MAX_SAMPLES];
    CtxMark mark = ctx_mark(ctx);
    bool good = true;
    for (uint32_t s = 0; s < o->search->task->n && good; s++) {
        vals[s] = scene_cut_grid(ctx, o->scenes[s], chosen->object[s], (SceneCut)about->cut);
        good = !val_failed(vals[s]);
    }
    if (good) {
        keep_all(o->search, c, vals, about, want);
    }
    ctx_release(ctx, mark);
}

/* Cuts out in one way all that single conditions choose. */
static bool find_cut(Objects *o, Cuttings *c, SceneCut cut, CuttingsWant want) {
    const Tunables *tune = o->search->tune;
    ChosenObjects *seen = quota_grow(&o->search->quota, NULL, 2 * (size_t)o->n_questions + 1, sizeof *seen);
    uint32_t n = 0, size = o->search->task->n;
    bool go_on = seen != NULL;
    for (uint32_t k = 0; k <= 2 * o->n_questions && go_on; k++) {
        const ObjectsQuestion *q = k == 0 ? NULL : &o->questions[(k - 1) / 2];
        bool no = k > 0 && (k - 1) % 2 == 1, new = true;
        go_on = search_spend(o->search, 1 + o->n / 64);
        if (!choose(o, q, no, cut, &seen[n])) {
            continue;
        }
        for (uint32_t x = 0; x < n && new; x++) {
            new = memcmp(seen[x].object, seen[n].object, size) != 0;
        }
        if (new) {
            Cutting about = {.segmentation = (int16_t)o->segmentation,
                             .background = (int8_t)o->background,
                             .cut = (uint8_t)cut,
                             .picked = k > 0,
                             .sum.how = -1};
            about.cost = scene_segmentations[o->segmentation].cost + (cut != CUT_BOX ? 1.5 : 0) +
                         (o->background != SCENE_BACKGROUND_USUAL ? tune->objects_background_cost : 0);
            if (q != NULL) {
                about.condition = (SceneCondition){(uint8_t)q->attribute,
                                                   (uint8_t)(q->test + (no ? RULE_TESTS : 0)), q->number};
                about.cost += tune->pick_scale * (q->cost + (no ? 0.5 : 0));
            }
            keep_chosen(o, c, &seen[n++], &about, want);
            go_on = search_spend(o->search, 8);
        }
    }
    quota_free(&o->search->quota, seen);
    return go_on;
}

static int by_cost(const void *a, const void *b) {
    const ObjectsQuestion *x = a, *y = b;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

static void find_segmentation(Search *search, Cuttings *c, int try, CuttingsWant want) {
    CtxMark mark = ctx_mark(search->ctx);
    Objects *o = quota_grow(&search->quota, NULL, 1, sizeof *o);
    if (o != NULL) {
        memset(o, 0, sizeof *o);
        o->search = search;
        o->alone = true;
        o->segmentation = (SceneSegmentation)(try % SEGMENT_COUNT);
        o->background = try / SEGMENT_COUNT == 0 ? SCENE_BACKGROUND_USUAL : SCENE_BACKGROUND_MOST_FREQUENT;
        if (objects_segment(o) && objects_make_questions(o) && objects_ask_ranks(o)) {
            qsort(o->questions, o->n_questions, sizeof *o->questions, by_cost);
            bool go_on = true;
            for (int cut = 0; cut < CUT_COUNT && go_on; cut++) {
                go_on = find_cut(o, c, (SceneCut)cut, want);
            }
        }
    }
    quota_free(&search->quota, o);
    ctx_release(search->ctx, mark);
}

/* ---- sums of blocks ---- */

static const double SUM_COSTS[SUM_COUNT] = {1, 2, 1.5, 2, 2.5};

static void keep_sums(Search *search, Cuttings *c, CuttingSum sum, CuttingsWant want) {
    const SearchTask *t = search->task;
    for (int how = 0; how < SUM_COUNT; how++) {
        Val vals[SEARCH_MAX_SAMPLES];
        bool good = true;
        for (uint32_t s = 0; s < t->n && good; s++) {
            GridAnalysis b;
            Reason why;
            int32_t h = sum.fraction ? (int32_t)t->in[s].n / sum.h : sum.h,
                    w = sum.fraction ? t->in[s].w / sum.w : sum.w;
            int8_t *cells = h > 0 && w > 0 ? ctx_alloc(search->ctx, (size_t)(h * w)) : NULL;
            good = cells != NULL && analysis_of(t->in[s], &b, &why) && h <= b.h && w <= b.w &&
                   mosaic_sum(&b, h, w, (MosaicSum)how, cells);
            vals[s] = good ? val_grid8(cells, (uint32_t)h, (uint32_t)w) : VAL_EMPTY_TUPLE;
        }
        if (good && want(t, vals)) {
            sum.how = (int8_t)how;
            Cutting made = {.segmentation = CUTTINGS_WHOLE, .sum = sum, .cost = SUM_COSTS[how] + 2};
            keep(search, c, vals, &made);
        }
    }
}

/* Sums that have the outputs' sizes: these are always the same, or a fraction of the inputs'. */
static void find_sums(Search *search, Cuttings *c, CuttingsWant want) {
    const SearchTask *t = search->task;
    Val in = t->in[0], out = t->out[0];
    bool same = true, fraction = in.n % out.n == 0 && in.w % out.w == 0;
    for (uint32_t s = 0; s < t->n_train; s++) {
        same &= t->out[s].n == out.n && t->out[s].w == out.w;
        fraction =
            fraction && t->in[s].n == in.n / out.n * t->out[s].n && t->in[s].w == in.w / out.w * t->out[s].w;
    }
    if (same && out.n <= in.n && out.w <= in.w && out.n * out.w < in.n * in.w) {
        keep_sums(search, c, (CuttingSum){-1, false, (int16_t)out.n, (int16_t)out.w}, want);
    } else if (fraction && (in.n > out.n || in.w > out.w)) {
        keep_sums(search, c, (CuttingSum){-1, true, (int16_t)(in.n / out.n), (int16_t)(in.w / out.w)}, want);
    }
}

bool cuttings_find(Search *search, Cuttings *c, CuttingsWant want) {
    int tries = objects_backgrounds_differ(search->task) ? TRIES : 1 + SEGMENT_COUNT;
    while (c->next < tries && !search->slice_over) {
        if (c->next == 0) {
            CtxMark mark = ctx_mark(search->ctx);
            keep_all(search, c, search->task->in, &(Cutting){.segmentation = CUTTINGS_WHOLE, .sum.how = -1},
                     want);
            find_sums(search, c, want);
            ctx_release(search->ctx, mark);
        } else {
            find_segmentation(search, c, c->next - 1, want);
        }
        c->next += !search->slice_over;
    }
    return c->next >= tries;
}

/* ---- programs ---- */

Ref cuttings_ref(Search *search, const Cutting *c) {
    Builder *b = &search->builder;
    Ref at = PARAM_I;
    if (c->segmentation != CUTTINGS_WHOLE) {
        Val *item = val_buffer(search->ctx, 1), conditions = VAL_EMPTY_TUPLE;
        if (item != NULL && c->picked) {
            item[0] = val_triple32(c->condition.attribute, c->condition.test, (int32_t)c->condition.number);
            conditions = val_tuple(search->ctx, item, 1);
        }
        Ref args[4] = {PARAM_I, build_const(b, val_pair32(c->segmentation, c->background)),
                       build_const(b, conditions), build_const(b, val_int(c->cut))};
        at = build_op(b, OP_PRIM, P_object_pick, args, 4, 0, "", 0);
    }
    if (c->sum.how >= 0) {
        Ref size = build_const(b, val_pair32(c->sum.h, c->sum.w));
        if (c->sum.fraction) {
            Ref of[2] = {build_op(b, OP_PRIM, P_shape, &at, 1, 0, "", 0), size};
            size = build_op(b, OP_PRIM, P_divide, of, 2, 0, "", 0);
        }
        Ref args[3] = {at, size, build_const(b, val_int(c->sum.how))};
        at = build_op(b, OP_PRIM, P_mosaic_sum, args, 3, 0, "", 0);
    }
    if (c->shrink != SHRINK_NOT) {
        int how = c->shrink == SHRINK_CONTENT ? 0 : c->shrink == SHRINK_MERGED ? 2 : 3;
        Ref args[2] = {at, build_const(b, val_int(how))};
        at = build_op(b, OP_PRIM, P_stamp_trim, args, 2, 0, "", 0);
        at = build_op(b, OP_PRIM, P_stamp_home, &at, 1, 0, "", 0);
    }
    return at;
}
