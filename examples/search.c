/* Searches for programs that solve tasks, with a time limit per task, progress, a stop flag, and a
 * submission at the end. */
#include <batt.h>
#include <signal.h>
#include <stdio.h>

static volatile int stop; /* set by Ctrl-C: the results so far are kept */

static void interrupt(int signal_number) {
    (void)signal_number;
    stop = 1;
}

static void progress(void *user, size_t done, size_t total) {
    (void)user;
    fprintf(stderr, "\r%zu of %zu tasks", done, total);
}

int main(int argc, char **argv) {
    signal(SIGINT, interrupt);
    batt_context *batt = batt_open();
    batt_tasks *all = batt_tasks_load(batt, (const char *const *)argv + 1, (size_t)argc - 1);
    batt_tasks *tasks = batt_tasks_select(batt, all, NULL, 0, NULL, 0, argc > 1 ? 0 : 4);
    batt_solve_options how = {.size = sizeof how, .nanoseconds = 100000000};
    batt_job job = {.size = sizeof job, .stop = &stop, .progress = progress};
    batt_results *results = batt_solve(batt, tasks, &how, &job);
    if (results == NULL) {
        fprintf(stderr, "search: %s\n", batt_error(batt));
        return 1;
    }
    fprintf(stderr, "\n");
    for (size_t k = 0; k < batt_results_count(results); k++) {
        const char *program = batt_results_program(results, k, 0);
        printf("%s: %s\n%s", batt_results_id(results, k), batt_results_status(results, k),
               program ? program : "");
    }
    char *sheet = batt_results_submission(batt, results, NULL);
    printf("a submission %s\n", sheet != NULL ? "is ready" : batt_error(batt));
    batt_text_free(sheet);
    batt_results_free(results);
    batt_tasks_free(tasks);
    batt_tasks_free(all);
    batt_close(batt);
    return 0;
}
