/* The stamps part: grow stamps out of the inputs, then stack them until the outputs are covered.
 *
 * A piece is a stamp pasted on a canvas of the output's size. Greedily, pieces that are right wherever they
 * speak (with their opaque cells, their transparent ones, or all) are laid over each other until a training
 * output is covered; what this does to the test input is the answer. Every choice of training pairs that must
 * be right is tried, because a rule that misses a pair may still be the rule. The training outputs do not
 * steer the growth, only the stacking. */
#include "search/parts.h"
#include "search/stack.h"

#include "core/alloc.h"

#include <string.h>

enum { MOST_LAYERS = 10 }; /* room */

static uint64_t hash_layers(const Layer *layers, unsigned n) {
    uint64_t hash = n;
    for (unsigned k = 0; k < n; k++) {
        hash = (hash ^ layers[k].piece * 4u ^ layers[k].how) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* A stack that the pairs in `subset` led to. */
static void offer(Stack *s, const Layer *layers, unsigned n, uint32_t subset) {
    Search *search = s->grow.search;
    uint64_t hash = hash_layers(layers, n);
    size_t slot = hash % (sizeof s->offered / sizeof *s->offered);
    if (s->offered[slot].hash == hash) {
        search_confirm(search, &s->offered[slot].find, subset);
        return;
    }
    unsigned deepest = 0;
    for (unsigned k = 0; k < n; k++) {
        unsigned cost = s->pieces[layers[k].piece].cost;
        deepest = cost > deepest ? cost : deepest;
    }
    s->offered[slot].hash = hash;
    search_offer_from(search, stack_program(s, layers, n),
                      deepest + search->tune->stamps_layer_cost * (n + 1), subset, &s->offered[slot].find);
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

static bool stack_all(Stack *s) {
    const SearchTask *t = s->grow.task;
    uint32_t most = s->grow.search->tune->stamps_subset_most;
    uint32_t pairs = t->n_train < most ? t->n_train : most;
    Quota *quota = &s->grow.search->quota;
    uint64_t *scratch = quota_grow(quota, NULL, 2 * s->words + s->test_words, sizeof *scratch);
    bool go_on = scratch != NULL;
    for (uint32_t limit = 0; limit < s->count && go_on;) { /* pieces by cost: each cost is one limit */
        uint16_t cost = s->pieces[limit].cost;
        while (limit < s->count && s->pieces[limit].cost <= cost) {
            limit++;
        }
        for (uint32_t subset = (1u << pairs) - 1; subset > 0 && go_on; subset--) {
            for (uint32_t pair = 0; pair < pairs && go_on; pair++) {
                if (subset >> pair & 1 && s->sized[pair]) {
                    go_on = run_greedy(s, subset, pair, limit, scratch);
                }
            }
        }
    }
    quota_free(quota, scratch);
    return go_on;
}

/* Grow to a depth, stack; then deeper, until a program fits or the budget ends. */
static void search_to_depth(Search *search, unsigned most_depth) {
    Stack *s = mem_zalloc(1, sizeof *s);
    CtxMark mark = ctx_mark(search->ctx);
    if (s == NULL || !grow_open(&s->grow, search)) {
        mem_free(s);
        return;
    }
    bool go_on = grow_to_depth(&s->grow, 1);
    bool sized = grow_guess_size(&s->grow);
    if (go_on && !(sized && grow_size_is_clear(&s->grow))) { /* look deeper for a better law */
        go_on = grow_to_depth(&s->grow, 2);
        sized = grow_guess_size(&s->grow);
    }
    if (sized) {
        grow_use_size(&s->grow);
    }
    go_on &= sized;
    for (unsigned depth = 2; go_on && depth <= most_depth; depth++) {
        go_on = grow_to_depth(&s->grow, depth) && grow_overlay_lists(&s->grow);
        go_on = (go_on || depth > 2) && stack_prepare(s) && stack_collect(s, depth) && stack_all(s) &&
                stack_try_tables(s, search->tune->stamps_tabled_most * (depth == 2 ? 1 : 2));
        stack_forget(s);
        if (search->fitting > 0) {
            break;
        }
    }
    grow_close(&s->grow);
    mem_free(s);
    ctx_release(search->ctx, mark);
}

void part_stamps_run(Search *search, void *state) {
    (void)state;
    search_to_depth(search,
                    search->effort > 1 ? search->tune->stamps_deep_depth : search->tune->stamps_quick_depth);
}
