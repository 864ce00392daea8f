/* Rules of up to two questions that pass both the first grids and the last ones; see processes_internal.h. */
#include "search/strategies/processes_internal.h"

#include <string.h>

static const uint8_t ASKED[STEP_FEATURES] = {
    FEATURE_ABOVE,         FEATURE_ABOVE_RIGHT,     FEATURE_RIGHT,          FEATURE_BELOW_RIGHT,
    FEATURE_BELOW,         FEATURE_BELOW_LEFT,      FEATURE_LEFT,           FEATURE_ABOVE_LEFT,
    FEATURE_SEEN_UP,       FEATURE_SEEN_RIGHT,      FEATURE_SEEN_DOWN,      FEATURE_SEEN_LEFT,
    FEATURE_SEEN_UP_RIGHT, FEATURE_SEEN_DOWN_RIGHT, FEATURE_SEEN_DOWN_LEFT, FEATURE_SEEN_UP_LEFT,
    FEATURE_SIDES_MOST,    FEATURE_AROUND_MOST,     FEATURE_CORNERS_BUSY,   FEATURE_BUSY_AROUND,
    FEATURE_SIDES_BUSY,    FEATURE_BETWEEN_SIDES,   FEATURE_BETWEEN_ENDS,   FEATURE_SEES,
    FEATURE_ROW_MOD2,      FEATURE_COLUMN_MOD2,     FEATURE_SUM_MOD2,       FEATURE_ROW_MOD3,
    FEATURE_COLUMN_MOD3,   FEATURE_RIM_DISTANCE,    FEATURE_DIAGONAL,       FEATURE_ANTIDIAGONAL};

/* ---- what a rule can be made of ---- */

/* Gathers the cells of the color that is painted, with features in the grids as they are and in the outputs.
 */
static bool gather(Processes *p) {
    Search *s = p->search;
    const SearchTask *t = s->task;
    FeatureSet wanted = {{false}};
    uint32_t room = 0;
    for (uint32_t f = 0; f < STEP_FEATURES; f++) {
        wanted.has[ASKED[f]] = true;
    }
    for (uint32_t k = 0; k < t->n_train; k++) {
        for (uint32_t c = 0; c < step_cells(t, k); c++) {
            room += p->now->cells[k][c] == p->from;
        }
    }
    p->half = room / 64 + 1;
    p->words = 2 * p->half;
    p->n = 0;
    uint32_t items = 64 * p->words;
    int8_t *all = ctx_alloc(s->ctx, (size_t)(STEP_FEATURES + 1) * items);
    if (all == NULL) {
        return false;
    }
    for (uint32_t f = 0; f < STEP_FEATURES; f++) {
        p->planes[f] = all + (size_t)f * items;
    }
    p->target = all + (size_t)STEP_FEATURES * items;
    for (uint32_t k = 0; k < t->n_train; k++) {
        Reason why;
        CtxMark mark = ctx_mark(s->ctx);
        Val in = t->in[k];
        uint32_t size = step_cells(t, k), first = p->n;
        for (int side = 0; side < 2; side++) {
            const int8_t *cells = side ? t->out[k].b8 : p->now->cells[k];
            const int8_t *planes = features_of(s->ctx, val_grid8(cells, in.n, in.w), &wanted, &why);
            uint32_t at = first;
            for (uint32_t c = 0; c < size && planes != NULL; c++) {
                if (p->now->cells[k][c] == p->from) {
                    for (uint32_t f = 0; f < STEP_FEATURES; f++) {
                        p->planes[f][at + 64 * p->half * (uint32_t)side] =
                            planes[(size_t)ASKED[f] * size + c];
                    }
                    p->target[at++] = t->out[k].b8[c];
                }
            }
            p->n = at;
            if (planes == NULL) {
                return false;
            }
        }
        ctx_release(s->ctx, mark);
    }
    return p->n > 0;
}

static uint64_t *new_set(Processes *p) {
    uint64_t *set = ctx_alloc(p->search->ctx, p->words * sizeof *set);
    if (set != NULL) {
        memset(set, 0, p->words * sizeof *set);
    }
    return set;
}

/* The items, both in the grids as they are and in the outputs. */
static uint64_t valid(const Processes *p, uint32_t word) {
    return bits_below(p->n, word % p->half);
}

static bool is_known(const Processes *p, const uint64_t *yes, const uint64_t *no) {
    size_t bytes = p->words * sizeof *yes;
    bool any_yes = bits_count(yes, p->words) > 0, any_no = bits_count(no, p->words) > 0;
    for (uint32_t k = 0; k < p->n_questions && any_yes && any_no; k++) {
        const StepQuestion *q = &p->questions[k];
        any_yes = memcmp(q->yes, yes, bytes) != 0 && memcmp(q->no, yes, bytes) != 0;
    }
    return !any_yes || !any_no;
}

static bool ask(Processes *p, uint32_t f, RuleTest test, int number) {
    const Tunables *tune = p->search->tune;
    CtxMark mark = ctx_mark(p->search->ctx);
    uint64_t *yes = new_set(p), *no = new_set(p);
    if (yes == NULL || no == NULL || p->n_questions == MAX_QUESTIONS) {
        return false;
    }
    for (uint32_t d = 0; d < (test == RULE_AMONG ? AMONG_DIRECTIONS : 1); d++) {
        const int8_t *values = p->planes[feature_in_direction(ASKED[f], (int)d) - ASKED[f] + f];
        for (uint32_t x = 0; x < 64 * p->words; x++) {
            yes[x / 64] |= (uint64_t)(test == RULE_GREATER ? values[x] > number : values[x] == number)
                           << x % 64;
        }
    }
    for (uint32_t w = 0; w < p->words; w++) {
        yes[w] &= valid(p, w);
        no[w] = ~yes[w] & valid(p, w);
    }
    if (is_known(p, yes, no)) {
        ctx_release(p->search->ctx, mark);
        return true;
    }
    p->questions[p->n_questions++] =
        (StepQuestion){.feature = ASKED[f],
                       .test = (uint8_t)test,
                       .number = (int8_t)number,
                       .cost = feature_sorts[ASKED[f]].cost + tune->cells_question_cost +
                               (test == RULE_GREATER ? tune->cells_greater_cost : 0),
                       .yes = yes,
                       .no = no};
    return search_spend(p->search, p->words);
}

static bool ask_all(Processes *p) {
    p->n_questions = 0;
    for (uint32_t f = 0; f < STEP_FEATURES; f++) {
        bool seen[256] = {false}, counts = feature_sorts[ASKED[f]].kind == FEATURE_IS_COUNT;
        uint32_t values = 0;
        for (uint32_t x = 0; x < p->n; x++) {
            seen[(uint8_t)p->planes[f][x]] = seen[(uint8_t)p->planes[f][x + 64 * p->half]] = true;
        }
        for (int v = -1; v < 127 && values < MAX_VALUES; v++) {
            if (seen[(uint8_t)v]) {
                values++;
                bool more = (v >= 0 && feature_begins_directions(ASKED[f]) && !ask(p, f, RULE_AMONG, v)) ||
                            !ask(p, f, RULE_EQUAL, v) || (counts && !ask(p, f, RULE_GREATER, v));
                if (more) {
                    return p->n_questions == MAX_QUESTIONS;
                }
            }
        }
        if (!counts && !ask(p, f, RULE_GREATER, 0)) {
            return p->n_questions == MAX_QUESTIONS;
        }
    }
    return true;
}

static bool add_leaf(Processes *p, bool copy, uint8_t what, uint32_t plane, double cost) {
    StepLeaf leaf = {copy, what, cost, new_set(p), new_set(p), new_set(p)};
    if (leaf.bad == NULL || leaf.good == NULL || leaf.explained == NULL) {
        return false;
    }
    uint32_t outputs = 64 * p->half;
    for (uint32_t x = 0; x < p->n; x++) {
        int8_t now = copy ? p->planes[plane][x] : (int8_t)what;
        int8_t end = copy ? p->planes[plane][x + outputs] : (int8_t)what, target = p->target[x];
        bool changes = target != p->from;
        uint64_t bit = (uint64_t)1 << x % 64;
        leaf.bad[x / 64] |= now != p->from && now != target ? bit : 0;
        leaf.good[x / 64] |= changes && now == target ? bit : 0;
        leaf.bad[p->half + x / 64] |= !changes && end != p->from ? bit : 0;
        leaf.explained[p->half + x / 64] |= changes && end == target ? bit : 0;
    }
    if (bits_count(leaf.good, p->half) > 0) {
        p->leaves[p->n_leaves++] = leaf;
    }
    return true;
}

static bool make_leaves(Processes *p) {
    const Tunables *tune = p->search->tune;
    bool good = true;
    p->n_leaves = 0;
    for (uint8_t color = 0; color < COLORS && good; color++) {
        good = color == p->from || add_leaf(p, false, color, 0, tune->cells_color_cost);
    }
    for (uint32_t f = 0; f < STEP_COPIED && good; f++) {
        good = add_leaf(p, true, ASKED[f], f, feature_sorts[ASKED[f]].cost);
    }
    return good;
}

/* ---- rules that pass the first grids and the last ones ---- */

static bool is_better(const StepRule *a, const StepRule *b) {
    return a->explains != b->explains ? a->explains > b->explains : a->cost < b->cost;
}

static void keep(Processes *p, const StepRule *r) {
    uint32_t at = p->n_tried;
    for (uint32_t k = 0; k < p->n_tried; k++) {
        StepRule *old = &p->tried[k];
        if (old->leaf == r->leaf && old->good == r->good && old->explained == r->explained) {
            if (r->cost < old->cost) {
                *old = *r;
            }
            return;
        }
    }
    if (at == MAX_TRIED) {
        if (!is_better(r, &p->tried[at - 1])) {
            return;
        }
        at--;
    }
    for (; at > 0 && is_better(r, &p->tried[at - 1]); at--) {
        p->tried[at] = p->tried[at - 1];
    }
    p->tried[at] = *r;
    p->n_tried += p->n_tried < MAX_TRIED;
}

/* Keeps the rules with these questions whose leaf paints nothing wrong where all of them are answered so. */
static void try_leaves(Processes *p, const uint64_t *where, const struct StepAsked *asked, uint32_t n,
                       double cost) {
    for (uint32_t k = 0; k < p->n_leaves; k++) {
        const StepLeaf *leaf = &p->leaves[k];
        uint64_t bad = 0;
        uint32_t good = 0, explained = 0;
        for (uint32_t w = 0; w < p->words && bad == 0; w++) {
            bad = where[w] & leaf->bad[w];
        }
        for (uint32_t w = 0; w < p->words && bad == 0; w++) {
            good += (uint32_t)__builtin_popcountll(where[w] & leaf->good[w]);
            explained += (uint32_t)__builtin_popcountll(where[w] & leaf->explained[w]);
        }
        if (bad == 0 && good > 0) {
            StepRule r = {.n_asked = (uint8_t)n,
                          .what = leaf->what,
                          .from = p->from,
                          .copy = leaf->copy,
                          .cost = cost + leaf->cost,
                          .explains = good > explained ? good : explained,
                          .leaf = k,
                          .good = good,
                          .explained = explained};
            memcpy(r.asked, asked, n * sizeof *asked);
            keep(p, &r);
        }
    }
}

static struct StepAsked asked_of(const StepQuestion *q, bool no) {
    return (struct StepAsked){q->feature, q->test, q->number, no};
}

/* Tries all rules of one and two questions. False: cut short. */
static bool try_rules(Processes *p) {
    uint64_t *where = new_set(p);
    struct StepAsked asked[2];
    p->n_tried = 0;
    for (uint32_t a = 0; a < 2 * p->n_questions && where != NULL; a++) {
        const StepQuestion *q = &p->questions[a / 2];
        const uint64_t *first = a & 1 ? q->no : q->yes;
        asked[0] = asked_of(q, a & 1);
        try_leaves(p, first, asked, 1, q->cost);
        for (uint32_t b = a / 2 * 2 + 2; b < 2 * p->n_questions; b++) {
            const StepQuestion *r = &p->questions[b / 2];
            const uint64_t *second = b & 1 ? r->no : r->yes;
            uint64_t any = 0;
            for (uint32_t w = 0; w < p->words; w++) {
                where[w] = first[w] & second[w];
                any |= w < p->half ? where[w] : 0;
            }
            if (any != 0) {
                asked[1] = asked_of(r, b & 1);
                try_leaves(p, where, asked, 2, q->cost + r->cost);
            }
        }
        if (!search_spend(p->search, p->n_questions * (4 + p->words / 4) / 8)) {
            return false;
        }
    }
    return where != NULL;
}

bool processes_find_rules(Processes *p) {
    return gather(p) && ask_all(p) && make_leaves(p) && try_rules(p) && p->n_tried > 0;
}
