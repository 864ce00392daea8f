/* The pool of candidates: proposals are run on all inputs and kept by the answers they give to the tests; see
 * candidates.h. */
#include "base/check.h"
#include "engine/eval/eval.h"
#include "engine/eval/scope.h"
#include "search/run/match_programs.h"
#include "search/run/run.h"
#include "search/schedule/leave_out.h"
#include "search/schedule/search_state.h"
#include "search/schedule/strategies.h"
#include "search/schedule/view.h"

#include <math.h>
#include <string.h>

/* Beyond the maximum, or half of their memory, the worst are dropped: answers that far down are never
 * given. */
enum { MIN_CANDIDATES = 64 };

Program *search_finish(Search *s, Ref result) {
    char name[MATCH_NAME_ROOM];
    match_name(name, s->task->id);
    return build_finish(&s->builder, name, strlen(name), MODE_CORE, 1, result);
}

/* The training pairs it gets right, as bits; answers[n_test] point into the arena of `check`. */
static uint64_t try_program(Search *s, const Program *program, Val *answers) {
    const SearchTask *t = s->own;
    uint64_t right = 0;
    Scope was = scope_enter(s->ctx, SCOPE_CHECK);
    ctx_reset(s->check);
    for (uint32_t k = 0; k < t->n; k++) {
        ctx_rebudget(s->check);
        CtxMark mark = ctx_mark(s->check);
        Val v = eval_program(s->check, program, &t->in[k]);
        search_spend(s, ctx_steps_used(s->check));
        if (k < t->n_train) {
            right |= (uint64_t)val_eq(v, t->out[k]) << k;
            ctx_release(s->check, mark);
        } else {
            Image image;
            bool good = run_answer(v, (int32_t)t->max_side, &image);
            answers[k - t->n_train] = good ? v : VAL_EMPTY_TUPLE;
        }
    }
    scope_back(s->ctx, was);
    return right;
}

static uint64_t hash_answers(const Val *answers, uint32_t n) {
    uint64_t hash = n;
    for (uint32_t k = 0; k < n; k++) {
        hash = val_hash(answers[k], hash);
    }
    return hash;
}

static bool is_better(const Candidate *a, const Candidate *b) {
    return a->right != b->right ? a->right > b->right : a->cost < b->cost;
}

static bool keep_answers(Search *s, Candidate *c, const Val *answers, uint32_t n) {
    size_t bytes = n * sizeof(Image);
    for (uint32_t k = 0; k < n; k++) {
        bytes += (size_t)answers[k].n * answers[k].w;
    }
    ASSERT(n <= SEARCH_MAX_SAMPLES, "%u tests", n);
    c->answers = quota_grow(&s->kept, NULL, bytes, 1);
    if (c->answers == NULL) {
        return false;
    }
    int8_t *cells = (int8_t *)(c->answers + n);
    for (uint32_t k = 0; k < n; k++) {
        size_t size = (size_t)answers[k].n * answers[k].w;
        c->answers[k] = (Image){(int32_t)answers[k].n, answers[k].w, cells};
        if (size != 0) {
            memcpy(cells, answers[k].b8, size);
        }
        cells += size;
    }
    return true;
}

static size_t bytes_of(const Program *p) {
    size_t bytes = sizeof *p + p->nops * (sizeof *p->ops + sizeof *p->names) + p->nargs * sizeof *p->args +
                   p->nconsts * sizeof *p->consts;
    for (uint32_t k = 0; k < p->nconsts; k++) {
        bytes += val_deep_size(p->consts[k]);
    }
    return bytes;
}

static void drop(Search *s, Candidate *c) {
    prog_free(c->program);
    quota_drop(&s->kept, c->bytes);
    quota_free(&s->kept, c->answers);
}

static void forget_worst_half(Search *s) {
    SearchState *state = s->state;
    search_order_candidates(s);
    for (uint32_t k = state->count / 2; k < state->count; k++) {
        drop(s, &state->candidates[k]);
    }
    state->count /= 2;
    ASSERT(state->count <= state->room, "%u candidates in room for %u", state->count, state->room);
}

/* Of two trials with pairs left out, the better one counts. */
static void take_trial(Backing *b, uint32_t tried, uint32_t wrong) {
    if (tried > 0 && (b->tried == 0 || wrong * b->tried < b->mispredicted * tried)) {
        b->tried = tried;
        b->mispredicted = wrong;
    }
}

/* The same answers again: their support grows, and the better program of the two is kept. */
static void join(Search *s, Candidate *old, const Candidate *c, bool trusted) {
    s->state->fitting += trusted && (old->right < s->own->n_train || old->cost >= s->tune->trusted);
    ASSERT(old->hash == c->hash, "candidates with other answers are joined");
    Backing *backing = &old->backing;
    backing->support += c->backing.support;
    backing->unseen = c->backing.unseen > backing->unseen ? c->backing.unseen : backing->unseen;
    backing->strategies |= c->backing.strategies;
    backing->arms |= c->backing.arms;
    take_trial(backing, c->backing.tried, c->backing.mispredicted);
    if (!is_better(c, old)) {
        prog_free(c->program);
        return;
    }
    quota_drop(&s->kept, old->bytes);
    prog_free(old->program);
    old->program = c->program;
    old->bytes = quota_take(&s->kept, c->bytes) ? c->bytes : 0;
    old->right = c->right;
    old->cost = c->cost;
    old->strategy = c->strategy;
    old->steps = c->steps;
}

static Candidate *with_answers(Search *s, uint64_t hash) {
    for (uint32_t k = 0; k < s->state->count; k++) {
        if (s->state->candidates[k].hash == hash) {
            return &s->state->candidates[k];
        }
    }
    return NULL;
}

/* Makes room for one more in the pool; false: no memory. */
static bool reserve(Search *s) {
    SearchState *state = s->state;
    bool much = s->kept.max != 0 && s->kept.used > s->kept.max / 2;
    if (state->count == (uint32_t)s->tune->candidates_max || (much && state->count > MIN_CANDIDATES)) {
        forget_worst_half(s);
    }
    if (state->count == state->room) {
        uint32_t room = state->room ? state->room * 2 : 16;
        Candidate *grown = quota_grow(&s->kept, state->candidates, room, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        state->candidates = grown;
        state->room = room;
    }
    return true;
}

/* Adds a candidate with new answers. False: no memory, and the program is still the caller's. */
static bool add(Search *s, Candidate *c, const Val *answers) {
    if (!reserve(s) || !quota_take(&s->kept, c->bytes)) {
        return false;
    }
    if (!keep_answers(s, c, answers, s->own->n_test)) {
        quota_drop(&s->kept, c->bytes);
        return false;
    }
    ASSERT(s->state->count < s->state->room && c->right <= s->own->n_train,
           "candidate %u of %u, %u of %u right", s->state->count, s->state->room, c->right, s->own->n_train);
    s->state->candidates[s->state->count++] = *c;
    return true;
}

static bool any_answer(const Val *answers, uint32_t n) {
    bool any = n == 0;
    for (uint32_t k = 0; k < n; k++) {
        any |= answers[k].n != 0;
    }
    return any;
}

static void tell(const Search *s, const Candidate *c) {
    if (s->state->limits.found != NULL && c != NULL) {
        s->state->limits.found(s->state->limits.user, s, c);
    }
}

/* Runs a program, then keeps, joins or drops it. `about`: what is known already; `pairs`: those it was made
 * from. */
static bool offer(Search *s, const SearchEarlier *about, Program *program, uint64_t pairs, SearchFind *find) {
    SearchState *state = s->state;
    *find = (SearchFind){0};
    if (program == NULL) {
        return false;
    }
    const SearchTask *t = s->own;
    Val answers[SEARCH_MAX_SAMPLES];
    COUNT(s->statistics, OFFERS, 1);
    find->right = try_program(s, program, answers);
    find->answers = hash_answers(answers, t->n_test);
    ASSERT(find->right >> t->n_train == 0, "a pair right that there is not, of %u", t->n_train);
    bool fits = (uint32_t)__builtin_popcountll(find->right) == t->n_train;
    if (state->left_out != NULL) { /* only a trial */
        leave_out_offer(state->left_out, about->cost, fits, answers,
                        hash_answers(answers, state->left_out->tests));
        prog_free(program);
        return fits;
    }
    state->slice_fits += fits;
    Candidate c = {.program = program,
                   .bytes = bytes_of(program),
                   .strategy = about->strategy,
                   .right = (uint32_t)__builtin_popcountll(find->right),
                   .cost = about->cost,
                   .by_net = HUGE_VAL,
                   .backing = about->backing,
                   .steps = about->steps,
                   .hash = find->answers};
    c.backing.unseen += (uint32_t)__builtin_popcountll(find->right & ~pairs);
    bool trusted = fits && c.cost < s->tune->trusted;
    if (!fits) {
        c.backing.strategies = 0;
        c.backing.arms = 0;
    }
    Candidate *old = with_answers(s, c.hash);
    if (!any_answer(answers, t->n_test) || c.right == 0) {
        prog_free(program);
    } else if (old != NULL) {
        bool better = is_better(&c, old);
        join(s, old, &c, trusted);
        tell(s, better ? old : NULL);
    } else if (add(s, &c, answers)) {
        state->fitting += trusted;
        COUNT(s->statistics, KEPT, 1);
        tell(s, &state->candidates[state->count - 1]);
    } else {
        prog_free(program);
    }
    return fits;
}

void search_offer_answers(Search *s, const Image *answers, double cost) {
    const SearchTask *t = s->own;
    Val vals[SEARCH_MAX_SAMPLES];
    for (uint32_t k = 0; k < t->n_test; k++) {
        vals[k] = answers[k].h != 0 ? eval_grid(answers[k]) : VAL_EMPTY_TUPLE;
    }
    uint8_t strategy = (uint8_t)s->state->strategy;
    Candidate c = {.strategy = strategy,
                   .cost = cost,
                   .by_net = cost,
                   .backing = {.support = 1, .strategies = 1u << strategy},
                   .steps = search_steps(s),
                   .hash = hash_answers(vals, t->n_test)};
    Candidate *old = with_answers(s, c.hash);
    if (old != NULL) {
        old->by_net = fmin(old->by_net, cost);
        old->cost = old->program == NULL ? old->by_net : old->cost;
        old->backing.strategies |= c.backing.strategies;
    } else if (any_answer(vals, t->n_test) && add(s, &c, vals)) {
        COUNT(s->statistics, KEPT, 1);
    }
}

bool search_offer_earlier(Search *s, const SearchEarlier *earlier) {
    SearchFind scratch;
    bool fits = false;
    s->state->strategy = (Strategy)earlier->strategy;
    if (earlier->program != NULL) {
        fits = offer(s, earlier, prog_with_mode(earlier->program, MODE_CORE), UINT64_MAX, &scratch);
    }
    if (earlier->answers != NULL) { /* which a net gave, whoever found the program */
        s->state->strategy = (Strategy)__builtin_ctz(strategies_with(TRAIT_NO_PROGRAMS));
        search_offer_answers(s, earlier->answers, earlier->by_net);
    }
    return fits;
}

/* 17 and 64 have no common factor, so that strategies start at different bits and seldom share one. */
static uint64_t arm_bit(const Search *s) {
    const SearchState *state = s->state;
    unsigned view = (unsigned)(state->view - VIEW_NONE) + 5 * (unsigned)(state->under - VIEW_NONE);
    return (uint64_t)1 << (state->strategy * 17 + view) % 64;
}

static Program *wrap_view(Search *s, const SearchTask *of, int view, Program *program, double *cost) {
    if (program == NULL || view == VIEW_NONE || view == VIEW_INTERMEDIATE) {
        return program;
    }
    *cost += view_cost(s->tune, view);
    return view_wrap(&s->builder, of, program, view);
}

/* Turns a program for the task as the strategy sees it into one for the task itself. */
static Program *wrap(Search *s, Program *program, double *cost) {
    program = wrap_view(s, s->state->under_task, s->state->view, program, cost);
    program = wrap_view(s, s->own, s->state->under, program, cost);
    if (program != NULL && s->state->intermediate != NULL) {
        program = view_wrap_intermediate(&s->builder, s->state->intermediate->program, program);
        *cost += s->state->intermediate->cost;
    }
    return program;
}

bool search_offer_from(Search *s, Program *program, double cost, uint64_t pairs, SearchFind *find) {
    SearchState *state = s->state;
    SearchFind scratch;
    program = wrap(s, program, &cost);
    ASSERT(cost >= 0 && isfinite(cost), "%s offers at %g bits", strategy_names[state->strategy], cost);
    SearchEarlier about = {.strategy = (uint8_t)state->strategy,
                           .cost = cost,
                           .backing = {.support = 1},
                           .steps = search_steps(s)};
    if (!(strategy_table[state->strategy].traits & TRAIT_NO_WITNESS)) {
        about.backing.strategies = 1u << state->strategy;
        about.backing.arms = arm_bit(s);
    }
    return offer(s, &about, program, pairs, find != NULL ? find : &scratch);
}

bool search_offer(Search *s, Program *program, double cost) {
    return search_offer_from(s, program, cost, UINT64_MAX, NULL);
}

void search_confirm(Search *s, const SearchFind *find, uint64_t pairs) {
    SearchState *state = s->state;
    uint32_t unseen = (uint32_t)__builtin_popcountll(find->right & ~pairs);
    for (uint32_t k = 0; k < state->count && unseen > 0 && state->left_out == NULL; k++) {
        Candidate *c = &state->candidates[k];
        if (c->hash == find->answers) {
            c->backing.unseen = unseen > c->backing.unseen ? unseen : c->backing.unseen;
            return;
        }
    }
}

const Candidate *search_candidates(const Search *s, uint32_t *count) {
    *count = s->state->count;
    return s->state->candidates;
}

bool search_has_fit(const Search *s) {
    return s->state->fitting > 0;
}

void search_set_by_net(Search *s, uint32_t candidate, double cost) {
    ASSERT(candidate < s->state->count, "candidate %u of %u", candidate, s->state->count);
    s->state->candidates[candidate].by_net = cost;
}

void search_set_under_net(Search *s, uint32_t candidate, double bits) {
    ASSERT(candidate < s->state->count, "candidate %u of %u", candidate, s->state->count);
    s->state->candidates[candidate].under_net = bits;
}

void candidates_predicted(Search *s, Candidate *c, uint32_t tried, uint32_t wrong, uint32_t by_same) {
    if (c->right == s->own->n_train && (c->backing.arms & arm_bit(s))) {
        c->backing.unseen = by_same > c->backing.unseen ? by_same : c->backing.unseen;
        take_trial(&c->backing, tried, wrong);
    }
}

void candidates_free(Search *s) {
    SearchState *state = s->state;
    for (uint32_t k = 0; k < state->count; k++) {
        drop(s, &state->candidates[k]);
    }
    quota_free(&s->kept, state->candidates);
    state->candidates = NULL;
    ASSERT(s->kept.used == 0, "%llu bytes of candidates are left", (unsigned long long)s->kept.used);
    state->count = state->room = 0;
}
