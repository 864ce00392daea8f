/* Runs beside a search: the time limit, the progress line, and a submission file that always exists.
 *
 * A notebook may be killed at any moment, so the submission is written at the start, with placeholders, and
 * again while answers come in; each time the file is replaced as a whole. The answers are copied when a task
 * is finished, because a second round may be changing the results themselves. One thread beside the workers
 * ends the search when its time is up and keeps the progress line moving while no task ends. */
#include "base/clock.h"
#include "tools/cli/cmd_solve.h"

#include <unistd.h>

enum { TICK_MS = 50 };
static const uint64_t refresh_ns = UINT64_C(5000000000);

/* ---- the submission so far ---- */

bool solve_drafts_take(SolveJob *job, size_t item) {
    const SolveTask *r = &job->session.results[item];
    bool good = true;
    for (int32_t x = 0; r->done && x < r->task->n_test; x++) {
        for (unsigned a = 0; a < SUBMISSION_ATTEMPTS; a++) {
            good &= submission_draft_set(&job->drafts.submission, item, x, a, r->answers[x][a].image);
        }
    }
    job->drafts.fresh = true;
    return good;
}

/* Errors are ignored until the end, where output that cannot be written is rescued. */
void solve_drafts_save(SolveJob *job) {
    Out out;
    char why[256];
    out_init(&out);
    submission_draft_write(&out, &job->drafts.submission);
    out_save(&out, job->options->submission, why, sizeof why);
    out_free(&out);
    job->drafts.fresh = false;
    job->drafts.saved_ns = clock_now_ns();
}

bool solve_write_submission(const Cli *cli, SolveJob *job) {
    Out out;
    bool good = true;
    for (size_t k = 0; k < job->data->n_tasks; k++) {
        good &= solve_drafts_take(job, k);
    }
    out_init(&out);
    submission_draft_write(&out, &job->drafts.submission);
    good = good ? cli_save(cli, &out, job->options->submission) : cli_no_memory(cli) == EXIT_DONE;
    out_free(&out);
    return good;
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
