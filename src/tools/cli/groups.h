/* Summaries of tasks by the folder that they came from: one row per folder. */
#ifndef BATT_TOOLS_CLI_GROUPS_H
#define BATT_TOOLS_CLI_GROUPS_H

#include "base/json.h"
#include "base/out.h"
#include "tools/cli/data.h"

/* How a task went, as bits. */
enum { GROUP_KNOWN = 1, GROUP_SOLVED = 2, GROUP_FITS = 4 }; /* KNOWN: the right answers are known */

typedef unsigned GroupJudge(const void *user, size_t task); /* `task` is an index into the data */

/* They write nothing if all tasks come from one folder. */
void groups_write(Out *out, const TermStyle *style, const Data *data, GroupJudge *judge, const void *user);
void groups_json(Json *json, const Data *data, GroupJudge *judge, const void *user);

#endif
