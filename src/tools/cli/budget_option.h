/* The options of commands that evaluate programs: how, and what one evaluation may take. The options' struct
 * has `int64_t timeout, max_steps, max_memory; int mode; bool safe;`. */
#ifndef BATT_TOOLS_CLI_BUDGET_OPTION_H
#define BATT_TOOLS_CLI_BUDGET_OPTION_H

#include "engine/value/ctx.h"
#include "tools/cli/cli.h"

#define BUDGET_OPTIONS(T, time_limit, min_memory)                                                         \
    CLI_GROUP("limits and semantics"),                                                                    \
        CLI_TIME(T, timeout, 0, "timeout", time_limit, 0, CLI_DAY, "time limit per evaluation; 0: none"), \
        CLI_INT(T, max_steps, 0, "max-steps", "N", "50000000", 1, INT64_MAX / 4, "steps per evaluation"), \
        CLI_SIZE(T, max_memory, 0, "max-memory", "256M", min_memory, INT64_C(1) << 40,                    \
                 "memory per evaluation"),                                                                \
        CLI_CHOICE(T, mode, 0, "mode", "core|batt", NULL,                                                 \
                   "language mode; default: the one that the parameters imply"),                          \
        CLI_FLAG(T, safe, 0, "safe",                                                                      \
                 "failed calls return the dialect's default instead of failing the program")

#define BUDGET_OF(options)                              \
    ((Budget){.steps = (uint64_t)(options)->max_steps,  \
              .bytes = (uint64_t)(options)->max_memory, \
              .time_ns = (uint64_t)(options)->timeout,  \
              .depth = BUDGET_DEFAULT.depth})

#endif
