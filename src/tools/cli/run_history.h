/* batt run --history: a line when a task begins and one when it ends, appended to a file at once, so that a
 * crash shows which task it was. batt profile history reads it. */
#ifndef BATT_TOOLS_CLI_RUN_HISTORY_H
#define BATT_TOOLS_CLI_RUN_HISTORY_H

#include "search/run/run.h"
#include "tools/cli/cli.h"

typedef struct RunHistory {
    const Task *const *tasks;
    const char *path;
    int file; /* -1: closed */
    char run[64];
    _Atomic bool failed;
    RunHooks hooks;
} RunHistory;

/* Opens the file to append to it, and makes hooks for a run over these tasks. False: it cannot be, or it is
 * something else than a history; after an error message. */
bool run_history_open(RunHistory *history, const Cli *cli, const char *path, const Task *const *tasks);
/* False: some lines could not be written, after an error message. */
bool run_history_close(RunHistory *history, const Cli *cli);

#endif
