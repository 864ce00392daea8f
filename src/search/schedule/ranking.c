/* Ranks candidates: first come those that are right on the training pairs, have a short description, and
 * whose answers look like the outputs of the training pairs. */
#include "base/check.h"
#include "engine/eval/eval.h"
#include "search/schedule/search_state.h"

#include <math.h>
#include <stdlib.h>

const Penalty penalty_table[PENALTY_COUNT] = {
#define PENALTY(id, cost, text) {cost, text},
#include "search/schedule/penalties.def"
#undef PENALTY
};

static bool one_color(uint16_t set) {
    return (set & (set - 1)) == 0;
}

static bool equals(Val grid, Image image) {
    return task_image_equal(eval_image(grid), image);
}

/* The order that a grid has, as bits: symmetric in one of four ways, periodic along rows or along columns. */
enum { LEFT_RIGHT, UP_DOWN, DIAGONAL, OTHER_DIAGONAL, ALONG_ROWS, ALONG_COLUMNS, ORDER_COUNT };
enum { SYMMETRIES = 1 << LEFT_RIGHT | 1 << UP_DOWN | 1 << DIAGONAL | 1 << OTHER_DIAGONAL };

static unsigned mirrors_of(Image g) {
    bool square = g.h == g.w;
    unsigned set = (unsigned)(g.w > 1) << LEFT_RIGHT | (unsigned)(g.h > 1) << UP_DOWN;
    set |= square && g.h > 1 ? 1u << DIAGONAL | 1u << OTHER_DIAGONAL : 0;
    for (int32_t i = 0; i < g.h && set != 0; i++) {
        for (int32_t j = 0; j < g.w; j++) {
            int8_t cell = g.cells[i * g.w + j];
            set &= ~((unsigned)(cell != g.cells[i * g.w + g.w - 1 - j]) << LEFT_RIGHT);
            set &= ~((unsigned)(cell != g.cells[(g.h - 1 - i) * g.w + j]) << UP_DOWN);
            if (square) {
                set &= ~((unsigned)(cell != g.cells[j * g.w + i]) << DIAGONAL);
                set &= ~((unsigned)(cell != g.cells[(g.w - 1 - j) * g.w + g.h - 1 - i]) << OTHER_DIAGONAL);
            }
        }
    }
    return set;
}

/* Is the grid the same this many cells further on? */
static bool repeats(Image g, int32_t down, int32_t right) {
    for (int32_t i = 0; i + down < g.h; i++) {
        for (int32_t j = 0; j + right < g.w; j++) {
            if (g.cells[i * g.w + j] != g.cells[(i + down) * g.w + j + right]) {
                return false;
            }
        }
    }
    return true;
}

static unsigned order_of(Image g) {
    unsigned set = mirrors_of(g);
    for (int32_t p = 1; p <= g.w / 2; p++) {
        set |= (unsigned)repeats(g, 0, p) << ALONG_ROWS;
    }
    for (int32_t p = 1; p <= g.h / 2; p++) {
        set |= (unsigned)repeats(g, p, 0) << ALONG_COLUMNS;
    }
    return set;
}

/* The colors of cells that change, as bits; none if the sizes differ. */
static uint16_t changed_colors(Image in, Image out) {
    uint16_t set = 0;
    for (int32_t k = 0; in.h == out.h && in.w == out.w && k < in.h * in.w; k++) {
        set |= (uint16_t)(in.cells[k] != out.cells[k] ? image_colors((Image){1, 1, in.cells + k}) : 0);
    }
    return set;
}

/* Whether both have as many cells of each color. */
static bool same_counts(Image a, Image b) {
    int32_t more[256] = {0};
    for (int32_t k = 0; k < a.h * a.w; k++) {
        more[(uint8_t)a.cells[k]]++;
    }
    for (int32_t k = 0; k < b.h * b.w; k++) {
        if (--more[(uint8_t)b.cells[k]] < 0) {
            return false;
        }
    }
    return a.h * a.w == b.h * b.w;
}

/* What the training pairs have in common, so that an answer without it is odd. */
typedef struct Habits {
    bool changes;             /* no output is its input */
    bool colorful;            /* no output has one color only */
    bool one_size;            /* all outputs have the same size, but inputs do not */
    unsigned order;           /* what all outputs have in common of order_of */
    int32_t scale_h, scale_w; /* how many times as large as inputs outputs are; -1: no common factor */
    uint16_t changing;        /* colors of the cells that change, if outputs have the sizes of inputs */
    bool adds_none, loses_none, counts; /* outputs have no other colors than inputs, all of them, as often */
} Habits;

static Habits habits_of(const SearchTask *t) {
    Habits h = {true, true, true, ~0u, 0, 0, 0, true, true, true};
    bool inputs_differ = false;
    for (uint32_t k = 0; k < t->n; k++) {
        inputs_differ |= t->in[k].n != t->in[0].n || t->in[k].w != t->in[0].w;
    }
    for (uint32_t k = 0; k < t->n_train; k++) {
        Image in = eval_image(t->in[k]), out = eval_image(t->out[k]);
        uint16_t from = image_colors(in), to = image_colors(out);
        h.changing |= changed_colors(in, out);
        h.adds_none &= (to & ~from) == 0;
        h.loses_none &= (from & ~to) == 0;
        h.counts &= same_counts(in, out);
        h.changes &= !equals(t->in[k], out);
        h.colorful &= !one_color(image_colors(out));
        h.order &= order_of(out);
        h.one_size &= out.h == (int32_t)t->out[0].n && out.w == t->out[0].w;
        int32_t ih = (int32_t)t->in[k].n, iw = t->in[k].w;
        int32_t sh = out.h % ih == 0 ? out.h / ih : -1, sw = out.w % iw == 0 ? out.w / iw : -1;
        h.scale_h = k == 0 || h.scale_h == sh ? sh : -1;
        h.scale_w = k == 0 || h.scale_w == sw ? sw : -1;
    }
    h.one_size &= inputs_differ;
    return h;
}

static unsigned penalties_of(const SearchTask *t, const Habits *h, const Image *answers) {
    unsigned set = 0;
    for (uint32_t k = 0; k < t->n_test; k++) {
        Image a = answers[k];
        if (a.h == 0) {
            set |= 1u << PENALTY_NONE;
            continue;
        }
        Val in = t->in[t->n_train + k];
        uint16_t colors = image_colors(a), inputs = image_colors(eval_image(in));
        unsigned changed = t->same_size ? changed_colors(eval_image(in), a) & ~(unsigned)h->changing : 0;
        set |= (unsigned)(h->changes && equals(in, a)) << PENALTY_UNCHANGED;
        set |= (unsigned)(h->colorful && one_color(colors)) << PENALTY_ONE_COLOR;
        set |= (unsigned)((colors & ~(t->out_colors | inputs)) != 0) << PENALTY_COLORS;
        unsigned lacking = h->order & ~order_of(a);
        set |= (unsigned)((colors & t->in_all & ~t->out_colors) != 0) << PENALTY_GONE;
        set |= (unsigned)((lacking & SYMMETRIES) != 0) << PENALTY_SYMMETRY;
        set |= (unsigned)((lacking & ~(unsigned)SYMMETRIES) != 0) << PENALTY_PERIOD;
        set |= (unsigned)(changed != 0 && h->changing != 0 && one_color(h->changing)) << PENALTY_CHANGED;
        set |= (unsigned)((changed & t->in_all) != 0) << PENALTY_KEPT;
        set |= (unsigned)(h->adds_none && (colors & ~inputs) != 0) << PENALTY_ADDED;
        set |= (unsigned)(h->loses_none && (inputs & ~colors) != 0) << PENALTY_LOST;
        set |= (unsigned)(h->counts && colors == inputs && !same_counts(eval_image(in), a)) << PENALTY_COUNTS;
        bool sized = (h->one_size && (a.h != (int32_t)t->out[0].n || a.w != t->out[0].w)) ||
                     (h->scale_h > 0 && a.h != h->scale_h * (int32_t)in.n) ||
                     (h->scale_w > 0 && a.w != h->scale_w * in.w);
        set |= (unsigned)sized << PENALTY_SIZE;
    }
    return set;
}

/* Bits that speak for answers. Further programs of the same strategy, which may differ only in ways that do
 * not matter here, say little; but two strategies with different ideas are unlikely to give the same answers
 * by chance. */
static double backed_by(const Tunables *tune, const Backing *b) {
    int strategies = __builtin_popcount(b->strategies), arms = __builtin_popcountll(b->arms);
    return fmin(tune->score_support, log2(b->support)) +
           (strategies > 1 ? tune->score_strategies * (strategies - 1) : 0) +
           (arms > 1 ? tune->score_arms * log2(arms) : 0);
}

/* Bits that a net, if there is one, has against answers. */
static double penalty_by_net(const Tunables *tune, const Candidate *c) {
    return isfinite(c->under_net) ? fmin(tune->net_penalty_max, -tune->net_penalty * c->under_net)
                                  : tune->net_penalty_unknown;
}

/* Sets penalties and score. Of 750 answers by programs that miss a pair five were right, of 268 by
 * far-fetched ones that fit 18; so what misses comes last, unless the other is quite incredible. */
static void judge(const SearchTask *t, const Tunables *tune, const Habits *h, Candidate *c) {
    ASSERT(c->right <= t->n_train && c->backing.support >= 1 && (c->right > 0 || isfinite(c->by_net)),
           "%u of %u right, support %u", c->right, t->n_train, c->backing.support);
    uint32_t missed = t->n_train - c->right;
    c->penalties = (uint16_t)penalties_of(t, h, c->answers);
    c->score = c->cost - backed_by(tune, &c->backing);
    c->score += c->backing.tried ? tune->score_mispredicted * c->backing.mispredicted / c->backing.tried : 0;
    c->score += missed ? tune->score_miss + tune->score_miss_all * (double)missed / t->n_train : 0;
    c->score = c->right == 0 ? c->by_net : fmin(c->score, c->by_net);
    c->score += penalty_by_net(tune, c);
    for (unsigned k = 0; k < PENALTY_COUNT; k++) {
        c->score += c->penalties >> k & 1 ? penalty_table[k].cost : 0;
    }
}

double search_best_score(Search *s) {
    SearchState *state = s->state;
    Habits habits = habits_of(s->own);
    double best = HUGE_VAL;
    for (uint32_t k = 0; k < state->count; k++) {
        Candidate *c = &state->candidates[k];
        if (c->right == s->own->n_train) {
            judge(s->own, s->tune, &habits, c);
            best = c->score < best ? c->score : best;
        }
    }
    return best;
}

static int by_trust(const void *left, const void *right) {
    const Candidate *a = left, *b = right;
    if (a->score != b->score) {
        return a->score < b->score ? -1 : 1;
    }
    /* ties go to the one that is right on more pairs it was not made from */
    if (a->backing.unseen != b->backing.unseen) {
        return a->backing.unseen > b->backing.unseen ? -1 : 1;
    }
    return a->steps != b->steps ? (a->steps < b->steps ? -1 : 1) : (a->hash > b->hash) - (a->hash < b->hash);
}

void search_order_candidates(Search *s) {
    SearchState *state = s->state;
    Habits habits = habits_of(s->own);
    for (uint32_t k = 0; k < state->count; k++) {
        judge(s->own, s->tune, &habits, &state->candidates[k]);
    }
    if (state->count > 1) {
        qsort(state->candidates, state->count, sizeof *state->candidates, by_trust);
        ASSERT(state->candidates[0].score <= state->candidates[state->count - 1].score,
               "the best candidate has score %g, the last %g", state->candidates[0].score,
               state->candidates[state->count - 1].score);
    }
}

/* The best answer that differs from those before it. Another answer of the same strategy is likely to be a
 * variant of the same idea, which was wrong if another attempt is needed; so it is ranked lower. */
static const Candidate *next_answer(const Search *s, uint32_t test, const Candidate *const *before,
                                    uint32_t n) {
    const SearchState *state = s->state;
    const Candidate *best = NULL;
    double best_score = 0;
    ASSERT(test < s->own->n_test, "test %u of %u", test, s->own->n_test);
    for (uint32_t k = 0; k < state->count; k++) {
        const Candidate *c = &state->candidates[k];
        if (best != NULL && c->score >= best_score) {
            break; /* sorted by score, so none of the rest can be better */
        }
        bool given = c->answers[test].h == 0, sibling = false;
        for (uint32_t x = 0; x < n && !given; x++) {
            given = task_image_equal(before[x]->answers[test], c->answers[test]);
            sibling |= before[x]->strategy == c->strategy;
        }
        double score = c->score + (sibling ? s->tune->score_sibling : 0);
        if (!given && (best == NULL || score < best_score)) {
            best = c;
            best_score = score;
        }
    }
    return best;
}

const Image *search_answer(const Search *s, uint32_t test, uint32_t attempt, const Candidate **who) {
    const Candidate *given[SEARCH_MAX_ATTEMPTS];
    uint32_t n = 0;
    ASSERT(attempt < SEARCH_MAX_ATTEMPTS, "attempt %u", attempt);
    while (n <= attempt && (given[n] = next_answer(s, test, given, n)) != NULL) {
        n++;
    }
    if (n <= attempt) {
        return NULL;
    }
    if (who != NULL) {
        *who = given[attempt];
    }
    return &given[attempt]->answers[test];
}
