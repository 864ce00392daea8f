/* Tasks by the folder they came from: a row for each in a summary. */
#ifndef BATT_CLI_GROUPS_H
#define BATT_CLI_GROUPS_H

#include "cli/data.h"
#include "core/json.h"
#include "core/out.h"

/* How a task went, as bits. */
enum { GROUP_KNOWN = 1, GROUP_SOLVED = 2, GROUP_FITS = 4 }; /* KNOWN: the right answers are */

typedef unsigned GroupJudge(const void *user, size_t task); /* by its number in the data */

/* Nothing where the tasks come from one folder. */
void groups_write(Out *out, const TermStyle *style, const Data *data, GroupJudge *judge, const void *user);
void groups_json(Json *json, const Data *data, GroupJudge *judge, const void *user);

#endif
