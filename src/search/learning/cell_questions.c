/* What rules per cell are made of: questions about features, and leaves; see cells.h. */
#include "engine/features/larger.h"
#include "search/learning/cells.h"

#include <stdlib.h>
#include <string.h>

static CellsFrame frame_of(const CellsSource *source, uint32_t sample) {
    Val grid = source->vals[sample];
    if (source->tall > 0) {
        return (CellsFrame){0, 0, grid.n * source->tall, (uint32_t)grid.w * source->wide};
    }
    return source->frames ? source->frames[sample] : (CellsFrame){0, 0, grid.n, (uint32_t)grid.w};
}

/* Reserved rows of features.def are not asked about. */
static bool is_asked(unsigned feature) {
    return feature < FEATURE_DONE_ABOVE || feature > FEATURE_DONE_RAREST;
}

/* ---- larger outputs ---- */

/* Fills in, from `at` on, the features of the cells that blocks come from, and those of the cells in
 * blocks. */
static bool grow_features(Cells *c, uint32_t sample, uint32_t at, const int8_t *planes) {
    uint32_t tall = c->source.tall, wide = c->source.wide;
    CellsFrame frame = frame_of(&c->source, sample);
    GridAnalysis analysis;
    Reason why;
    if (!analysis_of(c->source.vals[sample], &analysis, &why)) {
        return false;
    }
    for (uint32_t k = 0; k < frame.h * frame.w; k++) {
        int8_t values[GROW_FEATURES];
        uint32_t i = k / frame.w, j = k % frame.w;
        size_t source = i / tall * (uint32_t)analysis.w + j / wide;
        for (size_t f = 0; f < FEATURE_COUNT; f++) {
            c->planes[f][at + k] = planes[f * (size_t)analysis.n + source];
        }
        larger_see(&analysis, (int32_t)tall, (int32_t)wide, (int32_t)i, (int32_t)j, values);
        for (int f = 0; f < GROW_FEATURES; f++) {
            c->planes[feature_of_run(FEATURE_RUN_GROW, f)][at + k] = values[f];
        }
    }
    return true;
}

/* Fills in, from `at` on, the features of one input's cells that are in the frame. */
static bool gather_one(Cells *c, uint32_t sample, uint32_t at) {
    Ctx *ctx = c->search->ctx;
    Val grid = c->source.vals[sample];
    CellsFrame frame = frame_of(&c->source, sample);
    Reason why;
    CtxMark mark = ctx_mark(ctx);
    FeatureSet wanted;
    for (unsigned f = 0; f < FEATURE_COUNT; f++) {
        wanted.has[f] = is_asked(f);
    }
    const int8_t *planes = features_of(ctx, grid, &wanted, &why);
    if (planes == NULL) {
        return false;
    }
    if (c->source.tall > 0) {
        bool good = grow_features(c, sample, at, planes);
        ctx_release(ctx, mark);
        return good;
    }
    for (size_t f = 0; f < FEATURE_COUNT; f++) {
        for (uint32_t i = 0; i < frame.h; i++) {
            memcpy(c->planes[f] + at + i * frame.w,
                   planes + (f * grid.n + frame.top + i) * (size_t)grid.w + frame.left, frame.w);
        }
    }
    ctx_release(ctx, mark);
    return true;
}

static bool gather(Cells *c) {
    const SearchTask *t = c->search->task;
    Ctx *ctx = c->search->ctx;
    for (uint32_t k = 0; k < t->n; k++) {
        CellsFrame frame = frame_of(&c->source, k);
        c->pair_start[k] = c->cells;
        c->cells += frame.h * frame.w;
        c->train_cells = k < t->n_train ? c->cells : c->train_cells;
    }
    c->words = c->cells / 64 + 1;
    c->train_words = c->train_cells / 64 + 1;
    c->target = ctx_alloc(ctx, c->train_cells);
    int8_t *all = ctx_alloc(ctx, (size_t)FEATURE_COUNT * c->cells);
    if (c->target == NULL || all == NULL) {
        return false;
    }
    for (int32_t f = 0; f < FEATURE_COUNT; f++) {
        c->planes[f] = all + (size_t)f * c->cells;
    }
    for (uint32_t k = 0, at = 0; k < t->n; k++) {
        CellsFrame frame = frame_of(&c->source, k);
        if (!gather_one(c, k, at)) {
            return false;
        }
        if (k < t->n_train) {
            memcpy(c->target + at, t->out[k].b8, (size_t)frame.h * frame.w);
        }
        at += frame.h * frame.w;
    }
    return true;
}

uint64_t *cells_new_set(Cells *c) {
    uint64_t *set = ctx_alloc(c->search->ctx, c->words * sizeof *set);
    if (set != NULL) {
        memset(set, 0, c->words * sizeof *set);
    }
    return set;
}

static int by_leaf_cost(const void *a, const void *b) {
    const Leaf *x = a, *y = b;
    return x->cost != y->cost   ? (x->cost < y->cost ? -1 : 1)
           : x->what != y->what ? x->what - y->what
           : x->copy != y->copy ? x->copy - y->copy
                                : memcmp(x->map, y->map, sizeof x->map);
}

/* A leaf that is right nowhere, or exactly where a cheaper one is, would never be chosen. */
static bool leaf_is_of_use(const Cells *c, const Leaf *leaf) {
    bool of_use = bits_count(leaf->right, c->train_words) > 0;
    for (uint32_t k = 0; k < c->n_leaves && of_use; k++) {
        of_use = memcmp(c->leaves[k].right, leaf->right, c->train_words * sizeof *leaf->right) != 0;
    }
    return of_use;
}

/* Whether a map may have a row for a value of a feature. */
static bool has_row(int8_t value) {
    return value >= -1 && value < CELLS_VALUES - 1;
}

static bool fill_right(Cells *c, Leaf *leaf) {
    leaf->right = cells_new_set(c);
    for (uint32_t k = 0; leaf->right != NULL && k < c->train_cells; k++) {
        int8_t x = leaf->copy ? c->planes[leaf->what][k] : (int8_t)leaf->what;
        x = leaf->mapped && has_row(x) ? leaf->map[x + 1] : x;
        leaf->right[k / 64] |= (uint64_t)(x == c->target[k]) << k % 64;
    }
    return leaf->right != NULL;
}

/* Learns what most cells with each value of a feature become, among all cells or only those that change. A
 * row that only one pair supports costs more. False: such a map says nothing. */
static bool learn_map(const Cells *c, Leaf *leaf, bool only_changed) {
    uint32_t counts[CELLS_VALUES][CELLS_COLORS] = {{0}};
    uint8_t pairs[CELLS_VALUES][CELLS_COLORS] = {{0}};
    const Tunables *tune = c->search->tune;
    const int8_t *plane = c->planes[leaf->what];
    for (uint32_t p = 0; p < c->search->task->n_train; p++) {
        uint16_t seen[CELLS_VALUES] = {0};
        for (uint32_t k = c->pair_start[p]; k < c->pair_start[p + 1]; k++) {
            int8_t to = c->target[k];
            if ((uint8_t)to < CELLS_COLORS && has_row(plane[k]) &&
                (!only_changed || to != c->planes[FEATURE_OWN][k])) {
                counts[plane[k] + 1][to]++;
                seen[plane[k] + 1] |= (uint16_t)(1u << to);
            }
        }
        for (int v = 0; v < CELLS_VALUES; v++) {
            for (int to = 0; to < CELLS_COLORS; to++) {
                pairs[v][to] = (uint8_t)(pairs[v][to] + (seen[v] >> to & 1));
            }
        }
    }
    unsigned rows = 0;
    leaf->cost = feature_sorts[leaf->what].cost + tune->cells_map_cost;
    for (int v = 0; v < CELLS_VALUES; v++) {
        int best = v - 1;
        uint32_t max = 0;
        for (int to = 0; to < CELLS_COLORS; to++) {
            if (counts[v][to] > max) {
                best = to;
                max = counts[v][to];
            }
        }
        leaf->map[v] = (int8_t)best;
        rows += best != v - 1;
        leaf->cost +=
            best == v - 1 ? 0 : tune->cells_row_cost + (pairs[v][best] == 1 ? tune->cells_row_once_cost : 0);
    }
    return rows > 1; /* one row would be just a question and a color */
}

static bool make_leaves(Cells *c) {
    Leaf all[CELLS_COLORS + 3 * FEATURE_COUNT];
    uint32_t n = 0;
    bool good = true;
    for (int16_t color = 0; color < CELLS_COLORS && good; color++) {
        Leaf leaf = {.what = color, .cost = c->search->tune->cells_color_cost};
        if (c->search->task->out_colors >> color & 1) {
            good = fill_right(c, &leaf);
            all[n++] = leaf;
        }
    }
    for (int16_t f = 0; f < FEATURE_COUNT && good; f++) {
        bool color = feature_sorts[f].kind == FEATURE_IS_COLOR; /* counts are no colors: only maps of them */
        for (int way = color ? 0 : 1; way < 3 && good && is_asked((unsigned)f); way++) {
            Leaf leaf = {.copy = true, .mapped = way > 0, .what = f, .cost = feature_sorts[f].cost};
            if (way == 0 || learn_map(c, &leaf, way == 2)) {
                good = fill_right(c, &leaf);
                all[n++] = leaf;
            }
        }
    }
    if (!good) {
        return false;
    }
    qsort(all, n, sizeof *all, by_leaf_cost);
    for (uint32_t k = 0, counts = 0; k < n && c->n_leaves < MAX_LEAVES; k++) {
        bool of_count = all[k].copy && feature_sorts[all[k].what].kind != FEATURE_IS_COLOR;
        if ((!of_count || counts < MAX_COUNT_LEAVES) && leaf_is_of_use(c, &all[k])) {
            c->leaves[c->n_leaves++] = all[k];
            counts += of_count;
        }
    }
    return true;
}

/* Puts questions and leaves into one block, with costs as integers. */
static bool make_table(Cells *c) {
    RulesTable *t = &c->table;
    const TreeQuestions *q = &c->questions;
    void *memory =
        ctx_alloc(c->search->ctx, rules_table_bytes(q->count, c->n_leaves, c->train_words, c->train_cells));
    if (memory == NULL) {
        return false;
    }
    rules_table_lay(t, memory, q->count, c->n_leaves, c->train_words, c->train_cells);
    for (uint32_t k = 0; k < q->count; k++) {
        memcpy(t->yes + (size_t)k * t->words, q->list[k].yes, t->words * sizeof *t->yes);
        t->test_cost[k] = (uint32_t)(q->list[k].cost * RULES_UNIT + 0.5);
    }
    memset(t->leaves_at, 0, 2 * (size_t)t->cells * sizeof *t->leaves_at);
    for (uint32_t leaf = 0; leaf < c->n_leaves; leaf++) {
        const uint64_t *right = c->leaves[leaf].right;
        memcpy(t->right + (size_t)leaf * t->words, right, t->words * sizeof *t->right);
        t->leaf_cost[leaf] = (uint32_t)(c->leaves[leaf].cost * RULES_UNIT + 0.5);
        for (uint32_t k = 0; k < t->cells; k++) {
            t->leaves_at[2 * k + leaf / 64] |= (uint64_t)bits_has(right, k) << leaf % 64;
        }
    }
    rules_index_table(t);
    return true;
}

static bool ask(Cells *c, unsigned feature, RuleTest test, unsigned other) {
    return !is_asked(feature) || !is_asked(other) || tree_ask(&c->questions, feature, test, (int)other);
}

/* Features whose agreement may mean something, besides that of the cell's own color with any other. */
static const uint16_t ALIKE[][2] = {
    {FEATURE_SEEN_UP_RIGHT, FEATURE_SEEN_DOWN_LEFT},
    {FEATURE_SEEN_UP_LEFT, FEATURE_SEEN_DOWN_RIGHT},
    {FEATURE_SEEN_UP, FEATURE_SEEN_LEFT},
    {FEATURE_SEEN_UP, FEATURE_SEEN_RIGHT},
    {FEATURE_SEEN_DOWN, FEATURE_SEEN_LEFT},
    {FEATURE_SEEN_DOWN, FEATURE_SEEN_RIGHT},
    {FEATURE_SEEN_UP, FEATURE_RAREST_COLOR},
    {FEATURE_SEEN_RIGHT, FEATURE_RAREST_COLOR},
    {FEATURE_SEEN_DOWN, FEATURE_RAREST_COLOR},
    {FEATURE_SEEN_LEFT, FEATURE_RAREST_COLOR},
    {FEATURE_SEEN_UP, FEATURE_MAIN_FOREGROUND},
    {FEATURE_SEEN_RIGHT, FEATURE_MAIN_FOREGROUND},
    {FEATURE_SEEN_DOWN, FEATURE_MAIN_FOREGROUND},
    {FEATURE_SEEN_LEFT, FEATURE_MAIN_FOREGROUND},
    {FEATURE_ROW_COLOR, FEATURE_COLUMN_COLOR},
    {FEATURE_AROUND_COMPONENT, FEATURE_RAREST_COLOR},
    {FEATURE_AROUND_COMPONENT, FEATURE_MAIN_FOREGROUND},
    {FEATURE_MULTICOLOR_RAREST, FEATURE_RAREST_COLOR},
    {FEATURE_MULTICOLOR_MAIN, FEATURE_MAIN_FOREGROUND},
    {FEATURE_COMPONENT_SIZE, FEATURE_MULTICOLOR_SIZE},
    {FEATURE_PANEL_COLOR, FEATURE_MAIN_FOREGROUND},
    {FEATURE_PANEL_COLOR, FEATURE_RAREST_COLOR},
    {FEATURE_BOXED_MAIN, FEATURE_MAIN_FOREGROUND},
    {FEATURE_BOXED_RAREST, FEATURE_RAREST_COLOR},
};

/* Counts of a similar kind: asks whether one is greater than the other, and whether they are equal. */
static const uint16_t COMPARED[][2] = {
    {FEATURE_ROW, FEATURE_ROW_BELOW},
    {FEATURE_COLUMN, FEATURE_COLUMN_RIGHT},
    {FEATURE_ROW, FEATURE_COLUMN},
    {FEATURE_ROW, FEATURE_COLUMN_RIGHT},
    {FEATURE_COMPONENT_AT_ROW, FEATURE_COMPONENT_AT_BELOW},
    {FEATURE_COMPONENT_AT_COLUMN, FEATURE_COMPONENT_AT_RIGHT},
    {FEATURE_COMPONENT_AT_ROW, FEATURE_COMPONENT_AT_COLUMN},
    {FEATURE_COMPONENT_AT_ROW, FEATURE_COMPONENT_AT_RIGHT},
    {FEATURE_MULTICOLOR_AT_ROW, FEATURE_MULTICOLOR_AT_BELOW},
    {FEATURE_MULTICOLOR_AT_COLUMN, FEATURE_MULTICOLOR_AT_RIGHT},
    {FEATURE_MULTICOLOR_AT_ROW, FEATURE_MULTICOLOR_AT_COLUMN},
    {FEATURE_MULTICOLOR_AT_ROW, FEATURE_MULTICOLOR_AT_RIGHT},
    {FEATURE_COMPONENT_HEIGHT, FEATURE_COMPONENT_WIDTH},
    {FEATURE_MULTICOLOR_HEIGHT, FEATURE_MULTICOLOR_WIDTH},
    {FEATURE_ROW_BUSY, FEATURE_COLUMN_BUSY},
    {FEATURE_ROW_STEPS, FEATURE_COLUMN_STEPS},
    {FEATURE_MARK_ROWS, FEATURE_MARK_COLUMNS},
    {FEATURE_LINE_ROWS, FEATURE_LINE_COLUMNS},
    {FEATURE_FAR_UP, FEATURE_FAR_DOWN},
    {FEATURE_FAR_LEFT, FEATURE_FAR_RIGHT},
    {FEATURE_FAR_UP, FEATURE_FAR_LEFT},
    {FEATURE_FAR_UP, FEATURE_FAR_RIGHT},
    {FEATURE_FAR_DOWN, FEATURE_FAR_LEFT},
    {FEATURE_FAR_DOWN, FEATURE_FAR_RIGHT},
    {FEATURE_FAR_UP_RIGHT, FEATURE_FAR_DOWN_LEFT},
    {FEATURE_FAR_UP_LEFT, FEATURE_FAR_DOWN_RIGHT},
    {FEATURE_PANEL_ROW, FEATURE_PANEL_COLUMN},
    {FEATURE_ROW_RUN, FEATURE_COLUMN_RUN},
    {FEATURE_BOXED_AT_ROW, FEATURE_BOXED_AT_BELOW},
    {FEATURE_BOXED_AT_COLUMN, FEATURE_BOXED_AT_RIGHT},
    {FEATURE_BOXED_AT_ROW, FEATURE_BOXED_AT_COLUMN},
    {FEATURE_BOXED_AT_ROW, FEATURE_BOXED_AT_RIGHT},
};

static bool ask_same(Cells *c) {
    for (unsigned f = 1; f < FEATURE_COUNT; f++) {
        if (feature_sorts[f].kind == FEATURE_IS_COLOR && !ask(c, FEATURE_OWN, RULE_SAME, f)) {
            return false;
        }
    }
    for (size_t k = 0; k < sizeof ALIKE / sizeof *ALIKE; k++) {
        if (!ask(c, ALIKE[k][0], RULE_SAME, ALIKE[k][1])) {
            return false;
        }
    }
    return true;
}

static bool ask_compared(Cells *c) {
    for (size_t k = 0; k < sizeof COMPARED / sizeof *COMPARED; k++) {
        uint16_t x = COMPARED[k][0], y = COMPARED[k][1];
        if (!ask(c, x, RULE_MORE, y) || !ask(c, y, RULE_MORE, x) || !ask(c, x, RULE_SAME, y)) {
            return false;
        }
    }
    return true;
}

/* All features by ascending cost; ties stay in their order. */
static void order_by_cost(uint16_t order[FEATURE_COUNT]) {
    for (unsigned f = 0; f < FEATURE_COUNT; f++) {
        unsigned at = f;
        ASSERT(feature_sorts[f].cost > 0 && feature_sorts[f].cost <= FEATURE_MAX_COST, "feature %u costs %g",
               f, feature_sorts[f].cost);
        for (; at > 0 && feature_sorts[order[at - 1]].cost > feature_sorts[f].cost; at--) {
            order[at] = order[at - 1];
        }
        order[at] = (uint16_t)f;
    }
}

static bool open_questions(Cells *c) {
    const Tunables *tune = c->search->tune;
    for (int16_t f = 0; f < FEATURE_COUNT; f++) {
        const FeatureSort *sort = &feature_sorts[f];
        c->attributes[f] = (TreeAttribute){f, sort->kind == FEATURE_IS_COUNT, sort->cost, c->planes[f]};
    }
    c->questions = (TreeQuestions){.search = c->search,
                                   .attributes = c->attributes,
                                   .prices = {.question = tune->cells_question_cost,
                                              .greater = tune->cells_greater_cost,
                                              .large = tune->cells_large_cost,
                                              .larger = tune->cells_larger_cost,
                                              .same_scale = tune->cells_same_scale},
                                   .n = c->cells,
                                   .words = c->words,
                                   .apart = c->cells,
                                   .kept_steps = c->words + c->cells / 64,
                                   .max = tune->cells_tests_max};
    return tree_questions_open(&c->questions);
}

static bool make_questions(Cells *c) {
    enum { SAME_COST = 2 }; /* agreement of two features comes after features of this cost */
    uint16_t order[FEATURE_COUNT];
    bool go_on = open_questions(c), same = false;
    if (!go_on) {
        return false;
    }
    order_by_cost(order);
    /* Cheap features first, so that of equal questions the simpler one is kept. */
    for (unsigned k = 0; k < FEATURE_COUNT && go_on; k++) {
        if (feature_begins_directions(order[k])) {
            for (int color = 0; color < CELLS_COLORS && go_on; color++) {
                go_on = tree_ask_among(&c->questions, order[k], color);
            }
        }
        if (!same && feature_sorts[order[k]].cost > SAME_COST) {
            same = true;
            go_on = ask_same(c);
        }
        go_on = go_on && (!is_asked(order[k]) ||
                          tree_ask_values(&c->questions, order[k], c->search->tune->cells_values_max));
    }
    go_on = go_on && (same || ask_same(c)) && ask_compared(c);
    return go_on || (c->questions.count == c->questions.max && !c->search->slice_over);
}

bool cells_prepare(Cells *c) {
    return gather(c) && make_leaves(c) && make_questions(c) && make_table(c);
}
