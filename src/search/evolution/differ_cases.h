/* What differs are judged by: for each sample of a task, answers of which it is known which is nearer.
 *
 * A sample has the expected output, spoiled copies of it with ever more cells wrong, and other wrong answers:
 * the input, outputs of other samples, the output mirrored, and what given solvers answer. A differ orders
 * two answers rightly if it gives the nearer one more. The pairs that count are the expected output with
 * every wrong answer, and each spoiled copy with the next. A differ that orders all of them rightly, and
 * gives the expected output 1000, is right on the sample and gets 1,000 points, as a right answer does;
 * otherwise it gets the share of pairs, and nothing if it does not recognize the expected output.
 *
 * All answers follow from the task and the given solvers, so a differ has the same score in every run. */
#ifndef BATT_SEARCH_EVOLUTION_DIFFER_CASES_H
#define BATT_SEARCH_EVOLUTION_DIFFER_CASES_H

#include "base/slab.h"
#include "data/tasks/task.h"
#include "engine/language/program.h"
#include "engine/value/ctx.h"

enum { CASES_SPOILED = 4, CASES_MAX = 24, CASES_SOLVERS = 128 }; /* solvers that are asked for an answer */

typedef struct DifferSample {
    Image expected;
    Image answers[CASES_MAX]; /* distinct and wrong; the spoiled ones first, nearest first */
    uint32_t spoiled, count;
} DifferSample;

typedef struct DifferCases {
    DifferSample *samples; /* of the training pairs, then of the tests whose outputs are known */
    int32_t n_train, n;
    Slab cells;
} DifferCases;

/* The solvers that are named after the task are asked first. False: no memory. */
bool differ_cases_open(DifferCases *cases, Ctx *ctx, const Task *task, const Program *const *solvers,
                       size_t n_solvers);
void differ_cases_close(DifferCases *cases);

/* How one differ does on one sample: grades are given in the order of the answers. */
typedef struct DifferTally {
    int32_t expected, last; /* grades of the expected output, and of the answer before */
    uint32_t right;         /* pairs */
} DifferTally;

void differ_tally_add(DifferTally *tally, const DifferSample *sample, uint32_t answer, int32_t grade);
int32_t differ_tally_score(const DifferTally *tally, const DifferSample *sample); /* 0..1000 */

/* The score of a differ on a sample, run by itself. */
int32_t differ_judge(Ctx *ctx, const Program *differ, const Task *task, const DifferSample *sample);

#endif
