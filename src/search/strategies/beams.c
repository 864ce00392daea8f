/* The beams strategy explains drawn lines by a rule that says which of all possible beams are drawn
 * from cells, and how; see beams_internal.h. */
#include "search/schedule/strategies.h"
#include "search/strategies/beams_internal.h"

#include <math.h>
#include <string.h>

enum { BACKGROUNDS = 2, MAX_INTERMEDIATES = 2 };

static bool list_beams(BeamSearch *b) {
    const SearchTask *t = b->search->task;
    Reason why;
    for (uint32_t s = 0; s < t->n; s++) {
        b->of[s] = beams_of(b->search->ctx, t->in[s], b->background, &why);
        if (b->of[s] == NULL) {
            return false;
        }
        b->first[s] = b->n;
        b->n += (uint32_t)b->of[s]->count;
        b->n_train = s < t->n_train ? b->n : b->n_train;
        if (b->n > 2 * BEAMS_MAX || b->n_train > BEAMS_MAX || !search_spend(b->search, 8 + b->n / 32)) {
            return false;
        }
    }
    b->first[t->n] = b->n;
    b->sample = ctx_alloc(b->search->ctx, b->n + 1);
    for (uint32_t s = 0; s < t->n && b->sample != NULL; s++) {
        memset(b->sample + b->first[s], (int)s, b->first[s + 1] - b->first[s]);
    }
    return b->sample != NULL && b->n_train > 0;
}

/* ---- items ---- */

static const ItemAlike ALIKE[] = {{BEAM_HIT, BEAM_OWN},    {BEAM_BEHIND, BEAM_OWN}, {BEAM_BACK, BEAM_HIT},
                                  {BEAM_BEYOND, BEAM_OWN}, {BEAM_OTHER, BEAM_HIT},  {BEAM_FAR, BEAM_BACK_FAR},
                                  {BEAM_AHEAD, BEAM_HIT}};

static bool list_attributes(BeamSearch *b) {
    Ctx *ctx = b->search->ctx;
    TreeAttribute *list = ctx_alloc(ctx, BEAM_ATTRIBUTES * sizeof *list);
    int8_t *values = ctx_alloc(ctx, (size_t)BEAM_ATTRIBUTES * b->n);
    if (list == NULL || values == NULL) {
        return false;
    }
    for (int a = 0; a < BEAM_ATTRIBUTES; a++, values += b->n) {
        list[a] = (TreeAttribute){(int16_t)a, beam_attributes[a].kind == FEATURE_IS_COUNT,
                                  beam_attributes[a].cost, values};
        for (uint32_t s = 0; s < b->search->task->n; s++) {
            size_t count = (size_t)b->of[s]->count;
            memcpy(values + b->first[s], b->of[s]->attributes + (size_t)a * count, count);
        }
    }
    b->items.attributes = list;
    b->items.n_attributes = BEAM_ATTRIBUTES;
    b->items.alike = ALIKE;
    b->items.n_alike = sizeof ALIKE / sizeof *ALIKE;
    return true;
}

static double source_cost(const BeamSearch *b, int source) {
    return source < BEAM_SOURCE               ? 1 + log2(__builtin_popcount(b->search->task->out_colors))
           : source == BEAM_SOURCE + BEAM_OWN ? 0.5
                                              : 0.5 + beam_attributes[source - BEAM_SOURCE].cost;
}

/* Lists the sources of colors, cheapest first, without those that equal a cheaper one everywhere. */
static bool list_sources(BeamSearch *b) {
    int16_t order[BEAM_SOURCES];
    uint32_t n = 0, count = 0;
    for (int source = 0; source < BEAM_SOURCES; source++) {
        bool there = source < BEAM_SOURCE ? b->search->task->out_colors >> source & 1
                                          : beam_attributes[source - BEAM_SOURCE].kind == FEATURE_IS_COLOR;
        if (there) {
            uint32_t at = n++;
            for (; at > 0 && source_cost(b, order[at - 1]) > source_cost(b, source); at--) {
                order[at] = order[at - 1];
            }
            order[at] = (int16_t)source;
        }
    }
    ItemSource *list = ctx_alloc(b->search->ctx, n * sizeof *list);
    int8_t *colors = ctx_alloc(b->search->ctx, (size_t)n * b->n);
    if (list == NULL || colors == NULL) {
        return false;
    }
    for (uint32_t x = 0; x < n; x++, colors += b->n) {
        bool fresh = true;
        for (uint32_t k = 0; k < b->n; k++) {
            const Beams *beams = b->of[b->sample[k]];
            colors[k] = beam_color(beams, (int32_t)(k - b->first[b->sample[k]]), order[x]);
        }
        for (uint32_t y = 0; y < count && fresh; y++) {
            fresh = memcmp(list[y].colors, colors, b->n) != 0;
        }
        if (fresh) {
            list[count] = (ItemSource){order[x], count == 0, source_cost(b, order[x]), colors};
            count++;
        }
    }
    b->items.sources = list;
    b->items.n_sources = count;
    return true;
}

/* ---- trees ---- */

/* Writes what the tree makes of a sample's input to `to`; false: a beam is too long. */
static bool apply(const BeamSearch *b, const Tree *tree, uint32_t sample, int8_t *to) {
    const Beams *beams = b->of[sample];
    memcpy(to, beams->grid.c, (size_t)beams->grid.n);
    for (int32_t k = 0; k < beams->count; k++) {
        const ItemLeaf *leaf =
            &b->items.leaves[tree_decide(tree, &b->items.questions, b->first[sample] + (uint32_t)k)];
        const BeamAct *act = &b->acts[leaf->act];
        int8_t color = act->draws ? beam_color(beams, k, leaf->source) : -1;
        if (color < 0) {
            continue;
        }
        if (!beam_follow(beams, k, act, b->path)) {
            return false;
        }
        for (int32_t x = 0; x < b->path->n; x++) {
            to[b->path->cell[x]] = b->path->color[x] == BEAM_PAINT ? color : b->path->color[x];
        }
    }
    return true;
}

/* Whether the tree explains the outputs, but for the cells that no beam can paint. */
static bool fits(void *owner, Tree *tree) {
    BeamSearch *b = owner;
    int8_t to[FEATURE_MAX_CELLS];
    for (uint32_t s = 0; s < b->search->task->n_train; s++) {
        const int8_t *out = b->search->task->out[s].b8;
        uint64_t before = b->path->looks;
        bool right = apply(b, tree, s, to);
        for (int32_t k = 0; k < b->of[s]->grid.n && right; k++) {
            right = to[k] == out[k] || b->coverer[s][k] == NEED_OPEN;
        }
        search_spend(b->search, 4 + (uint64_t)b->of[s]->count / 16 + (b->path->looks - before) / 16);
        if (!right) {
            return false;
        }
    }
    tree->answer = 0;
    for (uint32_t s = b->search->task->n_train; s < b->search->task->n; s++) {
        if (!apply(b, tree, s, to)) {
            return false;
        }
        tree->answer = items_hash(tree->answer, to, b->of[s]->grid.n);
    }
    return true;
}

static Val exceptions_value(Ctx *ctx, const BeamAct *act) {
    Val *parts = val_buffer(ctx, BEAM_MAX_EXCEPTIONS);
    for (int k = 0; k < act->n && parts != NULL; k++) {
        parts[k] = val_pair32(act->at[k], act->does[k]);
    }
    return parts != NULL ? val_tuple(ctx, parts, act->n) : val_fail_budget(ctx);
}

static Val leaf_value(void *owner, int16_t number) {
    BeamSearch *b = owner;
    const ItemLeaf *leaf = &b->items.leaves[number];
    Ctx *ctx = b->search->ctx;
    const BeamAct *act = &b->acts[leaf->act];
    Val *parts = val_buffer(ctx, 4);
    if (parts == NULL) {
        return val_fail_budget(ctx);
    }
    parts[0] = val_int(0);
    if (!act->draws) {
        return val_tuple(ctx, parts, 1);
    }
    bool constant = leaf->source < BEAM_SOURCE;
    parts[0] = val_pair32(!constant, constant ? leaf->source : leaf->source - BEAM_SOURCE);
    parts[1] = val_int(act->every);
    parts[2] = val_int(act->length);
    parts[3] = exceptions_value(ctx, act);
    return val_failed(parts[3]) ? parts[3] : val_tuple(ctx, parts, 4);
}

static Program *program_of(BeamSearch *b, const Tree *tree) {
    Builder *builder = &b->search->builder;
    Val rule = tree_value(tree, &b->items.questions, leaf_value, b);
    if (val_failed(rule)) {
        return NULL;
    }
    build_start(builder);
    Ref args[3] = {PARAM_I, build_const(builder, val_int(b->background)), build_const(builder, rule)};
    return search_finish(b->search, build_op(builder, OP_PRIM, P_beam_rule, args, 3, 0, "", 0));
}

static double price(const BeamSearch *b, const Tree *tree) {
    const Tunables *tune = b->search->tune;
    return tune->beams_cost + (b->background != -1 ? tune->beams_background_cost : 0) +
           tune->beams_tree_scale * tree->cost;
}

/* Keeps what the tree draws as an intermediate grid: other strategies may explain the rest. */
static void add_intermediate(BeamSearch *b, const Tree *tree) {
    Search *s = b->search;
    CtxMark mark = ctx_mark(s->ctx);
    Val vals[SEARCH_MAX_SAMPLES];
    bool good = true;
    for (uint32_t k = 0; k < s->task->n && good; k++) {
        Reason why;
        int8_t *to = grid_buffer(s->ctx, s->task->in[k].n, s->task->in[k].w, &why);
        good = to != NULL && apply(b, tree, k, to);
        vals[k] = good ? val_grid8(to, s->task->in[k].n, s->task->in[k].w) : VAL_EMPTY_TUPLE;
    }
    uint32_t like;
    if (good && intermediates_want(s, vals, &like)) {
        intermediates_add(s, vals, like, price(b, tree), program_of(b, tree));
    }
    ctx_release(s->ctx, mark);
}

/* True if something fits. */
static bool learn(BeamSearch *b) {
    const Tunables *tune = b->search->tune;
    if (!list_beams(b) || !beams_list_acts(b) || b->needs < b->unmet ||
        (b->unmet > 0 && b->search->effort > 1)) {
        return false;
    }
    b->items = (Items){.search = b->search,
                       .owner = b,
                       .n = b->n,
                       .n_train = b->n_train,
                       .words = (b->n + 63) / 64,
                       .sample = b->sample,
                       .longest_list = 1,
                       .question_cost = tune->beams_question_cost,
                       .backing_cost = tune->beams_backing_cost,
                       .acts = b->prices,
                       .n_acts = b->n_acts,
                       .want = b->want,
                       .covers = b->covers,
                       .must = b->must,
                       .kept = b->kept,
                       .needs = b->needs,
                       .reach = b->reach,
                       .reach_words = b->reach_words,
                       .fits = fits};
    if (!list_attributes(b) || !list_sources(b) || !items_make_leaves(&b->items) ||
        !items_make_questions(&b->items) || !items_find_trees(&b->items)) {
        return false;
    }
    for (uint32_t k = 0; k < b->items.n_finds; k++) {
        if (b->unmet == 0) {
            search_offer(b->search, program_of(b, &b->items.finds[k]), price(b, &b->items.finds[k]));
        } else if (k < MAX_INTERMEDIATES) {
            add_intermediate(b, &b->items.finds[k]);
        }
    }
    return b->unmet == 0;
}

/* Whether the most frequent color is the usual background in all inputs, so that one choice is enough. */
static bool same_background(const SearchTask *t) {
    for (uint32_t s = 0; s < t->n; s++) {
        GridAnalysis b;
        Reason why;
        if (!analysis_of(t->in[s], &b, &why) || b.background != analysis_most_frequent(b.counts, -1)) {
            return false;
        }
    }
    return true;
}

void strategy_beams_run(Search *s, void *state) {
    (void)state;
    bool found = !s->task->same_size;
    for (int background = 0; background < BACKGROUNDS && !found && !s->slice_over; background++) {
        CtxMark mark = ctx_mark(s->ctx);
        BeamSearch *b = quota_grow(&s->quota, NULL, 1, sizeof *b);
        if (b != NULL) {
            memset(b, 0, sizeof *b);
            b->search = s;
            b->background = background == 0 ? -1 : -2;
            found = (background > 0 && same_background(s->task)) || learn(b);
            quota_free(&s->quota, b);
        }
        ctx_release(s->ctx, mark);
    }
}
