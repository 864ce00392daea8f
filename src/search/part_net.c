/* The net part: a small network (net/net.h) trained on the task, where time is left and programs have no sure
 * answer.
 *
 * It proposes answers, not programs. What they cost is reckoned from their share of all that the net
 * answered, so that they and those of programs stand in one rank; what the training pairs have in common
 * (sizes, colors, symmetry: rank.c) counts for both.
 *
 * Unlike looks of other parts a net is worth little until it has made some hundred steps, so it does not
 * queue with them: time is held back for it before the search begins, and if it turns out not to be needed,
 * the others go on. It is given the task without test outputs, because SearchTask has none. */
#include "search/part_net.h"

#include "core/check.h"
#include "net/net_scopes.h"
#include "search/parts.h"

#include <math.h>

/* The task as a net takes it */
typedef struct Given {
    TaskPair pairs[SEARCH_MOST_SAMPLES];
    Task task;
} Given;

static Image image_of(Val grid) {
    return (Image){(int32_t)grid.n, grid.w, grid.b8};
}

static void see(Given *given, const SearchTask *t) {
    for (uint32_t k = 0; k < t->n; k++) {
        bool known = k < t->n_train;
        given->pairs[k] = (TaskPair){.in = image_of(t->in[k]), .has_output = known};
        given->pairs[k].out = known ? image_of(t->out[k]) : (Image){0, 0, NULL};
    }
    given->task = (Task){.id = t->id,
                         .train = given->pairs,
                         .test = given->pairs + t->n_train,
                         .n_train = (int32_t)t->n_train,
                         .n_test = (int32_t)t->n_test};
}

static unsigned threads_of(const Search *s) {
    return s->limits.net_threads > 1 ? s->limits.net_threads : 1;
}

/* Milliseconds that a step should take; the time of a search by steps is reckoned by this alone. */
static double step_ms(const Search *s, const NetShape *shape) {
    return net_step_work(shape) / s->tune->net_work_per_ms;
}

double part_net_time(Search *s) {
    double budget = search_budget_ms(s), most = budget * s->tune->net_share;
    if (s->limits.net == NET_USE_OFF || s->limits.no_parts || (s->limits.without >> PART_NET & 1)) {
        return 0;
    }
    if (s->limits.net == NET_USE_ONLY) {
        return budget > 0 ? budget : HUGE_VAL;
    }
    if (s->limits.time_ns == 0 || budget < s->tune->net_least_ms) {
        return 0;
    }
    Given given;
    NetPlan plan;
    const char *why;
    see(&given, s->own);
    double each = HUGE_VAL;
    if (net_plan_open(&plan, &given.task, &why)) {
        each = step_ms(s, &plan.shape) / threads_of(s);
    }
    net_plan_close(&plan);
    double wanted = each * s->tune->net_steps_most;
    return each * s->tune->net_steps_least > most ? 0 : wanted < most ? wanted : most;
}

bool part_net_needed(Search *s) {
    double first = HUGE_VAL, second = HUGE_VAL;
    search_rank(s);
    for (uint32_t k = 0; k < s->count; k++) {
        const Candidate *c = &s->candidates[k];
        if (c->right == s->own->n_train) {
            second = c->rank < first ? first : c->rank < second ? c->rank : second;
            first = c->rank < first ? c->rank : first;
        }
    }
    return s->fitting == 0 || second - first < s->tune->net_close;
}

static void offer_answers(Search *s, const Net *net) {
    enum { MOST = 16 };
    uint32_t best[MOST], n = net_answers_best(&net->answers, best, MOST);
    double all = net_answers_all(&net->answers);
    for (uint32_t k = 0; k < n; k++) {
        Image grids[SEARCH_MOST_SAMPLES];
        for (uint32_t test = 0; test < s->own->n_test; test++) {
            grids[test] = net_answer_grid(&net->answers, best[k], test);
        }
        double bits = (all - net->answers.answers[best[k]].total) * M_LOG2E;
        search_offer_answers(s, grids, s->tune->net_cost + s->tune->net_cost_share * fmax(0, bits));
    }
}

static void train(Search *s, Net *net) {
    const SearchNets *nets = s->limits.nets;
    double begin = search_ms(s), budget = search_budget_ms(s), each = step_ms(s, &net->plan.shape);
    uint64_t steps = (uint64_t)fmax(1, each * s->tune->steps_per_ms);
    Scope was = net_scopes_attach(net, s->ctx);
    for (double made = 1; net->step < s->tune->net_steps_most && search_spend(s, steps) && net_step(net);
         made++) {
        COUNT(&s->work.statistics, NET_STEPS, 1);
        if (nets != NULL && nets->stepped != NULL) {
            nets->stepped(nets->user, net, s->own->id);
        }
        double now = search_ms(s);
        if (budget > 0 && now + (now - begin) / made > budget) {
            break; /* the next one would end too late */
        }
    }
    net_scopes_leave(net, s->ctx, was);
}

void part_net_run(Search *s, void *state) {
    (void)state;
    Given given;
    Net net = {0};
    NetPlan plan;
    const char *why;
    see(&given, s->own);
    bool good = net_plan_open(&plan, &given.task, &why);
    size_t bytes = good ? net_bytes(&plan, threads_of(s)) : 0;
    net_plan_close(&plan);
    bool room = good && quota_take(&s->quota, bytes);
    NetOptions how = {.seed = 1 + s->limits.net_seed,
                      .threads = threads_of(s),
                      .memory = bytes,
                      .measured = SCOPE_HOOK(s->ctx) != NULL};
    if (room && net_open(&net, &given.task, &how, &why)) {
        const SearchNets *nets = s->limits.nets;
        COUNT(&s->work.statistics, NETS, 1);
        if (nets != NULL && nets->resume != NULL) {
            nets->resume(nets->user, &net, s->own->id, how.seed);
        }
        train(s, &net);
        if (nets != NULL && nets->trained != NULL) {
            nets->trained(nets->user, &net, s->own->id, how.seed);
        }
        offer_answers(s, &net);
    } else {
        COUNT(&s->work.statistics, NETS_REFUSED, 1);
    }
    net_close(&net);
    if (room) {
        quota_drop(&s->quota, bytes);
    }
}
