/* Commands under a launcher: joining the other ranks, and one summary of all. */
#ifndef BATT_TOOLS_CLI_RANKS_OPTION_H
#define BATT_TOOLS_CLI_RANKS_OPTION_H

#include "backends/ranks/ranks.h"
#include "base/json.h"
#include "base/statistics.h"
#include "tools/cli/cli.h"

/* Fills cli->ranks if a launcher started several processes. False: they cannot work together, which was
 * reported; the command must not run then, or each process would do all the work. */
bool cli_ranks_open(Cli *cli);
void cli_ranks_close(Cli *cli, int status);
/* Set by Ctrl-C in any rank. */
const Stop *cli_stop(const Cli *cli);

/* What a rank did, sent to rank 0 when its work is over. */
typedef struct RankSummary {
    bool there; /* false: the rank is lost */
    uint32_t threads;
    uint64_t units, waited_ns, messages, bytes, memory; /* memory: peak bytes */
    Statistics statistics;
    Out profile; /* as JSON; empty: none was asked for */
} RankSummary;

typedef struct RankSummaries {
    RankSummary *ranks; /* NULL: alone */
    unsigned count;
} RankSummaries;

/* Other ranks send their summary and get nothing; rank 0 gets all, its own included. `profile` may be NULL.
 * False: no memory. */
bool rank_summaries_gather(RankSummaries *all, const Cli *cli, unsigned threads, const Statistics *mine,
                           const Out *profile);
void rank_summaries_free(RankSummaries *all);
/* Adds the counts of the other ranks. */
void rank_summaries_add(const RankSummaries *all, Statistics *to);
void rank_summaries_text(Out *out, const RankSummaries *all);
void rank_summaries_json(Json *json, const RankSummaries *all); /* "ranks" of an open object */

#endif
