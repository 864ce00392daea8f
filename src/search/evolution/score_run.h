/* Scores the answers of a run by differs: the scoring of a RunSpec whose battery has differs. */
#ifndef BATT_SEARCH_EVOLUTION_SCORE_RUN_H
#define BATT_SEARCH_EVOLUTION_SCORE_RUN_H

#include "search/evolution/differs.h"
#include "search/run/run.h"

typedef struct ScoreRun {
    RunScoring scoring; /* for the RunSpec */
    Differs differs;
    Scorer *scorers; /* one per worker */
    unsigned count;
} ScoreRun;

/* With these differs and no others. Not to be moved once open. False: `why` names a bad one and says why, and
 * nothing is left open. */
bool score_run_open(ScoreRun *run, const ProgList *differs, const Pool *pool, char *why, size_t why_size);
void score_run_close(ScoreRun *run);

#endif
