/* Making outcomes from search results; see outcomes.h. */
#include "search/session/outcomes.h"

#include "base/alloc.h"
#include "base/check.h"

#include <string.h>

void outcomes_init(Outcomes *o) {
    *o = (Outcomes){.version = "", .commit = "", .when = "", .machine = "", .command = ""};
    _Static_assert((int)STRATEGY_COUNT <= (int)OUTCOME_STRATEGIES,
                   "more strategies than an outcome can name");
    for (unsigned p = 0; p < STRATEGY_COUNT; p++) {
        o->strategies[o->n_strategies++] = strategy_names[p];
    }
}

void outcomes_free(Outcomes *o) {
    mem_free(o->sets);
    mem_free(o->runs);
    slab_free(&o->slab);
    *o = (Outcomes){0};
}

bool outcomes_text(Outcomes *o, const char **field, const char *text) {
    char *copy = slab_text(&o->slab, text, strlen(text));
    if (copy == NULL) {
        return false;
    }
    for (char *c = copy; *c != '\0'; c++) { /* replace what would end a field or a line */
        *c = *c == '\t' || *c == '\n' || *c == '\r' ? ' ' : *c;
    }
    *field = copy;
    return true;
}

bool outcomes_add_set(Outcomes *o, const char *name, size_t tasks, size_t known) {
    OutcomeSet *sets = mem_grow(o->sets, o->n_sets + 1, sizeof *sets);
    if (sets == NULL) {
        return false;
    }
    o->sets = sets;
    sets[o->n_sets] = (OutcomeSet){.tasks = tasks, .outputs = known};
    return outcomes_text(o, &sets[o->n_sets++].name, name);
}

OutcomeRun *outcomes_add_run(Outcomes *o, uint32_t set, size_t room) {
    OutcomeRun *runs = mem_grow(o->runs, o->n_runs + 1, sizeof *runs);
    if (runs == NULL) {
        return NULL;
    }
    o->runs = runs;
    OutcomeRun *run = &runs[o->n_runs];
    *run = (OutcomeRun){.set = set, .solo = -1, .repeat = 1};
    run->tasks = slab_alloc(&o->slab, room * sizeof *run->tasks);
    o->n_runs += run->tasks != NULL;
    return run->tasks != NULL ? run : NULL;
}

static OutcomeAnswer answer_of(const SolveTask *r, uint32_t test, unsigned attempt) {
    ASSERT(attempt < SOLVE_ATTEMPTS && test < (uint32_t)r->task->n_test, "attempt %u at test %u", attempt,
           test);
    const SolveAnswer *answer = &r->answers[test][attempt];
    const TaskPair *pair = &r->task->test[test];
    if (!pair->has_output || answer->image.h == 0) {
        return (OutcomeAnswer){.state = pair->has_output ? OUTCOME_NONE : OUTCOME_UNKNOWN};
    }
    const SolveProgram *program = &r->programs[answer->candidate];
    bool right = task_image_equal(answer->image, pair->out);
    return (OutcomeAnswer){.state = right ? OUTCOME_RIGHT : OUTCOME_WRONG,
                           .strategy = program->strategy,
                           .fits = program->right == (uint32_t)r->task->n_train,
                           .pairs = program->right,
                           .cost = program->cost};
}

bool outcomes_add_task(Outcomes *o, OutcomeRun *run, const SolveTask *r, unsigned half) {
    OutcomeTask *t = &run->tasks[run->n_tasks];
    *t = (OutcomeTask){.half = (uint8_t)half,
                       .n_train = (uint32_t)r->task->n_train,
                       .n_test = (uint32_t)r->task->n_test,
                       .ms = (double)r->time_ns * 1e-6};
    t->answers = slab_alloc(&o->slab, t->n_test * sizeof *t->answers);
    t->strategy_ms = slab_alloc(&o->slab, o->n_strategies * sizeof *t->strategy_ms);
    if (t->answers == NULL || t->strategy_ms == NULL || !outcomes_text(o, &t->id, r->task->id)) {
        return false;
    }
    for (unsigned p = 0; p < o->n_strategies; p++) {
        t->strategy_ms[p] = (double)r->work.strategies[p].ns * 1e-6;
    }
    for (uint32_t x = 0; x < t->n_test; x++) {
        for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
            t->answers[x][a] = answer_of(r, x, a);
        }
    }
    run->n_tasks++;
    return true;
}
