/* batt bench search: what its files share. bench_search.c measures, bench_search_tables.c and
 * bench_search_finders.c report. */
#ifndef BATT_TOOLS_BENCH_BENCH_SEARCH_H
#define BATT_TOOLS_BENCH_BENCH_SEARCH_H

#include "search/session/outcomes.h"
#include "tools/bench/cmd_bench.h"

/* Tables and lists about one file of outcomes, compared with another (may be NULL): text for a terminal, or
 * Markdown with --report. */
bool bench_search_text(BenchRun *run, const Outcomes *outcomes, const Outcomes *against);
bool bench_search_json(BenchRun *run, const Outcomes *outcomes, const Outcomes *against);
/* Which strategy first found how many different tasks, over all sets of these files. */
bool bench_search_finders(BenchRun *run, const Outcomes *files, size_t n_files);
/* "0.3 s", "1000000 steps". */
const char *bench_search_budget(const OutcomeRun *run, char *text, size_t room);

#endif
