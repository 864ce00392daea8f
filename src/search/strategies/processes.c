/* The processes strategy learns rules that are applied again and again until nothing changes: lines that
 * grow, colors that flow, patterns that go on (cell_process).
 *
 * No pair shows the steps, but the first grid and the last one are known. A rule must not paint a cell wrong
 * in the first, and nothing at all in the last; few of all rules with up to two questions pass both. These
 * are run, and must not paint a cell wrong on the way either. The one that puts most cells right is kept, and
 * further ones are learnt from where it ends: they join it if they do no harm from the beginning on, or else
 * run when it is done. What is not complete in the end is an intermediate. */
#include "search/schedule/strategies.h"
#include "search/strategies/processes_internal.h"

#include <string.h>

static uint32_t count_right(const Processes *p, const State *state) {
    const SearchTask *t = p->search->task;
    uint32_t right = 0;
    for (uint32_t k = 0; k < t->n_train; k++) {
        for (uint32_t c = 0; c < step_cells(t, k); c++) {
            right += state->cells[k][c] == t->out[k].b8[c];
        }
    }
    return right;
}

static uint32_t count_all(const Processes *p) {
    uint32_t all = 0;
    for (uint32_t k = 0; k < p->search->task->n_train; k++) {
        all += step_cells(p->search->task, k);
    }
    return all;
}

/* ---- rules as values ---- */

static Val rule_value(Ctx *ctx, const StepRule *r) {
    Val stay = val_pair32(1, FEATURE_OWN), v = val_pair32(r->copy, r->what);
    for (uint32_t k = r->n_asked; k-- > 0;) {
        const struct StepAsked *a = &r->asked[k];
        v = decision_branch(ctx, a->feature, a->test, a->number, a->no ? stay : v, a->no ? v : stay);
    }
    return decision_branch(ctx, FEATURE_OWN, RULE_EQUAL, r->from, v, stay);
}

static Val process_value(Ctx *ctx, const Process *process) {
    Val *items = val_buffer(ctx, process->n);
    for (uint32_t k = 0; items != NULL && k < process->n; k++) {
        items[k] = rule_value(ctx, &process->rules[k]);
        if (val_failed(items[k])) {
            return items[k];
        }
    }
    return items != NULL ? val_tuple(ctx, items, process->n) : val_fail_budget(ctx);
}

/* ---- running ---- */

/* Runs rules on one grid. False: they make a cell wrong, or do not end. */
static bool run_pair(Processes *p, const RuleProcess *process, uint32_t pair, int8_t *cells) {
    Search *s = p->search;
    Val in = s->task->in[pair];
    uint32_t n = step_cells(s->task, pair);
    const int8_t *target = s->task->out[pair].b8;
    int8_t next[FEATURE_MAX_CELLS];
    for (int round = 0; round < PROCESS_MAX_ROUNDS; round++) {
        Reason why;
        bool changed = false;
        if (!process_round(s->ctx, process, val_grid8(cells, in.n, in.w), next, &why)) {
            return false;
        }
        for (uint32_t c = 0; c < n; c++) {
            if (next[c] != cells[c] && next[c] != target[c]) {
                return false;
            }
            changed |= next[c] != cells[c];
        }
        memcpy(cells, next, n);
        if (!search_spend(s, 20 + n * (1 + process->n) / 8) || !changed) {
            return !changed;
        }
    }
    return false;
}

/* Runs a process on the training grids from one state to another. False: it makes a cell wrong, or does not
 * end. */
static bool run_process(Processes *p, const Process *process, const State *from, State *to) {
    Search *s = p->search;
    CtxMark mark = ctx_mark(s->ctx);
    bool good = true;
    for (uint32_t k = 0; k < process->n && good; k++) {
        Val value = rule_value(s->ctx, &process->rules[k]);
        good = !val_failed(value) && rule_read(&p->rules[k], value);
    }
    ctx_release(s->ctx, mark);
    RuleProcess run = {p->rules, process->n,
                       good ? process_features(p->rules, process->n) : (FeatureSet){{false}}};
    for (uint32_t k = 0; k < s->task->n_train && good; k++) {
        memcpy(to->cells[k], from->cells[k], step_cells(s->task, k));
        good = run_pair(p, &run, k, to->cells[k]);
    }
    return good;
}

/* ---- programs ---- */

static double price(const Processes *p) {
    const Tunables *tune = p->search->tune;
    double cost = tune->processes_cost;
    for (uint32_t k = 0; k < p->count; k++) {
        cost += k > 0 ? tune->processes_next_cost : 0;
        cost += tune->processes_scale * p->chain[k].cost;
    }
    return cost;
}

static Program *program_of(Processes *p) {
    Builder *b = &p->search->builder;
    build_start(b);
    Ref grid = PARAM_I;
    for (uint32_t k = 0; k < p->count; k++) {
        Val rules = process_value(p->search->ctx, &p->chain[k]);
        if (val_failed(rules)) {
            return NULL;
        }
        Ref args[2] = {grid, build_const(b, rules)};
        grid = build_op(b, OP_PRIM, P_cell_process, args, 2, 0, "", 0);
    }
    return search_finish(p->search, grid);
}

static void keep_intermediate(Processes *p) {
    Search *s = p->search;
    Val vals[SEARCH_MAX_SAMPLES];
    bool good = true;
    uint32_t like;
    for (uint32_t k = 0; k < s->task->n && good; k++) {
        vals[k] = s->task->in[k];
        for (uint32_t c = 0; c < p->count && good; c++) {
            Val args[2] = {vals[k], process_value(s->ctx, &p->chain[c])};
            good = !val_failed(args[1]);
            vals[k] = good ? prim_direct(s->ctx, P_cell_process, args) : args[1];
            good = vals[k].kind == VAL_GRID8;
        }
    }
    if (good && intermediates_want(s, vals, &like)) {
        intermediates_add(s, vals, like, price(p), program_of(p));
    }
}

/* ---- the chain ---- */

static void swap(State **a, State **b) {
    State *was = *a;
    *a = *b;
    *b = was;
}

typedef struct Chosen {
    StepRule rule;
    Orbit orbit;
    uint32_t right; /* cells in the end */
    double cost;
} Chosen;

/* Whether a rule with up to so many copies, each of which puts some cells right, can become the best one. */
static bool has_chance(const Processes *p, const Process *rule, uint32_t gain, uint32_t copies,
                       const Chosen *best) {
    uint32_t right = p->right + gain * copies;
    return right > best->right || (right >= best->right && rule->cost < best->cost);
}

/* Runs a rule and its copies. False: it makes a cell wrong. */
static bool try_orbit(Processes *p, const StepRule *rule, Orbit orbit, uint32_t *plain, Chosen *best) {
    Process one = {.n = 0};
    bool as_is = orbit == ORBIT_AS_IS;
    if (!processes_add_rule(&one, rule, orbit) ||
        !has_chance(p, &one, as_is ? rule->explains : *plain - p->right, as_is ? 8 : one.n, best)) {
        return !as_is;
    }
    if (!run_process(p, &one, p->now, p->scratch)) {
        return false;
    }
    uint32_t right = count_right(p, p->scratch);
    *plain = as_is ? right : *plain;
    if ((as_is || right > *plain) &&
        (right > best->right || (right == best->right && one.cost < best->cost))) {
        *best = (Chosen){*rule, orbit, right, one.cost};
        swap(&p->best, &p->scratch);
    }
    return true;
}

/* Runs the rules that passed, each as it is and then with its copies; the end of the best one is in p->best.
 */
static void choose(Processes *p, Chosen *best) {
    for (uint32_t k = 0; k < p->n_tried && !p->search->slice_over; k++) {
        uint32_t plain = p->right;
        bool good = try_orbit(p, &p->tried[k], ORBIT_AS_IS, &plain, best);
        for (int orbit = ORBIT_AS_IS + 1; orbit < ORBITS && good && plain > p->right; orbit++) {
            try_orbit(p, &p->tried[k], (Orbit)orbit, &plain, best);
        }
    }
}

/* The rule, of any color that it may paint, that puts most cells right. False: none does, or cut short. */
static bool learn(Processes *p, Chosen *to) {
    const SearchTask *t = p->search->task;
    uint32_t wrong[COLORS] = {0};
    *to = (Chosen){.right = p->right};
    for (uint32_t k = 0; k < t->n_train; k++) {
        for (uint32_t c = 0; c < step_cells(t, k); c++) {
            int8_t cell = p->now->cells[k][c];
            wrong[cell] += cell != t->out[k].b8[c];
        }
    }
    for (int n = 0; n < MAX_FROM && !p->search->slice_over; n++) {
        CtxMark mark = ctx_mark(p->search->ctx);
        int8_t from = 0;
        for (int8_t c = 1; c < COLORS; c++) {
            from = wrong[c] > wrong[from] ? c : from;
        }
        p->from = from;
        if (wrong[from] > 0 && processes_find_rules(p)) {
            choose(p, to);
        }
        wrong[from] = 0;
        ctx_release(p->search->ctx, mark);
    }
    return to->right > p->right && !p->search->slice_over;
}

/* Adds a rule, to the last process if that does no harm. False: there is no room. */
static bool extend(Processes *p, const Chosen *chosen) {
    if (p->count > 0) {
        Process joined = p->chain[p->count - 1];
        if (processes_add_rule(&joined, &chosen->rule, chosen->orbit) &&
            run_process(p, &joined, p->start, p->scratch) && count_right(p, p->scratch) >= chosen->right) {
            p->chain[p->count - 1] = joined;
            swap(&p->now, &p->scratch);
            return true;
        }
    }
    if (p->count == MAX_PROCESSES) {
        return false;
    }
    p->chain[p->count] = (Process){.n = 0};
    processes_add_rule(&p->chain[p->count++], &chosen->rule, chosen->orbit);
    swap(&p->start, &p->now);
    swap(&p->now, &p->best);
    return true;
}

/* Goes on where the last time slice was cut short: with the rule that it looked for. */
static void run_chain(Processes *p) {
    uint32_t all = count_all(p);
    Chosen chosen;
    while (p->right < all && price(p) < p->search->tune->processes_cost_max && learn(p, &chosen) &&
           extend(p, &chosen)) {
        p->right = count_right(p, p->now);
        if (p->right < all) {
            keep_intermediate(p);
        }
    }
    if (p->right == all && p->count > 0 && price(p) <= p->search->tune->processes_cost_max) {
        search_offer(p->search, program_of(p), price(p));
    }
}

static bool is_suitable(const SearchTask *t) {
    bool good = t->same_size;
    for (uint32_t k = 0; k < t->n_train && good; k++) {
        for (uint32_t c = 0; c < step_cells(t, k) && good; c++) {
            good = (uint8_t)t->in[k].b8[c] < COLORS && (uint8_t)t->out[k].b8[c] < COLORS;
        }
    }
    return good;
}

void *strategy_processes_open(Search *search) {
    const SearchTask *t = search->task;
    Processes *p = is_suitable(t) ? quota_grow(&search->quota, NULL, 1, sizeof *p) : NULL;
    if (p != NULL) {
        p->count = 0;
        p->search = search;
        p->start = &p->states[0];
        p->now = &p->states[1];
        p->best = &p->states[2];
        p->scratch = &p->states[3];
        for (uint32_t k = 0; k < t->n_train; k++) {
            memcpy(p->now->cells[k], t->in[k].b8, step_cells(t, k));
        }
        p->right = count_right(p, p->now);
    }
    return p;
}

void strategy_processes_run(Search *search, void *state) {
    CtxMark mark = ctx_mark(search->ctx);
    run_chain(state);
    ctx_release(search->ctx, mark);
}

void strategy_processes_close(Search *search, void *state) {
    quota_free(&search->quota, state);
}
