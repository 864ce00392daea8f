/* Scoring the answers of a run; see score_run.h. */
#include "search/evolution/score_run.h"

#include "base/alloc.h"

#include <stdio.h>

static void begin(void *user, const Worker *worker, const Task *task, const TaskPair *pair) {
    const ScoreRun *run = user;
    scorer_begin(&run->scorers[worker->index], task, pair->out);
}

static int score(void *user, const Worker *worker, size_t program, Val answer) {
    const ScoreRun *run = user;
    (void)program;
    return scorer_score(&run->scorers[worker->index], answer, NULL);
}

bool score_run_open(ScoreRun *run, const ProgList *differs, const Pool *pool, char *why, size_t why_size) {
    *run = (ScoreRun){.scoring = {.user = run, .begin = begin, .score = score}};
    if (!differs_open(&run->differs, false, (const Program *const *)differs->items, differs->count, why,
                      why_size)) {
        return false;
    }
    run->scorers = mem_zalloc(pool->count, sizeof *run->scorers);
    bool good = run->scorers != NULL;
    for (unsigned k = 0; k < pool->count && good; k++) {
        good = scorer_open(&run->scorers[k], &run->differs);
        run->count += good;
    }
    if (!good) {
        snprintf(why, why_size, MEM_NONE);
        score_run_close(run);
    }
    return good;
}

void score_run_close(ScoreRun *run) {
    for (unsigned k = 0; k < run->count; k++) {
        scorer_close(&run->scorers[k]);
    }
    mem_free(run->scorers);
    differs_close(&run->differs);
    *run = (ScoreRun){0};
}
