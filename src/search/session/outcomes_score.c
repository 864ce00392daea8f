/* Scores of outcomes, and what changed from one run to another; see outcomes.h. */
#include "base/alloc.h"
#include "search/schedule/tunables.h"
#include "search/session/outcomes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_known(const OutcomeTask *t) {
    for (uint32_t x = 0; x < t->n_test; x++) {
        for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
            if (t->answers[x][a].state == OUTCOME_UNKNOWN) {
                return false;
            }
        }
    }
    return true;
}

unsigned outcomes_right_attempt(const OutcomeTask *t, uint32_t test) {
    unsigned a = 0;
    while (a < SOLVE_ATTEMPTS && t->answers[test][a].state != OUTCOME_RIGHT) {
        a++;
    }
    return a;
}

/* Is the test right within this many attempts? */
static bool outcomes_is_right(const OutcomeTask *t, uint32_t test, unsigned attempts) {
    return outcomes_right_attempt(t, test) < attempts;
}

static void count_first(OutcomeScore *s, const OutcomeTask *t) {
    const OutcomeAnswer *first = &t->answers[0][0];
    if (t->n_test == 0 || first->state == OUTCOME_NONE || !first->fits) {
        return;
    }
    bool right = true;
    for (uint32_t x = 0; x < t->n_test; x++) {
        right &= t->answers[x][0].state == OUTCOME_RIGHT;
    }
    bool trusted = first->cost < tunables_default.trusted;
    s->first++;
    s->first_right += right;
    s->trusted += trusted;
    s->trusted_right += trusted && right;
    s->strategy[first->strategy].first++;
    s->strategy[first->strategy].first_right += right;
}

OutcomeScore outcomes_score(const Outcomes *o, const OutcomeRun *run, unsigned half, unsigned attempts) {
    OutcomeScore s = {0};
    for (size_t k = 0; k < run->n_tasks; k++) {
        const OutcomeTask *t = &run->tasks[k];
        size_t right[SOLVE_ATTEMPTS] = {0};
        if (half != 0 && t->half != half) {
            continue;
        }
        s.ms += t->ms;
        for (unsigned p = 0; p < o->n_strategies; p++) {
            s.strategy[p].ms += t->strategy_ms[p];
        }
        if (!is_known(t)) {
            continue;
        }
        s.tasks++;
        s.outputs += t->n_test;
        for (uint32_t x = 0; x < t->n_test; x++) {
            unsigned at = outcomes_right_attempt(t, x);
            for (unsigned a = at; a < SOLVE_ATTEMPTS; a++) {
                right[a]++;
            }
            if (at < attempts) {
                s.strategy[t->answers[x][at].strategy].right++;
            }
        }
        for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
            s.right[a] += right[a];
            s.solved[a] += right[a] == t->n_test;
        }
        count_first(&s, t);
    }
    return s;
}

static int by_id(const void *id, const void *task) {
    return strcmp(id, ((const OutcomeTask *)task)->id);
}

static const OutcomeTask *outcomes_find(const OutcomeRun *run, const char *id) {
    return run->n_tasks > 0 ? bsearch(id, run->tasks, run->n_tasks, sizeof *run->tasks, by_id) : NULL;
}

const OutcomeRun *outcomes_like(const Outcomes *in, const Outcomes *o, const OutcomeRun *run,
                                unsigned repeat) {
    const OutcomeRun *first = NULL;
    for (size_t k = 0; k < in->n_runs; k++) {
        const OutcomeRun *other = &in->runs[k];
        bool same_strategy = run->solo < 0 ? other->solo < 0
                                           : other->solo >= 0 && strcmp(in->strategies[other->solo],
                                                                        o->strategies[run->solo]) == 0;
        if (same_strategy && other->by_steps == run->by_steps && other->budget == run->budget &&
            strcmp(in->sets[other->set].name, o->sets[run->set].name) == 0) {
            first = first == NULL || other->repeat == repeat ? other : first;
        }
    }
    return first;
}

double outcomes_sign_test(size_t a, size_t b) {
    size_t n = a + b, min = a < b ? a : b;
    double p = 0;
    for (size_t k = 0; k <= min; k++) {
        p += exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) -
                 (double)n * log(2));
    }
    return fmin(1, 2 * p);
}

bool outcomes_compare(const OutcomeRun *before, const OutcomeRun *now, unsigned half, unsigned attempts,
                      bool list, OutcomeChange *c) {
    size_t room = 0;
    *c = (OutcomeChange){0};
    for (size_t k = 0; k < now->n_tasks; k++) {
        room += now->tasks[k].n_test;
    }
    if (list) {
        c->flips = mem_array(room, sizeof *c->flips);
        if (c->flips == NULL) {
            return false;
        }
    }
    for (size_t k = 0; k < now->n_tasks; k++) {
        const OutcomeTask *t = &now->tasks[k], *old = outcomes_find(before, t->id);
        if (old == NULL || old->n_test != t->n_test || (half != 0 && t->half != half) || !is_known(t)) {
            continue;
        }
        for (uint32_t x = 0; x < t->n_test; x++) {
            bool was = outcomes_is_right(old, x, attempts), is = outcomes_is_right(t, x, attempts);
            if (list && was != is) {
                c->flips[c->gained + c->lost] = (OutcomeFlip){t->id, x, t->n_test, t->half, is};
            }
            c->outputs++;
            c->before += was;
            c->now += is;
            c->gained += is && !was;
            c->lost += was && !is;
        }
    }
    c->p = outcomes_sign_test(c->gained, c->lost);
    return true;
}

/* Whether the strategy's solo run gets this test of this task right; false if it was not tried. */
static bool alone(const OutcomeRun *run, const OutcomeTask *t, uint32_t test, unsigned attempts) {
    const OutcomeTask *mine = outcomes_find(run, t->id);
    return mine != NULL && mine->n_test == t->n_test && outcomes_is_right(mine, test, attempts);
}

static const OutcomeRun *solo_run(const Outcomes *o, const OutcomeRun *run, unsigned strategy) {
    for (size_t k = 0; k < o->n_runs; k++) {
        if (o->runs[k].solo == (int)strategy && o->runs[k].set == run->set) {
            return &o->runs[k];
        }
    }
    return NULL;
}

bool outcomes_alone(const Outcomes *o, const OutcomeRun *run, unsigned strategy, unsigned attempts,
                    size_t *solved, size_t *only) {
    const OutcomeRun *mine = solo_run(o, run, strategy);
    *solved = *only = 0;
    for (size_t k = 0; mine != NULL && k < mine->n_tasks; k++) {
        const OutcomeTask *t = &mine->tasks[k];
        for (uint32_t x = 0; x < t->n_test; x++) {
            if (!outcomes_is_right(t, x, attempts)) {
                continue;
            }
            bool others = false;
            for (unsigned p = 0; p < o->n_strategies && !others; p++) {
                const OutcomeRun *other = p != strategy ? solo_run(o, run, p) : NULL;
                others = other != NULL && alone(other, t, x, attempts);
            }
            (*solved)++;
            *only += !others;
        }
    }
    return mine != NULL;
}
