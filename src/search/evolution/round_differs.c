/* Differs in a generation: one battery of all children over the cases of a task; see differ_cases.h. */
#include "base/clock.h"
#include "base/mix.h"
#include "engine/eval/eval.h"
#include "engine/eval/scope.h"
#include "search/evolution/round.h"
#include "search/run/run.h"

enum { DIFFERS = 1 }; /* the form of differs: over S, I, C */

/* Notes the grades that the children give an answer, or (UINT32_MAX) the expected output. */
static void note_grades(EvolveScratch *s, Ctx *ctx, const DifferSample *sample, uint32_t answer) {
    for (uint32_t k = 0; k < s->count; k++) {
        EvolveChild *c = &s->children[k];
        uint64_t steps;
        if (c->dead) {
            continue;
        }
        Val v = battery_answer(s->batteries[DIFFERS], ctx, &s->run, c->handle, &steps);
        int32_t grade = val_failed(v) ? 0 : (int32_t)differ_grade(v);
        if (answer == UINT32_MAX) {
            s->tallies[k] = (DifferTally){.expected = grade};
        } else {
            differ_tally_add(&s->tallies[k], sample, answer, grade);
        }
        c->steps += steps;
        c->outputs = (c->outputs ^ (uint64_t)(grade + 1)) * MIX_FACTOR + 1;
        COUNT(&s->statistics, EVALUATIONS, 1);
    }
}

/* Adds the scores of a sample, and gives up children that can no longer be kept. */
static void settle_sample(EvolveScratch *s, const EvolveTask *t, int32_t sample) {
    int32_t hope = SCORE_EXACT * (t->task->n_train - 1 - sample);
    for (uint32_t k = 0; k < s->count; k++) {
        EvolveChild *c = &s->children[k];
        if (c->dead) {
            continue;
        }
        int32_t score = differ_tally_score(&s->tallies[k], &t->cases->samples[sample]);
        c->score += score;
        c->exact += score == SCORE_EXACT;
        if (c->score + hope == 0 || c->score + hope < s->min_score[evolve_class(c->calls)]) {
            c->dead = true;
            battery_remove(s->batteries[DIFFERS], c->handle);
        }
    }
}

bool round_judge_differs(EvolveScratch *s, Ctx *ctx, EvolveTask *t) {
    const Battery *b = s->batteries[DIFFERS];
    if (battery_programs(b) == 0) {
        return true;
    }
    if (!round_run_room(s, battery_nodes(b))) {
        return false;
    }
    s->run.ready = NULL;
    for (int32_t k = 0; k < t->task->n_train; k++) {
        const DifferSample *sample = &t->cases->samples[k];
        scope_enter(ctx, SCOPE_BATTERY);
        ctx_reset(ctx);
        Val expected = eval_grid(sample->expected);
        Val params[3] = {run_samples_value(ctx, t->task), expected, expected};
        COUNT(&s->statistics, EVOLVE_STEPS, battery_run(b, ctx, params, &s->run));
        note_grades(s, ctx, sample, UINT32_MAX);
        CtxMark mark = ctx_mark(ctx);
        for (uint32_t x = 0; x < sample->count; x++) {
            params[2] = eval_grid(sample->answers[x]);
            COUNT(&s->statistics, EVOLVE_STEPS, battery_rerun(b, ctx, params, &s->run, 1u << 2));
            note_grades(s, ctx, sample, x);
            ctx_release(ctx, mark);
        }
        scope_enter(ctx, SCOPE_SCORE);
        settle_sample(s, t, k);
    }
    return true;
}

void round_examine_differ(Ctx *ctx, const EvolveTask *t, EvolveMember *m) {
    prim_bind(ctx, MODE_BATT, false);
    uint64_t start = clock_now_ns(), runs = 0;
    m->test_exact = m->test_score = 0;
    for (int32_t k = 0; k < t->cases->n; k++) {
        int32_t score = differ_judge(ctx, m->program, t->task, &t->cases->samples[k]);
        runs += 1 + t->cases->samples[k].count;
        if (k >= t->cases->n_train) {
            m->test_score += score;
            m->test_exact += score == SCORE_EXACT;
        }
    }
    m->time_ns = (clock_now_ns() - start) * (uint64_t)t->cases->n / (runs > 0 ? runs : 1); /* once a sample */
    prim_bind(ctx, MODE_CORE, false);
}
