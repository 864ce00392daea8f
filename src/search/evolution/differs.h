/* Differs: programs that measure how close an answer is to the expected one.
 *
 * A differ is a program over (S, I, C): the samples of the task, the wanted output, the candidate's
 * output. It returns a number, or a tuple whose first element is one, in the range 0..1000: 1000
 * means equal in the respect that it measures. A differ that fails or returns no number counts as
 * 0. The score of an answer that is not exact is the mean of all differs, at most SCORE_NEAREST; an
 * exact one scores 1000. The gap between the two leaves room for the points that the guard takes
 * off exact ones (search/evolution/guard.h).
 *
 * Differs are compiled once, into batteries, so that calls they share run once, and calls that do
 * not depend on the candidate run once per sample. The built-in ones are mostly not run but
 * computed directly (differs_own.h), which gives the same score. Immutable once made; threads share
 * it. */
#ifndef BATT_SEARCH_EVOLUTION_DIFFERS_H
#define BATT_SEARCH_EVOLUTION_DIFFERS_H

#include "data/tasks/task.h"
#include "engine/eval/battery.h"
#include "engine/language/parse.h"
#include "search/evolution/differs_own.h"

enum { SCORE_EXACT = 1000, SCORE_NEAREST = 995, DIFFERS_MAX = 64 };

typedef struct DifferSet {
    Battery *battery;
    uint32_t count;
    int handles[DIFFERS_MAX];
} DifferSet;

typedef struct Differs {
    DifferSet own, more; /* built-in, and from further sources */
    uint32_t count;      /* of both */
    bool counted;        /* the caller needs the steps of scoring, so the built-in ones are run as well */
} Differs;

/* What a differ's result counts: 0..SCORE_EXACT. */
int64_t differ_grade(Val v);
/* Whether a program has the parameters of a differ; if not, `why` says so. */
bool differ_is_good(const Program *program, char *why, size_t why_size);

/* `own`: with the built-in ones; `more`: differs from further sources (may be NULL, if own). False: `why`
 * names a bad one and says why. */
bool differs_open(Differs *differs, bool own, const Program *const *more, size_t n_more, char *why,
                  size_t why_size);
/* Appends the built-in ones as programs. False: no memory. */
bool differs_parse(ProgList *list);
void differs_close(Differs *differs);

/* Scores the answers to one sample after another: the scratch of one thread. */
typedef struct Scorer {
    const Differs *differs;
    Ctx ctx; /* its own, for values that must outlive an answer */
    BatteryRun own, more;
    CtxMark mark;
    Val params[3];
    bool straight; /* the built-in differs are computed, not run: see differs_own.h */
    Traits wanted, answer;
} Scorer;

bool scorer_open(Scorer *scorer, const Differs *differs); /* false: no memory */
void scorer_close(Scorer *scorer);
/* Begins a sample with this expected output. Returns the steps it took. */
uint64_t scorer_begin(Scorer *scorer, const Task *task, Image wanted);
/* 0..1000. An answer that is not a grid scores 0. The steps it took are added to *steps (may be NULL). */
int scorer_score(Scorer *scorer, Val answer, uint64_t *steps);

#endif
