/* The net strategy: a small network (search/net/net.h) trained on the task, where programs have no certain
 * answer.
 *
 * It proposes answers, not programs. The cost of an answer is computed from its share of all that
 * the net answered, so that answers of the net and of programs share one ranking; what the training
 * pairs have in common (sizes, colors, symmetry: ranking.c) counts for both. The net also weighs
 * the answers of programs: those that it finds unlikely rank lower.
 *
 * It is an arm of the schedule like any other, but its time slices are long, because a net is worth
 * little before some hundred steps; while programs agree, it skips its turns. The net never sees
 * test outputs, because SearchTask has none. */
#include "base/check.h"
#include "engine/eval/eval.h"
#include "search/net/net.h"
#include "search/net/net_scopes.h"
#include "search/schedule/strategies.h"

#include <math.h>
#include <string.h>

/* The task as a net takes it */
typedef struct NetTask {
    TaskPair pairs[SEARCH_MAX_SAMPLES];
    Task task;
} NetTask;

static void see(NetTask *given, const SearchTask *t) {
    for (uint32_t k = 0; k < t->n; k++) {
        bool known = k < t->n_train;
        given->pairs[k] = (TaskPair){.in = eval_image(t->in[k]), .has_output = known};
        given->pairs[k].out = known ? eval_image(t->out[k]) : (Image){0, 0, NULL};
    }
    given->task = (Task){.id = t->id,
                         .train = given->pairs,
                         .test = given->pairs + t->n_train,
                         .n_train = (int32_t)t->n_train,
                         .n_test = (int32_t)t->n_test};
}

static unsigned threads_of(const Search *s) {
    return s->net->threads > 1 ? s->net->threads : 1;
}

/* Milliseconds that a step should take; a search limited by steps derives its time from this
 * alone. */
static double step_ms(const Search *s, const NetShape *shape) {
    return net_step_work(shape) / s->tune->net_work_per_ms;
}

double strategy_net_slice_ms(const Search *s) {
    NetTask given;
    NetMemory mem;
    const char *why;
    double each = HUGE_VAL, budget = search_budget_ms(s);
    see(&given, s->own);
    if (net_memory_open(&mem, &given.task, &why)) {
        each = step_ms(s, &mem.shape) / (search_is_timed(s) ? threads_of(s) : 1);
    }
    net_memory_close(&mem);
    double min = each * s->tune->net_steps_min;
    if (s->net->use == NET_USE_ONLY) {
        return isfinite(each) ? budget > 0 ? budget : each * s->tune->net_steps_max : 0;
    }
    return isfinite(each) && (budget == 0 || min < budget) ? fmax(min, s->tune->arm_net_ms) : 0;
}

/* None fits, or the best ones that do are as good as each other. */
bool strategy_net_is_needed(Search *s) {
    double first = HUGE_VAL, second = HUGE_VAL;
    uint32_t count;
    search_order_candidates(s);
    const Candidate *candidates = search_candidates(s, &count);
    for (uint32_t k = 0; k < count; k++) {
        const Candidate *c = &candidates[k];
        if (c->right == s->own->n_train) {
            second = c->score < first ? first : c->score < second ? c->score : second;
            first = c->score < first ? c->score : first;
        }
    }
    return !search_has_fit(s) || second - first < s->tune->net_close;
}

/* ---- the strategy ---- */

typedef struct NetState {
    NetTask given;
    Net net;
    size_t bytes; /* taken from the quota */
    uint64_t seed;
} NetState;

/* What an answer of the net costs. */
static double cost_of(const Search *s, const Net *net, double all, uint32_t answer) {
    double bits = (all - net->answers.answers[answer].total) * M_LOG2E;
    return s->tune->net_cost + s->tune->net_cost_share * fmax(0, bits);
}

/* Offers its best answers, and updates the costs of those offered after an earlier time slice. */
static void offer_answers(Search *s, const Net *net) {
    enum { MAX_ANSWERS = 64 };
    uint32_t best[MAX_ANSWERS], n = net_answers_best(&net->answers, best, MAX_ANSWERS);
    double all = net_answers_all(&net->answers);
    uint32_t count;
    const Candidate *candidates = search_candidates(s, &count);
    for (uint32_t k = 0; k < count; k++) {
        const Candidate *c = &candidates[k];
        uint32_t answer = isfinite(c->by_net) ? net_answers_find(&net->answers, c->answers) : UINT32_MAX;
        if (answer != UINT32_MAX) {
            search_set_by_net(s, k, cost_of(s, net, all, answer));
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        Image grids[SEARCH_MAX_SAMPLES];
        for (uint32_t test = 0; test < s->own->n_test; test++) {
            grids[test] = net_answer_grid(&net->answers, best[k], test);
        }
        search_offer_answers(s, grids, cost_of(s, net, all, best[k]));
    }
}

void *strategy_net_open(Search *s) {
    NetState *state = quota_grow(&s->quota, NULL, 1, sizeof *state);
    NetMemory mem;
    const char *why;
    if (state == NULL) {
        return NULL;
    }
    memset(state, 0, sizeof *state);
    see(&state->given, s->own);
    bool good = net_memory_open(&mem, &state->given.task, &why);
    size_t bytes = good ? net_bytes(&mem, threads_of(s)) : 0;
    net_memory_close(&mem);
    state->bytes = good && quota_take(&s->quota, bytes) ? bytes : 0;
    state->seed = 1 + s->net->seed;
    NetOptions how = {.seed = state->seed,
                      .threads = threads_of(s),
                      .memory = bytes,
                      .measured = SCOPE_HOOK(s->ctx) != NULL};
    if (state->bytes == 0 || !net_open(&state->net, &state->given.task, &how, &why)) {
        COUNT(s->statistics, NETS_REFUSED, 1);
        strategy_net_close(s, state);
        return NULL;
    }
    COUNT(s->statistics, NETS, 1);
    const NetHooks *hooks = s->net->hooks;
    if (hooks != NULL && hooks->resume != NULL) {
        hooks->resume(hooks->user, &state->net, s->own->id, state->seed);
    }
    return state;
}

void strategy_net_run(Search *s, void *of) {
    NetState *state = of;
    Net *net = &state->net;
    const NetHooks *hooks = s->net->hooks;
    double begin = search_ms(s), each = step_ms(s, &net->mem.shape);
    uint64_t steps = (uint64_t)fmax(1, each * s->tune->steps_per_ms);
    Scope was = net_scopes_attach(net, s->ctx);
    for (double made = 1; net->step < s->tune->net_steps_max && search_spend(s, steps) && net_step(net);
         made++) {
        COUNT(s->statistics, NET_STEPS, 1);
        if (hooks != NULL && hooks->stepped != NULL) {
            hooks->stepped(hooks->user, net, s->own->id);
        }
        search_spend_ahead(s, (search_ms(s) - begin) / made);
    }
    net_scopes_leave(net, s->ctx, was);
    offer_answers(s, net);
}

/* How likely the answers of all candidates are, in bits under the likeliest. */
void strategy_net_weigh(Search *s, void *of) {
    NetState *state = of;
    double max = -HUGE_VAL;
    uint32_t count;
    const Candidate *candidates = search_candidates(s, &count);
    for (uint32_t k = 0; k < count; k++) {
        search_set_under_net(s, k, net_log_probability(&state->net, candidates[k].answers) * M_LOG2E);
        max = fmax(max, candidates[k].under_net);
    }
    for (uint32_t k = 0; k < count && isfinite(max); k++) {
        search_set_under_net(s, k, candidates[k].under_net - max);
    }
}

void strategy_net_close(Search *s, void *of) {
    NetState *state = of;
    const NetHooks *hooks = s->net->hooks;
    if (state->net.step > 0 && hooks != NULL && hooks->trained != NULL) {
        hooks->trained(hooks->user, &state->net, s->own->id, state->seed);
    }
    net_close(&state->net);
    quota_drop(&s->quota, state->bytes);
    quota_free(&s->quota, state);
}
