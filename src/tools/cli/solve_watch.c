/* Runs beside a search: the time limit, the progress line, and a submission file that always exists.
 *
 * A notebook may be killed at any moment, so the submission is written at the start, with placeholders, and
 * again while answers come in; each time the file is replaced as a whole. The answers are copied when a task
 * is finished, because a second round may be changing the results themselves. One thread beside the workers
 * ends the search when its time is up and keeps the progress line moving while no task ends. */
#include "base/alloc.h"
#include "base/clock.h"
#include "data/submission/submission.h"
#include "tools/cli/cmd_solve.h"

#include <string.h>
#include <unistd.h>

enum { TICK_MS = 50 };
static const uint64_t refresh_ns = UINT64_C(5000000000);

/* ---- the submission so far ---- */

bool solve_drafts_open(SolveJob *job) {
    size_t n = job->data->n_tasks, tests = 0;
    job->drafts = (SolveDrafts){.first = mem_array(n, sizeof *job->drafts.first)};
    for (size_t k = 0; job->drafts.first != NULL && k < n; k++) {
        job->drafts.first[k] = tests;
        tests += (size_t)job->data->tasks[k]->n_test;
    }
    job->drafts.answers = mem_zalloc(tests, sizeof *job->drafts.answers);
    job->drafts.n_answers = tests;
    return job->drafts.first != NULL && job->drafts.answers != NULL;
}

void solve_drafts_close(SolveJob *job) {
    SolveDrafts *d = &job->drafts;
    for (size_t k = 0; d->answers != NULL && k < d->n_answers; k++) {
        for (unsigned a = 0; a < SUBMISSION_ATTEMPTS; a++) {
            mem_free((void *)d->answers[k].attempt[a].cells);
        }
    }
    mem_free(d->answers);
    mem_free(d->first);
    *d = (SolveDrafts){0};
}

static void copy_image(Image *to, Image from) {
    size_t cells = (size_t)from.h * (size_t)from.w;
    int8_t *copy = cells > 0 ? mem_alloc(cells) : NULL;
    if (copy != NULL) { /* without memory the older answer stays */
        memcpy(copy, from.cells, cells);
        mem_free((void *)to->cells);
        *to = (Image){from.h, from.w, copy};
    }
}

void solve_drafts_take(SolveJob *job, size_t item) {
    const SolveTask *r = &job->session.results[item];
    Answer *answers = job->drafts.answers + job->drafts.first[item];
    for (int32_t x = 0; r->done && x < r->task->n_test; x++) {
        for (unsigned a = 0; a < SUBMISSION_ATTEMPTS; a++) {
            copy_image(&answers[x].attempt[a], r->answers[x][a].image);
        }
    }
    job->drafts.fresh = true;
}

/* Errors are ignored until the end, where output that cannot be written is rescued. */
void solve_drafts_save(SolveJob *job) {
    Out out;
    char why[256];
    out_init(&out);
    submission_write(&out, job->data->tasks, job->data->n_tasks, job->drafts.answers);
    if (!out.failed) {
        out_save(&out, job->options->submission, why, sizeof why);
    }
    out_free(&out);
    job->drafts.fresh = false;
    job->drafts.saved_ns = clock_now_ns();
}

/* ---- the thread ---- */

static void *watch(void *argument) {
    SolveJob *job = argument;
    while (!atomic_load(&job->watch.over)) {
        uint64_t now = clock_now_ns();
        if (stop_is_requested(job->watch.asked) ||
            (job->watch.deadline_ns != 0 && now >= job->watch.deadline_ns)) {
            stop_request(&job->watch.stop);
        }
        pthread_mutex_lock(&job->session.lock);
        if (job->watch.shown) {
            progress_tick(&job->progress);
        }
        if (job->options->submission != NULL && job->drafts.fresh &&
            now - job->drafts.saved_ns >= refresh_ns) {
            solve_drafts_save(job);
        }
        pthread_mutex_unlock(&job->session.lock);
        usleep(TICK_MS * 1000);
    }
    return NULL;
}

bool solve_watch_start(SolveJob *job) {
    atomic_init(&job->watch.over, false);
    return pthread_create(&job->watch.thread, NULL, watch, job) == 0;
}

void solve_watch_end(SolveJob *job) {
    atomic_store(&job->watch.over, true);
    pthread_join(job->watch.thread, NULL);
}
