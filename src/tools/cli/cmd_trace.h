/* Shared by cmd_trace.c (which program on which task) and trace_lines.c (its lines and values). */
#ifndef BATT_TOOLS_CLI_CMD_TRACE_H
#define BATT_TOOLS_CLI_CMD_TRACE_H

#include "tools/cli/budget_option.h"
#include "tools/cli/data.h"
#include "tools/cli/profile_option.h"

typedef struct TraceOptions {
    CliList solvers;
    const char *sample, *html, *battery;
    int mode, palette;
    bool safe, digits, json;
    int64_t timeout, max_steps, max_memory;
    ProfileChoice profile;
} TraceOptions;

/* Runs the program on the pairs that the options choose and shows every line; returns the exit code. */
int trace_lines(Cli *cli, const TraceOptions *options, const Program *program, const Task *task);

#endif
