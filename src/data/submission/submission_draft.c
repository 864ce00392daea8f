/* Collecting the answers of a submission; see submission.h. */
#include "base/alloc.h"
#include "base/check.h"
#include "data/submission/submission.h"

#include <string.h>

bool submission_draft_open(SubmissionDraft *d, const Task *const *tasks, size_t n_tasks) {
    *d = (SubmissionDraft){.tasks = tasks, .n_tasks = n_tasks, .first = mem_array(n_tasks, sizeof *d->first)};
    for (size_t k = 0; d->first != NULL && k < n_tasks; k++) {
        d->first[k] = d->n_answers;
        d->n_answers += (size_t)tasks[k]->n_test;
    }
    d->answers = mem_zalloc(d->n_answers, sizeof *d->answers);
    return d->first != NULL && d->answers != NULL;
}

bool submission_draft_set(SubmissionDraft *d, size_t task, int32_t test, unsigned attempt, Image image) {
    ASSERT(task < d->n_tasks && test < d->tasks[task]->n_test && attempt < SUBMISSION_ATTEMPTS,
           "task %zu, test %d, attempt %u", task, test, attempt);
    Image *to = &d->answers[d->first[task] + (size_t)test].attempt[attempt];
    size_t cells = (size_t)image.h * (size_t)image.w;
    int8_t *copy = cells > 0 ? mem_alloc(cells) : NULL;
    if (cells > 0 && copy == NULL) {
        return false;
    }
    if (cells > 0) {
        memcpy(copy, image.cells, cells);
    }
    mem_free((void *)to->cells);
    *to = cells > 0 ? (Image){image.h, image.w, copy} : (Image){0};
    return true;
}

void submission_draft_write(Out *out, const SubmissionDraft *d) {
    submission_write(out, d->tasks, d->n_tasks, d->answers);
}

void submission_draft_close(SubmissionDraft *d) {
    for (size_t k = 0; d->answers != NULL && k < d->n_answers; k++) {
        for (unsigned a = 0; a < SUBMISSION_ATTEMPTS; a++) {
            mem_free((void *)d->answers[k].attempt[a].cells);
        }
    }
    mem_free(d->answers);
    mem_free(d->first);
    *d = (SubmissionDraft){0};
}
