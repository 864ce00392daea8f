/* --without STRATEGY and --net, for commands that search. */
#ifndef BATT_TOOLS_CLI_STRATEGIES_OPTION_H
#define BATT_TOOLS_CLI_STRATEGIES_OPTION_H

#include "base/out.h"
#include "tools/cli/cli.h"

/* Adds the strategies of these names to a bit set; false after an error message. */
bool strategies_without(const Cli *cli, const CliList *names, uint32_t *set);
/* All of them, as `batt help strategies` shows them. */
void strategies_list(Out *out, const TermStyle *style);

/* The option --net, a NetUse */
#define NET_WORDS "off|auto|only"
#define NET_HELP                                                                                          \
    "auto: train a small network on tasks without a certain program, if there is time for a few hundred " \
    "steps; only: use nothing else"

#endif
