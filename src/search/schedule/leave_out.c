/* Leaving pairs out; see leave_out.h. */
#include "search/schedule/leave_out.h"

#include "base/check.h"
#include "search/schedule/parts.h"
#include "search/schedule/view.h"

#include <string.h>

/* Two pairs are the fewest that anything can be learnt from. */
enum { LEAST_PAIRS = 3 };

bool leave_out_can(const Search *s, SearchPart part) {
    const uint32_t no_learners =
        1u << PART_LIBRARY | 1u << PART_STAMPS | 1u << PART_ENUMERATE | 1u << PART_EVOLVE;
    return s->own->n_train >= LEAST_PAIRS && s->own->n < SEARCH_MOST_SAMPLES && !(no_learners >> part & 1);
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

/* Puts the grids of a base in the order of the task without the pair. */
static void take_out_of_base(const SearchTask *t, uint32_t pair, const Base *base, Base *to, Val *vals) {
    *to = *base;
    to->vals = vals;
    memcpy(vals, base->vals, pair * sizeof *vals);
    memcpy(vals + pair, base->vals + pair + 1, (t->n - pair - 1) * sizeof *vals);
    vals[t->n - 1] = base->vals[pair];
}

/* One look without the pair. */
static LeaveOut learn_without(Search *s, uint32_t pair, double ms) {
    const PartRow *part = &search_parts[s->part];
    const SearchTask *own = s->own, *task = s->task, *under_task = s->under_task;
    const Base *base = s->base;
    SearchTask others = *own, under, seen;
    Base base_without;
    Val vals[SEARCH_MOST_SAMPLES];
    Sight how = {(int8_t)s->under, (int8_t)s->view, &base_without};
    LeaveOut out = {.output = own->out[pair], .tests = own->n_test};
    CtxMark mark = ctx_mark(s->ctx);
    take_out(&others, pair);
    if (base != NULL) {
        take_out_of_base(own, pair, base, &base_without, vals);
        s->base = &base_without;
    }
    bool good = view_see(s->ctx, &others, &how, &under, &seen);
    s->own = &others;
    s->under_task = &under;
    s->task = how.view == VIEW_NONE ? &others : &seen;
    s->left_out = &out;
    s->look_end = search_ms(s) + ms;
    s->look_over = s->out_of_budget;
    void *state = good && part->open != NULL ? part->open(s) : NULL;
    if (good && (part->open == NULL || state != NULL)) {
        part->run(s, state);
    }
    if (state != NULL && part->close != NULL) {
        part->close(s, state);
    }
    s->left_out = NULL;
    s->own = own;
    s->task = task;
    s->under_task = under_task;
    s->base = base;
    ctx_release(s->ctx, mark);
    return out;
}

void leave_out_try(Search *s, double ms) {
    uint32_t pairs = s->own->n_train, most = s->tune->leave_out_pairs_most;
    uint32_t n = pairs < most ? pairs : most, tried = 0, wrong = 0;
    LeaveOut outs[SEARCH_MOST_SAMPLES];
    ASSERT(leave_out_can(s, s->part) && s->left_out == NULL, "%u pairs", pairs);
    for (uint32_t k = 0; k < n; k++) {
        outs[k] = learn_without(s, k, ms);
        tried += outs[k].fits;
        wrong += outs[k].fits && !outs[k].right;
    }
    for (uint32_t k = 0; k < s->count && !s->out_of_budget; k++) {
        Candidate *c = &s->candidates[k];
        uint32_t by_same = 0;
        for (uint32_t x = 0; x < n; x++) {
            by_same += outs[x].fits && outs[x].right && outs[x].answers == c->hash;
        }
        candidates_foretold(s, c, tried, wrong, by_same);
    }
}
