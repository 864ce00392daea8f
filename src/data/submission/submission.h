/* Kaggle submissions: {"id": [{"attempt_1": grid, "attempt_2": grid}, ..], ..}, one object per test input.
 *
 * They are written whole or not at all, read strictly, and scored in the three usual ways. */
#ifndef BATT_DATA_SUBMISSION_SUBMISSION_H
#define BATT_DATA_SUBMISSION_SUBMISSION_H

#include "base/json.h"
#include "data/tasks/task.h"

enum { SUBMISSION_ATTEMPTS = 2 };

typedef struct Answer { /* to one test input */
    Image attempt[SUBMISSION_ATTEMPTS];
} Answer;

typedef struct SubmissionEntry {
    const char *id;
    const Answer *answers;
    size_t n_answers;
    uint32_t line, column;
} SubmissionEntry;

typedef struct Submission {
    const char *file;
    const SubmissionEntry *entries; /* sorted by id; of duplicates only the first */
    size_t n_entries;
    const TaskError *errors;
    size_t n_errors;
    Slab slab;
} Submission;

/* Appends the submission of these tasks. `answers` holds the answers to all tests of all tasks, one after
 * another. An attempt that a file cannot hold (0 x 0: no answer; too large; invalid cells) becomes
 * [[0,0],[0,0]]. */
void submission_write(Out *out, const Task *const *tasks, size_t n_tasks, const Answer *answers);

/* A submission that is filled while answers come in; it keeps copies of them. False: no memory, and what was
 * there stays. */
typedef struct SubmissionDraft {
    const Task *const *tasks; /* not owned */
    size_t n_tasks, n_answers;
    size_t *first; /* by task: its first answer */
    Answer *answers;
} SubmissionDraft;
bool submission_draft_open(SubmissionDraft *draft, const Task *const *tasks, size_t n_tasks);
bool submission_draft_set(SubmissionDraft *draft, size_t task, int32_t test, unsigned attempt, Image image);
void submission_draft_write(Out *out, const SubmissionDraft *draft);
void submission_draft_close(SubmissionDraft *draft);

/* The same piece by piece: `first` means the first task of the file, or the first answer of the task. The
 * caller ends a task with ']'. */
void submission_begin_task(Out *out, const char *id, bool first);
void submission_write_answer(Out *out, const Answer *answer, bool first);

/* Appends several submissions merged into one; answers to the same test are ranked again
 * (submission_merge.c). False: why says where two disagree about a task's number of tests. */
typedef struct SubmissionMerged {
    size_t tasks, tests;
    size_t shared;     /* tasks in more than one submission */
    size_t unanswered; /* tests */
} SubmissionMerged;
bool submission_merge(Out *out, Submission *const *from, size_t n, SubmissionMerged *merged, char *why,
                      size_t why_size);

/* NULL only if memory ran out. Wrong entries are left out and listed in errors. */
Submission *submission_read(const char *path);
Submission *submission_read_bytes(const char *name, const void *bytes, size_t length);
void submission_free(Submission *submission);
const SubmissionEntry *submission_find(const Submission *submission, const char *id);

/* Scoring. Only test inputs with a known output count; a missing or malformed answer is wrong. */
typedef struct SubmissionScore {
    size_t tasks, tasks_solved;    /* tasks_solved: all their outputs are right */
    size_t outputs, outputs_right; /* what Kaggle averages */
    double mean_share;             /* share of right outputs, 0..1, averaged over tasks */
    size_t outputs_unknown;        /* test inputs without a known output */
    /* ids: not in the submission, not in the tasks, wrong number of answers */
    size_t missing, extra, miscounted;
} SubmissionScore;

/* The right outputs among one task's tests; entry may be NULL. counted: tests whose output is known. */
size_t submission_right(const Task *task, const SubmissionEntry *entry, size_t *counted);
SubmissionScore submission_score(const Submission *submission, const TaskSet *truth);
/* Writes members of an open object: the totals, and every task under "results". */
void submission_json_score(Json *json, const SubmissionScore *score);
void submission_json_results(Json *json, const Submission *submission, const TaskSet *truth);

/* Describes every mismatch between the submission's form and the tasks, one per line; returns how many there
 * are. */
size_t submission_check(Out *out, const Submission *submission, const TaskSet *tasks);

#endif
