/* The state of batt solve, shared by its files: cmd_solve.c runs, solve_report.c reports. */
#ifndef BATT_TOOLS_CLI_CMD_SOLVE_H
#define BATT_TOOLS_CLI_CMD_SOLVE_H

#include "data/submission/submission.h"
#include "search/persistence/solve_store.h"
#include "search/session/session.h"
#include "search/strategies/library.h"
#include "tools/cli/data.h"
#include "tools/cli/device_option.h"
#include "tools/cli/profile_option.h"
#include "tools/cli/ranks_option.h"
#include "tools/cli/statistics_option.h"
#include "tools/cli/tunables_option.h"
#include "tools/display/progress.h"
#include "tools/profiler/phase.h"

#include <stdatomic.h>

typedef struct SolveOptions {
    DataOptions data;
    int64_t jobs, time, time_per_task, steps, split, attempts, max_memory;
    CliList without, solvers, set;
    const char *submission, *store, *vocabulary, *found;
    bool explain, quiet, json, stats;
    int progress, net;
    const char *device;
    ProfileChoice profile;
} SolveOptions;

/* The submission so far; see solve_watch.c. */
typedef struct SolveDrafts {
    SubmissionDraft submission;
    bool fresh; /* there are answers that are not in the file yet */
    uint64_t saved_ns;
} SolveDrafts;

typedef struct SolveWatch {
    pthread_t thread;
    _Atomic bool over;
    Stop stop; /* what the search polls: Ctrl-C, or time is up */
    const Stop *asked;
    uint64_t deadline_ns; /* on clock_now_ns; 0: none */
    bool shown;           /* a progress line is open; under the session's lock */
} SolveWatch;

/* What there is to see of a net; see solve_nets.c. */
typedef struct SolvePreview {
    char task[TASK_MAX_ID + 1]; /* empty: none is trained */
    uint64_t next_ns;           /* no new picture before this */
    char note[128];
    Out picture;
    TermStyle style;
} SolvePreview;

typedef struct SolveJob {
    const Cli *cli;
    const SolveOptions *options;
    const Data *data;
    Session session;
    const char **ids; /* of the units, for the profile */
    char (*names)[TASK_MAX_ID + 8];
    ProfileRecorder recorder;
    Backend *backend; /* NULL: the processor */
    Tunables tunables;
    Progress progress;
    Phases phases;
    char unit[64]; /* this and all below change in the session's hooks */
    size_t n_solved, n_known, n_answered, n_fitting;
    SolveDrafts drafts;
    SolveWatch watch;
    SolveStore keep;
    NetHooks nets;
    SolvePreview preview;
    RankSummaries ranks; /* of all ranks, at the end; empty: alone */
} SolveJob;

/* ---- solve_report.c ---- */
/* Include the profile; return an exit code. */
int solve_write_text(Out *out, const TermStyle *style, SolveJob *job);
int solve_write_json(Out *out, SolveJob *job);
bool solve_all_right(const SolveJob *job); /* all known outputs were found */

/* ---- solve_watch.c ---- */
/* A task is finished; under the session's lock. False: no memory. */
bool solve_drafts_take(SolveJob *job, size_t item);
void solve_drafts_save(SolveJob *job);
bool solve_write_submission(const Cli *cli, SolveJob *job); /* in the end; false: the error was reported */
bool solve_watch_start(SolveJob *job);                      /* false: no thread */
void solve_watch_end(SolveJob *job);

/* ---- solve_nets.c ---- */
void solve_nets_open(Cli *cli, SolveJob *job); /* sets the hooks of searches that train nets */
void solve_nets_close(SolveJob *job);

/* ---- solve_found.c ---- */
bool solve_write_found(const Cli *cli, SolveJob *job); /* --found; false: the error was reported */

#endif
