/* The results of `batt run` and their report: lines, summary, JSON, differences, gallery. */
#ifndef BATT_TOOLS_CLI_RUN_REPORT_H
#define BATT_TOOLS_CLI_RUN_REPORT_H

#include "base/json.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/data.h"
#include "tools/cli/device_option.h"
#include "tools/cli/groups.h"
#include "tools/cli/profile_option.h"
#include "tools/cli/run_history.h"
#include "tools/cli/statistics_option.h"
#include "tools/profiler/phase.h"

typedef struct RunOptions {
    CliList solvers;
    bool all, no_share, safe, diff, quiet, json, stats;
    DataOptions data;
    int64_t jobs, timeout, max_steps, max_memory, first_steps, device_from, slowest, show;
    int mode;
    const char *submission, *gallery, *battery, *device, *history;
    ProfileChoice profile;
} RunOptions;

typedef struct RunReport {
    const RunOptions *options;
    const Data *data;
    Solvers *solvers;
    Matching matching;
    const RunScoring *scoring; /* by the battery's differs; NULL: it has none */
    RunTask *results;          /* one per task */
    uint32_t *right;           /* by program with a score on record: samples right now; NULL: none has one */
    size_t n_done;             /* tasks begun before an interruption */
    RunTotals totals;
    Statistics statistics;
    Phases phases;
    RunHistory *history;       /* open, if there is to be one */
    ProfileRecorder *recorder; /* attached to the pool of the run */
    const char **ids;          /* of the tasks */
    bool examples;             /* programs were named, but no tasks */
    Backend *backend;          /* NULL: the processor */
    RankSummaries ranks;
    int profile_code; /* exit code of writing the profile */
} RunReport;

/* Whether nothing was solved at all, which is reported prominently with the most likely cause. */
bool run_is_zero(const RunReport *report);
void run_likely_cause(const RunReport *report, char *text, size_t room);

unsigned run_group(const void *user, size_t task); /* for groups.h: user is a RunReport */
void run_json(Out *out, RunReport *report);

/* Solvers of a collection whose score is another now than their paths say; nothing where none has a score. */
void run_rescored_text(Out *out, const RunReport *report);
void run_rescored_json(Json *json, const RunReport *report);

/* Prints everything that was asked for; submitted: the submission asked for was written. Returns EXIT_DONE,
 * or EXIT_BAD if something could not be written. */
int run_report(Cli *cli, RunReport *report, bool submitted);

#endif
