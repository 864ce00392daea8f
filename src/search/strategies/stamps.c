/* The stamps strategy grows stamps out of the inputs, then stacks them until the outputs are
 * covered.
 *
 * A piece is a stamp pasted on a canvas of the output's size. Pieces that are right wherever they
 * decide a cell (with their opaque cells, their transparent ones, or all) are laid over each other
 * greedily until a training output is covered; what this does to the test input is the answer.
 * Every subset of training pairs that must be right is tried, because a rule that misses a pair may
 * still be the right one. The training outputs do not guide the growth, only the stacking. */
#include "base/alloc.h"
#include "base/mix.h"
#include "search/schedule/strategies.h"
#include "search/strategies/stack.h"

#include <math.h>
#include <string.h>

enum { MAX_LAYERS = 10, MAX_LIMITS = 16 }; /* room */

typedef struct Stamps {
    Stack stack;
    unsigned depth;                        /* to which stamps grow */
    bool grown, stacking;                  /* growth is done; what has grown is being stacked */
    bool full;                             /* no memory for more */
    uint32_t stacked;                      /* pieces there were the last time */
    uint32_t limits[MAX_LIMITS], n_limits; /* numbers of pieces to stack, in turn */
    uint32_t limit, subset;                /* where stacking has got to */
} Stamps;

static uint64_t hash_layers(const Layer *layers, unsigned n) {
    uint64_t hash = n;
    for (unsigned k = 0; k < n; k++) {
        hash = mix64(hash, layers[k].piece * 4u ^ layers[k].how);
    }
    return hash;
}

/* How many pieces could have taken this one's place: all that need no more moves. */
static uint32_t choices(const Stack *s, const Piece *piece) {
    uint32_t n = 0;
    for (unsigned moves = 0; moves <= piece->moves; moves++) {
        n += s->of_moves[moves];
    }
    return n;
}

/* The deepest layer pays for its steps, the others for the number of pieces they were chosen from. */
static double price(const Stack *s, const Layer *layers, unsigned n) {
    const Tunables *tune = s->grow.search->tune;
    unsigned deepest = 0;
    double bits = 0, all = 0;
    for (unsigned k = 0; k < n; k++) {
        const Piece *piece = &s->pieces[layers[k].piece];
        unsigned cost = piece->cost;
        double mine = log2(choices(s, piece) + 1.0);
        bits = cost > deepest || k == 0 ? mine : bits;
        deepest = cost > deepest ? cost : deepest;
        all += mine;
    }
    return deepest + tune->stamps_stack_cost + tune->stamps_choice_scale * (all - bits);
}

/* Offers a stack that the pairs in `subset` led to. */
static void offer(Stack *s, const Layer *layers, unsigned n, uint32_t subset) {
    Search *search = s->grow.search;
    uint64_t hash = hash_layers(layers, n);
    size_t slot = hash % (sizeof s->offered / sizeof *s->offered);
    if (s->offered[slot].hash == hash) {
        search_confirm(search, &s->offered[slot].find, subset);
        return;
    }
    s->offered[slot].hash = hash;
    search_offer_from(search, stack_program(s, layers, n), price(s, layers, n), subset,
                      &s->offered[slot].find);
}

/* ---- stacking ---- */

static uint64_t covers(uint64_t zero, unsigned how) {
    return how == 0 ? ~zero : how == 1 ? zero : ~(uint64_t)0;
}

static void set_range(uint64_t *bits, uint32_t from, uint32_t to) {
    for (uint32_t k = from; k < to; k++) {
        bits[k / 64] |= (uint64_t)1 << k % 64;
    }
}

typedef struct StackRun { /* the pairs in `subset` must be right, `pair` is to be covered */
    uint32_t subset, pair;
} StackRun;

/* The runs of one batched operation (search/strategies/layers.h). */
typedef struct Runs {
    LayersCover cover;
    StackRun *runs;
    uint64_t *room;
    uint32_t count, max;
} Runs;

/* False: no memory; close it anyway. */
static bool runs_open(Runs *r, Stack *s, uint32_t limit, uint32_t all) {
    Search *search = s->grow.search;
    Quota *quota = &search->quota;
    *r = (Runs){.max = backend_chunk_size(search->backend, (uint64_t)limit * s->words, all)};
    r->cover = (LayersCover){.zero = &s->zero_block, .wrong = &s->wrong_block, .words = s->words};
    r->cover.args = quota_grow(quota, NULL, layers_cover_bytes(s->words, r->max), 1);
    r->cover.results = quota_grow(quota, NULL, r->max, sizeof *r->cover.results);
    r->runs = quota_grow(quota, NULL, r->max, sizeof *r->runs);
    r->room = quota_grow(quota, NULL, s->words + s->test_words, sizeof *r->room);
    return r->cover.args != NULL && r->cover.results != NULL && r->runs != NULL && r->room != NULL;
}

static void runs_close(Runs *r, Quota *quota) {
    quota_free(quota, r->cover.args);
    quota_free(quota, r->cover.results);
    quota_free(quota, r->runs);
    quota_free(quota, r->room);
}

static void add_run(Runs *r, const Stack *s, StackRun run, uint32_t limit) {
    CoverRun how = {.limit = limit,
                    .first = s->start[run.pair] / 64,
                    .last = s->start[run.pair + 1] / 64,
                    .max = s->grow.search->tune->stamps_layers_max};
    uint64_t *open, *goal;
    r->runs[r->count] = run;
    r->cover.count = ++r->count;
    layers_cover_set(&r->cover, r->count - 1, &how, &open, &goal);
    memset(open, 0, s->words * sizeof *open);
    memset(goal, 0, s->words * sizeof *goal);
    for (uint32_t k = 0; k < s->grow.task->n_train; k++) {
        if (run.subset >> k & 1) {
            set_range(open, s->start[k], s->start[k + 1]);
        }
    }
    set_range(goal, s->start[run.pair], s->start[run.pair + 1]);
}

/* Whether layers cover all cells of the tests. */
static bool covers_tests(const Stack *s, const Layer *layers, unsigned n, uint64_t *open) {
    memset(open, 0, s->test_words * sizeof *open);
    set_range(open, 0, s->test_cells);
    uint64_t left = 0;
    for (uint32_t w = 0; w < s->test_words; w++) {
        for (unsigned k = 0; k < n; k++) {
            open[w] &= ~covers(s->test_zero[(size_t)layers[k].piece * s->test_words + w], layers[k].how);
        }
        left |= open[w];
    }
    return left == 0;
}

/* Makes the runs, and offers what covers its pair and the tests. False: cut short; st->subset is the one that
 * it happened in. */
static bool make_runs(Runs *r, Stamps *st, uint32_t limit) {
    Stack *s = &st->stack;
    Search *search = s->grow.search;
    uint64_t waited = 0;
    bool go_on = r->count == 0 || layers_cover(search->backend, search->ctx, &r->cover, r->room, &waited);
    search_waited(search, waited);
    for (uint32_t k = 0; k < r->count && go_on; k++) {
        const CoverResult *found = &r->cover.results[k];
        st->subset = r->runs[k].subset;
        Layer layers[MAX_LAYERS];
        for (uint32_t n = 0; n < found->layers && go_on; n++) {
            layers[n] = (Layer){found->layer[n] >> 2, found->layer[n] & 3};
            go_on = search_spend(search, (uint64_t)limit * s->words / 16 + 1);
        }
        if (go_on && found->end == COVER_DONE && covers_tests(s, layers, found->layers, r->room)) {
            offer(s, layers, found->layers, r->runs[k].subset);
        }
    }
    r->count = 0;
    return go_on;
}

/* Tries every subset of pairs that must be right, beginning with all of them, over the pieces up to
 * each limit in turn. False: cut short, to be resumed with the same subset. */
static bool stack_all(Stamps *st) {
    Stack *s = &st->stack;
    const SearchTask *t = s->grow.task;
    uint32_t max = s->grow.search->tune->stamps_subset_max;
    uint32_t pairs = t->n_train < max ? t->n_train : max;
    Quota *quota = &s->grow.search->quota;
    bool go_on = true;
    while (st->limit < st->n_limits && go_on) {
        uint32_t limit = st->limits[st->limit], subset = st->subset;
        Runs runs;
        go_on = runs_open(&runs, s, limit, pairs << pairs);
        for (; subset > 0 && go_on; subset--) {
            for (uint32_t pair = 0; pair < pairs && go_on; pair++) {
                if (subset >> pair & 1 && s->sized[pair]) {
                    add_run(&runs, s, (StackRun){subset, pair}, limit);
                }
                go_on = runs.count < runs.max || make_runs(&runs, st, limit);
            }
        }
        go_on = go_on && make_runs(&runs, st, limit);
        runs_close(&runs, quota);
        if (go_on) {
            st->limit++;
            st->subset = (1u << pairs) - 1;
        }
    }
    return go_on;
}

/* Sets what is to be stacked: all pieces; the first time, before that, the pieces up to each cost. */
static void set_limits(Stamps *st) {
    const Stack *s = &st->stack;
    uint32_t max = s->grow.search->tune->stamps_subset_max;
    st->n_limits = st->limit = 0;
    for (uint32_t k = st->stacked == 0 ? 0 : s->count; k < s->count && st->n_limits + 1 < MAX_LIMITS; k++) {
        if (k + 1 < s->count && s->pieces[k + 1].cost > s->pieces[k].cost) {
            st->limits[st->n_limits++] = k + 1;
        }
    }
    st->limits[st->n_limits++] = s->count;
    st->subset = (1u << (s->grow.task->n_train < max ? s->grow.task->n_train : max)) - 1;
    st->stacked = s->count;
}

/* ---- growing ---- */

/* Grows to a depth in a share of what is left of the time slice, so that there is time to stack the
 * result. */
static bool grow_for_a_while(Stamps *st, Search *search, unsigned depth, double share) {
    double end = search_shorten_slice(search, share);
    bool complete = grow_to_depth(&st->stack.grow, depth) && grow_overlay_lists(&st->stack.grow);
    search_lengthen_slice(search, end);
    return complete;
}

/* Finds the rule for the outputs' sizes, after growing a step or two. False: cut short, or there is
 * none. */
static bool find_size(Stamps *st) {
    Grow *g = &st->stack.grow;
    bool go_on = grow_to_depth(g, 1);
    bool sized = grow_guess_size(g);
    if (go_on && !(sized && grow_size_is_clear(g))) { /* grow deeper for a better rule */
        go_on = grow_to_depth(g, 2);
        sized = grow_guess_size(g);
    }
    if (!go_on || !sized) {
        return false;
    }
    grow_use_size(g);
    return stack_prepare(&st->stack);
}

/* ---- time slices ---- */

void *strategy_stamps_open(Search *search) {
    Stamps *st = mem_zalloc(1, sizeof *st);
    if (st == NULL || !grow_open(&st->stack.grow, search)) {
        mem_free(st);
        return NULL;
    }
    st->depth = 2;
    return st;
}

void strategy_stamps_close(Search *search, void *state) {
    Stamps *st = state;
    (void)search;
    stack_forget(&st->stack);
    grow_close(&st->stack.grow);
    mem_free(st);
}

/* Stacks what was collected, then joins it by tables. False: cut short. */
static bool use_pieces(Stamps *st, Search *search) {
    if (!stack_all(st) || (st->grown && !stack_try_tables(&st->stack, search->tune->stamps_tabled_max *
                                                                          (st->depth == 2 ? 1 : 2)))) {
        return false;
    }
    st->stacking = false;
    return true;
}

/* Grows and stacks in turn, deeper and deeper; a later time slice resumes where this one ends. */
void strategy_stamps_run(Search *search, void *state) {
    Stamps *st = state;
    Stack *s = &st->stack;
    if (!s->grow.has_size && !find_size(st)) {
        return;
    }
    while (!search->slice_over) {
        if (st->stacking && !use_pieces(st, search)) {
            return;
        }
        if (st->grown) {
            st->depth++;
            st->grown = false;
        }
        if (st->depth > search->tune->stamps_deep_depth || st->full) {
            return;
        }
        st->grown = grow_for_a_while(st, search, st->depth, search->tune->stamps_grow_share);
        st->full = s->grow.full || s->full || search->ctx->exhausted != FAIL_NONE;
        if (search->slice_over || !stack_collect(s, st->depth)) {
            st->full |= s->full;
            return;
        }
        st->full |= s->full;
        stack_settle(s);
        set_limits(st);
        st->stacking = true;
    }
}
