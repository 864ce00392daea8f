/* Leaving pairs out; see leave_out.h. */
#include "search/schedule/leave_out.h"

#include "base/check.h"
#include "search/schedule/strategies.h"
#include "search/schedule/view.h"

#include <string.h>

/* Two pairs are the fewest that anything can be learnt from. */
enum { MIN_PAIRS = 3 };

bool leave_out_can(const Search *s, Strategy strategy) {
    return s->own->n_train >= MIN_PAIRS && s->own->n < SEARCH_MAX_SAMPLES &&
           (strategy_table[strategy].traits & TRAIT_LEARNS);
}

void leave_out_offer(LeaveOut *out, double cost, bool fits, const Val *answers, uint64_t hash) {
    if (fits && (!out->fits || cost < out->cost)) {
        out->fits = true;
        out->cost = cost;
        out->right = val_eq(answers[out->tests], out->output);
        out->answers = hash;
    }
}

/* Moves the pair to the end of the tests. */
static void take_out(SearchTask *t, uint32_t pair) {
    Val in = t->in[pair];
    ASSERT(pair < t->n_train && t->n_train > 1, "pair %u of %u", pair, t->n_train);
    memmove(&t->in[pair], &t->in[pair + 1], (t->n - pair - 1) * sizeof in);
    memmove(&t->out[pair], &t->out[pair + 1], (t->n_train - pair - 1) * sizeof in);
    t->in[t->n - 1] = in;
    t->n_train--;
    t->n_test++;
    search_task_colors(t);
}

/* Puts the grids of an intermediate in the order of the task without the pair. */
static void take_out_of_intermediate(const SearchTask *t, uint32_t pair, const Intermediate *intermediate,
                                     Intermediate *to, Val *vals) {
    *to = *intermediate;
    to->vals = vals;
    memcpy(vals, intermediate->vals, pair * sizeof *vals);
    memcpy(vals + pair, intermediate->vals + pair + 1, (t->n - pair - 1) * sizeof *vals);
    vals[t->n - 1] = intermediate->vals[pair];
}

/* One slice without the pair. */
static LeaveOut learn_without(Search *s, uint32_t pair, double ms) {
    SearchState *now = s->state;
    const StrategyRow *strategy = &strategy_table[now->strategy];
    const SearchTask *own = s->own, *task = s->task, *under_task = now->under_task;
    const Intermediate *intermediate = now->intermediate;
    SearchTask others = *own, under, seen;
    Intermediate intermediate_without;
    Val vals[SEARCH_MAX_SAMPLES];
    Sight how = {(int8_t)now->under, (int8_t)now->view, &intermediate_without};
    LeaveOut out = {.output = own->out[pair], .tests = own->n_test};
    CtxMark mark = ctx_mark(s->ctx);
    take_out(&others, pair);
    if (intermediate != NULL) {
        take_out_of_intermediate(own, pair, intermediate, &intermediate_without, vals);
        now->intermediate = &intermediate_without;
    }
    bool good = view_see(s->ctx, &others, &how, &under, &seen);
    s->own = &others;
    now->under_task = &under;
    s->task = how.view == VIEW_NONE ? &others : &seen;
    now->left_out = &out;
    now->slice_end = search_ms(s) + ms;
    s->slice_over = now->out_of_budget;
    void *state = good && strategy->open != NULL ? strategy->open(s) : NULL;
    if (good && (strategy->open == NULL || state != NULL)) {
        strategy->run(s, state);
    }
    if (state != NULL) {
        strategy->close(s, state);
    }
    now->left_out = NULL;
    s->own = own;
    s->task = task;
    now->under_task = under_task;
    now->intermediate = intermediate;
    ctx_release(s->ctx, mark);
    return out;
}

void leave_out_try(Search *s, double ms) {
    SearchState *now = s->state;
    uint32_t pairs = s->own->n_train, max = s->tune->leave_out_pairs_max;
    uint32_t n = pairs < max ? pairs : max, tried = 0, wrong = 0;
    LeaveOut outs[SEARCH_MAX_SAMPLES];
    ASSERT(leave_out_can(s, now->strategy) && now->left_out == NULL, "%u pairs", pairs);
    for (uint32_t k = 0; k < n; k++) {
        outs[k] = learn_without(s, k, ms);
        tried += outs[k].fits;
        wrong += outs[k].fits && !outs[k].right;
    }
    for (uint32_t k = 0; k < now->count && !now->out_of_budget; k++) {
        Candidate *c = &now->candidates[k];
        uint32_t by_same = 0;
        for (uint32_t x = 0; x < n; x++) {
            by_same += outs[x].fits && outs[x].right && outs[x].answers == c->hash;
        }
        candidates_predicted(s, c, tried, wrong, by_same);
    }
}
