/* What `batt run` found, and how it is told: lines, summary, JSON, differences, gallery. */
#ifndef BATT_CLI_RUN_REPORT_H
#define BATT_CLI_RUN_REPORT_H

#include "cli/data.h"
#include "cli/groups.h"
#include "cli/profile_option.h"
#include "prof/phase.h"

typedef struct RunOptions {
    CliList solvers;
    bool all, no_share, safe, diff, quiet, json;
    DataOptions data;
    int64_t jobs, timeout, max_steps, max_memory, slowest, show;
    int mode;
    const char *submission, *gallery, *battery;
    ProfileChoice profile;
} RunOptions;

typedef struct RunReport {
    const RunOptions *options;
    const Data *data;
    Solvers *solvers;
    Matching matching;
    RunTask *results; /* one a task */
    size_t n_done;    /* tasks reached before an interruption */
    RunTotals totals;
    Phases phases;
    ProfileTap *tap;  /* attached to the pool of the run */
    const char **ids; /* of the tasks */
    bool examples;    /* no tasks were named, but programs were */
    int profile_code; /* exit code of writing the profile */
} RunReport;

/* Whether nothing was reached at all: that is said loudly, with the most likely cause. */
bool run_is_zero(const RunReport *report);
void run_likely_cause(const RunReport *report, char *text, size_t room);

unsigned run_group(const void *report, size_t task); /* for groups.h */
void run_json(Out *out, RunReport *report);

/* Prints everything that was asked for; submitted: the submission asked for was written. EXIT_DONE, or
 * EXIT_BAD if something could not be written. */
int run_report(Cli *cli, RunReport *report, bool submitted);

#endif
