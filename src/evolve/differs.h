/* Differs: programs that say how near an answer is to the wanted one.
 *
 * A differ is a program over (S, I, C): the samples of the task, the wanted output, the candidate's output.
 * It gives a number, or a tuple whose first element is one, taken as 0..1000: 1000 is as good as equal in its
 * respect. What fails or is no number counts 0. The score of an answer that is not exact is the mean of all
 * differs, at most SCORE_NEAREST; exact is 1000. Between the two is room for what an exact one is not sure of
 * (evolve/guard.h).
 *
 * They are compiled once, into batteries, so that what several of them compute is computed once, and what
 * does not depend on the candidate once a sample. The built-in ones are mostly not run but computed straight
 * (differs_own.h), which gives the same score. Immutable once made; threads share it. */
#ifndef BATT_EVOLVE_DIFFERS_H
#define BATT_EVOLVE_DIFFERS_H

#include "evolve/differs_own.h"
#include "exec/battery.h"
#include "lang/parse.h"
#include "task/task.h"

enum { SCORE_EXACT = 1000, SCORE_NEAREST = 995, DIFFERS_MOST = 64 };

typedef struct DifferSet {
    Battery *battery;
    uint32_t count;
    int handles[DIFFERS_MOST];
} DifferSet;

typedef struct Differs {
    DifferSet own, more; /* built-in, and from further sources */
    uint32_t count;      /* of both */
    bool counted;        /* the steps of scoring matter to someone: the built-in ones are run as well */
} Differs;

extern const char differs_text[]; /* the built-in ones */

/* More of them come from further sources (may be NULL); `why` says what is wrong with one, naming it. */
bool differs_open(Differs *differs, const Program *const *more, size_t n_more, char *why, size_t why_size);
void differs_close(Differs *differs);

/* Scores the answers to one sample after another: the scratch of one thread. */
typedef struct Scorer {
    const Differs *differs;
    Ctx ctx; /* its own, for what must outlive an answer */
    BatteryRun own, more;
    CtxMark mark;
    Val params[3];
    bool straight; /* the built-in ones are computed, not run: see differs_own.h */
    Traits wanted, answer;
} Scorer;

bool scorer_open(Scorer *scorer, const Differs *differs); /* false: no memory */
void scorer_close(Scorer *scorer);
/* Returns the steps it took. */
uint64_t scorer_begin(Scorer *scorer, const Task *task, Image wanted);
/* 0..1000. What is no grid scores 0. *steps (may be NULL) grows by what it took. */
int scorer_score(Scorer *scorer, Val answer, uint64_t *steps);

#endif
