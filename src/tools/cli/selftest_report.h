/* The report of `batt devices --selftest`, for people and as JSON. */
#ifndef BATT_TOOLS_CLI_SELFTEST_REPORT_H
#define BATT_TOOLS_CLI_SELFTEST_REPORT_H

#include "base/json.h"
#include "tools/devices/selftest.h"
#include "tools/display/term.h"

void selftest_text(Out *out, const TermStyle *style, const Selftest *test);
void selftest_json(Json *json, const Selftest *test); /* "selftest": {..} */

#endif
