/* Writes the counts; see statistics_option.h. */
#include "tools/cli/statistics_option.h"

#include "tools/display/table.h"

#include <inttypes.h>

void statistics_text(Out *out, const TermStyle *style, const Statistics *statistics) {
    Table table;
    table_begin(&table, "group", "counted", ">times", "what");
    for (unsigned k = 0; k < STATISTIC_COUNT; k++) {
        if (statistics->n[k] > 0) {
            table_cell(&table, statistic_rows[k].group);
            table_cell(&table, statistic_rows[k].name);
            table_fmt(&table, "%" PRIu64, statistics->n[k]);
            table_cell(&table, statistic_rows[k].text);
        }
    }
    out_char(out, '\n');
    table_end(&table, out, style);
}

void statistics_json(Json *json, const Statistics *statistics) {
    json_key(json, "statistics");
    json_begin_object(json);
    for (unsigned k = 0; k < STATISTIC_COUNT; k++) {
        json_kv_uint(json, statistic_rows[k].name, statistics->n[k]);
    }
    json_end_object(json);
}
