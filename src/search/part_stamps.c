/* The stamps part: grows stamps out of the inputs, then stacks them until the outputs are covered.
 *
 * A piece is a stamp pasted on a canvas of the output's size. Pieces that are right wherever they decide a
 * cell (with their opaque cells, their transparent ones, or all) are laid over each other greedily until a
 * training output is covered; what this does to the test input is the answer. Every subset of training pairs
 * that must be right is tried, because a rule that misses a pair may still be the right one. The training
 * outputs do not guide the growth, only the stacking. */
#include "core/alloc.h"
#include "search/parts.h"
#include "search/stack.h"

#include <math.h>
#include <string.h>

enum { MOST_LAYERS = 10, MOST_LIMITS = 16 }; /* room */

typedef struct Stamps {
    Stack stack;
    unsigned depth;                         /* to which stamps grow */
    bool grown, stacking;                   /* growth is done; what has grown is being stacked */
    bool full;                              /* no memory for more */
    uint32_t stacked;                       /* pieces there were the last time */
    uint32_t limits[MOST_LIMITS], n_limits; /* numbers of pieces to stack, in turn */
    uint32_t limit, subset;                 /* where stacking has got to */
} Stamps;

static uint64_t hash_layers(const Layer *layers, unsigned n) {
    uint64_t hash = n;
    for (unsigned k = 0; k < n; k++) {
        hash = (hash ^ layers[k].piece * 4u ^ layers[k].how) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
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

/* The layer that is wrong on no open cell of the chosen pairs and covers most open cells of the goal, which
 * lies in the words first..last. */
static unsigned best_layer(const Stack *s, uint32_t limit, const uint64_t *open, const uint64_t *goal,
                           uint32_t first, uint32_t last, Layer *best) {
    unsigned most = 0;
    for (uint32_t p = 0; p < limit; p++) {
        const uint64_t *zero = s->zero + (size_t)p * s->words, *wrong = s->wrong + (size_t)p * s->words;
        uint64_t bad[2] = {0, 0}; /* where the piece is opaque, where it is transparent */
        for (uint32_t w = 0; w < s->words && (bad[0] == 0 || bad[1] == 0); w++) {
            uint64_t wrongly = wrong[w] & open[w];
            bad[0] |= wrongly & ~zero[w];
            bad[1] |= wrongly & zero[w];
        }
        if (bad[0] != 0 && bad[1] != 0) {
            continue;
        }
        unsigned gain[3] = {0, 0, 0};
        for (uint32_t w = first; w <= last; w++) {
            uint64_t wanted = open[w] & goal[w];
            gain[0] += (unsigned)__builtin_popcountll(wanted & ~zero[w]);
            gain[2] += (unsigned)__builtin_popcountll(wanted);
        }
        gain[1] = gain[2] - gain[0];
        for (unsigned how = 0; how < 3; how++) {
            bool good = how < 2 ? bad[how] == 0 : bad[0] == 0 && bad[1] == 0;
            if (good && gain[how] > most) {
                most = gain[how];
                *best = (Layer){p, (uint8_t)how};
            }
        }
    }
    return most;
}

static bool is_empty(const uint64_t *bits, const uint64_t *mask, uint32_t words) {
    for (uint32_t w = 0; w < words; w++) {
        if (bits[w] & mask[w]) {
            return false;
        }
    }
    return true;
}

static void set_range(uint64_t *bits, uint32_t from, uint32_t to) {
    for (uint32_t k = from; k < to; k++) {
        bits[k / 64] |= (uint64_t)1 << k % 64;
    }
}

/* One run: the pairs in `subset` must be right, `pair` is to be covered, with pieces up to `limit`. */
static bool run_greedy(Stack *s, uint32_t subset, uint32_t pair, uint32_t limit, uint64_t *scratch) {
    uint64_t *open = scratch, *goal = scratch + s->words, *test_open = goal + s->words;
    memset(scratch, 0, (2 * s->words + s->test_words) * sizeof *scratch);
    for (uint32_t k = 0; k < s->grow.task->n_train; k++) {
        if (subset >> k & 1) {
            set_range(open, s->start[k], s->start[k + 1]);
        }
    }
    set_range(goal, s->start[pair], s->start[pair + 1]);
    set_range(test_open, 0, s->test_cells);
    Layer layers[MOST_LAYERS];
    uint32_t first = s->start[pair] / 64, last = s->start[pair + 1] / 64;
    for (unsigned n = 0; n < s->grow.search->tune->stamps_layers_most;) {
        if (best_layer(s, limit, open, goal, first, last, &layers[n]) == 0) {
            return true;
        }
        if (!search_spend(s->grow.search, (uint64_t)limit * s->words / 16 + 1)) {
            return false;
        }
        const Layer *l = &layers[n++];
        const uint64_t *zero = s->zero + (size_t)l->piece * s->words;
        const uint64_t *test_zero = s->test_zero + (size_t)l->piece * s->test_words;
        for (uint32_t w = 0; w < s->words; w++) {
            open[w] &= ~covers(zero[w], l->how);
        }
        for (uint32_t w = 0; w < s->test_words; w++) {
            test_open[w] &= ~covers(test_zero[w], l->how);
        }
        if (is_empty(open, goal, s->words)) {
            if (is_empty(test_open, test_open, s->test_words)) {
                offer(s, layers, n, subset);
            }
            return true;
        }
    }
    return true;
}

/* Tries every subset of pairs that must be right, beginning with all of them, over the pieces up to each
 * limit in turn. False: cut short, to go on with the same subset. */
static bool stack_all(Stamps *st) {
    Stack *s = &st->stack;
    const SearchTask *t = s->grow.task;
    uint32_t most = s->grow.search->tune->stamps_subset_most;
    uint32_t pairs = t->n_train < most ? t->n_train : most;
    Quota *quota = &s->grow.search->quota;
    uint64_t *scratch = quota_grow(quota, NULL, 2 * s->words + s->test_words, sizeof *scratch);
    bool go_on = scratch != NULL;
    while (st->limit < st->n_limits && go_on) {
        for (; st->subset > 0 && go_on; st->subset -= go_on) {
            for (uint32_t pair = 0; pair < pairs && go_on; pair++) {
                if (st->subset >> pair & 1 && s->sized[pair]) {
                    go_on = run_greedy(s, st->subset, pair, st->limits[st->limit], scratch);
                }
            }
        }
        if (go_on) {
            st->limit++;
            st->subset = (1u << pairs) - 1;
        }
    }
    quota_free(quota, scratch);
    return go_on;
}

/* Sets what is to be stacked: all pieces; the first time, before that, the pieces up to each cost. */
static void set_limits(Stamps *st) {
    const Stack *s = &st->stack;
    uint32_t most = s->grow.search->tune->stamps_subset_most;
    st->n_limits = st->limit = 0;
    for (uint32_t k = st->stacked == 0 ? 0 : s->count; k < s->count && st->n_limits + 1 < MOST_LIMITS; k++) {
        if (k + 1 < s->count && s->pieces[k + 1].cost > s->pieces[k].cost) {
            st->limits[st->n_limits++] = k + 1;
        }
    }
    st->limits[st->n_limits++] = s->count;
    st->subset = (1u << (s->grow.task->n_train < most ? s->grow.task->n_train : most)) - 1;
    st->stacked = s->count;
}

/* ---- growing ---- */

/* Grows to a depth in a share of the time left in the look, so that there is time to stack the result. */
static bool grow_for_a_while(Stamps *st, Search *search, unsigned depth, double share) {
    double end = search->look_end;
    double now = search_ms(search);
    search->look_end = now + share * (end - now);
    bool complete = grow_to_depth(&st->stack.grow, depth) && grow_overlay_lists(&st->stack.grow);
    search->look_end = end;
    search->look_over = search->out_of_budget || search_ms(search) >= end;
    return complete;
}

/* Finds the law of the outputs' sizes, after growing a step or two. False: cut short, or there is none. */
static bool find_size(Stamps *st) {
    Grow *g = &st->stack.grow;
    bool go_on = grow_to_depth(g, 1);
    bool sized = grow_guess_size(g);
    if (go_on && !(sized && grow_size_is_clear(g))) { /* look deeper for a better law */
        go_on = grow_to_depth(g, 2);
        sized = grow_guess_size(g);
    }
    if (!go_on || !sized) {
        return false;
    }
    grow_use_size(g);
    return stack_prepare(&st->stack);
}

/* ---- looks ---- */

void *part_stamps_open(Search *search) {
    Stamps *st = mem_zalloc(1, sizeof *st);
    if (st == NULL || !grow_open(&st->stack.grow, search)) {
        mem_free(st);
        return NULL;
    }
    st->depth = 2;
    return st;
}

void part_stamps_close(Search *search, void *state) {
    Stamps *st = state;
    (void)search;
    stack_forget(&st->stack);
    grow_close(&st->stack.grow);
    mem_free(st);
}

/* Stacks what was collected, then joins it by tables. False: cut short. */
static bool use_pieces(Stamps *st, Search *search) {
    if (!stack_all(st) || (st->grown && !stack_try_tables(&st->stack, search->tune->stamps_tabled_most *
                                                                          (st->depth == 2 ? 1 : 2)))) {
        return false;
    }
    st->stacking = false;
    return true;
}

/* Grows and stacks in turn, deeper and deeper; a later look goes on where this one ends. */
void part_stamps_run(Search *search, void *state) {
    Stamps *st = state;
    Stack *s = &st->stack;
    if (!s->grow.has_size && !find_size(st)) {
        return;
    }
    while (!search->look_over) {
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
        if (search->look_over || !stack_collect(s, st->depth)) {
            st->full |= s->full;
            return;
        }
        st->full |= s->full;
        set_limits(st);
        st->stacking = true;
    }
}
