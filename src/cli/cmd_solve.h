/* What batt solve has done, shared by its files: cmd_solve.c runs, solve_report.c tells. */
#ifndef BATT_CLI_CMD_SOLVE_H
#define BATT_CLI_CMD_SOLVE_H

#include "cli/data.h"
#include "cli/profile_option.h"
#include "cli/tunables_option.h"
#include "display/progress.h"
#include "prof/phase.h"
#include "search/library.h"
#include "search/session.h"
#include "store/solve_store.h"

typedef struct SolveOptions {
    DataOptions data;
    int64_t jobs, time_per_task, steps, attempts, max_memory;
    CliList without, solvers, set;
    const char *submission, *store, *vocabulary, *found;
    bool explain, quiet, json;
    ProfileChoice profile;
} SolveOptions;

typedef struct SolveJob {
    const SolveOptions *options;
    const Data *data;
    Session session;
    const char **ids; /* of the tasks */
    ProfileTap tap;
    Tunables tunables;
    Progress progress;
    Phases phases;
    char unit[64]; /* this and what follows changes in the session's hooks */
    size_t n_solved, n_known;
    SolveStore keep;
} SolveJob;

/* ---- solve_report.c ---- */
/* With the profile; an exit code. */
int solve_write_text(Out *out, const TermStyle *style, SolveJob *job);
int solve_write_json(Out *out, SolveJob *job);
bool solve_write_submission(const Cli *cli, const SolveJob *job);
bool solve_all_right(const SolveJob *job); /* no output that is known was missed */

/* ---- solve_found.c ---- */
bool solve_write_found(const Cli *cli, SolveJob *job); /* --found; false: the error was reported */

#endif
