/* --set NAME=VALUE, for commands that search, and the list of what can be set. */
#ifndef BATT_TOOLS_CLI_TUNABLES_OPTION_H
#define BATT_TOOLS_CLI_TUNABLES_OPTION_H

#include "base/out.h"
#include "search/schedule/tunables.h"
#include "tools/cli/cli.h"

#define TUNABLES_OPTION(type, field)              \
    CLI_LIST(type, field, 0, "set", "NAME=VALUE", \
             "change a tunable of search, see 'batt help tunables'; repeatable")

/* The defaults, changed by the settings. False: the error was reported. */
bool tunables_read(const Cli *cli, const CliList *settings, Tunables *tunables);
/* All of them, as `batt help tunables` shows them. */
void tunables_list(Out *out, const TermStyle *style);

#endif
