/* --stats, for long-running commands: what was counted on the way (base/statistics.def). */
#ifndef BATT_TOOLS_CLI_STATISTICS_OPTION_H
#define BATT_TOOLS_CLI_STATISTICS_OPTION_H

#include "base/json.h"
#include "base/statistics.h"
#include "tools/cli/cli.h"

#define STATISTICS_OPTION(type) CLI_FLAG(type, stats, 0, "stats", "print the statistics of the run")

/* One line per number that is not 0. */
void statistics_text(Out *out, const TermStyle *style, const Statistics *statistics);
/* All of them: "statistics": {name: number, ...}. */
void statistics_json(Json *json, const Statistics *statistics);

#endif
